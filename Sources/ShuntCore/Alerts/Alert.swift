public import ShuntSchema

/// A rule's condition for one group, from the event that fired it to its end.
public struct Alert: Equatable, Sendable {
    /// Its identity: the journal entry that began it, and a number within that entry.
    public var id: String
    /// The rule.
    public var rule: String
    /// How loud it is: a warning while it is one, else as loud as its rule says.
    public var severity: Severity
    /// The values of the attributes that the rule groups by.
    public var group: [ScopeAttribute]
    /// Where it stands.
    public var phase: AlertPhase
    /// While it is pending, since when its whole condition holds without a break; nil while it only warns.
    public var holdingSince: Timestamp?
    /// When it fired; while it is pending, when it began.
    public var startsAt: Timestamp
    /// When it ended.
    public var endsAt: Timestamp?
    /// The earliest time from which it may count as quiet: its start, the last restore of its switch, or when its
    /// count last fell below the limit.
    public var quietFrom: Timestamp
    /// The count at the moment it fired: exactly the threshold, or for a rule that looks at rates what it saw.
    public var count: Int
    /// Of so many attempts; nil where the rule doesn't ask.
    public var attempts: Int?
    /// So many in the window before; nil where the rule doesn't ask.
    public var before: Int?
    /// What was decided about the switch, last.
    public var decision: TripDecision
    /// How many alerts of the same group ended less than an hour before the next one fired, in a row before this one.
    public var refires = 0
    /// Whose it is now.
    public var acknowledgement: Acknowledgement?
    /// Why nobody is told of it now; nil while people are.
    public var hiding: AlertHiding?
    /// Whether anybody was ever told of it.
    public var isTold = false
    /// The next reminder is reckoned from here.
    public var remindFrom: Timestamp
    /// How long nobody looks after it is reckoned from here.
    public var escalateFrom: Timestamp
    /// When it was escalated.
    public var escalatedAt: Timestamp?

    /// After so long an alert of the same group is another matter.
    public static let refireWithinMs: Int64 = 3_600_000
    /// More are counted as so many.
    static let maximumRefires = 1_000
    /// No hold is widened beyond this, or beyond its rule's own.
    public static let widestHoldMs: Int64 = 3_600_000
}

/// A person looks after an alert: nobody is reminded of it, and it isn't escalated.
public struct Acknowledgement: Equatable, Sendable {
    /// Who.
    public var actor: String
    /// What they say.
    public var note: String
    /// Since when.
    public var at: Timestamp
    /// Until when. It always ends, so that what is forgotten comes back.
    public var until: Timestamp

    /// How long an acknowledgement holds that doesn't say, in milliseconds.
    public static let standingMs: Int64 = 3_600_000
    /// No acknowledgement holds for longer, in milliseconds.
    public static let maximumMs: Int64 = 86_400_000
}

/// Why nobody is told of an alert that fires.
public enum AlertHiding: Hashable, Sendable {
    /// By a silence with this identity.
    case silenced(by: String)
    /// The alert with this identity says the same.
    case inhibited(by: String)
}

/// What a rule decided about its switch; always a named reason.
public enum TripDecision: Hashable, Sendable {
    /// It tripped, and made this version.
    case tripped(version: UInt64)
    /// It did, and made this version, but payers stay where they are: the switch is in `dryRun`.
    case wouldHaveTripped(version: UInt64)
    /// It did, and made this version, but beneath a person's override, which decides what payers get.
    case overridden(version: UInt64)
    /// It would have, but the switch stayed.
    case held(SwitchHold)
    /// The rule trips no switch.
    case noSwitch

    /// The reason's name, for logs, metrics and documents.
    public var name: String {
        switch self {
        case .tripped: "tripped"
        case .wouldHaveTripped: "wouldHaveTripped"
        case .overridden: "overridden"
        case .held(let hold): hold.rawValue
        case .noSwitch: "noSwitch"
        }
    }

    /// The version that the trip made, if there was one.
    public var version: UInt64? {
        switch self {
        case .tripped(let version), .wouldHaveTripped(let version), .overridden(let version): version
        case .held, .noSwitch: nil
        }
    }
}
