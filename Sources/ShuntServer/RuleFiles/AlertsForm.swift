internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of a file in `alerts/`: rules.
struct AlertsForm {
    /// The switches that a rule may trip; nil where that isn't known, since their file has problems of its own.
    var switchKeys: [String]?
    /// How long events are kept, in milliseconds; a window can't be longer.
    var retentionMs: Int64
    /// The rules named so far, over all files.
    private var names = FileNames(of: "rule")

    private static let keys = [
        "id", "description", "match", "groupBy", "kind", "count", "threshold", "window", "share", "attempts",
        "require", "maxPerInstall", "alert", "trip",
    ]

    init(switchKeys: [String]?, retentionMs: Int64) {
        self.switchKeys = switchKeys
        self.retentionMs = retentionMs
    }

    /// Reads the rules of a file.
    mutating func read(_ root: YAMLNode, _ reader: inout FileReader) -> [Rule] {
        guard let file = reader.fields(root, of: "the file", keys: ["rules"]) else { return [] }
        let nodes = reader.required("rules", of: file, .nodes()) ?? []
        return nodes.compactMap { node in
            if let id = node["id"], let text = id.text { names.add(text, at: id.position, &reader) }
            return rule(node, &reader)
        }
    }

    private func rule(_ node: YAMLNode, _ reader: inout FileReader) -> Rule? {
        guard let fields = reader.fields(node, of: "a rule", keys: Self.keys) else { return nil }
        let id = reader.required("id", of: fields, .name)
        let description = reader.optional("description", of: fields, .text) ?? ""
        let match = fields["match"].map { MatchForm.read($0, &reader) } ?? []
        let groupBy: [Dimension]? = reader.required("groupBy", of: fields, .list(of: .word))
        let count: Counting = reader.optional("count", of: fields, .word) ?? .attempts
        let threshold = reader.required("threshold", of: fields, .count(in: 1...Self.largestThreshold))
        let windowMs = reader.required("window", of: fields, .duration(in: 1000...DurationText.longestMs))
        let alert = alert(of: fields, threshold: threshold, &reader)
        let trip = reader.optional("trip", of: fields, .fields(of: "trip", keys: ["switch", "scope"])).flatMap {
            self.trip($0, groupBy: groupBy, &reader)
        }
        guard let id, let groupBy, let threshold, let windowMs, let alert else { return nil }
        let rule = Rule(
            id: id,
            description: description,
            match: match,
            groupBy: groupBy,
            count: count,
            threshold: threshold,
            windowMs: windowMs,
            alert: alert,
            trip: trip
        )
        check(rule, fields, &reader)
        return rule
    }

    /// The core keeps windows of less than this many events.
    private static let largestThreshold: Int64 = 999_999

    // MARK: Parts

    private static let alertKeys = [
        "severity", "for", "resolveBelow", "holdFor", "renotifyEvery", "channels", "warnAt",
    ]

    private func alert(of fields: FileFields, threshold: Int?, _ reader: inout FileReader) -> AlertPolicy? {
        guard let alert = reader.required("alert", of: fields, .fields(of: "alert", keys: Self.alertKeys)) else {
            return nil
        }
        let severity: Severity? = reader.required("severity", of: alert, .word)
        let resolveBelow = reader.optional("resolveBelow", of: alert, .count(in: 1...Self.largestThreshold))
        let holdForMs = reader.optional("holdFor", of: alert, .duration()) ?? 10 * 60_000
        if let threshold, let resolveBelow, resolveBelow > threshold {
            let found = "resolveBelow \(resolveBelow) of a threshold of \(threshold)"
            let expected = "at most the threshold, or the alert would resolve while it fires"
            reader.note(.contradiction, at: alert.valuePosition("resolveBelow"), found: found, expected: expected)
        }
        later(alert, &reader)
        guard let severity else { return nil }
        let half = ((threshold ?? 1) + 1) / 2
        return AlertPolicy(severity: severity, resolveBelow: resolveBelow ?? half, holdForMs: holdForMs)
    }

    /// Checks what alerts can't do yet, and takes only what asks for what they do anyway.
    private func later(_ alert: FileFields, _ reader: inout FileReader) {
        if let forMs = reader.optional("for", of: alert, .duration()), forMs > 0 {
            reader.refuse("for", of: alert, "a wait before firing", expected: "0s, or no \"for\"")
        }
        if reader.optional("renotifyEvery", of: alert, .duration(in: 60_000...DurationText.longestMs)) != nil {
            reader.refuse("renotifyEvery", of: alert, "renotifyEvery", expected: "an alert without it")
        }
        if reader.optional("channels", of: alert, .list(of: .name, notEmpty: .outOfRange)) != nil {
            reader.refuse("channels", of: alert, "channels", expected: "an alert without them")
        }
        if reader.optional("warnAt", of: alert, .share(in: 1...99)) != nil {
            reader.refuse("warnAt", of: alert, "warnAt", expected: "an alert without it")
        }
    }

    private func trip(_ trip: FileFields, groupBy: [Dimension]?, _ reader: inout FileReader) -> Trip? {
        let key = reader.required("switch", of: trip, .name)
        if let key, let switchKeys, !switchKeys.contains(key) {
            reader.note(
                .unknownSwitch,
                at: trip.valuePosition("switch"),
                found: "a trip of the switch \"\(key)\"",
                expected: switchKeys.isEmpty ? "a switch in switches.yaml" : "one of \(FileReader.list(switchKeys))",
                suggestion: Suggestion.nearest(to: key, among: switchKeys)
            )
        }
        let scope: [Dimension] = reader.optional("scope", of: trip, .list(of: .word)) ?? []
        for node in trip["scope"]?.elements ?? [] {
            guard let groupBy, let text = node.text, let dimension = Dimension(rawValue: text) else { continue }
            guard dimension != .environment, !groupBy.contains(dimension) else { continue }
            let allowed = [Dimension.environment] + groupBy.filter { $0 != .environment }
            reader.note(
                .scopeNotGrouped,
                at: node.position,
                found: "the scope \(text), which the rule doesn't group by",
                expected: "one of \(FileReader.list(allowed.map(\.rawValue)))"
            )
        }
        return key.map { Trip(switchKey: $0, scope: scope) }
    }

    // MARK: What the parts mean together

    private func check(_ rule: Rule, _ fields: FileFields, _ reader: inout FileReader) {
        if rule.windowMs > retentionMs {
            reader.note(
                .contradiction,
                at: fields.valuePosition("window"),
                found: "a window of \(DurationText.text(rule.windowMs))",
                expected: "at most \(DurationText.text(retentionMs)), for which events are kept"
            )
        }
    }
}
