import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// What public reports tell of doubt, of events out of order and of duplicates, as stories of one attempt or order.
@Suite struct DoubtStoryTests {
    private var scenario = Scenario(RuleSet(rules: [], switches: [], catalogue: stages))

    /// Before anything is sent, nothing moves; once the charge was asked for, whatever goes wrong is in doubt.
    private static let stages: CatalogueSource = {
        var source = CatalogueSource()
        source.stages = StageTable(
            rules: [
                .precheck: StageRule(transport: .classes([.network]), cancel: .user, money: .notMoved),
                .charge: StageRule(transport: .inDoubt, cancel: .inDoubt, money: .mayHaveMoved),
            ]
        )
        return source
    }()

    /// An event of attempt `a` of order `o`, unless changed.
    private mutating func tell(
        _ outcome: Outcome,
        _ stage: Stage,
        atMs: Int64? = nil,
        _ change: (inout PaymentEvent) -> Void = { _ in }
    ) {
        var event = PaymentEvent(outcome: outcome)
        event.stage = stage
        event.attemptId = "a"
        event.orderRef = "o"
        change(&event)
        scenario.apply(.event(event), atMs: atMs)
    }

    private static func fails(_ domain: String, _ code: String) -> (inout PaymentEvent) -> Void {
        { $0.error = ErrorReport(domain: domain, code: code) }
    }

    private func phase(_ name: String = "a", in environment: String = "production") -> MoneyPhase? {
        scenario.state.attempt(name, environment: environment)?.phase
    }

    @Test mutating func `a time-out of the charge is in doubt and never goes to the web (case 1)`() throws {
        tell(.failed, .charge, Self.fails("any", "timeout"))
        let view = try #require(scenario.state.attempt("a", environment: "production"))
        #expect(view.phase == .mayHaveMoved)
        #expect(view.advice == .queryFirst)
        #expect(!view.webAllowed)
        #expect(scenario.state.doubts.map(\.count) == [1])
    }

    @Test mutating func `a cancel while the charge runs is in doubt, and its success settles it (case 3)`() {
        tell(.cancelled, .charge)
        #expect(phase() == .mayHaveMoved)
        tell(.succeeded, .charge)
        #expect(phase() == .paid)
        #expect(scenario.state.doubts.isEmpty)
    }

    @Test mutating func `a later refusal doesn't lift a doubt (case 7)`() {
        tell(.failed, .charge, Self.fails("any", "timeout"))
        tell(.failed, .precheck, Self.fails("any", "declined"))
        #expect(phase() == .mayHaveMoved)
    }

    @Test mutating func `a failure that is handled after the success changes nothing (case 32)`() {
        tell(.succeeded, .asyncResult) {
            $0.attemptId = nil; $0.pspReference = "psp-2"
        }
        tell(.failed, .asyncResult) {
            $0.attemptId = nil
            $0.pspReference = "psp-1"
            $0.error = ErrorReport(domain: "adyen", code: "refused")
        }
        #expect(phase("o") == .paid)
        #expect(scenario.state.doubts.isEmpty)
    }

    @Test mutating func `UnionPay's synchronous success is accepted, and three seconds later in doubt (B6, B7)`() {
        tell(.succeeded, .charge, atMs: 1000) { $0.psp = "unionpay" }
        #expect(phase() == .accepted)
        #expect(scenario.state.nextDeadline == Timestamp(milliseconds: 4000))
        scenario.apply(.tick, atMs: 3999)
        #expect(phase() == .accepted)
        scenario.apply(.tick, atMs: 4000)
        #expect(phase() == .mayHaveMoved)
        tell(.succeeded, .asyncResult, atMs: 5000) { $0.psp = "unionpay" }
        #expect(phase() == .paid)
    }

    private static let queries: [Row<(code: String, original: String?, phase: MoneyPhase)>] = [
        Row("the query failed", ("05", "00", .mayHaveMoved)),
        Row("it worked and found nothing said", ("00", nil, .accepted)),
        Row("it worked and found it paid", ("00", "00", .paid)),
        Row("the charge never arrived", ("34", nil, .notPaid)),
    ]

    @Test(arguments: queries)
    private mutating func `only a query whose own code is 00 settles`(
        row: Row<(code: String, original: String?, phase: MoneyPhase)>
    ) {
        tell(.succeeded, .charge) { $0.psp = "unionpay" }
        tell(.failed, .asyncResult) {
            var error = ErrorReport(domain: "unionpay.respCode", code: row.value.code)
            if let original = row.value.original {
                error.underlying = [UnderlyingError(domain: "unionpay.origRespCode", code: original)]
            }
            $0.error = error
        }
        #expect(phase() == row.value.phase)
    }

    @Test mutating func `an attempt without an end is in doubt after 30 s if its token was sent (case 27)`() {
        tell(.attempted, .tokenSubmit, atMs: 0)
        tell(.attempted, .present, atMs: 0) {
            $0.attemptId = "b"; $0.orderRef = nil
        }
        scenario.apply(.tick, atMs: 29_999)
        #expect(phase() == .open)
        scenario.apply(.tick, atMs: 30_000)
        #expect(phase() == .mayHaveMoved)
        #expect(phase("b") == .notMoved)
        #expect(scenario.state.findingCounts.first { $0.finding == .noOutcome }?.count == 2)
    }

