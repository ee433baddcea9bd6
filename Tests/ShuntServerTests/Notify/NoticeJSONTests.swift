import ShuntSchema
import Testing

@testable import ShuntCore
@testable import ShuntServer

/// A notice that was kept is the notice that was made.
@Suite struct NoticeJSONTests {
    private static let hostile = NoticeSample.hostile.replacing("\0", with: "")

    private static let notices: [Notice] = [
        NoticeSample.firing(), NoticeSample.resolved(), NoticeSample.moved(),
        Notice(id: "1-0", happening: .warning, at: NoticeSample.at, environment: "sandbox", isTest: true),
        NoticeSample.firing { notice in
            notice.actor = hostile
            notice.insteadOf = hostile
            notice.cause = hostile
            notice.alert?.group.append(ScopeAttribute(name: "region", value: hostile))
            notice.failures.amounts = [
                Notice.Amount(minor: .max, currency: "XTS"), Notice.Amount(minor: .min, currency: "JPY"),
            ]
            notice.failures.usual = 2
            notice.failures.attempts = 140
            notice.failures.sharePercent = 94
            notice.move?.reason = hostile
            notice.move?.scope = Scope(
                environment: "production",
                attributes: [ScopeAttribute(name: "region", value: hostile)]
            )
        },
    ]

    @Test(arguments: notices)
    func `a notice is read back as it was`(notice: Notice) {
        #expect(Notice(json: notice.json()) == notice)
    }

    private static let decisions: [TripDecision] =
        [.tripped(version: 3), .wouldHaveTripped(version: 4), .overridden(version: 5), .noSwitch]
        + SwitchHold.allCases.map { .held($0) }

    @Test(arguments: decisions)
    func `every decision is read back as it was`(decision: TripDecision) {
        let notice = NoticeSample.firing { $0.move?.decision = decision }
        #expect(Notice(json: notice.json()) == notice)
    }

    @Test(arguments: [Notice.NextStep.probe(percent: 2), .restore, .overrideEnds])
    func `every next step is read back as it was`(step: Notice.NextStep) {
        let notice = NoticeSample.firing { $0.move?.nextStep = step }
        #expect(Notice(json: notice.json()) == notice)
    }

    @Test(arguments: [Notice.Ending.probe, .subsided, .person(Self.hostile), .ruleChanged])
    func `every ending is read back as it was`(ending: Notice.Ending) {
        let notice = NoticeSample.firing { $0.closing = Notice.ClosingFacts(ending: ending) }
        #expect(Notice(json: notice.json()) == notice)
    }

    @Test func `a NUL in a rule's words doesn't cost the notice`() {
        let notice = NoticeSample.firing { $0.alert?.description = "a\0b" }
        #expect(Notice(json: notice.json())?.alert?.description == "a\u{FFFD}b")
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"id":"1","happening":"firing"}"#])
    func `what is no notice is read as none`(text: String) {
        #expect(Notice(json: Array(text.utf8)) == nil)
    }
}
