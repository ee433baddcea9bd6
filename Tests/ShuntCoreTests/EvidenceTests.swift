import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Every transition says what it was decided by, and the journal's events say the same.
@Suite struct EvidenceTests {
    private func trip(_ scenario: Scenario) throws -> SwitchEvidence {
        try #require(scenario.effects.moves.last?.evidence)
    }

    private func condition(_ name: EvidenceCondition.Name, of evidence: SwitchEvidence) throws -> EvidenceCondition {
        try #require(evidence.conditions.first { $0.name == name }, "\(name)")
    }

    private func ground(_ evidence: SwitchEvidence) throws -> RuleGround {
        guard case .rule(let ground) = evidence.ground else { throw Missing() }
        return ground
    }

    private struct Missing: Error {}

    @Test func `the founding trip names its rule, its group, its count and the last entry that counted`() throws {
        var scenario = Scenario()
        scenario.fail(times: 100, fromMs: 1000, everyMs: 10)
        let evidence = try trip(scenario)
        #expect(evidence.lastSeq == 102 && evidence.level == 1)
        let ground = try ground(evidence)
        #expect(ground.rule == RuleSet.builtIn.rules[0] && ground.decision == .tripped(version: 2))
        #expect(ground.group.map(\.value) == ["production", "verify", "8771"])
        #expect(ground.since == Timestamp(milliseconds: 1000), "the first that counted")
        let count = try condition(.count, of: evidence)
        #expect(count.standing == .holds && count.value == 100 && count.limit == 100)
        #expect(try condition(.installs, of: evidence).standing == .notRequired)
        #expect(try condition(.share, of: evidence).standing == .notRequired)
        #expect(try condition(.trusted, of: evidence).value == 100)
        #expect(evidence.conditions.allSatisfy { $0.standing != .fails })
    }

