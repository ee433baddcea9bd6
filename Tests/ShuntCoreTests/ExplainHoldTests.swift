import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Each thing that can hold a rule back has a name, and the name is the one that decides on an event.
@Suite struct ExplainHoldTests {
    private static func entry(_ name: String, _ failureClass: FailureClass, _ weight: SwitchWeight) -> CatalogueEntry {
        CatalogueEntry(
            name: name,
            failureClass: failureClass,
            retry: .later,
            switchWeight: weight,
            money: .notMoved
        )
    }

    /// Knows 8771 and 51 of `shop`; 51 is the payer's in the shipped file, and the processor's in the merchant's.
    static let catalogue = CatalogueSource(
        systems: [
            CatalogueSystem(
                name: "bank",
                domains: ["bank", "shop"],
                rows: [.init(code: "51", entry: entry("no funds", .user, .none))]
            ),
            CatalogueSystem(
                name: "shop",
                domains: ["shop"],
                owner: .merchant,
                rows: [
                    .init(code: "51", entry: entry("till", .processor, .count)),
                    .init(code: "8771", entry: entry("till", .processor, .count)),
                ]
            ),
        ]
    )

    private struct Case: Sendable {
        var question = FailureQuestion(code: "8771", domain: "verify")
        var change: @Sendable (inout RuleSet) -> Void = { _ in }
        var story: @Sendable (inout Scenario) -> Void = { _ in }
        var match = RuleExplanation.Match.yes
        /// The rule's own holds, then those of its first group.
        var holds: [String]
    }

    private static func row(_ name: String, _ value: Case) -> Row<Case> { Row(name, value) }

    private static let rows: [Row<Case>] = [
        row("nothing yet", Case(holds: ["belowThreshold"])),
        row(
            "another environment",
            Case(
                question: FailureQuestion(code: "8771", domain: "verify", environment: "sandbox"),
                change: { $0.rules[0].match = [Condition(.environment, .oneOf(["production"]))] },
                match: .no,
                holds: ["unmatched"]
            )
        ),
        row(
            "an environment that isn't told",
            Case(
                change: { $0.rules[0].match = [Condition(.environment, .oneOf(["sandbox"]))] },
                match: .depends,
                holds: ["belowThreshold"]
            )
        ),
        row(
            "a version that isn't told",
            Case(
                change: { $0.rules[0].match = [Condition(.appVersion, .prefix(["4."]))] },
                match: .depends,
                holds: ["belowThreshold"]
            )
        ),
        row(
            "the payer's",
            Case(
                question: FailureQuestion(code: "51", domain: "bank"),
                change: { $0.catalogue = catalogue },
                match: .no,
                holds: ["weightless"]
            )
        ),
        row(
            "the payer's, of a rule that trips nothing",
            Case(
                question: FailureQuestion(code: "51", domain: "bank"),
                change: {
                    $0.catalogue = catalogue
                    $0.rules[0].trip = nil
                },
                holds: ["belowThreshold"]
            )
        ),
        row(
            "a weight that the rule doesn't take",
            Case(
                change: { $0.rules[0].match = [Condition(.switchWeight, .oneOf(["countFast"]))] },
                match: .no,
                holds: ["unmatched"]
            )
        ),
        row(
            "too few installs",
            Case(
                change: { $0.rules[0].require.installs = 200 },
                story: { $0.fail(times: 100) },
                holds: ["tooFewInstalls"]
            )
        ),
        row(
            "no such switch",
            Case(
                change: { $0.switches = [] },
                story: { $0.fail(times: 100) },
                holds: ["unknownSwitch"]
            )
        ),
        row(
            "degraded by a person",
            Case(story: { $0.command(.trip) }, holds: ["belowThreshold", "alreadyDegraded"])
        ),
        row(
            "a new code that has fired",
            Case(
                change: {
                    $0.rules[0].kind = .newCode
                    $0.rules[0].threshold = 1
                    $0.rules[0].alert = AlertPolicy(severity: .info, resolveBelow: 1, holdForMs: 0)
                    $0.rules[0].trip = nil
                },
                story: {
                    $0.fail(times: 1)
                    $0.apply(.tick, atMs: 400_000)
                },
                holds: ["belowThreshold", "knownCode"]
            )
        ),
        row(
            "a full bank of switches",
            Case(
                question: FailureQuestion(code: "8771", domain: "verify", environment: "late"),
                story: {
                    for number in 0..<SwitchBank.maximumMachines {
                        $0.command(.trip, Scope(environment: "environment-\(number)"))
                    }
                },
                holds: ["belowThreshold", "tooManyScopes"]
            )
        ),
        row(
            "a group that the question doesn't tell",
            Case(change: { $0.rules[0].groupBy = [.psp] }, holds: ["belowThreshold"])
        ),
    ]

