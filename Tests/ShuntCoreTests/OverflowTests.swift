import ShuntCore
import ShuntSchema
import Testing

/// Made-up names cost a bounded amount, and don't keep payers on a broken route.
@Suite struct OverflowTests {
    private static func ruleSet(maximumGroups: Int) -> RuleSet {
        var ruleSet = RuleSet.builtIn
        ruleSet.maximumGroups = maximumGroups
        return ruleSet
    }

    @Test func `groups beyond the limit are counted together, in their environment`() {
        var scenario = Scenario(Self.ruleSet(maximumGroups: 3))
        for code in ["1", "2", "3"] { scenario.fail(code, times: 1) }
        #expect(scenario.state.groupCount == 3)
        for code in 4...102 { scenario.fail("\(code)", times: 1) }
        #expect(scenario.state.groupCount == 4)
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "_other", "_other"]) == 99)
        #expect(scenario.variant() == "native")
        let effects = scenario.fail("103", times: 1)
        #expect(effects.moves.map(\.scope) == [Scope(environment: "production")])
        #expect(effects.alertChanges.first?.alert.group.map(\.value) == ["production", "_other", "_other"])
        // Those that have a group of their own keep it.
        scenario.fail("1", times: 5)
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "1"]) == 6)
    }

    @Test func `a group whose failures are out makes place for a new one`() {
        var scenario = Scenario(Self.ruleSet(maximumGroups: 3))
        for code in ["1", "2", "3"] { scenario.fail(code, times: 1) }
        scenario.fail("4", times: 1, fromMs: 299_999)
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "4"]) == 0)
        // Looked for at most once in a tenth of a window.
        scenario.fail("5", times: 1, fromMs: 329_999)
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "5"]) == 1)
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "1"]) == 0)
    }

    @Test func `a group with an open alert keeps its place`() {
        var ruleSet = Self.ruleSet(maximumGroups: 2)
        ruleSet.rules[0].trip = nil
        var scenario = Scenario(ruleSet)
        scenario.fail("1", times: 100)
        scenario.fail("2", times: 1)
        scenario.fail("3", times: 1, fromMs: 400_000)
        #expect(scenario.state.openAlerts.map { $0.group.last?.value } == ["1"])
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "3"]) == 1)
    }

    @Test func `twenty thousand codes cost no more groups than the limit`() {
        var scenario = Scenario(Self.ruleSet(maximumGroups: 100))
        for code in 0..<20_000 {
            scenario.fail("code-\(code)", in: "environment-\(code % 500)", times: 1, fromMs: Int64(code))
        }
        #expect(scenario.state.groupCount <= 100 + 64 + 1)
        // What is remembered of attempts has a limit of its own.
        let attempts = scenario.state.attemptCount
        #expect(attempts == 20_000)
        #expect(scenario.state.encoded().count < 200_000 + attempts * 150)
    }

    @Test func `made-up environments that fill every place don't stop production from tripping`() {
        var scenario = Scenario(Self.ruleSet(maximumGroups: 10))
        for number in 0..<200 { scenario.fail("1", in: "environment-\(number)", times: 2) }
        scenario.fail(times: 99)
        #expect(scenario.variant() == "native")
        scenario.fail(times: 1)
        #expect(scenario.variant() == "web")
    }

    @Test func `made-up environments that take every switch machine don't stop production from tripping`() {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].threshold = 1
        ruleSet.rules[0].alert.resolveBelow = 1
        var scenario = Scenario(ruleSet)
        for number in 0..<SwitchBank.maximumMachines {
            #expect(scenario.fail(in: "environment-\(number)", times: 1).moves.count == 1)
        }
        let refused = scenario.fail(in: "one-too-many", times: 1)
        #expect(refused.moves.isEmpty)
        #expect(refused.alertChanges.map(\.alert.decision.name) == ["tooManyScopes"])
        #expect(scenario.variant(in: "one-too-many") == "native")
        #expect(scenario.fail(times: 1).moves.count == 1)
        #expect(scenario.variant() == "web")
    }

    @Test func `rules that name an attribute twice work, and a restore too`() {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].groupBy = [.errorCode, .region, .errorCode, .environment]
        ruleSet.rules[0].trip?.scope = [.region, .region, .environment]
        var scenario = Scenario(ruleSet)
        for number in 0..<100 {
            var event = PaymentEvent.failure("8771")
            event.region = "CN"
            event.attemptId = "\(number)"
            scenario.apply(.event(event))
        }
        let scopes = scenario.state.document(environment: "production").switches.first?.scopes
        #expect(scopes?.map(\.match) == [["region": "CN"]])
        let effects = scenario.command(.restore)
        #expect(effects.moves.map(\.to) == [.normal])
        #expect(effects.alertChanges.map(\.input) == [.switchRestored])
    }
}
