import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Rules that look at rates, each at its limits on both sides.
@Suite struct RateKindTests {
    private static let minuteMs: Int64 = 60_000

    /// A rule of one kind, by itself; the alert ends ten minutes after its condition does.
    private static func scenario(_ kind: RuleKind, threshold: Int = 1, _ change: (inout Rule) -> Void = { _ in })
        -> Scenario
    {
        var rule = Rule(
            id: "rate",
            description: "",
            kind: kind,
            groupBy: [],
            count: .attempts,
            threshold: threshold,
            windowMs: 5 * minuteMs,
            alert: AlertPolicy(severity: .critical, resolveBelow: 1, holdForMs: 10 * minuteMs)
        )
        change(&rule)
        return Scenario(RuleSet(rules: [rule], switches: RuleSet.builtIn.switches))
    }

    /// Reports attempts one by one, each another one.
    private static func report(
        _ scenario: inout Scenario,
        _ outcome: Outcome,
        times: Int = 1,
        atMs: Int64? = nil,
        everyMs: Int64 = 0,
        _ change: (inout PaymentEvent) -> Void = { _ in }
    ) {
        let start = atMs ?? scenario.nowMs
        for number in 0..<times {
            var event = PaymentEvent(outcome: outcome)
            if outcome == .failed { event.error = ErrorReport(domain: "verify", code: "8771") }
            event.attemptId = "attempt-\(scenario.seq)"
            event.installId = "install-\(scenario.seq)"
            change(&event)
            scenario.apply(.event(event), atMs: start + Int64(number) * everyMs)
        }
    }

    private static func isFiring(_ scenario: Scenario) -> Bool { !scenario.state.openAlerts.isEmpty }

    // MARK: Share

    @Test func `half of twenty attempts fire, and neither fewer failures nor fewer attempts do`() {
        var scenario = Self.scenario(.share(percent: 50, attempts: 20))
        Self.report(&scenario, .succeeded, times: 10)
        Self.report(&scenario, .failed, times: 9)
        #expect(!Self.isFiring(scenario))
        Self.report(&scenario, .succeeded)
        Self.report(&scenario, .failed)
        #expect(!Self.isFiring(scenario), "10 of 21")
        Self.report(&scenario, .failed)
        #expect(Self.isFiring(scenario), "11 of 22")
        #expect(scenario.state.openAlerts.first?.count == 11)
        #expect(scenario.state.openAlerts.first?.attempts == 22)
    }

    @Test func `where only failures are reported no share is known`() {
        var scenario = Self.scenario(.share(percent: 50, attempts: 20))
        Self.report(&scenario, .failed, times: 500)
        #expect(!Self.isFiring(scenario))
        Self.report(&scenario, .attempted)
        Self.report(&scenario, .failed)
        #expect(Self.isFiring(scenario))
    }

