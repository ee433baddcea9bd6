import ShuntCore
import ShuntSchema
import Testing

/// An alert's life beside its switch's, with the built-in rule: 100 in 5 minutes; over when below 50 for 10 minutes.
@Suite struct AlertScenarioTests {
    private static let fiveMinMs: Int64 = 300_000
    private static let tenMinMs: Int64 = 600_000

    @Test func `from first failure to recovery`() {
        var scenario = Scenario(.withoutReminders)
        scenario.fail(times: 100, fromMs: 10_000, everyMs: 1000)
        #expect(scenario.state.openAlerts.map(\.phase) == [.mitigated])
        #expect(scenario.state.nextDeadline == nil, "silence is not health: nothing ends by itself while degraded")
        #expect(scenario.apply(.tick, atMs: 100_000_000).isEmpty)

        let restored = scenario.command(.restore, atMs: 200_000_000)
        #expect(
            restored.story == [
                "apple-pay [production] to native, version 3",
                "switchRestored: error-code-burst is firing",
            ]
        )
        #expect(scenario.variant() == "native")
        #expect(scenario.state.document(environment: "production").pollAfterSec == SwitchView.calmPollSec)

        let endMs = 200_000_000 + Self.tenMinMs
        #expect(scenario.state.nextDeadline == Timestamp(milliseconds: endMs))
        #expect(scenario.apply(.tick, atMs: endMs - 1).isEmpty)
        let ended = scenario.apply(.tick, atMs: endMs + 5000)
        #expect(ended.story == ["subsided: error-code-burst is inactive"])
        #expect(ended.alertChanges.first?.alert.startsAt == Timestamp(milliseconds: 109_000))
        #expect(ended.alertChanges.first?.alert.endsAt == Timestamp(milliseconds: endMs))
        #expect(scenario.state.openAlerts.isEmpty)
        #expect(scenario.state.nextDeadline == nil)
    }

    @Test(arguments: [(99, 0), (100, 1), (101, 1)])
    func `after a restore the switch trips again only with a hundred new failures`(failures: Int, trips: Int) {
        var scenario = Scenario()
        scenario.fail(times: 5000)
        scenario.command(.restore)
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "8771"]) == 0)
        let effects = scenario.fail(times: failures)
        #expect(effects.moves.count == trips)
        #expect(effects.alertChanges.map(\.input) == (trips == 1 ? [.switchDegraded] : []), "it fired all along")
        #expect(scenario.state.openAlerts.map(\.id) == ["102-0"], "and it is still the same alert")
    }

    @Test(arguments: [40, 100])
    func `an alert's payers are the installs of what counts`(installs: Int) throws {
        var ruleSet = RuleSet.withoutReminders
        ruleSet.rules[0].maximumPerInstall = 3
        var scenario = Scenario(ruleSet)
        for number in 0..<100 {
            var event = PaymentEvent.failure("8771")
            event.attemptId = "attempt-\(number)"
            event.installId = "install-\(number % installs)"
            scenario.apply(.event(event), atMs: 10_000 + Int64(number))
        }
        let alert = try #require(scenario.state.openAlerts.first)
        #expect(scenario.state.payers(of: alert) == installs)
        // One that names no install: how many there are isn't known.
        var event = PaymentEvent.failure("8771")
        event.attemptId = "attempt-100"
        scenario.apply(.event(event))
        #expect(scenario.state.payers(of: alert) == nil)
        scenario.apply(.event(PaymentEvent.failure("other")), atMs: 10_000 + Self.fiveMinMs + 1000)
        #expect(scenario.state.payers(of: alert) == nil)
    }

    @Test func `a restore where nothing is degraded changes nothing`() {
        var scenario = Scenario()
        scenario.fail(times: 99)
        let before = scenario.state
        #expect(scenario.command(.restore).isEmpty)
        #expect(scenario.command(.restore, Scope(environment: "nowhere")).isEmpty)
        #expect(scenario.command(.restore, key: "unheard-of").isEmpty)
        #expect(scenario.state.document(environment: "production") == before.document(environment: "production"))
        #expect(scenario.fail(times: 1).moves.count == 1, "what was counted still counts")
    }

    @Test func `a person's trip mitigates alerts, and theirs alone are touched`() {
        var other = RuleSet.builtIn.rules[0]
        other.id = "watch"
        other.trip = nil
        var ruleSet = RuleSet.builtIn
        ruleSet.rules += [other]
        var scenario = Scenario(ruleSet)
        scenario.fail(in: "sandbox", times: 100)
        scenario.command(.restore, Scope(environment: "sandbox"))
        let effects = scenario.command(.trip, Scope(environment: "sandbox"))
        #expect(
            effects.story == [
                "apple-pay [sandbox] to web, version 4",
                "switchDegraded: error-code-burst is mitigated",
            ]
        )
        #expect(effects.moves.first?.reason == SwitchReason(kind: "operator", summary: "test"))
        #expect(scenario.command(.trip, Scope(environment: "sandbox")).isEmpty)
        #expect(scenario.state.openAlerts.map(\.phase) == [.mitigated, .firing])
    }

    @Test func `an alert without a switch ends five and ten minutes after the failures thin out`() {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].trip = nil
        var scenario = Scenario(ruleSet)
        // 100 failures, one a second: the 51st, at 50 s, is the 50th most recent.
        scenario.fail(times: 100, fromMs: 0, everyMs: 1000)
        let endMs = 50_000 + Self.fiveMinMs + Self.tenMinMs
        #expect(scenario.state.nextDeadline == Timestamp(milliseconds: endMs))
        // 49 more, minutes later, stay below fifty.
        scenario.fail(times: 49, fromMs: 500_000)
        #expect(scenario.state.nextDeadline == Timestamp(milliseconds: endMs))
        // The fiftieth begins the hold anew, once it has left the window.
        scenario.fail(times: 1, fromMs: 600_000)
        #expect(scenario.state.nextDeadline == Timestamp(milliseconds: 500_000 + Self.fiveMinMs + Self.tenMinMs))
        let effects = scenario.apply(.tick, atMs: 100_000_000)
        #expect(effects.alertChanges.map(\.alert.endsAt) == [Timestamp(milliseconds: 1_400_000)])
    }

    @Test func `an alert that ended can fire again, as another one`() {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].trip = nil
        var scenario = Scenario(ruleSet)
        scenario.fail(times: 100, fromMs: 0)
        scenario.fail(times: 100, fromMs: 10_000_000)
        #expect(scenario.effects.alertChanges.map(\.input) == [.crossed, .subsided, .crossed])
        #expect(Set(scenario.effects.alertChanges.map(\.alert.id)).count == 2)
    }

    @Test func `a narrower slice trips by itself, and a wider restore reaches it`() {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].groupBy = [.errorCode, .region]
        ruleSet.rules[0].trip?.scope = [.region]
        var scenario = Scenario(ruleSet)
        for region in ["CN", "US"] {
            for number in 0..<100 {
                var event = PaymentEvent.failure("8771")
                event.region = region
                event.attemptId = "\(number)"
                scenario.apply(.event(event))
            }
        }
        let document = scenario.state.document(environment: "production")
        #expect(document.switches.first?.variant == "native")
        #expect(document.switches.first?.scopes.map(\.match) == [["region": "CN"], ["region": "US"]])
        #expect(document.switches.first?.scopes.map(\.variant) == ["web", "web"])
        #expect(document.version == 3)
        let china = Scope(
            environment: "production",
            attributes: [ScopeAttribute(name: "region", value: "CN")]
        )
        #expect(scenario.command(.restore, china).moves.map(\.scope) == [china])
        #expect(scenario.state.openAlerts.map(\.phase) == [.firing, .mitigated])
        #expect(scenario.command(.restore).moves.map(\.scope.text) == ["production, region=US"])
        #expect(scenario.state.document(environment: "production").switches.first?.scopes == [])
        #expect(scenario.state.document(environment: "production").version == 5)
    }
}