    @Test
    func `a share that can't be judged is no denominator, one of few attempts says so, and one that holds has both`()
        throws
    {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].threshold = 10
        ruleSet.rules[0].alert.resolveBelow = 1
        ruleSet.rules[0].require.share = 40
        var blind = Scenario(ruleSet)
        blind.fail(times: 10)
        #expect(try condition(.share, of: try trip(blind)).standing == .noDenominator)
        func told(successes: Int) throws -> EvidenceCondition {
            var scenario = Scenario(ruleSet)
            for number in 0..<successes {
                var event = PaymentEvent(outcome: .succeeded)
                event.attemptId = "good-\(number)"
                scenario.apply(.event(event))
            }
            scenario.fail(times: 10)
            return try condition(.share, of: try trip(scenario))
        }
        let few = try told(successes: 5)
        #expect(few.standing == .tooFewAttempts && few.total == 15)
        let enough = try told(successes: 15)
        #expect(enough.standing == .holds && enough.value == 10 && enough.total == 25 && enough.limit == 40)
    }

    @Test func `public reports tell whether half was trusted or the installs were twice as many`() throws {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].require.installs = 10
        func evidence(trusted: Int, installs: Int) throws -> SwitchEvidence {
            var scenario = Scenario(ruleSet)
            for number in 0..<100 {
                var event = PaymentEvent.failure("8771")
                event.attemptId = "attempt-\(number)"
                event.installId = "install-\(number % installs)"
                event.trust = number < trusted ? .trusted : .public
                scenario.apply(.event(event))
            }
            return try trip(scenario)
        }
        let half = try condition(.trusted, of: try evidence(trusted: 60, installs: 12))
        #expect(half.standing == .holds && half.value == 60 && half.limit == 50)
        let many = try condition(.publicInstalls, of: try evidence(trusted: 10, installs: 30))
        #expect(many.standing == .holds && many.value == 20 && many.limit == 20)
    }

    @Test func `the blast radius is that after the flip`() throws {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].threshold = 5
        ruleSet.rules[0].alert.resolveBelow = 1
        ruleSet.rules[0].trip?.scope = [.region]
        ruleSet.switches[0].blastRadiusPercent = 50
        var scenario = Scenario(ruleSet)
        for number in 0..<40 {
            var event = PaymentEvent(outcome: .succeeded)
            event.attemptId = "good-\(number)"
            event.region = number % 4 == 0 ? "CN" : "US"
            scenario.apply(.event(event))
        }
        for number in 0..<5 {
            var event = PaymentEvent.failure("8771")
            event.attemptId = "bad-\(number)"
            event.region = "CN"
            scenario.apply(.event(event))
        }
        let blast = try condition(.blastRadius, of: try trip(scenario))
        #expect(blast.standing == .holds && blast.value == 34 && blast.limit == 50, "15 of 45, rounded up")
    }

    @Test func `what a person does names the person, what a timer does its timer, and a probe its figures`() throws {
        var scenario = RecoveryScenario()
        scenario.coolDown()
        guard case .timer(let timer) = try #require(scenario.story.effects.moves.last?.evidence?.ground) else {
            throw Missing()
        }
        #expect(timer.purpose == .coolDown && timer.version == 2)
        scenario.pay(scenario.cohort(30))
        let good = try #require(scenario.story.effects.moves.last?.evidence)
        #expect(good.ground.name == "probe" && good.level == 1)
        let share = try condition(.failureShareAtMost, of: good)
        #expect(share.standing == .holds && share.value == 828 && share.limit == 1000)
        #expect(try condition(.attempts, of: good).value == 30)
        scenario.command(.restore)
        guard case .command(let command) = try #require(scenario.story.effects.moves.last?.evidence?.ground) else {
            throw Missing()
        }
        #expect(command.actor == "on-call" && command.reason == "test")
    }

    @Test func `the third probe that nobody could judge says that it was the third`() throws {
        var scenario = RecoveryScenario()
        scenario.wait(100 * 86_400_000)
        let evidence = try #require(scenario.story.effects.moves.last?.evidence)
        let unknowns = try condition(.unknowns, of: evidence)
        #expect(unknowns.value == 3 && unknowns.limit == 3 && unknowns.standing == .fails)
        #expect(try condition(.attempts, of: evidence).standing == .fails)
    }

    @Test func `a lock says which trip it was`() throws {
        var scenario = RecoveryScenario()
        for _ in 2...3 {
            scenario.command(.restore)
            scenario.trip()
        }
        #expect(scenario.phase == .locked)
        let trips = try condition(.trips, of: try #require(scenario.story.effects.moves.last?.evidence))
        #expect(trips.value == 3 && trips.limit == 3 && trips.standing == .fails)
    }

    @Test func `equal rules have equal bytes, and another threshold other ones`() {
        let rule = RuleSet.builtIn.rules[0]
        var other = rule
        other.threshold += 1
        #expect(rule.canonicalBytes == RuleSet.builtIn.rules[0].canonicalBytes)
        #expect(rule.canonicalBytes != other.canonicalBytes)
    }

    // MARK: Whatever comes in

    private static let seeds: [UInt64] = [1, 2, 3, 5, 8, 13]

    @Test(arguments: seeds)
    func `every transition of a walk has evidence that agrees with it`(seed: UInt64) throws {
        for entries in [
            RandomJournal.entries(seed: seed, count: 2500), SwitchJournal.entries(seed: seed, count: 2500),
        ] {
            var state = State()
            for entry in entries {
                let before = state.seq
                for move in state.apply(entry).moves {
                    let evidence = try #require(move.evidence)
                    // What was due before the entry knows nothing of it.
                    #expect(evidence.lastSeq == entry.seq || evidence.lastSeq == before)
                    #expect(evidence.ground.name == Self.ground(of: move.cause) || evidence.ground == .ruleFiles)
                    guard move.cause == .ruleTrips else { continue }
                    let failed = evidence.conditions.filter { $0.standing == .fails }.map(\.name)
                    #expect(failed == (move.to == .locked ? [.trips] : []), "version \(move.version)")
                }
            }
            #expect(state.switches.version > 10)
        }
    }

    private static func ground(of cause: SwitchCause) -> String {
        switch cause {
        case .ruleTrips: "rule"
        case .operatorTrips, .operatorRestores, .disarmed, .overrideSet, .overrideCleared, .modeChanged: "command"
        case .coolDownEnds, .overrideExpired: "timer"
        case .probeIsGood, .probeIsBad, .probeIsUnknown, .askPerson: "probe"
        }
    }

    /// Law: what the windows counted can be found again in the journal, no more and no less.
    @Test(arguments: seeds)
    func `read back from the journal there are exactly as many failures as were counted`(seed: UInt64) throws {
        for entries in [
            RandomJournal.entries(seed: seed, count: 2500), SwitchJournal.entries(seed: seed, count: 2500),
            Self.capped(RandomJournal.entries(seed: seed, count: 2500)),
        ] {
            var state = State()
            var judged = 0
            let times = Self.times(entries)
            var configuredAt = Timestamp(milliseconds: .min)
            for (number, entry) in entries.enumerated() {
                if entry.input.kind == .configured { configuredAt = times[number] }
                let moves = state.apply(entry).moves
                for move in moves {
                    guard var filter = EvidenceFilter(move, rules: state.ruleSet.rules) else { continue }
                    let catalogue = state.catalogue
                    var oldestAt: Timestamp?
                    for older in entries[...number].reversed() where older.seq <= filter.lastSeq {
                        guard case .event(let event) = older.input else { continue }
                        // As the fold saw it: its time never goes back.
                        let at = times[Int(older.seq) - 1]
                        if filter.take(event, meaning: catalogue.classify(event), at: at) { oldestAt = at }
                    }
                    guard case .rule(let ground) = try #require(move.evidence).ground else { continue }
                    // What was counted under other rules is judged by those of the trip: it may have been on another route.
                    guard let since = ground.since, since > configuredAt else { continue }
                    judged += 1
                    let isShared = ground.group.contains { $0.value == Rule.overflowValue }
                    #expect(isShared || filter.isDone, "version \(move.version): \(filter.count) of \(ground.count)")
                    guard !isShared, ground.rule.kind == .count else { continue }
                    #expect(oldestAt == ground.since, "version \(move.version)")
                }
            }
            #expect(judged > 0)
        }
    }

    /// The same journal where no more than two of an install count.
    private static func capped(_ entries: [Entry]) -> [Entry] {
        entries.map { entry in
            if case .event(var event) = entry.input {
                // An attempt is one install's.
                if let attemptId = event.attemptId {
                    event.installId = "install-\(attemptId.utf8.reduce(0) { $0 + Int($1) } % 7)"
                } else {
                    event.orderRef = nil
                }
                return Entry(seq: entry.seq, at: entry.at, input: .event(event))
            }
            guard case .configured(var ruleSet) = entry.input else { return entry }
            for number in ruleSet.rules.indices where ruleSet.rules[number].count == .attempts {
                ruleSet.rules[number].maximumPerInstall = 2
                ruleSet.rules[number].threshold = max(2, ruleSet.rules[number].threshold / 2)
                ruleSet.rules[number].alert.resolveBelow = 1
            }
            return Entry(seq: entry.seq, at: entry.at, input: .configured(ruleSet))
        }
    }

    @Test func `an attempt that a back end reports too is still its install's, and counts against its cap`() throws {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].threshold = 6
        ruleSet.rules[0].alert.resolveBelow = 1
        ruleSet.rules[0].maximumPerInstall = 2
        var scenario = Scenario(ruleSet)
        var entries: [Entry] = []
        // Two of busy's four attempts count, and those of the four around it.
        let busy = (1...4).map { ("busy", "busy-\($0)") }
        let reports = [("install-1", "quiet-1")] + busy + (2...4).map { ("install-\($0)", "quiet-\($0)") }
        for (install, attempt) in reports {
            for isBackEnd in [false, true] {
                var event = PaymentEvent.failure("8771")
                event.attemptId = attempt
                event.installId = isBackEnd ? nil : install
                scenario.apply(.event(event))
                entries.append(
                    Entry(seq: scenario.seq, at: Timestamp(milliseconds: scenario.nowMs), input: .event(event))
                )
            }
        }
        let move = try #require(scenario.effects.moves.first)
        var filter = try #require(EvidenceFilter(move, rules: ruleSet.rules))
        #expect(filter.wantsToSee)
        let meaning = scenario.state.catalogue.classify(.failure("8771"))
        var found: [String] = []
        for isTaking in [false, true] {
            for entry in entries.reversed() where entry.seq <= filter.lastSeq {
                guard case .event(let event) = entry.input else { continue }
                if !isTaking {
                    filter.see(event, meaning: meaning, at: entry.at)
                } else if filter.take(event, meaning: meaning, at: entry.at) {
                    found.append(event.attemptId ?? "")
                }
            }
        }
        #expect(found == ["quiet-4", "quiet-3", "quiet-2", "busy-4", "busy-3", "quiet-1"])
        #expect(filter.isDone)
    }

    /// The times that the fold takes the entries to have come at: they never go back.
    private static func times(_ entries: [Entry]) -> [Timestamp] {
        var state = State()
        return entries.map { entry in
            _ = state.apply(entry)
            return state.at
        }
    }
}
