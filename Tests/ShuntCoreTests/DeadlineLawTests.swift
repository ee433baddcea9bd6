import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Law 5, and the exact ends of alerts.
@Suite struct DeadlineLawTests {
    /// Plays an alert millisecond by millisecond, from its definition alone.
    private struct NaiveAlert {
        let rule: Rule
        var seen: [(key: UInt64, at: Int64)] = []
        var isFiring = false
        var lowSince: Int64?
        var refires = 0
        var story: [String] = []

        func count(at now: Int64) -> Int {
            Set(seen.lazy.filter { $0.at > now - rule.windowMs }.map(\.key)).count
        }

        mutating func pass(_ now: Int64) {
            guard isFiring else { return }
            if count(at: now) < rule.alert.resolveBelow, lowSince == nil { lowSince = now }
            // All of it happens within an hour, so each time counts.
            if let lowSince, now - lowSince >= rule.alert.holdForMs << min(refires, 16) {
                isFiring = false
                refires += 1
                story.append("ended \(now)")
            }
        }

        mutating func record(_ key: UInt64, at now: Int64) {
            seen.removeAll { $0.at <= now - rule.windowMs }
            seen.append((key, now))
            let count = count(at: now)
            if count >= rule.threshold, !isFiring {
                isFiring = true
                lowSince = nil
                story.append("fired \(now)")
            }
            if count >= rule.alert.resolveBelow { lowSince = nil }
        }
    }

    private static func rule(threshold: Int, resolveBelow: Int, holdForMs: Int64) -> Rule {
        Rule(
            id: "burst",
            description: "An error code",
            groupBy: [.errorCode],
            count: .attempts,
            threshold: threshold,
            windowMs: 50,
            alert: AlertPolicy(severity: .warning, resolveBelow: resolveBelow, holdForMs: holdForMs)
        )
    }

    @Test(
        arguments: [
            (4, 2, 30), (4, 4, 30), (4, 1, 30), (5, 3, 0), (5, 3, 1), (3, 2, 120), (1, 1, 30),
        ] as [(Int, Int, Int64)],
        [1, 2, 3, 4] as [UInt64]
    )
    func `alerts fire and end when a millisecond-by-millisecond recount says so`(
        policy: (threshold: Int, resolveBelow: Int, holdForMs: Int64),
        seed: UInt64
    ) {
        let rule = Self.rule(
            threshold: policy.threshold,
            resolveBelow: policy.resolveBelow,
            holdForMs: policy.holdForMs
        )
        var random = SeededGenerator(seed: seed)
        var naive = NaiveAlert(rule: rule)
        var scenario = Scenario(RuleSet(rules: [rule], switches: []))
        var pauseMs = 10
        for now in 1...6000 as ClosedRange<Int64> {
            naive.pass(now)
            // Calm and storm take turns, so that counts hang about the limits for long.
            if random.oneIn(150) { pauseMs = random.pick([2, 6, 12, 16, 25, 50, 200]) }
            while random.oneIn(pauseMs) {
                let key = UInt64(random.below(12))
                naive.record(key, at: now)
                var event = PaymentEvent.failure("1")
                event.attemptId = "\(key)"
                scenario.apply(.event(event), atMs: now)
            }
        }
        scenario.apply(.tick, atMs: 6000)
        let story = scenario.effects.alertChanges.map { change in
            change.alert.endsAt.map { "ended \($0.milliseconds)" } ?? "fired \(change.alert.startsAt.milliseconds)"
        }
        #expect(story == naive.story)
        #expect(story.count > 2)
    }

