import ShuntCore
import ShuntSchema
import Testing

/// What a code means and where each rule stands with it, asked of a state that the asking leaves alone.
@Suite struct ExplainTests {
    private static let founding = FailureQuestion(code: "8771", domain: "verify")

    private static func scenario(_ change: (inout RuleSet) -> Void = { _ in }) -> Scenario {
        var ruleSet = RuleSet.builtIn
        change(&ruleSet)
        return Scenario(ruleSet)
    }

    /// The answer for the one namespace asked for.
    private static func ask(
        _ scenario: Scenario,
        _ question: FailureQuestion = founding,
        atMs: Int64? = nil
    ) throws -> DomainExplanation {
        let at = Timestamp(milliseconds: atMs ?? scenario.nowMs)
        let explanation = scenario.state.explain(question, at: at)
        #expect(explanation.domains.count == 1)
        return try #require(explanation.domains.first)
    }

    // MARK: Counts

    @Test(arguments: [0, 1, 37, 99])
    func `what it says is missing is what fires, and one fewer isn't`(failures: Int) throws {
        var scenario = Self.scenario()
        scenario.fail(times: failures)
        let group = try #require(try Self.ask(scenario).rules.first?.groups.first)
        #expect(group.count == failures)
        #expect(group.missing == 100 - failures)
        #expect(group.holds == [.belowThreshold(count: failures)])
        #expect(group.group.map(\.value) == ["production", "verify", "8771"])
        #expect(!group.isShared)
        #expect(scenario.fail(times: group.missing - 1).isEmpty)
        #expect(scenario.fail(times: 1).moves.count == 1)
    }

    @Test(arguments: [(299_999, 5), (300_000, 0)] as [(Int64, Int)])
    func `windows are judged when it is asked, not when the last failure came`(atMs: Int64, count: Int) throws {
        var scenario = Self.scenario()
        scenario.fail(times: 5, fromMs: 0)
        #expect(try Self.ask(scenario, atMs: atMs).rules.first?.groups.first?.count == count)
    }

    @Test func `a time before the last entry's is taken as that`() {
        var scenario = Self.scenario()
        scenario.fail(times: 5, fromMs: 10_000)
        let explanation = scenario.state.explain(Self.founding, at: Timestamp(milliseconds: 0))
        #expect(explanation.at == Timestamp(milliseconds: 10_000))
        #expect(explanation.domains.first?.rules.first?.groups.first?.count == 5)
    }

    @Test func `an open alert is shown with its decision`() throws {
        var scenario = Self.scenario()
        scenario.fail(times: 150)
        let group = try #require(try Self.ask(scenario).rules.first?.groups.first)
        #expect(group.count == 100)
        #expect(group.missing == 0)
        #expect(group.alert == scenario.state.openAlerts.first)
        #expect(group.alert?.decision == .tripped(version: 2))
        #expect(group.holds == [.switchStays(.alreadyDegraded)])
    }

    @Test func `a code in several environments has a group in each, the highest count first`() throws {
        var scenario = Self.scenario()
        scenario.fail(in: "a", times: 2)
        scenario.fail(in: "b", times: 7)
        scenario.fail(in: "c", times: 2)
        scenario.fail("1", in: "d", times: 50)
        let groups = try Self.ask(scenario).rules.first?.groups ?? []
        #expect(groups.map { $0.group.first?.value } == ["b", "a", "c"])
        var question = Self.founding
        question.environment = "c"
        #expect(try Self.ask(scenario, question).rules.first?.groups.map(\.count) == [2])
    }

    @Test func `groups beyond what is shown are counted`() throws {
        var scenario = Self.scenario()
        for number in 0..<30 { scenario.fail(in: "environment-\(number)", times: number + 1) }
        let rule = try #require(try Self.ask(scenario).rules.first)
        #expect(rule.groups.count == State.maximumExplainedGroups)
        #expect(rule.groups.first?.count == 30)
        #expect(rule.omittedGroups == 10)
    }

    @Test func `a code without a group of its own is looked for among the overflow`() throws {
        var scenario = Self.scenario { $0.maximumGroups = 2 }
        for code in ["1", "2", "3", "8771"] { scenario.fail(code, times: 3) }
        let group = try #require(try Self.ask(scenario).rules.first?.groups.first)
        #expect(group.group.map(\.value) == ["production", "_other", "_other"])
        #expect(group.count == 6)
        #expect(group.isShared)
        let known = try Self.ask(scenario, FailureQuestion(code: "1", domain: "verify"))
        #expect(known.rules.first?.groups.map(\.count) == [3])
        #expect(known.isCounted)
    }

    // MARK: Namespaces