    @Test func `a counter stands for so many attempts`() {
        var scenario = Self.scenario(.share(percent: 50, attempts: 20))
        Self.report(&scenario, .succeeded) {
            $0.counts = Counts(from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: 0), count: 30)
        }
        Self.report(&scenario, .failed, times: 29)
        #expect(!Self.isFiring(scenario))
        Self.report(&scenario, .failed)
        #expect(Self.isFiring(scenario))
    }

    @Test func `a share that rises because successes grow old fires without another event`() {
        var scenario = Self.scenario(.share(percent: 50, attempts: 20), threshold: 10)
        Self.report(&scenario, .succeeded, times: 40)
        Self.report(&scenario, .failed, times: 25, atMs: 4 * Self.minuteMs)
        #expect(!Self.isFiring(scenario), "25 of 65")
        scenario.apply(.tick, atMs: 5 * Self.minuteMs - 1)
        #expect(!Self.isFiring(scenario))
        let due = scenario.state.nextDeadline
        #expect(due.map { $0.milliseconds <= 5 * Self.minuteMs + 5000 } ?? false)
        scenario.apply(.tick, atMs: 5 * Self.minuteMs + 5000)
        #expect(Self.isFiring(scenario), "25 of 25")
    }

    @Test func `an alert of a share ends ten minutes after the share was last that high`() throws {
        var scenario = Self.scenario(.share(percent: 50, attempts: 20), threshold: 10)
        Self.report(&scenario, .succeeded, times: 10)
        Self.report(&scenario, .failed, times: 10)
        #expect(Self.isFiring(scenario))
        Self.report(&scenario, .succeeded, atMs: 1000)
        // 10 of 21 from the first second on; all are out after five minutes.
        scenario.apply(.tick, atMs: 10 * Self.minuteMs)
        #expect(Self.isFiring(scenario))
        let end = try #require(scenario.state.nextDeadline)
        scenario.apply(.tick, atMs: end.milliseconds)
        #expect(!Self.isFiring(scenario))
        #expect((10 * Self.minuteMs...10 * Self.minuteMs + 6000).contains(end.milliseconds))
    }

    /// Recounts everything at every event.
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `a share equals a naive recount at every event`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var scenario = Self.scenario(.share(percent: 40, attempts: 5), threshold: 2) { $0.alert.holdForMs = 0 }
        var story: [(atMs: Int64, attempt: Int, failed: Bool)] = []
        var nowMs: Int64 = 0
        var fired = 0
        for _ in 0..<1500 {
            nowMs += Int64(random.below(20_000))
            let attempt = random.below(300)
            let failed = random.below(10) < 4
            story.append((nowMs, attempt, failed))
            Self.report(&scenario, failed ? .failed : .succeeded, atMs: nowMs) { $0.attemptId = "a-\(attempt)" }
            let inWindow = story.filter { $0.atMs > nowMs - 5 * Self.minuteMs }
            let attempts = Set(inWindow.map(\.attempt)).count
            let failures = Set(inWindow.filter(\.failed).map(\.attempt)).count
            let holds = attempts >= 5 && failures * 100 >= attempts * 40
            if failed, holds {
                fired += 1
                #expect(Self.isFiring(scenario), "seed \(seed), \(failures) of \(attempts) at \(nowMs)")
            }
            if Self.isFiring(scenario), let alert = scenario.state.openAlerts.first,
                alert.startsAt.milliseconds == nowMs
            {
                #expect(holds, "seed \(seed), \(failures) of \(attempts) at \(nowMs)")
            }
        }
        #expect(fired > 50)
    }

    // MARK: No success

    @Test func `twenty attempts without a success fire where successes were known, and only a success ends it`() throws
    {
        var scenario = Self.scenario(.noSuccess(attempts: 20))
        Self.report(&scenario, .attempted, times: 50)
        #expect(!Self.isFiring(scenario), "no success was ever reported")
        Self.report(&scenario, .succeeded)
        Self.report(&scenario, .attempted, times: 19, atMs: 5 * Self.minuteMs)
        #expect(!Self.isFiring(scenario))
        Self.report(&scenario, .attempted)
        #expect(Self.isFiring(scenario))
        // Nobody pays at night: silence is not health.
        scenario.apply(.tick, atMs: 30 * 60 * Self.minuteMs)
        #expect(Self.isFiring(scenario))
        Self.report(&scenario, .succeeded)
        let endMs = scenario.nowMs + 10 * Self.minuteMs
        scenario.apply(.tick, atMs: endMs - 1)
        #expect(Self.isFiring(scenario))
        scenario.apply(.tick, atMs: endMs)
        #expect(!Self.isFiring(scenario))
    }

    @Test func `a single success among attempts that go on failing doesn't end the alert`() {
        var scenario = Self.scenario(.noSuccess(attempts: 20))
        Self.report(&scenario, .succeeded)
        Self.report(&scenario, .attempted, times: 30, atMs: 6 * Self.minuteMs)
        #expect(Self.isFiring(scenario))
        Self.report(&scenario, .succeeded)
        Self.report(&scenario, .attempted, times: 400, everyMs: 10_000)
        #expect(scenario.state.openAlerts.count == 1)
        #expect(scenario.effects.alertChanges.count == 1, "it never ended in between")
    }

    @Test func `a success within the window holds it back, and its growing old lets it fire`() {
        var scenario = Self.scenario(.noSuccess(attempts: 20))
        Self.report(&scenario, .succeeded, atMs: Self.minuteMs)
        Self.report(&scenario, .attempted, times: 60, atMs: 2 * Self.minuteMs)
        #expect(!Self.isFiring(scenario))
        scenario.apply(.tick, atMs: 6 * Self.minuteMs - 1)
        #expect(!Self.isFiring(scenario))
        scenario.apply(.tick, atMs: 6 * Self.minuteMs + 5000)
        #expect(Self.isFiring(scenario))
    }

    // MARK: Change

    @Test func `twice as many as in the window before fire, and none before is exceeded by any`() {
        let cases = [
            (10, 19, false), (10, 20, true), (0, 14, false), (0, 15, true), (14, 27, false), (14, 28, true),
        ]
        for (before, now, fires) in cases {
            var scenario = Self.scenario(.change(percent: 100), threshold: 15)
            Self.report(&scenario, .succeeded)
            Self.report(&scenario, .failed, times: before, atMs: 16 * Self.minuteMs)
            Self.report(&scenario, .failed, times: now, atMs: 21 * Self.minuteMs)
            #expect(Self.isFiring(scenario) == fires, "\(before), then \(now)")
        }
    }

    @Test func `what began less than two windows ago has no window before`() {
        var scenario = Self.scenario(.change(percent: 100), threshold: 10)
        Self.report(&scenario, .failed, times: 50, atMs: 10 * Self.minuteMs - 1)
        #expect(!Self.isFiring(scenario))
        Self.report(&scenario, .failed, atMs: 10 * Self.minuteMs)
        #expect(Self.isFiring(scenario))
    }

    // MARK: Burn rate

    @Test func `a burn fires when both windows burn, and a short burst alone doesn't`() {
        // 1 % may fail; 10 times as many burn ten times too fast.
        let burn = BurnRate(allowedPpm: 10_000, tenths: 100, longWindowMs: 60 * Self.minuteMs, attempts: 100)
        var scenario = Self.scenario(.burnRate(burn))
        Self.report(&scenario, .succeeded, times: 1000, everyMs: 3000)
        #expect(!Self.isFiring(scenario))
        Self.report(&scenario, .failed, times: 90)
        #expect(!Self.isFiring(scenario), "90 of 1090 in the hour")
        Self.report(&scenario, .failed, times: 22)
        #expect(Self.isFiring(scenario), "112 of 1112")
        // The same shares in an hour, but not in the last five minutes.
        var calm = Self.scenario(.burnRate(burn))
        Self.report(&calm, .succeeded, times: 1000)
        Self.report(&calm, .failed, times: 100)
        Self.report(&calm, .succeeded, times: 1000, atMs: 10 * Self.minuteMs)
        Self.report(&calm, .failed, times: 99)
        #expect(!Self.isFiring(calm))
    }

    // MARK: Unusual rate

    private static func days(_ days: Int, perHour: Int, seed: UInt64, _ scenario: inout Scenario) {
        var random = SeededGenerator(seed: seed)
        let hourMs = 60 * minuteMs
        for hour in 0..<Int64(days * 24) {
            // As many as come by chance: each of many payers fails with a small chance.
            let times = (0..<perHour * 10).count { _ in random.oneIn(10) }
            let offsets = (0..<times).map { _ in Int64(random.below(Int(hourMs))) }.sorted()
            for offset in offsets { report(&scenario, .failed, atMs: hour * hourMs + offset) }
        }
    }

    @Test func `an hour as usual stays quiet for two weeks, and ten times as many fire within minutes`() {
        var scenario = Self.scenario(.unusualRate(oneIn: 10_000_000), threshold: 5) { $0.windowMs = 60 * Self.minuteMs }
        Self.days(14, perHour: 6, seed: 5, &scenario)
        #expect(scenario.effects.alertChanges.isEmpty)
        // 60 an hour instead of 6.
        let startMs = 14 * 24 * 60 * Self.minuteMs + 20 * Self.minuteMs
        Self.report(&scenario, .failed, times: 30, atMs: startMs, everyMs: Self.minuteMs)
        let first = scenario.effects.alertChanges.first?.alert.startsAt
        #expect(first.map { $0.milliseconds - startMs <= 25 * Self.minuteMs } ?? false)
    }

    @Test func `a group that is known for less than three days isn't judged`() {
        var scenario = Self.scenario(.unusualRate(oneIn: 1000), threshold: 5) { $0.windowMs = 60 * Self.minuteMs }
        Self.days(2, perHour: 6, seed: 6, &scenario)
        Self.report(&scenario, .failed, times: 500)
        #expect(scenario.effects.alertChanges.isEmpty)
    }

    // MARK: Watchdog

    @Test func `a watchdog fires from the start and never ends`() {
        var scenario = Self.scenario(.watchdog)
        #expect(scenario.effects.alertChanges.map(\.input) == [.crossed])
        scenario.apply(.tick, atMs: 1_000_000_000)
        #expect(Self.isFiring(scenario))
        #expect(scenario.state.nextDeadline == nil)
        scenario.apply(.configured(scenario.state.ruleSet))
        #expect(scenario.effects.alertChanges.count == 1)
    }

    // MARK: Requirements

    private static func guarded(_ require: Requirements) -> Scenario {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].require = require
        return Scenario(ruleSet)
    }

    @Test func `a required share holds the trip where attempts are reported, until it is reached`() {
        var scenario = Self.guarded(Requirements(share: 20))
        Self.report(&scenario, .succeeded, times: 401)
        Self.report(&scenario, .failed, times: 100)
        #expect(scenario.variant() == "native", "100 of 501")
        #expect(scenario.state.openAlerts.first?.decision == .held(.shareTooLow))
        Self.report(&scenario, .failed)
        #expect(scenario.variant() == "web", "101 of 502")
    }

    @Test func `a required share isn't judged where only failures are reported`() {
        var scenario = Self.guarded(Requirements(share: 20))
        Self.report(&scenario, .failed, times: 100)
        #expect(scenario.variant() == "web")
    }

    @Test func `more failures than a threshold keeps are still a share`() {
        var scenario = Self.guarded(Requirements(share: 20))
        Self.report(&scenario, .succeeded, times: 5000)
        Self.report(&scenario, .failed, times: 1249)
        #expect(scenario.variant() == "native", "1249 of 6249")
        Self.report(&scenario, .failed)
        #expect(scenario.variant() == "web", "1250 of 6250")
    }

    @Test func `more attempts than are kept are judged since a later moment`() {
        var scenario = Self.guarded(Requirements(share: 20))
        Self.report(&scenario, .failed, times: 90)
        Self.report(&scenario, .succeeded, times: 20_000, atMs: 1000, everyMs: 1)
        Self.report(&scenario, .failed, times: 200, atMs: 22_000)
        #expect(scenario.state.openAlerts.first?.decision == .held(.shareTooLow))
        Self.report(&scenario, .failed, times: 4200, atMs: 23_000)
        #expect(scenario.variant() == "web", "a fifth of the last 16,384 attempts")
    }

    @Test func `payers aren't moved to a route where more than half fail as well`() {
        var scenario = Self.guarded(Requirements())
        Self.report(&scenario, .succeeded, times: 10) { $0.route = "web" }
        Self.report(&scenario, .failed, times: 11) { $0.route = "web" }
        Self.report(&scenario, .failed, times: 100) { $0.route = "native" }
        #expect(scenario.variant() == "native")
        #expect(scenario.state.openAlerts.first?.decision == .held(.bothRoutesBad))
        Self.report(&scenario, .succeeded) { $0.route = "web" }
        Self.report(&scenario, .failed) { $0.route = "native" }
        #expect(scenario.variant() == "web", "11 of 22 is half, not more")
    }

    @Test func `failures on the other route, and of its payers, don't trip`() {
        var scenario = Self.guarded(Requirements())
        Self.report(&scenario, .failed, times: 300) { $0.route = "web" }
        #expect(!Self.isFiring(scenario))
        #expect(scenario.variant() == "native")
    }

    @Test func `after a restore a share needs new failures`() {
        var scenario = Self.scenario(.share(percent: 50, attempts: 20)) { $0.trip = Trip(switchKey: "apple-pay") }
        Self.report(&scenario, .succeeded, times: 10)
        Self.report(&scenario, .failed, times: 30)
        #expect(scenario.variant() == "web")
        scenario.command(.restore, atMs: 1000)
        Self.report(&scenario, .failed, times: 19, atMs: 2000)
        #expect(scenario.variant() == "native")
        Self.report(&scenario, .failed)
        #expect(scenario.variant() == "web")
    }
}
