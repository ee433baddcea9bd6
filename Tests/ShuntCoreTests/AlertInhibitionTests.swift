import ShuntCore
import ShuntSchema
import Testing

/// Of one trouble people hear once: an alert that tripped a switch speaks for those that it covers.
@Suite struct AlertInhibitionTests {
    private static let minuteMs = AlertStory.minuteMs

    private static func rule(
        _ id: String,
        _ severity: Severity,
        threshold: Int,
        by groupBy: [Dimension] = [.errorDomain, .errorCode],
        trips scope: [Dimension]? = nil
    ) -> Rule {
        Rule(
            id: id,
            description: id,
            groupBy: groupBy,
            count: .attempts,
            threshold: threshold,
            windowMs: 10 * minuteMs,
            alert: AlertPolicy(
                severity: severity,
                resolveBelow: 1,
                holdForMs: 10 * minuteMs,
                renotifyEveryMs: 60 * minuteMs
            ),
            trip: scope.map { Trip(switchKey: "apple-pay", scope: $0) }
        )
    }

    private static func scenario(_ rules: Rule...) -> Scenario {
        Scenario(RuleSet(rules: rules, switches: RuleSet.builtIn.switches))
    }

    /// `rule input`, and why nobody is told.
    private static func lines(_ effects: [Effect]) -> [String] {
        effects.alertChanges.map { change in
            "\(change.alert.rule) \(change.input.rawValue)" + (change.untold.map { " (\($0.name))" } ?? "")
        }
    }

    @Test func `the code's own warning is silent while the alert that moved its payers fires`() {
        var scenario = Self.scenario(
            Self.rule("burst", .critical, threshold: 3, trips: []),
            Self.rule("code", .warning, threshold: 5)
        )
        #expect(
            Self.lines(scenario.fail(times: 5)) == [
                "burst crossed", "burst switchDegraded (saidAlready)", "code crossed (inhibited)",
            ]
        )
        #expect(scenario.state.openAlerts.last?.hiding == .inhibited(by: "5-0"))
        #expect(Self.lines(scenario.fail("another", times: 5)).contains("code crossed"), "another code isn't its own")
    }

    @Test func `one that was told before isn't told again, and its end is`() {
        var scenario = Self.scenario(
            Self.rule("code", .warning, threshold: 2),
            Self.rule("burst", .critical, threshold: 5, trips: [])
        )
        scenario.fail(times: 5)
        #expect(scenario.state.openAlerts.first?.hiding == .inhibited(by: "7-0"))
        let lines = Self.lines(scenario.apply(.tick, atMs: 25 * Self.minuteMs))
        #expect(lines == ["code subsided"])
    }

    @Test func `nothing louder is inhibited`() {
        var scenario = Self.scenario(
            Self.rule("burst", .warning, threshold: 3, trips: []),
            Self.rule("code", .critical, threshold: 5)
        )
        #expect(Self.lines(scenario.fail(times: 5)).last == "code crossed")
    }

    @Test func `when it ends, what still fires is told at once`() {
        var scenario = Self.scenario(
            Self.rule("burst", .critical, threshold: 3, trips: []),
            Self.rule("code", .warning, threshold: 5)
        )
        scenario.fail(times: 5)
        var ruleSet = scenario.state.ruleSet
        ruleSet.rules.removeFirst()
        let effects = scenario.apply(.configured(ruleSet), atMs: Self.minuteMs)
        #expect(Self.lines(effects) == ["burst ruleChanged", "code uninhibited"])
        #expect(effects.alertChanges.last?.at == Timestamp(milliseconds: Self.minuteMs))
        #expect(Self.lines(scenario.fail(times: 1)).isEmpty)
    }

    @Test func `another rule of the same switch is the same trouble`() {
        var scenario = Self.scenario(
            Self.rule("burst", .critical, threshold: 3, trips: []),
            Self.rule("all", .critical, threshold: 5, by: [], trips: []),
            Self.rule("other", .critical, threshold: 5, by: [])
        )
        #expect(
            Self.lines(scenario.fail(times: 5)).dropFirst(2) == [
                "all crossed (inhibited)", "all switchDegraded (saidAlready)", "other crossed",
            ]
        )
    }

    @Test func `who isn't heard speaks for nobody`() {
        var scenario = Self.scenario(
            Self.rule("burst", .critical, threshold: 3, trips: []),
            Self.rule("code", .warning, threshold: 5)
        )
        let request = SilenceRequest(
            matchers: [AlertMatcher(name: "rule", value: "burst")],
            end: .after(ms: Self.minuteMs),
            comment: "test"
        )
        scenario.apply(.alertCommand(AlertCommand(action: .silence(request), actor: "mei")))
        #expect(
            Self.lines(scenario.fail(times: 5)) == [
                "burst crossed (silenced)", "burst switchDegraded (saidAlready)", "code crossed",
            ]
        )
        #expect(Self.lines(scenario.apply(.tick, atMs: Self.minuteMs)) == ["burst unsilenced"])
        #expect(scenario.state.openAlerts.last?.hiding != nil, "from now on it does")
    }

    @Test func `a silence of the speaker lets the others be heard`() {
        var scenario = Self.scenario(
            Self.rule("burst", .critical, threshold: 3, trips: []),
            Self.rule("code", .warning, threshold: 5)
        )
        scenario.fail(times: 5)
        let request = SilenceRequest(
            matchers: [AlertMatcher(name: "rule", value: "burst")],
            end: .after(ms: Self.minuteMs),
            comment: "test"
        )
        let effects = scenario.apply(.alertCommand(AlertCommand(action: .silence(request), actor: "mei")))
        #expect(Self.lines(effects) == ["code uninhibited"])
    }

    @Test func `payers of another slice, or of who knows which, are another trouble`() {
        var scenario = Self.scenario(
            Self.rule("burst", .critical, threshold: 3, by: [.errorDomain, .errorCode, .region], trips: [.region]),
            Self.rule("region", .warning, threshold: 4, by: [.errorDomain, .errorCode, .region]),
            Self.rule("code", .warning, threshold: 4)
        )
        func fail(_ region: String, number: Int) -> [String] {
            var event = PaymentEvent.failure("8771")
            event.region = region
            event.attemptId = "\(region)-\(number)"
            return Self.lines(scenario.apply(.event(event)))
        }
        let china = (0..<4).flatMap { fail("CN", number: $0) }
        #expect(china.suffix(2) == ["region crossed (inhibited)", "code crossed"], "the code may fail elsewhere")
        let others = (0..<2).flatMap { fail("US", number: $0) }
        #expect(others.isEmpty)
    }

    @Test func `sandbox doesn't speak for production`() {
        var scenario = Self.scenario(
            Self.rule("burst", .critical, threshold: 3, trips: []),
            Self.rule("code", .warning, threshold: 2)
        )
        scenario.fail(in: "sandbox", times: 3)
        #expect(Self.lines(scenario.fail(times: 2)) == ["code crossed"])
    }

    @Test func `of two that tripped a switch the first speaks`() {
        var scenario = Self.scenario(
            Self.rule("burst", .critical, threshold: 3, trips: []),
            Self.rule("all", .critical, threshold: 3, by: [], trips: [])
        )
        scenario.fail(times: 3)
        scenario.command(.restore)
        scenario.fail("another", times: 3)
        let versions = scenario.state.openAlerts.map { $0.decision.version }
        let hidden = scenario.state.openAlerts.map { $0.hiding != nil }
        #expect(versions.count == hidden.count)
        #expect(hidden.contains(false), "somebody is heard")
    }
}
