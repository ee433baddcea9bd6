public import ShuntSchema

/// One switch in one scope: its state, and all that its next steps depend on.
public struct SwitchMachine: Equatable, Sendable {
    /// The switch.
    public let key: String
    /// The slice that it decides for.
    public let scope: Scope
    /// Where it stands.
    public internal(set) var state = SwitchState.normal
    /// Since when.
    public internal(set) var since: Timestamp
    /// The version of its last change that documents show.
    public internal(set) var version: UInt64 = SwitchBank.firstVersion
    /// The version of the machine's own last step; results that began under an older one don't count.
    public internal(set) var stateVersion: UInt64 = SwitchBank.firstVersion
    /// The version in which it left `normal` last.
    public internal(set) var episodeVersion: UInt64 = SwitchBank.firstVersion
    /// Why it isn't normal.
    public internal(set) var reason: SwitchReason?
    /// Decides, with the install, who tries the normal way: the same ones throughout an episode.
    public internal(set) var salt = ""
    /// A person's decision that lies over it.
    public internal(set) var override: SwitchOverride?
    /// What those who try the normal way have shown; nil while nobody does.
    public internal(set) var evidence: ProbeEvidence?
    /// When it does something of its own accord.
    public internal(set) var timer: SwitchTimer?
    /// How many probes in a row nobody could judge.
    public internal(set) var unknowns = 0
    /// The level reached last; it falls while all is well.
    var level = 0
    /// When rules tripped it, oldest first, as long as the flap lock looks back.
    var trips: [Timestamp] = []
    /// No rule trips it before.
    var canTripFrom = Timestamp(milliseconds: .min)

    init(key: String, scope: Scope, since: Timestamp) {
        self.key = key
        self.scope = scope
        self.since = since
    }

    /// Its phase.
    public var phase: SwitchPhase { state.phase }

    /// Whether its timer has come to an end that only a person can make a new beginning of.
    public func isAskingPerson(_ definition: SwitchDefinition) -> Bool {
        phase == .degraded && timer == nil && unknowns >= definition.recovery.askAfter
    }

    /// What the table is to be read with now.
    func circumstances(_ definition: SwitchDefinition, at: Timestamp) -> SwitchCircumstances {
        SwitchCircumstances(
            nextLevel: min(decayedLevel(definition, at: at) + 1, SwitchState.highestLevel),
            isAtFlapLimit: definition.flapLock.map { lock in
                recentTrips(lock, at: at).count + 1 >= lock.trips
            } ?? false,
            rampSteps: definition.recovery.rampPercents.count,
            onUnknown: definition.recovery.onUnknown
        )
    }

    private func decayedLevel(_ definition: SwitchDefinition, at: Timestamp) -> Int {
        guard state == .normal else { return level }
        let (elapsed, isTooLong) = at.milliseconds.subtractingReportingOverflow(since.milliseconds)
        guard !isTooLong else { return 0 }
        return Int(max(0, Int64(level) - max(0, elapsed) / definition.recovery.levelDecayMs))
    }

    /// The trips that lie less than the lock's time back.
    func recentTrips(_ lock: FlapLock, at: Timestamp) -> [Timestamp] {
        trips.filter { $0.advanced(byMs: lock.withinMs) > at }
    }

    /// Takes a step that the table allows.
    mutating func move(
        to next: SwitchState,
        by input: SwitchInput,
        _ definition: SwitchDefinition,
        at: Timestamp,
        version: UInt64,
        reason: SwitchReason
    ) {
        let former = state
        if former == .normal { beginEpisode(at: at, version: version) }
        if input == .ruleTrips, let lock = definition.flapLock {
            trips = (recentTrips(lock, at: at) + [at]).suffix(lock.trips)
        }
        switch input {
        case .probeIsUnknown: unknowns += 1
        case .probeIsGood, .probeIsBad, .ruleTrips, .operatorTrips: unknowns = 0
        case .operatorRestores, .disarmed, .coolDownEnds: break
        }
        state = next
        level = next.level ?? former.level ?? level
        since = at
        self.version = version
        stateVersion = version
        self.reason = next == .normal ? nil : reason
        evidence = nil
        timer = nil
        switch next {
        case .degraded, .probing, .ramping: arm(definition, at: at)
        case .locked: break
        case .normal:
            let isByPerson = input == .operatorRestores || input == .disarmed
            canTripFrom = isByPerson ? at : at.advanced(byMs: definition.minimumDwellMs)
            // Who unlocks it looks after it; one more trip mustn't lock it at once.
            if former.phase == .locked { trips = [] }
        }
    }