    @Test func `steady failures below the limit let an alert end`() {
        let rule = Self.rule(threshold: 10, resolveBelow: 6, holdForMs: 200)
        var scenario = Scenario(RuleSet(rules: [rule], switches: []))
        scenario.fail(times: 10, fromMs: 1000)
        // Three or four a window, for ever: never six.
        scenario.fail(times: 40, fromMs: 1015, everyMs: 15)
        #expect(scenario.effects.story == ["crossed: burst is firing", "subsided: burst is inactive"])
        #expect(scenario.effects.alertChanges.last?.alert.endsAt == Timestamp(milliseconds: 1050 + 200))
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `an early tick is a no-op, a due one ends what is due at its own time`(seed: UInt64) throws {
        var state = State()
        var random = SeededGenerator(seed: seed)
        for entry in RandomJournal.entries(seed: seed, count: 1500) {
            _ = state.apply(entry)
            guard let deadline = state.nextDeadline else { continue }
            var ticked = state
            for earlyMs in [1, 2, 1000] as [Int64] where deadline.advanced(byMs: -earlyMs) >= state.at {
                let at = deadline.advanced(byMs: -earlyMs)
                try #require(ticked.apply(Entry(seq: entry.seq + 1, at: at, input: .tick)).isEmpty)
                try #require(ticked == state)
            }
            let lateMs = Int64(random.below(3) * 40)
            let at = max(deadline, state.at).advanced(byMs: lateMs)
            let changes = ticked.apply(Entry(seq: entry.seq + 1, at: at, input: .tick)).alertChanges
            // A look at a rate may come to nothing; all else that was due is an alert that ends.
            let times = changes.map(\.at)
            if let first = times.first { try #require(first >= deadline) }
            let isOfRate = changes.isEmpty || changes.contains { $0.input == .crossed || $0.input == .switchDegraded }
            // Nor is anybody told that the condition of a pending alert broke.
            let isPending = state.openAlerts.contains { $0.phase == .pending }
            if !isOfRate, !isPending, changes.allSatisfy({ ["burst", "installs", "watch"].contains($0.alert.rule) }) {
                try #require(times.first == deadline)
            }
            try #require(changes.allSatisfy { ($0.input == .subsided) == ($0.alert.phase == .inactive) })
            try #require(times == times.sorted() && times.allSatisfy { $0 <= at })
            try #require(ticked.nextDeadline.map { $0 > at } ?? true)
        }
    }

    @Test func `what was due is handled before the entry, in the order of time, then of rules and groups`() {
        let slow = Self.rule(threshold: 2, resolveBelow: 2, holdForMs: 100)
        var quick = slow
        quick.id = "quick"
        quick.alert.holdForMs = 60
        var scenario = Scenario(RuleSet(rules: [slow, quick], switches: []))
        for code in ["b", "a", "c"] { scenario.fail(code, times: 2, fromMs: 1000) }
        scenario.fail("early", times: 2, fromMs: 1010)
        let effects = scenario.fail("c", times: 2, fromMs: 5000)
        let story = effects.alertChanges.map { change in
            let time = change.alert.endsAt ?? change.alert.startsAt
            return "\(change.alert.rule) \(change.alert.group.last?.value ?? "") \(time.milliseconds)"
        }
        #expect(
            story == [
                "quick a 1110", "quick b 1110", "quick c 1110", "quick early 1120",
                "burst a 1150", "burst b 1150", "burst c 1150", "burst early 1160",
                "burst c 5000", "quick c 5000",
            ]
        )
        #expect(effects.map(\.id.index) == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1])
    }

    @Test func `an entry at the very moment of a deadline comes after it`() {
        let rule = Self.rule(threshold: 2, resolveBelow: 2, holdForMs: 100)
        var scenario = Scenario(RuleSet(rules: [rule], switches: []))
        scenario.fail(times: 2, fromMs: 1000)
        let effects = scenario.fail(times: 2, fromMs: 1150)
        #expect(
            effects.story == ["subsided: burst is inactive", "crossed: burst is firing"],
            "one millisecond earlier the alert would have lived on"
        )
        var other = Scenario(RuleSet(rules: [rule], switches: []))
        other.fail(times: 2, fromMs: 1000)
        #expect(other.fail(times: 2, fromMs: 1149).isEmpty)
    }

    @Test func `a restore starts the hold of an alert that fires already`() {
        // Where the switch moves nobody, its alerts fire on while it is degraded.
        var ruleSet = RuleSet.builtIn
        ruleSet.switches[0].mode = .dryRun
        var scenario = Scenario(ruleSet)
        scenario.fail(times: 100)
        scenario.fail(times: 60, fromMs: 2000)
        #expect(scenario.state.openAlerts.map(\.phase) == [.firing])
        // Looking for what is due makes the state remember that it isn't before 902,000.
        #expect(scenario.apply(.tick, atMs: 601_000).isEmpty)
        scenario.command(.restore, atMs: 601_001)
        #expect(scenario.state.nextDeadline == Timestamp(milliseconds: 1_201_001))
        #expect(scenario.state.deadlineFloor == Timestamp(milliseconds: 1_201_001))
        #expect(scenario.apply(.tick, atMs: 1_201_000).isEmpty)
        #expect(scenario.apply(.tick, atMs: 1_201_001).story == ["subsided: error-code-burst is inactive"])
    }

    @Test(arguments: [21, 22, 23, 24] as [UInt64])
    func `the floor under all deadlines is never too late`(seed: UInt64) throws {
        var state = State()
        for entry in RandomJournal.entries(seed: seed, count: 2500) {
            _ = state.apply(entry)
            guard let deadline = state.nextDeadline else { continue }
            let floor = try #require(state.deadlineFloor)
            try #require(floor <= deadline, "after entry \(entry.seq)")
        }
    }
}
