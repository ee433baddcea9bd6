/// Where an alert stands.
public enum AlertPhase: String, CaseIterable, Hashable, Sendable {
    /// There is none. Can go to `pending`, `firing`.
    case inactive
    /// The condition holds, but not for as long as it must; or the count is on its way there, and the alert a warning.
    /// Can go to `firing`, `inactive`.
    case pending
    /// The condition holds, or held so shortly ago that it isn't over. Can go to `mitigated`, `inactive`.
    case firing
    /// As firing, but the switch has moved the payers away, so that the count says nothing. Can go to `firing`; to
    /// `inactive` only if the rule goes.
    case mitigated

    /// Whether something is wrong now, for payers or behind their backs.
    public var isFiring: Bool { self == .firing || self == .mitigated }
}

/// What can happen to an alert.
public enum AlertInput: String, CaseIterable, Sendable {
    /// The count reached the part of the threshold that is worth a warning.
    case warned
    /// The condition began to hold, and must go on for a while.
    case pended
    /// The condition holds, and has for long enough.
    case crossed
    /// It still fires, and nobody was told for a while.
    case reminded
    /// It still fires, and nobody took it upon themselves.
    case escalated
    /// A person looks after it.
    case acknowledged
    /// Their time is over, and it still fires.
    case unacknowledged
    /// What silenced it is over, and it still fires.
    case unsilenced
    /// The alert that spoke for it doesn't any more, and it still fires.
    case uninhibited
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
        case (.inactive, .warned), (.inactive, .pended): .pending
        case (.inactive, .crossed): .firing
        // Nothing that a person or a clock does brings back what has ended.
        case (.inactive, _): .inactive
        case (.pending, .crossed): .firing
        case (.pending, .subsided), (.pending, .ruleChanged): .inactive
        // Its payers may have been moved for another reason: it goes by its count.
        case (.pending, _): .pending
        case (.firing, .subsided), (.firing, .ruleChanged): .inactive
        case (.firing, .switchDegraded): .mitigated
        case (.firing, _): .firing
        case (.mitigated, .switchRestored): .firing
        case (.mitigated, .ruleChanged): .inactive
        // Payers are on the other route: that no native payment fails proves nothing, so it can't subside either.
        case (.mitigated, _): .mitigated
        }
    }
}
