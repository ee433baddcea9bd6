import ShuntCore
import ShuntSchema
import Testing

/// Law 5, and the exact ends of alerts.
@Suite struct DeadlineLawTests {
    /// Plays an alert millisecond by millisecond, from its definition alone.
    private struct NaiveAlert {
        let rule: Rule
        var seen: [(key: UInt64, at: Int64)] = []
        var isFiring = false
        var lowSince: Int64?
        var story: [String] = []

        func count(at now: Int64) -> Int {
            Set(seen.lazy.filter { $0.at > now - rule.windowMs }.map(\.key)).count
        }

        mutating func pass(_ now: Int64) {
            guard isFiring else { return }
            if count(at: now) < rule.alert.resolveBelow, lowSince == nil { lowSince = now }
            if let lowSince, now - lowSince >= rule.alert.holdForMs {
                isFiring = false
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
        #expect(story.count > 4)
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
}
