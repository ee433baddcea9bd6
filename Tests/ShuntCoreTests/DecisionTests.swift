import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Laws 9 and 10: decisions are named reasons, and turn exactly at the ends of their ranges.
@Suite struct DecisionTests {
    private static let nowMs: Int64 = 1_800_000_000_000
    private static let windowMs: Int64 = 300_000

    private struct Case: Sendable {
        var verdict: CountVerdict
        var rule = RuleSet.builtIn.rules[0]
        var event = PaymentEvent.failure("8771")

        init(_ verdict: CountVerdict, _ change: (inout Rule, inout PaymentEvent) -> Void) {
            self.verdict = verdict
            change(&rule, &event)
        }
    }

    private static func occurred(_ ageMs: Int64, _ verdict: CountVerdict) -> Case {
        Case(verdict) { $1.occurredAt = Timestamp(milliseconds: nowMs - ageMs) }
    }

    private static func matching(_ test: Condition.Test, _ network: String?, _ verdict: CountVerdict) -> Case {
        Case(verdict) {
            $0.match = [Condition(.network, test)]
            $1.network = network
        }
    }

    private static let verdicts: [Row<Case>] = [
        Row("a failure", Case(.counted) { _, _ in }),
        Row("a success", Case(.notAFailure) { $1.outcome = .succeeded }),
        Row("an attempt", Case(.notAFailure) { $1.outcome = .attempted }),
        Row("a cancel", Case(.notAFailure) { $1.outcome = .cancelled }),
        Row(
            "a counter",
            Case(.notAFailure) {
                $1.counts = Counts(from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: 1), count: 9)
            }
        ),
        Row("a failure without an error, where errors group", Case(.noGroup) { $1.error = nil }),
        Row(
            "a failure without an error, where nothing groups",
            Case(.counted) {
                $0.groupBy = []
                $1.error = nil
            }
        ),
        Row(
            "without the region that the rule groups by",
            Case(.noGroup) { rule, _ in rule.groupBy = [.errorCode, .region] }
        ),
        Row("one of the values", matching(.oneOf(["visa", "amex"]), "amex", .counted)),
        Row("not one of the values", matching(.oneOf(["visa", "amex"]), "chinaUnionPay", .unmatched)),
        Row("no value where one of some is wanted", matching(.oneOf(["visa"]), nil, .unmatched)),
        Row("one of no values", matching(.oneOf([]), "visa", .unmatched)),
        Row("a value that is ruled out", matching(.noneOf(["visa"]), "visa", .unmatched)),
        Row("a value that isn't ruled out", matching(.noneOf(["visa"]), "amex", .counted)),
        Row("no value where some are ruled out", matching(.noneOf(["visa"]), nil, .counted)),
        Row(
            "the second of two conditions doesn't hold",
            Case(.unmatched) { rule, _ in
                rule.match = [Condition(.errorCode, .oneOf(["8771"])), Condition(.errorCode, .noneOf(["8771"]))]
            }
        ),
        Row(
            "a cancel that a rule asks for, where the rule trips a switch",
            Case(.weightless) { rule, event in
                rule.match = [Condition(.outcome, .oneOf(["cancelled"]))]
                rule.trip = Trip(switchKey: "apple-pay")
                event.outcome = .cancelled
            }
        ),
        Row(
            "on the route that payers would be moved to",
            Case(.otherRoute) { rule, event in
                rule.trip = Trip(switchKey: "apple-pay")
                event.route = "web"
            }
        ),
        Row(
            "on another route, where nobody is moved",
            Case(.counted) { rule, event in
                rule.trip = nil
                event.route = "web"
            }
        ),
        Row("no install where installs count", Case(.noInstall) { rule, _ in rule.count = .installs }),
        Row(
            "an install where installs count",
            Case(.counted) {
                $0.count = .installs
                $1.installId = "a"
            }
        ),
        Row("it happened just now", occurred(0, .counted)),
        Row("it happens in a while, by its clock", occurred(-86_400_000, .counted)),
        Row("one millisecond younger than the window", occurred(windowMs - 1, .counted)),
        Row("exactly as old as the window", occurred(windowMs, .late)),
        Row("one millisecond older than the window", occurred(windowMs + 1, .late)),
        Row("at the beginning of time", Case(.late) { $1.occurredAt = Timestamp(milliseconds: .min) }),
        Row("at the end of time", Case(.counted) { $1.occurredAt = Timestamp(milliseconds: .max) }),
    ]

    @Test(arguments: verdicts)
    private func `whether an event counts is a named verdict`(row: Row<Case>) {
        let now = Timestamp(milliseconds: Self.nowMs)
        let meaning = CatalogueSource().built().classify(row.value.event)
        let verdict = row.value.rule.verdict(on: row.value.event, meaning: meaning, at: now, otherRoute: "web")
        #expect(verdict == row.value.verdict)
        var scenario = Scenario(RuleSet(rules: [row.value.rule], switches: RuleSet.builtIn.switches))
        scenario.apply(.event(row.value.event), atMs: Self.nowMs)
        #expect(scenario.state.groupCount == (row.value.verdict == .counted ? 1 : 0))
    }

    @Test func `every verdict has a row`() {
        #expect(Set(Self.verdicts.map(\.value.verdict)) == Set(CountVerdict.allCases))
    }

    private static let names: [(TripDecision, String)] = [
        (.tripped(version: 2), "tripped"),
        (.wouldHaveTripped(version: 2), "wouldHaveTripped"),
        (.overridden(version: 2), "overridden"),
        (.noSwitch, "noSwitch"),
        (.held(.alreadyDegraded), "alreadyDegraded"),
        (.held(.alreadyNormal), "alreadyNormal"),
        (.held(.tooManyScopes), "tooManyScopes"),
        (.held(.unknownSwitch), "unknownSwitch"),
        (.held(.tooFewInstalls), "tooFewInstalls"),
        (.held(.untrusted), "untrusted"),
        (.held(.shareTooLow), "shareTooLow"),
        (.held(.bothRoutesBad), "bothRoutesBad"),
        (.held(.locked), "locked"),
        (.held(.disarmed), "disarmed"),
        (.held(.minimumDwell), "minimumDwell"),
        (.held(.blastRadius), "blastRadius"),
        (.held(.outOfTurn), "outOfTurn"),
        (.held(.unknownVariant), "unknownVariant"),
        (.held(.notOverridden), "notOverridden"),
        (.held(.alreadyInMode), "alreadyInMode"),
    ]

    @Test(arguments: names)
    func `a decision about a switch has a name`(decision: TripDecision, name: String) {
        #expect(decision.name == name)
    }

    @Test func `every reason to hold a switch has a name of its own`() {
        let holds = SwitchHold.allCases.map { TripDecision.held($0).name }
        #expect(Set(Self.names.map(\.1)) == Set(holds + ["tripped", "wouldHaveTripped", "overridden", "noSwitch"]))
    }

    private static let decisions: [Row<(RuleSet, String)>] = {
        var unbound = RuleSet.builtIn
        unbound.rules[0].trip = nil
        let switchless = RuleSet(rules: RuleSet.builtIn.rules, switches: [])
        return [
            Row("a normal switch", (.builtIn, "tripped")),
            Row("a rule that trips none", (unbound, "noSwitch")),
            Row("a switch that isn't configured", (switchless, "unknownSwitch")),
        ]
    }()

    @Test(arguments: decisions)
    private func `the decision reaches the alert`(row: Row<(RuleSet, String)>) {
        var scenario = Scenario(row.value.0)
        #expect(scenario.fail(times: 100).alertChanges.first?.alert.decision.name == row.value.1)
        #expect(scenario.state.openAlerts.map(\.decision.name) == [row.value.1])
    }

    @Test func `a switch that a person degraded already is told apart from one that the rule tripped`() {
        var scenario = Scenario()
        scenario.command(.trip)
        scenario.fail(times: 100)
        #expect(scenario.state.openAlerts.map(\.decision.name) == ["alreadyDegraded"])
        #expect(scenario.state.openAlerts.map(\.phase) == [.mitigated])
        scenario.command(.restore)
        scenario.fail(times: 100)
        #expect(scenario.state.openAlerts.map(\.decision) == [.tripped(version: 4)])
        scenario.fail(times: 5)
        #expect(scenario.state.openAlerts.map(\.decision) == [.tripped(version: 4)])
        scenario.command(.restore)
        scenario.command(.trip)
        scenario.fail(times: 100)
        #expect(scenario.state.openAlerts.map(\.decision.name) == ["alreadyDegraded"])
    }
}
