import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// What a new rule set keeps and what it ends.
@Suite struct ConfigurationTests {
    private static let production = ["production", "verify", "8771"]

    private static func changed(_ change: (inout Rule) -> Void) -> RuleSet {
        var ruleSet = RuleSet.builtIn
        change(&ruleSet.rules[0])
        return ruleSet
    }

    @Test func `the same rules again keep what was counted`() {
        var scenario = Scenario()
        scenario.fail(times: 99)
        #expect(scenario.apply(.configured(.builtIn)).isEmpty)
        #expect(scenario.state.count(rule: "error-code-burst", group: Self.production) == 99)
        scenario.fail(times: 1)
        #expect(scenario.variant() == "web")
        #expect(scenario.apply(.configured(.builtIn)).isEmpty)
        #expect(scenario.state.openAlerts.map(\.phase) == [.mitigated])
    }

    private static let harmless: [Row<RuleSet>] = [
        Row("the description", changed { $0.description = "…" }),
        Row("the severity", changed { $0.alert.severity = .info }),
        Row("how long an alert holds", changed { $0.alert.holdForMs = 1 }),
        Row("the scope of a trip", changed { $0.trip?.scope = [.region] }),
        Row("no trip at all", changed { $0.trip = nil }),
    ]

    @Test(arguments: harmless)
    func `a change of something else than the counting keeps what was counted`(row: Row<RuleSet>) {
        var scenario = Scenario()
        scenario.fail(times: 99)
        scenario.apply(.configured(row.value))
        #expect(scenario.state.count(rule: "error-code-burst", group: Self.production) == 99)
    }

    @Test func `other switches make another version for every environment, the same ones don't`() throws {
        var scenario = Scenario()
        scenario.command(.trip, Scope(environment: "sandbox"))
        let before = scenario.state.document(environment: "production").version
        scenario.apply(.configured(.builtIn))
        #expect(scenario.state.document(environment: "production").version == before)
        var other = RuleSet.builtIn
        other.switches.append(SwitchDefinition(key: "google-pay", normalVariant: "native", degradedVariant: "web"))
        scenario.apply(.configured(other))
        for environment in ["production", "sandbox", "test"] {
            #expect(scenario.state.document(environment: environment).version == scenario.state.switches.version)
        }
        #expect(scenario.state.document(environment: "production").version > before)
        #expect(try State(decoding: scenario.state.encoded()) == scenario.state)
    }

    private static let profound: [Row<RuleSet>] = [
        Row("the threshold", changed { $0.threshold = 101 }),
        Row("the window", changed { $0.windowMs = 301_000 }),
        Row("the grouping", changed { $0.groupBy = [.errorCode] }),
        Row("what is counted", changed { $0.count = .installs }),
        Row("what matches", changed { $0.match = [Condition(.network, .oneOf(["visa"]))] }),
        Row("the limit below which an alert ends", changed { $0.alert.resolveBelow = 51 }),
        Row("the rule's name", changed { $0.id = "another" }),
        Row("no rules", RuleSet(rules: [], switches: RuleSet.builtIn.switches)),
    ]

    @Test(arguments: profound)
    func `a change of the counting ends the rule's alerts and starts anew`(row: Row<RuleSet>) {
        var scenario = Scenario()
        scenario.fail(times: 100)
        let effects = scenario.apply(.configured(row.value), atMs: 5000)
        #expect(effects.story == ["ruleChanged: error-code-burst is inactive"])
        #expect(effects.alertChanges.first?.alert.endsAt == Timestamp(milliseconds: 5000))
        #expect(scenario.state.openAlerts.isEmpty)
        #expect(scenario.state.groupCount == 0)
        #expect(scenario.variant() == "web", "payers stay where a person's word is needed to bring them back")
    }

    private static let loosened: [Row<RuleSet>] = [
        Row("the trip is taken away", changed { $0.trip = nil }),
        Row("it trips another switch", changed { $0.trip = Trip(switchKey: "card") }),
        Row("its switch is taken away", RuleSet(rules: RuleSet.builtIn.rules, switches: [])),
    ]

    @Test(arguments: loosened)
    func `an alert whose switch is no longer its own can end`(row: Row<RuleSet>) {
        var scenario = Scenario(.withoutReminders)
        scenario.fail(times: 100)
        #expect(scenario.state.nextDeadline == nil)
        #expect(
            scenario.apply(.configured(row.value), atMs: 1000).story == ["switchRestored: error-code-burst is firing"]
        )
        let end = scenario.state.nextDeadline?.milliseconds
        // The window, then ten minutes of quiet.
        #expect(end == 900_000)
        #expect(scenario.apply(.tick, atMs: end).story == ["subsided: error-code-burst is inactive"])
    }

    @Test func `a shorter hold brings an alert's end forward`() {
        let quiet = Self.changed { $0.trip = nil }
        var scenario = Scenario(quiet)
        scenario.fail(times: 100)
        #expect(scenario.state.nextDeadline == Timestamp(milliseconds: 900_000))
        var shorter = quiet
        shorter.rules[0].alert.holdForMs = 1
        scenario.apply(.configured(shorter), atMs: 1000)
        #expect(scenario.state.deadlineFloor == Timestamp(milliseconds: 300_001))
        #expect(scenario.apply(.tick, atMs: 300_001).story == ["subsided: error-code-burst is inactive"])
    }
}
