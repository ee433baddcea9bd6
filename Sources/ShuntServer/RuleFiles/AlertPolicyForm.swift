internal import ShuntCore
internal import ShuntNative

/// The form of `alert`: how a rule's alert behaves.
struct AlertPolicyForm {
    private static let keys = [
        "severity", "for", "resolveBelow", "holdFor", "renotifyEvery", "warnAt", "channels", "escalateAfter",
        "escalateTo",
    ]

    /// How often people hear of an alert that goes on, where the rule doesn't say: none that matters goes quiet.
    private static func standingRenotifyMs(_ severity: Severity) -> Int64? {
        switch severity {
        case .critical: 3_600_000
        case .warning: 86_400_000
        case .info: nil
        }
    }

    /// A wait beyond a week isn't meant.
    private static let longestMs: Int64 = 7 * 86_400_000

    private let kind: KindForm

    /// Reads the `alert` of a rule.
    static func read(_ fields: FileFields, kind: KindForm, _ reader: inout FileReader) -> AlertPolicy? {
        guard let alert = reader.required("alert", of: fields, .fields(of: "alert", keys: keys)) else { return nil }
        return AlertPolicyForm(kind: kind).policy(alert, &reader)
    }

    private func policy(_ alert: FileFields, _ reader: inout FileReader) -> AlertPolicy? {
        let severity: Severity? = reader.required("severity", of: alert, .word)
        let resolveBelow = resolveBelow(alert, &reader)
        let holdForMs = reader.optional("holdFor", of: alert, .duration()) ?? 10 * 60_000
        let forMs = wait(alert, &reader)
        let shortestMs = AlertPolicy.shortestRenotifyMs
        let spans = shortestMs...Self.longestMs
        let renotifyEveryMs = reader.optional("renotifyEvery", of: alert, .duration(in: spans))
        let warnAt = warning(alert, severity: severity, &reader)
        let names = FileValue<[String]>.list(of: .name, notEmpty: .outOfRange)
        let channels = reader.optional("channels", of: alert, names) ?? []
        let escalateAfterMs = reader.optional("escalateAfter", of: alert, .duration(in: spans))
        let escalateTo = reader.optional("escalateTo", of: alert, names) ?? []
        noteEscalation(alert, channels: channels, escalateTo: escalateTo, &reader)
        guard let severity else { return nil }
        return AlertPolicy(
            severity: severity,
            resolveBelow: resolveBelow,
            holdForMs: holdForMs,
            forMs: forMs,
            warnAtPercent: warnAt,
            renotifyEveryMs: renotifyEveryMs ?? Self.standingRenotifyMs(severity),
            channels: channels,
            escalateAfterMs: escalateAfterMs,
            escalateTo: escalateTo
        )
    }

    // MARK: Parts

    private func resolveBelow(_ alert: FileFields, _ reader: inout FileReader) -> Int {
        let resolveBelow = reader.optional("resolveBelow", of: alert, .count(in: KindForm.counts))
        if let threshold = kind.threshold, let resolveBelow, resolveBelow > threshold {
            let found = "resolveBelow \(resolveBelow) of a threshold of \(threshold)"
            let expected = "at most the threshold, or the alert would resolve while it fires"
            reader.note(.contradiction, at: alert.valuePosition("resolveBelow"), found: found, expected: expected)
        }
        if let name = kind.name, !name.fallsBelowCount, let position = alert.keyPosition("resolveBelow") {
            let found = "resolveBelow of a rule of kind \(name.rawValue)"
            let expected = "no resolveBelow: it resolves when its condition hasn't held for holdFor"
            reader.note(.contradiction, at: position, found: found, expected: expected)
        }
        let half = kind.name?.fallsBelowCount == false ? 1 : ((kind.threshold ?? 1) + 1) / 2
        return resolveBelow ?? half
    }

    private func wait(_ alert: FileFields, _ reader: inout FileReader) -> Int64 {
        let forMs = reader.optional("for", of: alert, .duration(in: 0...Self.longestMs)) ?? 0
        if kind.name == .watchdog, forMs > 0 {
            let found = "a wait before an alert that always fires"
            reader.note(.contradiction, at: alert.valuePosition("for"), found: found, expected: "0s, or no \"for\"")
        }
        return forMs
    }

    private func warning(_ alert: FileFields, severity: Severity?, _ reader: inout FileReader) -> Int? {
        guard let percent = reader.optional("warnAt", of: alert, .share(in: 1...99)) else { return nil }
        if let name = kind.name, !name.fallsBelowCount, let position = alert.keyPosition("warnAt") {
            let found = "warnAt of a rule of kind \(name.rawValue)"
            reader.note(.contradiction, at: position, found: found, expected: "no warnAt: it counts towards nothing")
        } else if let threshold = kind.threshold, (threshold * percent + 99) / 100 >= threshold {
            let found = "\(percent)% of a threshold of \(threshold)"
            let expected = "a part of it that is fewer"
            reader.note(.contradiction, at: alert.valuePosition("warnAt"), found: found, expected: expected)
        }
        if severity == .info {
            let found = "a warning before an alert of severity info"
            let expected = "severity: warning or critical, or no warnAt"
            reader.note(.contradiction, at: alert.valuePosition("warnAt"), found: found, expected: expected)
        }
        return percent
    }

    /// An escalation needs a time, and somebody who doesn't know yet.
    private func noteEscalation(
        _ alert: FileFields,
        channels: [String],
        escalateTo: [String],
        _ reader: inout FileReader
    ) {
        if let position = alert.keyPosition("escalateAfter"), alert["escalateTo"] == nil {
            let expected = "escalateTo: the channels that are told then"
            reader.note(.missingKey, at: position, found: "escalateAfter without escalateTo", expected: expected)
        }
        guard let position = alert.keyPosition("escalateTo") else { return }
        if alert["escalateAfter"] == nil {
            let expected = "escalateAfter: how long nobody may look after it"
            reader.note(.missingKey, at: position, found: "escalateTo without escalateAfter", expected: expected)
        }
        if alert["channels"] == nil {
            let expected = "channels: without them all are told from the start, and there is nobody to escalate to"
            reader.note(.missingKey, at: position, found: "escalateTo without channels", expected: expected)
        }
        for name in escalateTo where channels.contains(name) {
            let found = "an escalation to \(name), which is told from the start"
            let expected = "a channel that \"channels\" doesn't name"
            reader.note(.contradiction, at: alert.valuePosition("escalateTo"), found: found, expected: expected)
        }
    }
}

extension RuleKind.Name {
    /// Whether its alert ends when a count falls below a limit.
    fileprivate var fallsBelowCount: Bool {
        switch self {
        case .count, .consecutive, .newCode, .keyLimit: true
        case .share, .noSuccess, .change, .burnRate, .unusualRate, .inDoubtAge, .inDoubtTotal, .watchdog: false
        }
    }
}
