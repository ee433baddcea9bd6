public import ShuntSchema

/// A named route decision.
public struct SwitchDefinition: Equatable, Sendable {
    /// Its name.
    public var key: String
    /// The variant served while all is well.
    public var normalVariant: String
    /// The variant served after a trip.
    public var degradedVariant: String
    /// What its automation may do, until a person says otherwise.
    public var mode: SwitchMode
    /// How it comes back.
    public var recovery: RecoveryPolicy
    /// How often it may trip; nil for any number, which suits recovery by hand.
    public var flapLock: FlapLock?
    /// How many per cent of payers rules may move to the degraded route, from 1 to 100.
    public var blastRadiusPercent: Int
    /// For how long no rule trips it after its automation made it normal, in milliseconds. A person's restore needs no
    /// such wait: it forgets the failures, so a trip is new evidence.
    public var minimumDwellMs: Int64

    /// A switch; with nothing else said it is armed, and a person restores it.
    public init(
        key: String,
        normalVariant: String,
        degradedVariant: String,
        mode: SwitchMode = .armed,
        recovery: RecoveryPolicy = RecoveryPolicy(mode: .manual),
        flapLock: FlapLock? = nil,
        blastRadiusPercent: Int = 100,
        minimumDwellMs: Int64 = 60_000
    ) {
        self.key = key
        self.normalVariant = normalVariant
        self.degradedVariant = degradedVariant
        self.mode = mode
        self.recovery = recovery
        self.flapLock = flapLock
        self.blastRadiusPercent = blastRadiusPercent
        self.minimumDwellMs = minimumDwellMs
    }
}

/// Who brings a degraded switch back.
public enum RecoveryMode: String, CaseIterable, Hashable, Sendable {
    /// A share of payers tries the normal way, then larger ones.
    case probe
    /// A person.
    case manual
}

/// What it means when a probe's time is up and nobody can tell.
public enum UnknownPolicy: String, CaseIterable, Hashable, Sendable {
    /// Back to where it was; after a few of these a person is asked.
    case hold
    /// As if it had gone well.
    case restore
    /// As if it had gone badly; after a few of these a person is asked.
    case degrade
}

/// How a degraded switch comes back. The figures are defaults; rule files set each of them.
public struct RecoveryPolicy: Equatable, Sendable {
    /// Who brings it back.
    public var mode: RecoveryMode
    /// How long it is degraded the first time before it probes, in milliseconds; doubles with each level.
    public var coolDownMs: Int64 = 5 * 60_000
    /// How long at most, in milliseconds.
    public var coolDownMaxMs: Int64 = 60 * 60_000
    /// The share of installs that probe, from 1 to 100.
    public var probePercent = 2
    /// How many attempts must have ended before a probe can be good.
    public var probeAttempts = 30
    /// So many failed attempts, from as many installs as `probeInstalls` says, make a probe bad.
    public var probeFailures = 5
    /// See `probeFailures`.
    public var probeInstalls = 3
    /// How long a probe or a step may take, in milliseconds.
    public var probeDeadlineMs: Int64 = 15 * 60_000
    /// Below this share of failures, in per cent, a probe is good, where no rule that trips the switch has a share of
    /// its own.
    public var goodBelowPercent = 10
    /// The shares of the ramp's steps, in per cent, growing.
    public var rampPercents = [10, 25, 50, 100]
    /// How long a step takes at least, in milliseconds.
    public var rampStepMs: Int64 = 2 * 60_000
    /// What a probe without evidence means.
    public var onUnknown = UnknownPolicy.hold
    /// After so many of these in a row it stays degraded, and a person is asked.
    public var askAfter = 3
    /// How long it must be normal for its level to fall by one, in milliseconds.
    public var levelDecayMs: Int64 = 60 * 60_000

    /// A policy with the default figures.
    public init(mode: RecoveryMode) {
        self.mode = mode
    }

    /// How long a switch stays degraded at a level: doubling, cut at the longest, then ±10 % by the episode's salt, so
    /// that switches which tripped together don't probe together.
    func coolDownMs(level: Int, salt: String) -> Int64 {
        var milliseconds = coolDownMs
        var reached = 1
        while reached < level, milliseconds < coolDownMaxMs {
            milliseconds *= 2
            reached += 1
        }
        var hash = StableHash()
        hash.combine(salt)
        return min(milliseconds, coolDownMaxMs) * (900 + Int64(hash.value % 201)) / 1000
    }

    /// The share of installs that go the normal way in a state, in per cent; nil where it isn't trying.
    public func triedPercent(in state: SwitchState) -> Int? {
        switch state {
        case .normal, .degraded, .locked: nil
        case .probing: probePercent
        // The ramp may have become shorter since.
        case .ramping(_, let step): rampPercents[min(step, rampPercents.count - 1)]
        }
    }
}

/// When a switch has tripped so often that only a person may restore it.
public struct FlapLock: Equatable, Sendable {
    /// The trip by a rule with this number locks, at least 1.
    public var trips: Int
    /// When they come within so many milliseconds.
    public var withinMs: Int64

    /// A limit.
    public init(trips: Int = 3, withinMs: Int64 = 60 * 60_000) {
        self.trips = trips
        self.withinMs = withinMs
    }
}
