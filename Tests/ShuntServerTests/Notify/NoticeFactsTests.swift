import ShuntSchema
import Testing

@testable import ShuntCore
@testable import ShuntServer

/// What a rule saw, in a message's terms.
@Suite struct NoticeFactsTests {
    private func facts(_ kind: RuleKind, _ counting: Counting, attempts: Int? = nil, before: Int? = nil)
        -> Notice.FailureFacts
    {
        let policy = AlertPolicy(severity: .warning, resolveBelow: 1, holdForMs: 0)
        let rule = Rule(
            id: "r",
            description: "d",
            kind: kind,
            groupBy: [.errorCode],
            count: counting,
            threshold: 5,
            windowMs: 600_000,
            alert: policy
        )
        let at = NoticeSample.at
        var alert = Alert(
            id: "1-0",
            rule: "r",
            severity: .warning,
            group: [],
            phase: .firing,
            startsAt: at,
            quietFrom: at,
            count: 7,
            decision: .noSwitch,
            remindFrom: at,
            escalateFrom: at
        )
        alert.attempts = attempts
        alert.before = before
        return Notice.FailureFacts(of: alert, rule: rule)
    }

    @Test func `payments, payers and what is neither are told apart`() {
        #expect(facts(.count, .attempts) == .init(count: 7, windowMs: 600_000, threshold: 5))
        #expect(facts(.newCode, .installs) == .init(windowMs: 600_000, payers: 7))
        #expect(facts(.change(percent: 50), .attempts, before: 2).usual == 2)
        let share = facts(.share(percent: 20, attempts: 20), .attempts, attempts: 28)
        #expect(share.attempts == 28 && share.sharePercent == 25)
        #expect(facts(.unusualRate(oneIn: 100), .events).windowMs == nil)
        for kind in [RuleKind.noSuccess(attempts: 3), .keyLimit, .watchdog] {
            #expect(facts(kind, .attempts, attempts: 9) == .init())
        }
    }
}
