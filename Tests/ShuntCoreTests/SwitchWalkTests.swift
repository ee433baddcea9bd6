import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// What holds for switches that recover by themselves, whatever comes in and whenever the daemon starts again.
@Suite struct SwitchWalkTests {
    private static let seeds: [UInt64] = [1, 2, 3, 5, 8, 13]

    @Test(arguments: seeds)
    func `versions only grow, by one with each change that is told`(seed: UInt64) {
        var state = State()
        var version: UInt64 = 1
        for entry in SwitchJournal.entries(seed: seed, count: 1500) {
            let moves = state.apply(entry).moves
            for move in moves {
                #expect(move.version == version + 1, "entry \(entry.seq)")
                version = move.version
            }
            #expect(state.switches.version == version, "entry \(entry.seq)")
            #expect(state.switches.allMachines.allSatisfy { $0.version <= version && $0.stateVersion <= $0.version })
        }
        #expect(version > 50)
    }

    @Test(arguments: seeds)
    func `every step is one of the table's, and locked is left by a person only`(seed: UInt64) {
        let effects = Fold(SwitchJournal.entries(seed: seed, count: 3000)).effects
        for move in effects.moves where move.from == .locked && move.to != .locked {
            #expect(move.cause == .operatorRestores || move.cause == .disarmed)
        }
        for move in effects.moves where move.to == .normal && move.from != .normal {
            let causes: [SwitchCause] = [.operatorRestores, .disarmed, .probeIsGood]
            #expect(causes.contains(move.cause), "no silence, no timer and no rule restores")
        }
        #expect(effects.moves.contains { $0.to == .probing })
    }

    @Test func `the walks reach every phase and nearly every cause`() {
        let moves = Self.seeds.flatMap { Fold(SwitchJournal.entries(seed: $0, count: 3000)).effects.moves }
        #expect(Set(moves.map(\.to)) == Set(SwitchPhase.allCases))
        #expect(Set(SwitchCause.allCases).subtracting(moves.map(\.cause)).isEmpty)
    }

    @Test(arguments: seeds)
    func `a snapshot at any entry changes nothing`(seed: UInt64) throws {
        let entries = SwitchJournal.entries(seed: seed, count: 600)
        let full = Fold(entries)
        var fold = Fold([])
        for entry in entries {
            fold.state = try State(decoding: fold.state.encoded())
            fold.effects += fold.state.apply(entry)
        }
        #expect(fold.state == full.state)
        #expect(fold.effects == full.effects)
    }

    @Test(arguments: seeds)
    func `how entries are split, and early ticks between them, change nothing`(seed: UInt64) {
        let entries = SwitchJournal.entries(seed: seed, count: 1500)
        let whole = Fold(entries)
        var split = Fold([])
        for entry in entries {
            let at = split.state.at.advanced(byMs: 17)
            let isDue = split.state.isDue(at: at)
            #expect(isDue == split.state.nextDeadline.map { $0 <= at } ?? false)
            if !isDue { #expect(split.state.apply(Entry(seq: entry.seq, at: at, input: .tick)).isEmpty) }
            split.effects += split.state.apply(entry)
        }
        #expect(split.state == whole.state)
        #expect(split.effects == whole.effects)
    }

    @Test(arguments: seeds)
    func `ticking at every deadline tells the same as one late tick`(seed: UInt64) {
        let entries = SwitchJournal.entries(seed: seed, count: 800)
        let late = Fold(entries)
        var ticked = Fold([])
        for entry in entries {
            while entry.input.kind != .started, let due = ticked.state.nextDeadline, due < entry.at {
                ticked.effects += ticked.state.apply(Entry(seq: entry.seq, at: due, input: .tick))
            }
            ticked.effects += ticked.state.apply(entry)
        }
        #expect(ticked.effects.story == late.effects.story)
        #expect(ticked.state == late.state)
    }

    @Test(arguments: seeds)
    func `a restart makes no switch less safe, however long the daemon was away`(seed: UInt64) throws {
        var state = State()
        var random = SeededGenerator(seed: seed)
        for entry in SwitchJournal.entries(seed: seed, count: 800) {
            _ = state.apply(entry)
            guard random.oneIn(4) else { continue }
            var restarted = try State(decoding: state.encoded())
            let start = state.at.advanced(byMs: Int64(random.below(10_000_000)))
            let effects = restarted.apply(Entry(seq: entry.seq + 1, at: start, input: .started))
            #expect(effects.moves.isEmpty)
            for environment in ["production", "sandbox"] {
                let before = state.document(environment: environment)
                let after = restarted.document(environment: environment)
                #expect(after.switches.map(\.state) == before.switches.map(\.state))
                #expect(after.switches.map(\.variant) == before.switches.map(\.variant))
                #expect(after.switches.map(\.scopes.count) == before.switches.map(\.scopes.count))
            }
            for machine in restarted.switches.allMachines {
                let former = try #require(state.switches.machine(of: machine.key, in: machine.scope))
                if let timer = machine.timer {
                    #expect(timer.at >= start.advanced(byMs: 30_000) && timer.at >= former.timer?.at ?? timer.at)
                }
                #expect(machine.timer?.purpose == former.timer?.purpose)
            }
            let quiet = restarted.apply(Entry(seq: entry.seq + 2, at: start.advanced(byMs: 29_999), input: .tick))
            #expect(quiet.moves.isEmpty)
        }
    }

    @Test(arguments: seeds)
    func `late, sandbox, payer's, issuer's and risk events never trip production`(seed: UInt64) {
        var state = State()
        for entry in SwitchJournal.entries(seed: seed, count: 1500) {
            guard case .event(var event) = entry.input else { continue }
            switch entry.seq % 3 {
            case 0: event.environment = "sandbox"
            case 1: event.occurredAt = entry.at.advanced(byMs: -10_000_000)
            default: event.error = ErrorReport(domain: "bank", code: "51")
            }
            if state.seq == 0 {
                let ruleSet = SwitchJournal.ruleSet
                _ = state.apply(Entry(seq: entry.seq, at: entry.at, input: .configured(ruleSet)))
            }
            let moves = state.apply(Entry(seq: entry.seq, at: entry.at, input: .event(event))).moves
            #expect(moves.allSatisfy { $0.scope.environment == "sandbox" })
        }
    }

    @Test(arguments: seeds)
    func `in a dry run nobody is told the degraded route`(seed: UInt64) {
        var state = State()
        for entry in SwitchJournal.entries(seed: seed, count: 1500) {
            var input = entry.input
            if case .configured(var ruleSet) = input {
                for number in ruleSet.switches.indices { ruleSet.switches[number].mode = .dryRun }
                input = .configured(ruleSet)
            }
            if case .command(let command) = input {
                // A person's own override is the one thing that is served.
                if command.action.verb == .override || command.action.verb == .mode { continue }
            }
            _ = state.apply(Entry(seq: entry.seq, at: entry.at, input: input))
            for status in state.document(environment: "production").switches {
                #expect(status.variant == "native")
                #expect(status.scopes.allSatisfy { $0.variant == "native" })
            }
        }
        #expect(state.switches.version > 10)
    }
}

/// Journals in which a switch trips, probes, ramps and is meddled with, with times of every size.
struct SwitchJournal {
    private var random: SeededGenerator
    private var nowMs: Int64 = 1_800_000_000_000
    /// What the daemon believes, so that apps know its versions.
    private var state = State()

