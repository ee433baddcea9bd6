import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// The example that Shunt exists for: one error code, 100 failing attempts within 5 minutes, payers go to the web.
@Suite struct FoundingScenarioTests {
    @Test(arguments: [(99, "native"), (100, "web"), (101, "web")])
    func `the switch goes over with the hundredth failure`(failures: Int, variant: String) {
        var scenario = Scenario()
        scenario.fail(times: failures, everyMs: 3000)
        #expect(scenario.variant() == variant)
        #expect(scenario.effects.moves.count == (variant == "web" ? 1 : 0))
        #expect(scenario.effects.alertChanges.count == (variant == "web" ? 2 : 0))
    }

    @Test func `the trip is told once, by the event that crosses`() {
        var scenario = Scenario()
        scenario.fail(times: 99)
        #expect(scenario.effects.isEmpty)
        let effects = scenario.fail(times: 1)
        #expect(
            effects.story == [
                "apple-pay [production] to web, version 2",
                "crossed: error-code-burst is firing",
                "switchDegraded: error-code-burst is mitigated",
            ]
        )
        #expect(effects.map(\.id.seq) == [102, 102, 102])
        #expect(effects.map(\.id.index) == [0, 1, 2])
        #expect(scenario.fail(times: 500).isEmpty)
        let document = scenario.state.document(environment: "production")
        #expect(document.version == 2)
        #expect(document.pollAfterSec == SwitchView.alarmedPollSec)
        let reason = document.switches.first?.reason
        #expect(reason?.kind == "rule")
        #expect(reason?.rule == "error-code-burst")
        #expect(reason?.alert == "102-0")
        #expect(reason?.summary == "verify/8771: 100 attempts failed within 5 min")
        #expect(scenario.state.openAlerts.map(\.id) == ["102-0"])
        #expect(scenario.state.openAlerts.map(\.count) == [100])
    }

    /// The oldest of the hundred comes at 0, the last one at the given time.
    @Test(arguments: [(299_999, "web"), (300_000, "native"), (300_001, "native")] as [(Int64, String)])
    func `a failure exactly five minutes old is out, one millisecond younger is in`(lastMs: Int64, variant: String) {
        var scenario = Scenario()
        scenario.fail(times: 1, fromMs: 0)
        scenario.fail(times: 98, fromMs: 1000)
        scenario.fail(times: 1, fromMs: lastMs)
        #expect(scenario.variant() == variant)
    }

    @Test func `late failures are not counted`() {
        var scenario = Scenario()
        scenario.fail(times: 99, fromMs: 1_000_000)
        var event = PaymentEvent.failure("8771")
        event.attemptId = "late"
        event.occurredAt = Timestamp(milliseconds: 700_000)
        #expect(scenario.apply(.event(event)).isEmpty)
        event.occurredAt = Timestamp(milliseconds: 700_001)
        #expect(scenario.apply(.event(event)).moves.count == 1)
    }

    private static let identities: [Row<(same: Int, change: @Sendable (inout PaymentEvent, Int) -> Void)>] = [
        Row("one attempt, reported again and again", (1, { event, _ in event.attemptId = "a" })),
        Row(
            "one attempt, although its order differs",
            (
                1,
                {
                    $0.attemptId = "a"
                    $0.orderRef = "\($1)"
                }
            )
        ),
        Row("one order", (1, { event, _ in event.orderRef = "a" })),
        Row("one install within a minute", (1, { event, _ in event.installId = "a" })),
        Row("nothing to tell them by: each for itself", (100, { _, _ in })),
        Row(
            "many attempts of one install",
            (
                100,
                {
                    $0.attemptId = "\($1)"
                    $0.installId = "a"
                }
            )
        ),
        Row(
            "an attempt, an order and an install of one name are three",
            (
                3,
                {
                    switch $1 % 3 {
                    case 0: $0.attemptId = "a"
                    case 1: $0.orderRef = "a"
                    default: $0.installId = "a"
                    }
                }
            )
        ),
    ]

    @Test(arguments: identities)
    private func `attempts are counted, not reports`(
        row: Row<(same: Int, change: @Sendable (inout PaymentEvent, Int) -> Void)>
    ) {
        var scenario = Scenario()
        for number in 0..<100 {
            var event = PaymentEvent.failure("8771")
            row.value.change(&event, number)
            scenario.apply(.event(event), atMs: 60_000)
        }
        let count = scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "8771"])
        #expect(count == row.value.same)
        #expect(scenario.variant() == (row.value.same == 100 ? "web" : "native"))
    }

    @Test func `an install without attempts counts once a minute`() {
        var scenario = Scenario()
        var event = PaymentEvent.failure("8771")
        event.installId = "a"
        for atMs in [60_000, 119_999, 120_000, 179_999, 180_000] as [Int64] {
            scenario.apply(.event(event), atMs: atMs)
        }
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "8771"]) == 3)
    }

    @Test func `codes, domains and environments are counted apart`() {
        var scenario = Scenario()
        scenario.fail("8771", times: 99)
        scenario.fail("08771", times: 99)
        scenario.fail("8771", in: "sandbox", times: 99)
        for number in 0..<99 {
            var event = PaymentEvent.failure("8771", domain: "pay")
            event.attemptId = "\(number)"
            scenario.apply(.event(event))
        }
        #expect(scenario.effects.isEmpty)
        #expect(scenario.state.groupCount == 4)
    }

    @Test func `what happens in the sandbox never moves production`() {
        var scenario = Scenario()
        let before = scenario.state.document(environment: "production")
        scenario.fail(in: "sandbox", times: 5000)
        #expect(scenario.variant(in: "sandbox") == "web")
        #expect(scenario.state.document(environment: "production") == before)
        #expect(scenario.state.switchView.movedEnvironments == ["sandbox"])
        scenario.command(.restore, Scope(environment: "sandbox"))
        #expect(scenario.state.document(environment: "production") == before)
        #expect(scenario.state.document(environment: "sandbox").version == 3)
    }
}