    @Test func `without a namespace it answers for each that is counted or known`() {
        var scenario = Self.scenario { $0.catalogue = ExplainHoldTests.catalogue }
        scenario.fail(times: 3)
        var event = PaymentEvent.failure("8771", domain: "pay")
        event.environment = "sandbox"
        scenario.apply(.event(event))
        let explanation = scenario.state.explain(FailureQuestion(code: "8771"), at: scenario.state.at)
        #expect(explanation.domains.map(\.domain) == ["pay", "shop", "verify"])
        #expect(explanation.domains.map(\.isCounted) == [true, false, true])
        #expect(explanation.domains.map(\.meaning.isKnown) == [false, true, false])
        #expect(explanation.omittedDomains == 0)
    }

    @Test func `a code that nobody knows and nothing counted is unknown`() {
        let state = Self.scenario().state
        let explanation = state.explain(FailureQuestion(code: "nope"), at: state.at)
        #expect(explanation.domains.map(\.domain) == ["unknown"])
        #expect(explanation.domains.first?.meaning.reason == .unknownCode)
        #expect(explanation.domains.first?.explanation.sentence == "no system knows the code")
    }

    @Test func `namespaces beyond what is shown are counted`() {
        var scenario = Self.scenario()
        for number in 0..<30 { scenario.apply(.event(.failure("1", domain: "domain-\(number)"))) }
        let explanation = scenario.state.explain(FailureQuestion(code: "1"), at: scenario.state.at)
        #expect(explanation.domains.count == State.maximumExplainedDomains)
        #expect(explanation.omittedDomains == 10)
    }

    @Test func `a merchant's row says which shipped row it overrides`() throws {
        let scenario = Self.scenario { $0.catalogue = ExplainHoldTests.catalogue }
        let answer = try Self.ask(scenario, FailureQuestion(code: "51", domain: "shop"))
        #expect(answer.meaning.failureClass == .processor)
        #expect(answer.explanation.row?.owner == .merchant)
        #expect(answer.explanation.row?.overrides?.failureClass == .user)
        #expect(answer.explanation.sentence.contains("overrides the shipped row (no funds, user)"))
    }

    // MARK: Laws

    @Test(arguments: [4, 9, 16] as [UInt64])
    func `explaining leaves the state as it is, and a restored state explains alike`(seed: UInt64) throws {
        let entries = RandomJournal.entries(seed: seed, count: 600)
        let unread = Fold(entries)
        var read = Fold([])
        var shown = 0
        for entry in entries {
            if entry.seq % 5 == 0 {
                let before = read.state.encoded()
                let copy = read.state
                let restored = try State(decoding: before)
                for question in [FailureQuestion(code: "0"), FailureQuestion(code: "1", environment: "sandbox")] {
                    let explanation = read.state.explain(question, at: entry.at)
                    #expect(restored.explain(question, at: entry.at) == explanation)
                    shown += explanation.domains.flatMap(\.rules).flatMap(\.groups).count
                }
                #expect(read.state == copy)
                #expect(read.state.encoded() == before)
            }
            read.effects += read.state.apply(entry)
        }
        #expect(read.state == unread.state)
        #expect(read.effects == unread.effects)
        #expect(shown > 100)
    }

    @Test(arguments: [1, 2, 3, 5, 8] as [UInt64])
    func `a question that tells everything finds the same groups as one that leaves something open`(seed: UInt64) {
        var fold = Fold([])
        var compared = 0
        for entry in RandomJournal.entries(seed: seed, count: 500) {
            fold.effects += fold.state.apply(entry)
            guard entry.seq % 10 == 0 else { continue }
            for domain in fold.state.explain(FailureQuestion(code: "1"), at: entry.at).domains {
                for rule in domain.rules where rule.rule.id == "burst" {
                    for group in rule.groups {
                        let environment = group.group[0].value
                        let question = FailureQuestion(code: "1", domain: domain.domain, environment: environment)
                        let answer = fold.state.explain(question, at: entry.at).domains[0]
                        #expect(answer.rules.contains { $0.rule.id == "burst" && $0.groups.contains(group) })
                        compared += 1
                    }
                }
            }
        }
        #expect(compared > 20)
    }

    @Test(arguments: [1, 2, 3, 5, 8] as [UInt64])
    func `every open alert is found under its code, with its decision`(seed: UInt64) {
        var fold = Fold([])
        var found = 0
        for entry in RandomJournal.entries(seed: seed, count: 2500) {
            fold.effects += fold.state.apply(entry)
            for alert in fold.state.openAlerts where alert.rule == "burst" {
                let values = alert.group.map(\.value)
                guard values.last != "_other" else { continue }
                let question = FailureQuestion(code: values[2], domain: values[1], environment: values[0])
                let rule = fold.state.explain(question, at: fold.state.at).domains[0].rules.first {
                    $0.rule.id == "burst"
                }
                #expect(rule?.groups.map(\.alert) == [alert])
                found += 1
            }
        }
        #expect(found > 0)
    }
}
