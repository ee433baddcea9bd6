public import ShuntSchema

/// A change of a switch that documents show.
public struct SwitchTransition: Equatable, Sendable {
    /// The switch.
    public var key: String
    /// The slice.
    public var scope: Scope
    /// What made it.
    public var cause: SwitchCause
    /// The phase that the machine left.
    public var from: SwitchPhase
    /// The phase that it reached; the same one where only the override, the mode or the step of a ramp changed.
    public var to: SwitchPhase
    /// The variant served from now on; while a share of payers tries the normal one, that of the others.
    public var variant: String
    /// The version that the transition made.
    public var version: UInt64
    /// When.
    public var at: Timestamp
    /// Why; in words too.
    public var reason: SwitchReason
    /// What it was decided by; nil where a bank is asked by itself, outside of the fold.
    public internal(set) var evidence: SwitchEvidence?
}

/// What made a switch change; always a named reason.
public enum SwitchCause: String, CaseIterable, Hashable, Sendable {
    /// A rule's threshold was crossed.
    case ruleTrips
    /// A person degraded it.
    case operatorTrips
    /// A person restored it.
    case operatorRestores
    /// A person took its automation away.
    case disarmed
    /// The cool-down ended, and a share of payers tries the normal way.
    case coolDownEnds
    /// Those who tried did well.
    case probeIsGood
    /// They didn't.
    case probeIsBad
    /// So few tried that recovery can't be verified.
    case probeIsUnknown
    /// The same, so often that a person is asked.
    case askPerson
    /// A person's decision lies over it now.
    case overrideSet
    /// A person took that decision back.
    case overrideCleared
    /// That decision came to its end.
    case overrideExpired
    /// Its mode is another one.
    case modeChanged

    init(_ input: SwitchInput) {
        self =
            switch input {
            case .ruleTrips: .ruleTrips
            case .operatorTrips: .operatorTrips
            case .operatorRestores: .operatorRestores
            case .disarmed: .disarmed
            case .coolDownEnds: .coolDownEnds
            case .probeIsGood: .probeIsGood
            case .probeIsBad: .probeIsBad
            case .probeIsUnknown: .probeIsUnknown
            }
    }
}

/// A switch that stayed as it was.
public struct SwitchRefusal: Error, Equatable, Sendable {
    /// Why.
    public var hold: SwitchHold
}
