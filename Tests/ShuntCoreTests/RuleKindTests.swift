import ShuntCore
import ShuntSchema
import Testing

/// Rules that fire by more than a count.
@Suite struct RuleKindTests {
    private static func scenario(_ change: (inout Rule) -> Void) -> Scenario {
        var ruleSet = RuleSet.builtIn
        change(&ruleSet.rules[0])
        return Scenario(ruleSet)
    }

    private static func consecutive() -> Scenario {
        scenario {
            $0.kind = .consecutive
            $0.groupBy = [.psp]
            $0.threshold = 15
            $0.alert.resolveBelow = 1
        }
    }

    private static func report(_ scenario: inout Scenario, _ outcome: Outcome, psp: String, times: Int = 1) {
        for number in 0..<times {
            var event = PaymentEvent(outcome: outcome)
            if outcome == .failed { event.error = ErrorReport(domain: "verify", code: "\(number)") }
            event.psp = psp
            event.attemptId = "\(psp)-\(scenario.seq)-\(number)"
            scenario.apply(.event(event))
        }
    }

    @Test func `fifteen failures in a row trip, whatever their codes, where successes are reported`() {
        var scenario = Self.consecutive()
        Self.report(&scenario, .failed, psp: "one", times: 20)
        #expect(scenario.state.openAlerts.isEmpty)
        Self.report(&scenario, .succeeded, psp: "one")
        Self.report(&scenario, .failed, psp: "one", times: 14)
        #expect(scenario.variant() == "native")
        Self.report(&scenario, .failed, psp: "one")
        #expect(scenario.variant() == "web")
    }

    @Test func `a success in between starts the count anew, one of another group doesn't`() {
        var scenario = Self.consecutive()
        Self.report(&scenario, .failed, psp: "one", times: 14)
        Self.report(&scenario, .succeeded, psp: "two")
        Self.report(&scenario, .attempted, psp: "one")
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "one"]) == 14)
        Self.report(&scenario, .succeeded, psp: "one")
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "one"]) == 0)
        Self.report(&scenario, .failed, psp: "one", times: 14)
        #expect(scenario.variant() == "native")
        Self.report(&scenario, .failed, psp: "one")
        #expect(scenario.variant() == "web")
    }

    @Test func `a success that an offline queue brings late ends no run`() {
        var scenario = Self.consecutive()
        Self.report(&scenario, .failed, psp: "one", times: 14)
        var old = PaymentEvent(outcome: .succeeded)
        old.psp = "one"
        old.occurredAt = Timestamp(milliseconds: scenario.nowMs - 300_000)
        scenario.apply(.event(old))
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "one"]) == 14)
    }

    @Test func `a new code fires once and never again, over a snapshot too`() throws {
        var scenario = Self.scenario {
            $0.kind = .newCode
            $0.trip = nil
            $0.count = .installs
            $0.threshold = 5
            $0.alert = AlertPolicy(severity: .warning, resolveBelow: 1, holdForMs: 60_000)
        }
        func burst(atMs: Int64, state: inout State) -> [AlertChange] {
            var changes: [AlertChange] = []
            for number in 0..<6 {
                var event = PaymentEvent.failure("new")
                event.installId = "phone-\(number)"
                let seq = state.seq + 1
                let entry = Entry(seq: seq, at: Timestamp(milliseconds: atMs), input: .event(event))
                changes += state.apply(entry).alertChanges
            }
            return changes
        }
        scenario.apply(.tick)
        var state = scenario.state
        #expect(burst(atMs: 1_000, state: &state).map(\.input) == [.crossed])
        var restarted = try State(decoding: state.encoded())
        #expect(restarted == state)
        // Its alert ends in between; the code is known from then on.
        #expect(burst(atMs: 10_000_000, state: &restarted).map(\.input) == [.subsided])
        #expect(restarted.openAlerts.isEmpty)
    }
}