    static let ruleSet: RuleSet = {
        var recovery = RecoveryPolicy(mode: .probe)
        recovery.coolDownMs = 10_000
        recovery.coolDownMaxMs = 60_000
        recovery.probePercent = 50
        recovery.probeAttempts = 4
        recovery.goodBelowPercent = 60
        recovery.probeFailures = 2
        recovery.probeInstalls = 2
        recovery.probeDeadlineMs = 20_000
        recovery.rampPercents = [60, 100]
        recovery.rampStepMs = 3000
        recovery.askAfter = 2
        let burst = Rule(
            id: "burst",
            description: "",
            groupBy: [.errorCode],
            count: .attempts,
            threshold: 6,
            windowMs: 5000,
            alert: AlertPolicy(severity: .critical, resolveBelow: 3, holdForMs: 300),
            trip: Trip(switchKey: "pay")
        )
        var regional = burst
        regional.id = "regional"
        regional.groupBy = [.region]
        regional.threshold = 5
        regional.trip = Trip(switchKey: "pay", scope: [.region])
        return RuleSet(
            rules: [burst, regional],
            switches: [
                SwitchDefinition(
                    key: "pay",
                    normalVariant: "native",
                    degradedVariant: "web",
                    recovery: recovery,
                    flapLock: FlapLock(trips: 3, withinMs: 400_000),
                    minimumDwellMs: 2000
                )
            ],
            catalogue: .refusing(["51"])
        )
    }()

    static func entries(seed: UInt64, count: Int) -> [Entry] {
        var journal = SwitchJournal(random: SeededGenerator(seed: seed))
        return (1...UInt64(count)).map { journal.entry(seq: $0) }
    }

    private mutating func entry(seq: UInt64) -> Entry {
        switch random.below(30) {
        case 0..<12: break
        case 12..<26: nowMs += Int64(random.below(300))
        case 26..<29: nowMs += Int64(random.below(4000))
        default: nowMs += Int64(random.below(30_000))
        }
        let entry = Entry(seq: seq, at: Timestamp(milliseconds: nowMs), input: input(seq: seq))
        _ = state.apply(entry)
        return entry
    }

    private mutating func input(seq: UInt64) -> Input {
        if seq == 1 { return .configured(Self.ruleSet) }
        switch random.below(90) {
        case 0: return .started
        case 1: return .tick
        case 2: return .command(command())
        default: return .event(event(seq: seq))
        }
    }

    private mutating func command() -> SwitchCommand {
        let region = ScopeAttribute(name: "region", value: random.pick(["CN", "US"]))
        let actions: [SwitchCommand.Action] = [
            .trip, .restore, .restore, .clear, .mode(.armed), .mode(.armed), .mode(.dryRun), .mode(.disarmed),
            .override(variant: "web", forMs: Int64(random.below(20_000))),
            .override(variant: "native", forMs: Int64(random.below(20_000))),
        ]
        return SwitchCommand(
            action: random.pick(actions),
            key: "pay",
            scope: Scope(environment: "production", attributes: random.oneIn(3) ? [region] : []),
            actor: "on-call",
            reason: "test"
        )
    }

    private mutating func event(seq: UInt64) -> PaymentEvent {
        // Minutes in which much fails, and minutes in which nothing does.
        let fails = (nowMs / 40_000) % 2 == 0 ? !random.oneIn(4) : random.oneIn(30)
        var event = fails ? PaymentEvent.failure("8771") : PaymentEvent(outcome: .succeeded)
        event.environment = random.oneIn(8) ? "sandbox" : "production"
        event.region = random.pick([nil, "CN", "US"])
        event.attemptId = "attempt-\(seq)"
        event.installId = "install-\(random.below(60))"
        // Apps know the version of a moment ago, or of this one.
        let version = state.switches.version
        event.switchVersion = random.oneIn(10) ? nil : version - min(version, UInt64(random.below(3)))
        return event
    }
}