    private mutating func beginEpisode(at: Timestamp, version: UInt64) {
        episodeVersion = version
        unknowns = 0
        var hash = StableHash()
        hash.combine(key)
        hash.combine(scope.text)
        hash.combine(version)
        hash.combine(UInt64(bitPattern: at.milliseconds))
        let digits = String(hash.value, radix: 16)
        salt = String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Sets what the state waits for.
    private mutating func arm(_ definition: SwitchDefinition, at: Timestamp) {
        let policy = definition.recovery
        switch state {
        case .normal, .locked: timer = nil
        case .degraded(let level):
            guard policy.mode == .probe, unknowns < policy.askAfter else { return }
            set(.coolDown, at: at.advanced(byMs: policy.coolDownMs(level: level, salt: salt)))
        case .probing:
            evidence = ProbeEvidence()
            set(.deadline, at: at.advanced(byMs: policy.probeDeadlineMs))
        case .ramping:
            evidence = ProbeEvidence()
            set(.stepEnd, at: at.advanced(byMs: policy.rampStepMs))
        }
    }

    private mutating func set(_ purpose: SwitchTimer.Purpose, at: Timestamp) {
        timer = SwitchTimer(at: at, purpose: purpose, version: stateVersion)
    }

    /// A step has lasted as long as it must: it goes on until its evidence suffices, or its deadline comes.
    mutating func awaitDeadline(_ policy: RecoveryPolicy) {
        set(.deadline, at: max(since.advanced(byMs: policy.probeDeadlineMs), since.advanced(byMs: policy.rampStepMs)))
    }

    /// Whether a good verdict may be acted on: a step lasts its time, a probe doesn't have to.
    var mayGoOn: Bool { timer?.purpose == .deadline }

    /// Whether it waits for exactly this timer: one that was set under another version, or moved since, is dropped.
    public func awaits(_ timer: SwitchTimer) -> Bool {
        guard timer.purpose == .overrideEnd else { return self.timer == timer && timer.version == stateVersion }
        return override?.endsAt == timer.at && timer.version == version
    }

    /// Takes over other settings of its switch.
    mutating func adopt(_ definition: SwitchDefinition, at: Timestamp) {
        switch state {
        case .normal, .locked: break
        case .degraded:
            if definition.recovery.mode == .manual { timer = nil } else if timer == nil { arm(definition, at: at) }
        case .probing, .ramping:
            if timer == nil { arm(definition, at: at) }
        }
    }

    /// The daemon was away since `lastAt`: nothing is due before the grace is over. Who tried the normal way couldn't
    /// be heard meanwhile, so that time is given back.
    mutating func resume(lastAt: Timestamp, at: Timestamp, grace: Timestamp) {
        if let timer {
            let isTrying = phase == .probing || phase == .ramping
            let goneMs = isTrying ? max(0, at.milliseconds &- lastAt.milliseconds) : 0
            self.timer?.at = max(timer.at.advanced(byMs: goneMs), grace)
        }
        if let override { self.override?.endsAt = max(override.endsAt, grace) }
    }
}

/// When a machine does something of its own accord.
public struct SwitchTimer: Equatable, Sendable {
    /// What is done then.
    public enum Purpose: String, CaseIterable, Sendable {
        /// A share of payers tries the normal way.
        case coolDown
        /// A step of the ramp has lasted as long as it must.
        case stepEnd
        /// A probe or a step must be judged.
        case deadline
        /// The override ends.
        case overrideEnd
    }

    /// When.
    public var at: Timestamp
    /// What is done.
    public var purpose: Purpose
    /// The version that it was set under; for a machine at another one it means nothing.
    public var version: UInt64

    /// A timer.
    public init(at: Timestamp, purpose: Purpose, version: UInt64) {
        self.at = at
        self.purpose = purpose
        self.version = version
    }
}