    @Test(arguments: rows)
    private func `each condition that holds a rule back is named`(row: Row<Case>) throws {
        var ruleSet = RuleSet.builtIn
        row.value.change(&ruleSet)
        var scenario = Scenario(ruleSet)
        row.value.story(&scenario)
        let explanation = scenario.state.explain(row.value.question, at: scenario.state.at)
        let rule = try #require(explanation.domains.first?.rules.first)
        #expect(rule.match == row.value.match)
        #expect((rule.holds + (rule.groups.first?.holds ?? [])).map(\.name) == row.value.holds)
        #expect(rule.depends.isEmpty == (rule.match != .depends))
    }

    @Test func `installs are told as so many of so many`() throws {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].require.installs = 10
        var scenario = Scenario(ruleSet)
        for number in 0..<6 {
            var event = PaymentEvent.failure("8771")
            event.attemptId = "\(number)"
            event.installId = "\(number % 4)"
            scenario.apply(.event(event))
        }
        let question = FailureQuestion(code: "8771", domain: "verify")
        let rule = try #require(scenario.state.explain(question, at: scenario.state.at).domains.first?.rules.first)
        let group = try #require(rule.groups.first)
        #expect(group.installs == 4)
        #expect(
            group.holds.map { $0.sentence(for: rule.rule) } == [
                "6 of 100 attempts within 5 min; 94 more would fire it", "4 of 10 distinct installs",
            ]
        )
    }

    @Test func `a trip of a narrower scope is judged in the group's own scope`() throws {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].groupBy = [.region]
        ruleSet.rules[0].trip = Trip(switchKey: "apple-pay", scope: [.region])
        var scenario = Scenario(ruleSet)
        for region in ["CN", "US", "US"] {
            var event = PaymentEvent.failure("8771")
            event.region = region
            scenario.apply(.event(event))
        }
        let china = [ScopeAttribute(name: "region", value: "CN")]
        // A person's restore or trip forgets what was counted, so the trip comes last.
        scenario.command(.trip, Scope(environment: "production", attributes: china))
        let question = FailureQuestion(code: "8771", domain: "verify")
        let groups = scenario.state.explain(question, at: scenario.state.at).domains.first?.rules.first?.groups ?? []
        #expect(groups.map { $0.group.last?.value } == ["US", "CN"])
        #expect(groups.map(\.isShared) == [true, true])
        #expect(groups.map { $0.holds.map(\.name) } == [["belowThreshold"], ["belowThreshold", "alreadyDegraded"]])
    }

    @Test func `what hangs on the stage is told for each stage, unless one is asked for`() throws {
        let source = try CatalogueFiles.shipped.get()
        let meaning = source.classify(domain: "NSURLErrorDomain", code: "-1001", stage: .precheck)
        #expect(meaning.failureClass == .network)
        var ruleSet = RuleSet.builtIn
        ruleSet.catalogue.stages = try CatalogueFiles.stages()
        let state = Scenario(ruleSet).state
        let open = try #require(state.explain(FailureQuestion(code: "timeout"), at: state.at).domains.first)
        #expect(open.meaning.failureClass == .inDoubt)
        #expect(open.otherStages.contains { $0.stage == .precheck && $0.meaning.money == .notMoved })
        var question = FailureQuestion(code: "timeout", stage: .precheck)
        let told = try #require(state.explain(question, at: state.at).domains.first)
        #expect(told.otherStages.isEmpty)
        #expect(told.meaning.money == .notMoved)
        question.stage = .charge
        #expect(state.explain(question, at: state.at).domains.first?.meaning.money == .mayHaveMoved)
    }

    private static let texts: [Row<Condition>] = [
        Row("environment: production", Condition(.environment, .oneOf(["production"]))),
        Row("error.code: [1, 2]", Condition(.errorCode, .oneOf(["1", "2"]))),
        Row("network: { not: [visa, jcb] }", Condition(.network, .noneOf(["visa", "jcb"]))),
        Row("app.version: { prefix: 4.2 }", Condition(.appVersion, .prefix(["4.2"]))),
        Row("durationMs: \">=8000\"", Condition(.durationMs, .numbers(NumberRange(lower: 8000, upper: nil)))),
        Row(
            "error.httpStatus: \"500..599\"",
            Condition(.errorHTTPStatus, .numbers(NumberRange(lower: 500, upper: 599)))
        ),
        Row("bodyBytes: \"<=9\"", Condition(.bodyBytes, .numbers(NumberRange(lower: nil, upper: 9)))),
    ]

    @Test(arguments: texts)
    private func `a condition is written as files write it`(row: Row<Condition>) {
        #expect(row.value.text == row.name)
    }

    @Test func `a range of versions is written as files write it`() throws {
        let low = try #require(Version("4.2.0"))
        let high = try #require(Version("4.10"))
        let range = VersionRange(lower: .init(low, isIncluded: true), upper: .init(high, isIncluded: false))
        #expect(Condition(.appVersion, .versions(range)).text == "app.version: \">=4.2 <4.10\"")
    }
}
