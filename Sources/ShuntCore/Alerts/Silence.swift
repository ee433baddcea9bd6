public import ShuntSchema

/// A person's decision that nobody is told of certain alerts for a while.
///
/// It hides what is told, not what is counted: alerts fire and end beneath it, switches move, and whoever was told that
/// an alert fires is told that it ended.
public struct Silence: Equatable, Sendable {
    /// Its identity: the journal entry that made it, and a number within that entry.
    public var id: String
    /// An alert that all of these fit is silenced; at least one.
    public var matchers: [AlertMatcher]
    /// Since when: the time of receipt, whatever the clock says of whoever made it.
    public var startsAt: Timestamp
    /// It ends then at the latest.
    public var endsAt: Timestamp
    /// Whether it ends before, once all that it hid has ended.
    public var isUntilResolved: Bool
    /// Whether it has hidden anything.
    public var hasHidden = false
    /// Who decided.
    public var actor: String
    /// Why.
    public var comment: String

    /// No silence lasts longer, in milliseconds: seven days.
    public static let maximumMs: Int64 = 7 * 86_400_000
    /// There are never more at a time.
    public static let maximumCount = 1_000
    /// One has at most so many matchers.
    public static let maximumMatchers = 20

    /// Whether it covers an alert.
    public func covers(_ alert: Alert) -> Bool {
        matchers.allSatisfy { $0.fits(alert) }
    }
}

/// One condition on alerts.
public struct AlertMatcher: Hashable, Sendable {
    /// How a value is compared.
    public enum Comparison: String, CaseIterable, Hashable, Sendable {
        /// It is this one.
        case equal = "="
        /// It is another one. What an alert doesn't have isn't another one.
        case unequal = "!="
    }

    /// `rule`, `severity`, or an attribute that rules group by.
    public var name: String
    /// How.
    public var comparison: Comparison
    /// With what.
    public var value: String

    /// A matcher.
    public init(name: String, comparison: Comparison = .equal, value: String) {
        self.name = name
        self.comparison = comparison
        self.value = value
    }

    /// What can be compared.
    public static let names =
        ["rule", "severity"] + Dimension.allCases.filter { !$0.isMeasured }.map(\.rawValue)

    /// Whether an alert has such a value.
    public func fits(_ alert: Alert) -> Bool {
        let found: String? =
            switch name {
            case "rule": alert.rule
            case "severity": alert.severity.rawValue
            default: alert.group.first { $0.name == name }?.value
            }
        guard let found else { return false }
        return (found == value) == (comparison == .equal)
    }
}