    @Test mutating func `amounts a hundredfold of one another are found once (case 28)`() {
        tell(.attempted, .present) { $0.amount = Amount(minor: 80, currency: "JPY") }
        for _ in 0..<2 { tell(.failed, .charge) { $0.amount = Amount(minor: 8000, currency: "JPY") } }
        #expect(scenario.state.attempt("a", environment: "production")?.findings == [.amountMinorUnit])
        #expect(scenario.state.findingCounts.first { $0.finding == .amountMinorUnit }?.count == 1)
    }

    @Test mutating func `a second attempt that is paid too is a possible double charge (case 33)`() {
        tell(.succeeded, .charge)
        tell(.succeeded, .charge)
        #expect(phase() == .paid, "the same end twice is a repeat")
        tell(.succeeded, .charge) { $0.attemptId = "b" }
        #expect(phase("b") == .overpaid)
        #expect(scenario.state.attempt("b", environment: "production")?.advice == .reverse)
    }

    @Test mutating func `a success of another attempt leaves this one's doubt (case 35)`() throws {
        tell(.failed, .complete, Self.fails("any", "timeout"))
        tell(.succeeded, .charge) { $0.attemptId = "b" }
        #expect(phase() == .mayHaveMoved)
        #expect(try !#require(scenario.state.attempt("a", environment: "production")).webAllowed)
    }

    @Test mutating func `a person settles, and what comes after all is named`() {
        tell(.failed, .charge, Self.fails("any", "timeout"))
        let word = SettleCommand(
            attempt: "a",
            environment: "production",
            result: .notPaid,
            note: "asked",
            actor: "mei"
        )
        scenario.apply(.settle(word))
        #expect(phase() == .notPaid)
        tell(.succeeded, .asyncResult)
        #expect(phase() == .overpaid)
        #expect(scenario.state.attempt("a", environment: "production")?.findings == [.paidAfterAll])
    }

    @Test mutating func `sandboxes and simulators never mix with production`() {
        tell(.failed, .charge) { $0.environment = "sandbox" }
        tell(.failed, .charge) { $0.deviceModel = "x86_64" }
        #expect(phase() == nil)
        #expect(phase(in: "sandbox") == .mayHaveMoved)
        #expect(phase(in: "simulator") == .mayHaveMoved)
        #expect(scenario.state.doubts.map(\.environment) == ["sandbox", "simulator"])
    }

    @Test mutating func `a restart waits anew, and what is in doubt stays`() throws {
        tell(.attempted, .charge, atMs: 0)
        tell(.failed, .charge, atMs: 0) {
            $0.attemptId = "b"; $0.orderRef = nil
        }
        try scenario.restart()
        scenario.apply(.started, atMs: 3_600_000)
        #expect(phase("b") == .mayHaveMoved)
        #expect(phase() == .open)
        scenario.apply(.tick, atMs: 3_630_000)
        #expect(phase() == .mayHaveMoved)
    }

    private static func rule(_ kind: RuleKind, threshold: Int) -> Rule {
        Rule(
            id: "doubt",
            description: "In doubt",
            kind: kind,
            groupBy: [],
            count: .attempts,
            threshold: threshold,
            windowMs: 3_600_000,
            alert: AlertPolicy(severity: .warning, resolveBelow: 1, holdForMs: 0)
        )
    }

    @Test mutating func `an alert fires when the second oldest doubt is old enough, and ends when it is settled`() {
        scenario = Scenario(RuleSet(rules: [Self.rule(.inDoubtAge(ms: 900_000), threshold: 2)], switches: []))
        tell(.failed, .charge, atMs: 0)
        tell(.failed, .charge, atMs: 60_000) {
            $0.attemptId = "b"; $0.orderRef = nil
        }
        scenario.apply(.tick, atMs: 959_999)
        #expect(scenario.state.openAlerts.isEmpty)
        scenario.apply(.tick, atMs: 960_000)
        #expect(scenario.state.openAlerts.map(\.count) == [2])
        tell(.succeeded, .asyncResult, atMs: 970_000)
        scenario.apply(.tick, atMs: 970_001)
        #expect(scenario.state.openAlerts.isEmpty)
    }

    @Test mutating func `an alert fires at the total, not a unit before`() {
        let kind = RuleKind.inDoubtTotal(minor: 1000, currency: "CNY")
        scenario = Scenario(RuleSet(rules: [Self.rule(kind, threshold: 1)], switches: []))
        tell(.failed, .charge) { $0.amount = Amount(minor: 999, currency: "CNY") }
        #expect(scenario.state.openAlerts.isEmpty)
        tell(.failed, .charge) {
            $0.attemptId = "b"
            $0.orderRef = nil
            $0.amount = Amount(minor: 1, currency: "CNY")
        }
        #expect(scenario.state.openAlerts.count == 1)
    }
}
