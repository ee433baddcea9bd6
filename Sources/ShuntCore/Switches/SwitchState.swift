public import ShuntSchema

/// Where a switch stands in one scope, with what belongs to the phase.
public enum SwitchState: Equatable, Sendable {
    /// Payers go the normal way. Can go to `degraded`, and to `locked` by the trip that reaches the flap limit.
    case normal
    /// Payers go the degraded way, for the `level`-th time in a row. Can go to `probing` when its cool-down ends, and
    /// to `normal` by a person. No falling count restores it: while payers are on the other route no native payment
    /// can fail, and silence is not health.
    case degraded(level: Int)
    /// A small share of installs tries the normal way. Can go to `ramping` when they do well, to `degraded` when they
    /// don't or a rule trips, by what the switch's `onUnknown` says when nobody can tell, to `normal` by a person, to
    /// `locked` by a trip at the flap limit.
    case probing(level: Int)
    /// A share that grows with each step, from step 0. Can go to the next step and after the last one to `normal`;
    /// otherwise as `probing`.
    case ramping(level: Int, step: Int)
    /// Payers go the degraded way, because the switch tripped too often. Can go to `normal`, by a person only.
    case locked(level: Int)

    /// The phase, as documents show it.
    public var phase: SwitchPhase {
        switch self {
        case .normal: .normal
        case .degraded: .degraded
        case .probing: .probing
        case .ramping: .ramping
        case .locked: .locked
        }
    }

    /// How many times in a row it has been degraded; nil where that is no part of the state.
    public var level: Int? {
        switch self {
        case .normal: nil
        case .degraded(let level), .probing(let level), .ramping(let level, _), .locked(let level): level
        }
    }
}

/// What can happen to a switch in one scope.
public enum SwitchInput: String, CaseIterable, Sendable {
    /// A rule's threshold was crossed.
    case ruleTrips
    /// A person degrades it.
    case operatorTrips
    /// A person restores it.
    case operatorRestores
    /// A person takes its automation away: what that has decided goes with it.
    case disarmed
    /// It has been degraded for long enough to try.
    case coolDownEnds
    /// Those who try the normal way do well.
    case probeIsGood
    /// They don't.
    case probeIsBad
    /// So few have tried that nobody can tell, and the time is up.
    case probeIsUnknown
}

/// What a switch does about it.
public enum SwitchStep: Equatable, Sendable {
    /// It goes to another state.
    case move(to: SwitchState)
    /// It stays, for this reason.
    case stay(SwitchHold)
}

/// What a step depends on besides the state and the input.
public struct SwitchCircumstances: Equatable, Sendable {
    /// The level that a trip from `normal` leads to, at least 1.
    public var nextLevel: Int
    /// Whether a rule's trip now would be one too many.
    public var isAtFlapLimit: Bool
    /// How many steps its ramp has, at least 1.
    public var rampSteps: Int
    /// What a probe without evidence means.
    public var onUnknown: UnknownPolicy

    /// Circumstances.
    public init(nextLevel: Int, isAtFlapLimit: Bool, rampSteps: Int, onUnknown: UnknownPolicy) {
        self.nextLevel = nextLevel
        self.isAtFlapLimit = isAtFlapLimit
        self.rampSteps = rampSteps
        self.onUnknown = onUnknown
    }
}

extension SwitchState {
    /// Past this a level says nothing more: every cool-down has reached its longest.
    static let highestLevel = 1_000

    /// The whole transition table.
    public func step(_ input: SwitchInput, _ now: SwitchCircumstances) -> SwitchStep {
        switch self {
        case .normal:
            switch input {
            case .ruleTrips where now.isAtFlapLimit: .move(to: .locked(level: now.nextLevel))
            case .ruleTrips, .operatorTrips: .move(to: .degraded(level: now.nextLevel))
            case .operatorRestores, .disarmed: .stay(.alreadyNormal)
            case .coolDownEnds, .probeIsGood, .probeIsBad, .probeIsUnknown: .stay(.outOfTurn)
            }
        case .degraded(let level):
            switch input {
            case .ruleTrips, .operatorTrips: .stay(.alreadyDegraded)
            case .operatorRestores, .disarmed: .move(to: .normal)
            case .coolDownEnds: .move(to: .probing(level: level))
            case .probeIsGood, .probeIsBad, .probeIsUnknown: .stay(.outOfTurn)
            }
        case .probing(let level): trying(level: level, next: .ramping(level: level, step: 0), input, now)
        case .ramping(let level, let step):
            trying(
                level: level,
                next: step + 1 < now.rampSteps ? .ramping(level: level, step: step + 1) : .normal,
                input,
                now
            )
        case .locked:
            switch input {
            case .operatorRestores, .disarmed: .move(to: .normal)
            case .ruleTrips, .operatorTrips, .coolDownEnds, .probeIsGood, .probeIsBad, .probeIsUnknown: .stay(.locked)
            }
        }
    }

    /// The part of the table that `probing` and `ramping` share.
    private func trying(
        level: Int,
        next: SwitchState,
        _ input: SwitchInput,
        _ now: SwitchCircumstances
    ) -> SwitchStep {
        let worse = min(level + 1, Self.highestLevel)
        return switch input {
        case .ruleTrips where now.isAtFlapLimit: .move(to: .locked(level: worse))
        case .ruleTrips, .probeIsBad: .move(to: .degraded(level: worse))
        case .operatorTrips: .move(to: .degraded(level: level))
        case .operatorRestores, .disarmed: .move(to: .normal)
        case .probeIsGood: .move(to: next)
        case .coolDownEnds: .stay(.outOfTurn)
        case .probeIsUnknown:
            switch now.onUnknown {
            case .hold: .move(to: .degraded(level: level))
            case .restore: .move(to: next)
            case .degrade: .move(to: .degraded(level: worse))
            }
        }
    }
}
