public import ShuntSchema

/// Where an alert stands.
public enum AlertPhase: String, CaseIterable, Hashable, Sendable {
    /// There is none. Can go to `firing`.
    case inactive
    /// The condition holds, or held so shortly ago that it isn't over. Can go to `mitigated`, `inactive`.
    case firing
    /// As firing, but the switch has moved the payers away, so that the count says nothing. Can go to `firing`.
    case mitigated
}

/// What can happen to an alert.
public enum AlertInput: String, CaseIterable, Sendable {
    /// The count reached the threshold.
    case crossed
    /// The count has been low for long enough.
    case subsided
    /// The switch that its rule trips is degraded.
    case switchDegraded
    /// That switch is normal again, or the rule doesn't trip it any more.
    case switchRestored
    /// Its rule is gone, or counts something else now.
    case ruleChanged
}

extension AlertPhase {
    /// The whole transition table; an input that changes nothing leads to the same phase.
    public func step(_ input: AlertInput) -> AlertPhase {
        switch (self, input) {
        case (.inactive, .crossed): .firing
        case (.inactive, .subsided), (.inactive, .switchDegraded), (.inactive, .switchRestored): .inactive
        case (.inactive, .ruleChanged): .inactive
        case (.firing, .crossed): .firing
        case (.firing, .subsided): .inactive
        case (.firing, .switchDegraded): .mitigated
        case (.firing, .switchRestored): .firing
        case (.firing, .ruleChanged): .inactive
        case (.mitigated, .crossed): .mitigated
        // Payers are on the other route: that no native payment fails proves nothing.
        case (.mitigated, .subsided): .mitigated
        case (.mitigated, .switchDegraded): .mitigated
        case (.mitigated, .switchRestored): .firing
        case (.mitigated, .ruleChanged): .inactive
        }
    }
}

/// A rule's condition for one group, from the event that fired it to its end.
public struct Alert: Equatable, Sendable {
    /// Its identity: the journal entry that fired it, and a number within that entry.
    public var id: String
    /// The rule.
    public var rule: String
    /// How loud it is.
    public var severity: Severity
    /// The values of the attributes that the rule groups by.
    public var group: [ScopeAttribute]
    /// Where it stands.
    public var phase: AlertPhase
    /// When it fired.
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

/// A change of an alert that somebody may want to hear of.
public struct AlertChange: Equatable, Sendable {
    /// What happened.
    public var input: AlertInput
    /// The alert after it.
    public var alert: Alert
}
