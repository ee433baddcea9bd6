import ShuntCore
import ShuntSchema
import Testing

/// Tokens inside apps are anybody's: what comes through them alone moves nobody, unless it comes from many.
@Suite struct TripTrustTests {
    private static func scenario(installs: Int? = 10) -> Scenario {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].require.installs = installs
        return Scenario(ruleSet)
    }

    private static func report(_ scenario: inout Scenario, _ trust: ReporterTrust, times: Int, installs: Int) {
        for number in 0..<times {
            var event = PaymentEvent.failure("8771")
            event.trust = trust
            event.attemptId = "attempt-\(scenario.seq)"
            event.installId = "\(trust)-\(number % installs)"
            scenario.apply(.event(event))
        }
    }

    @Test func `a hundred public reports of nineteen installs don't trip, and one of a twentieth does`() {
        var scenario = Self.scenario()
        Self.report(&scenario, .public, times: 100, installs: 19)
        #expect(scenario.variant() == "native")
        #expect(scenario.state.openAlerts.first?.decision == .held(.untrusted))
        Self.report(&scenario, .public, times: 20, installs: 20)
        #expect(scenario.variant() == "web")
    }

    @Test func `public reports may be half of the threshold, not more`() {
        var scenario = Self.scenario()
        Self.report(&scenario, .public, times: 51, installs: 8)
        Self.report(&scenario, .trusted, times: 49, installs: 4)
        #expect(scenario.variant() == "native", "49 trusted ones")
        #expect(scenario.state.openAlerts.first?.decision == .held(.untrusted))
        Self.report(&scenario, .trusted, times: 1, installs: 1)
        #expect(scenario.variant() == "web", "50 trusted ones")
    }

    @Test func `where no installs are required half must be trusted all the same`() {
        var scenario = Self.scenario(installs: nil)
        Self.report(&scenario, .public, times: 5000, installs: 5000)
        #expect(scenario.variant() == "native")
        Self.report(&scenario, .trusted, times: 50, installs: 1)
        #expect(scenario.variant() == "web")
    }

    @Test func `what was trusted before the first public report stays so, and leaves with the window`() {
        var scenario = Self.scenario()
        Self.report(&scenario, .trusted, times: 60, installs: 10)
        Self.report(&scenario, .public, times: 39, installs: 3)
        scenario.apply(.tick, atMs: 299_999)
        Self.report(&scenario, .public, times: 1, installs: 1)
        #expect(scenario.variant() == "web")
        var later = Self.scenario()
        Self.report(&later, .trusted, times: 60, installs: 10)
        later.apply(.event(PaymentEvent(outcome: .attempted)), atMs: 300_000)
        Self.report(&later, .public, times: 100, installs: 12)
        #expect(later.variant() == "native")
    }

    @Test func `an attempt that an app and a back end report is trusted`() {
        var scenario = Self.scenario()
        for number in 0..<100 {
            for trust in [ReporterTrust.public, .trusted] where trust == .public || number < 50 {
                var event = PaymentEvent.failure("8771")
                event.trust = trust
                event.attemptId = "attempt-\(number)"
                event.installId = "install-\(number % 11)"
                scenario.apply(.event(event))
            }
        }
        #expect(scenario.variant() == "web")
    }

    @Test func `failures without room for a group of their own are told, once`() {
        var ruleSet = RuleSet.builtIn
        ruleSet.maximumGroups = 5
        ruleSet.rules.append(
            Rule(
                id: "error-keys",
                description: "",
                kind: .keyLimit,
                groupBy: [],
                count: .attempts,
                threshold: 3,
                windowMs: 600_000,
                alert: AlertPolicy(severity: .warning, resolveBelow: 2, holdForMs: 60_000)
            )
        )
        var scenario = Scenario(ruleSet)
        for code in 0..<7 { scenario.fail("code-\(code)", times: 1) }
        #expect(scenario.state.openAlerts.isEmpty, "five have a group, two don't")
        for code in 7..<40 { scenario.fail("code-\(code)", times: 1) }
        #expect(scenario.effects.story == ["crossed: error-keys is firing"])
        scenario.apply(.tick, atMs: 660_000)
        #expect(scenario.effects.story == ["crossed: error-keys is firing", "subsided: error-keys is inactive"])
    }
}
