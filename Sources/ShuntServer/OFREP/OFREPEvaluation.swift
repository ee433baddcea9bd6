internal import ShuntNative
internal import ShuntSchema

/// A switch, evaluated for one payer.
struct OFREPEvaluation: Equatable {
    /// OpenFeature's words for why a flag has its value; the protocol's schema has these and `UNKNOWN`.
    enum Reason: String, CaseIterable {
        /// Nobody is moved.
        case `static` = "STATIC"
        /// The environment or the payer's slice is moved, or a person decided.
        case targetingMatch = "TARGETING_MATCH"
        /// The install decides: a share of them tries the normal way.
        case split = "SPLIT"
        /// The switch's automation is off.
        case disabled = "DISABLED"
    }

    let decision: SwitchDecision
    let reason: Reason
    /// What the automation may do; nil for all.
    let mode: SwitchMode?

    init(of status: SwitchStatus, for attributes: [String: String]) {
        decision = status.decision(for: attributes)
        mode = status.mode
        reason =
            switch (decision.basis, status.mode ?? .armed) {
            case (.override, _): .targetingMatch
            case (_, .disarmed): .disabled
            case (_, .dryRun): .static
            case (.share, .armed): .split
            case (.slice, .armed): .targetingMatch
            case (.environment, .armed): decision.state == .normal ? .static : .targetingMatch
            }
    }

    /// The answer about one flag.
    func reply(_ document: SwitchDocument) -> HTTPReply {
        var writer = JSONWriter(capacity: 256)
        writer.write(self, in: document)
        let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + CrossOrigin.fields
        return HTTPReply(status: 200, headers: fields, body: writer.bytes)
    }
}

extension JSONWriter {
    /// Writes a `serverEvaluationSuccess`.
    ///
    /// Value and variant are always there, for `DISABLED` too. Without a value clients take the app's own default, or
    /// fail over what is missing (Go's and Python's did), while the other addresses go on naming a variant.
    mutating func write(_ evaluation: OFREPEvaluation, in document: SwitchDocument) {
        let decision = evaluation.decision
        beginObject()
        field("key", decision.key)
        field("value", decision.variant)
        field("reason", evaluation.reason.rawValue)
        field("variant", decision.variant)
        key("metadata")
        beginObject()
        field("switchVersion", document.version)
        field("epoch", document.epoch)
        field("state", decision.state.rawValue)
        field("mode", evaluation.mode?.rawValue)
        field("decidedBy", decision.decidedBy)
        endObject()
        endObject()
    }
}
