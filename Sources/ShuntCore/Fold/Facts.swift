internal import ShuntSchema

extension PaymentEvent {
    /// What a distinct count tells events apart by; nil when the event equals no other.
    func countingKey(for counting: Counting, at: Timestamp) -> UInt64? {
        var hash = StableHash()
        switch counting {
        case .events:
            return nil
        case .installs:
            guard let installId else { return nil }
            hash.combine(installId)
        case .attempts:
            // The marks keep an attempt's name from meeting an order's or an install's.
            if let attemptId {
                hash.combine(UInt64(1))
                hash.combine(attemptId)
            } else if let orderRef {
                hash.combine(UInt64(2))
                hash.combine(orderRef)
            } else if let installId {
                hash.combine(UInt64(3))
                hash.combine(installId)
                hash.combine(UInt64(bitPattern: at.milliseconds / 60_000))
            } else {
                return nil
            }
        }
        return hash.value
    }
}

extension PaymentEvent {
    /// The install that it came from; nil where it names none.
    func ownerKey() -> UInt64? {
        countingKey(for: .installs, at: Timestamp(milliseconds: 0))
    }
}

extension Scope {
    /// The slice that an event belongs to. An attribute that the event lacks doesn't narrow it.
    init(
        of event: PaymentEvent,
        meaning classification: Classification,
        in environment: String,
        narrowedBy dimensions: [Dimension]
    ) {
        var attributes: [ScopeAttribute] = []
        for dimension in dimensions where dimension != .environment {
            guard let value = dimension.value(in: event, meaning: classification) else { continue }
            attributes.append(ScopeAttribute(name: dimension.rawValue, value: value))
        }
        self.init(environment: environment, attributes: attributes)
    }

    /// Whether this slice is the other one or a part of it.
    func lies(within other: Scope) -> Bool {
        environment == other.environment && other.attributes.allSatisfy(attributes.contains)
    }
}

extension RuleGroup {
    /// Whether the group's payers may lie in the scope: no attribute of both contradicts.
    func isCovered(by scope: Scope, dimensions: [Dimension]) -> Bool {
        guard values.first == scope.environment else { return false }
        return scope.attributes.allSatisfy { attribute in
            zip(dimensions, values).allSatisfy { $0.rawValue != attribute.name || $1 == attribute.value }
        }
    }
}

extension Rule {
    /// One sentence for a person, e.g. `verify/8771: 100 attempts failed within 5 min`.
    public func summary(of alert: Alert) -> String {
        let values = alert.group.dropFirst().map(\.value)
        let subject = values.isEmpty ? id : values.joined(separator: "/")
        return "\(subject): \(fact(of: alert))"
    }

    private func fact(of alert: Alert) -> String {
        let window = Self.durationText(windowMs)
        return switch kind {
        case .count, .newCode: "\(alert.count) \(count.rawValue) failed within \(window)"
        case .consecutive: "\(alert.count) \(count.rawValue) failed in a row within \(window)"
        case .share, .burnRate: "\(alert.count) of \(alert.attempts ?? 0) attempts failed within \(window)"
        case .noSuccess: "\(alert.count) attempts and no success within \(window)"
        case .change:
            "\(alert.count) attempts failed within \(window), and \(alert.before ?? 0) in the \(window) before"
        case .unusualRate: "\(alert.count) attempts failed, which is unusual for this hour"
        case .inDoubtAge(let ageMs):
            "\(alert.count) attempts have been in doubt for \(Self.durationText(ageMs)) or longer"
        case .inDoubtTotal(let minor, let currency):
            "\(CurrencyExponent.text(Int128(minor), currency)) or more in doubt, of \(alert.count) attempts"
        case .keyLimit: "failures found no group of their own \(alert.count) times within \(window)"
        case .watchdog: "alerts work"
        }
    }

    /// A duration as people write it: `90 s`, `5 min`, `2 h`.
    static func durationText(_ milliseconds: Int64) -> String {
        if milliseconds % 3_600_000 == 0 { return "\(milliseconds / 3_600_000) h" }
        if milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
        return "\(milliseconds) ms"
    }
}
