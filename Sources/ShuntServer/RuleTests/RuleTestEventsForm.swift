internal import ShuntNative
internal import ShuntSchema

/// The form of an entry of `events`: an event as apps send it, and how often.
enum RuleTestEventsForm {
    private static let keys =
        [
            "at", "every", "times", "installs", "install", "tries", "attempts", "occurredAgo", "error", "stage",
            "outcome",
        ]
        + texts.map(\.key) + ["app", "os", "amount", "durationMs", "bodyBytes", "switchVersion"]

    /// The attributes that are plain texts.
    private static var texts: [(key: String, path: WritableKeyPath<PaymentEvent, String?>)] {
        [
            ("paymentMethod", \.paymentMethod), ("route", \.route), ("region", \.region), ("network", \.network),
            ("psp", \.psp), ("merchantId", \.merchantId), ("deviceModel", \.deviceModel),
            ("requestHost", \.requestHost), ("tokenVersion", \.tokenVersion), ("orderRef", \.orderRef),
        ]
    }

    /// A test is read by people; more than this is a benchmark.
    private static let mostTimes: Int64 = 100_000

    static func read(_ node: YAMLNode, _ reader: inout FileReader) -> RuleTestStep? {
        guard let fields = reader.fields(node, of: "an event", keys: keys + ["environment", "source"]) else {
            return nil
        }
        let atMs = reader.required("at", of: fields, .testTime)
        let everyMs = reader.optional("every", of: fields, .testTime)
        let times = reader.optional("times", of: fields, .count(in: 1...mostTimes))
        if fields["times"] == nil, let position = fields.keyPosition("every") {
            reader.note(.contradiction, at: position, found: "every without times", expected: "how many there are")
        }
        let installs = reader.optional("installs", of: fields, .count(in: 1...mostTimes))
        let attempts = reader.optional("attempts", of: fields, .count(in: 1...mostTimes))
        if fields["installs"] != nil, let position = fields.keyPosition("install") {
            reader.note(.contradiction, at: position, found: "both installs and install", expected: "one of them")
        }
        let tries = reader.optional("tries", of: fields, .name)
        if fields["installs"] == nil, let position = fields.keyPosition("tries") {
            reader.note(.contradiction, at: position, found: "tries without installs", expected: "how many there are")
        }
        let occurredAgoMs = reader.optional("occurredAgo", of: fields, .testTime)
        let event = event(fields, &reader)
        guard let atMs, let event else { return nil }
        return RuleTestStep(
            position: node.position,
            atMs: atMs,
            everyMs: everyMs ?? 0,
            times: times ?? 1,
            kind: .events(
                RuleTestEvents(
                    event: event,
                    installs: installs,
                    tries: tries,
                    attempts: attempts,
                    occurredAgoMs: occurredAgoMs
                )
            )
        )
    }

    private static func event(_ fields: FileFields, _ reader: inout FileReader) -> PaymentEvent? {
        let outcome: Outcome? = fields["outcome"] == nil ? .failed : reader.optional("outcome", of: fields, .word)
        let needsError = outcome == .failed
        let error =
            needsError
            ? reader.required("error", of: fields, .errorReport) : reader.optional("error", of: fields, .errorReport)
        var event = PaymentEvent(outcome: outcome ?? .failed, error: error)
        event.stage = reader.optional("stage", of: fields, .word) ?? .unknown
        event.environment = reader.optional("environment", of: fields, .filledText) ?? event.environment
        event.source = reader.optional("source", of: fields, .filledText) ?? event.source
        for (key, path) in texts { event[keyPath: path] = reader.optional(key, of: fields, .filledText) }
        event.installId = reader.optional("install", of: fields, .filledText)
        event.switchVersion = reader.optional("switchVersion", of: fields, .integer(in: 1...(.max))).map { UInt64($0) }
        event.durationMs = reader.optional("durationMs", of: fields, .integer(in: 0...(.max)))
        event.bodyBytes = reader.optional("bodyBytes", of: fields, .integer(in: 0...(.max)))
        if let app = reader.optional("app", of: fields, .fields(of: "app", keys: ["bundleId", "version", "build"])) {
            event.app = AppInfo(
                bundleId: reader.optional("bundleId", of: app, .filledText),
                version: reader.optional("version", of: app, .filledText),
                build: reader.optional("build", of: app, .filledText)
            )
        }
        if let os = reader.optional("os", of: fields, .fields(of: "os", keys: ["name", "version"])) {
            event.os = OSInfo(
                name: reader.optional("name", of: os, .filledText),
                version: reader.optional("version", of: os, .filledText)
            )
        }
        if let amount = reader.optional("amount", of: fields, .fields(of: "amount", keys: ["minor", "currency"])) {
            let minor = reader.required("minor", of: amount, .integer(in: 0...(.max)))
            let currency = reader.required("currency", of: amount, .filledText)
            if let minor, let currency { event.amount = Amount(minor: minor, currency: currency) }
        }
        return outcome == nil || needsError && error == nil ? nil : event
    }
}

extension FileValue where Value == ErrorReport {
    /// An error as an event reports it.
    fileprivate static var errorReport: Self {
        let keys = ["domain", "code", "subcode", "message", "httpStatus", "underlying"]
        return Self("a mapping with \(FileReader.list(keys))") { node, reader in
            guard let fields = reader.fields(node, of: "error", keys: keys) else { return nil }
            let domain = reader.optional("domain", of: fields, .filledText)
            let code = reader.required("code", of: fields, .filledText)
            let subcode = reader.optional("subcode", of: fields, .filledText)
            let message = reader.optional("message", of: fields, .filledText)
            let httpStatus = reader.optional("httpStatus", of: fields, .integer(in: 100...599))
            let nodes = reader.optional("underlying", of: fields, .nodes()) ?? []
            let underlying: [UnderlyingError] = nodes.compactMap { node in
                guard let inner = reader.fields(node, of: "an underlying error", keys: ["domain", "code"]) else {
                    return nil
                }
                let domain = reader.required("domain", of: inner, .filledText)
                let code = reader.required("code", of: inner, .filledText)
                guard let domain, let code else { return nil }
                return UnderlyingError(domain: domain, code: code)
            }
            guard let code else { return nil }
            var error = domain.map { ErrorReport(domain: $0, code: code) } ?? ErrorReport(code: code)
            error.subcode = subcode
            error.message = message
            error.httpStatus = httpStatus
            error.underlying = underlying
            return error
        }
    }
}
