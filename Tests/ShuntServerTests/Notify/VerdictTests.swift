import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// What each vendor's documented answers mean.
@Suite struct VerdictTests {
    enum Meaning: Sendable, Equatable {
        case delivered
        /// Try again; not before so many milliseconds.
        case retry(Int64?)
        /// Try again a few times only.
        case fewTries
        case refused
        case dead

        init(_ verdict: DeliveryVerdict) {
            switch verdict {
            case .delivered: self = .delivered
            case .retry(let afterMs, nil, _): self = .retry(afterMs)
            case .retry: self = .fewTries
            case .refused(_, channelIsDead: true): self = .dead
            case .refused: self = .refused
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var dialect: any ChannelDialect
        var status: Int
        var body: String
        var retryAfter: String?
        var meaning: Meaning

        var testDescription: String { "\(type(of: dialect)) \(status) \(body) \(retryAfter ?? "")" }

        init(_ dialect: any ChannelDialect, _ status: Int, after: String? = nil, _ meaning: Meaning) {
            self.init(dialect, status, "", after: after, meaning)
        }

        init(_ dialect: any ChannelDialect, _ status: Int, _ body: String, after: String? = nil, _ meaning: Meaning) {
            self.dialect = dialect
            self.status = status
            self.body = body
            retryAfter = after
            self.meaning = meaning
        }
    }

    private static let webhook = WebhookDialect(url: "")
    private static let alertmanager = AlertmanagerDialect(urls: [])
    private static let bridge = AlertmanagerWebhookDialect(url: "", receiver: "")
    private static let slack = SlackDialect(url: "")
    private static let pagerduty = PagerDutyDialect(routingKey: Secret(""))
    private static let feishu = FeishuDialect(url: "")
    private static let dingtalk = DingTalkDialect(url: "")
    private static let wecom = WeComDialect(url: "")

    private static let cases: [Case] = [
        Case(webhook, 200, .delivered), Case(webhook, 204, .delivered), Case(webhook, 302, .refused),
        Case(webhook, 400, .fewTries), Case(webhook, 404, .fewTries), Case(webhook, 410, .dead),
        Case(webhook, 429, after: "7", .retry(7000)), Case(webhook, 500, .retry(nil)),
        Case(webhook, 503, after: "Sun, 29 Nov 2026 19:12:17 GMT", .retry(10_000)),
        Case(webhook, 503, after: "Sun, 29 Nov 2026 19:00:00 GMT", .retry(0)),
        Case(webhook, 503, after: "86400", .retry(3_600_000)), Case(webhook, 503, after: "soon", .retry(nil)),
        Case(webhook, 408, .retry(nil)), Case(webhook, 504, .retry(nil)),

        Case(alertmanager, 200, .delivered), Case(alertmanager, 400, .refused), Case(alertmanager, 500, .retry(nil)),
        Case(alertmanager, 404, .refused), Case(bridge, 200, .delivered), Case(bridge, 502, .retry(nil)),
        Case(bridge, 429, after: "1", .retry(1000)), Case(bridge, 400, .refused), Case(bridge, 410, .dead),

        Case(slack, 200, "ok", .delivered), Case(slack, 200, "ok\n", .delivered), Case(slack, 200, "", .fewTries),
        Case(slack, 200, "<html>ok</html>", .fewTries), Case(slack, 400, "invalid_payload", .refused),
        Case(slack, 403, "action_prohibited", .dead), Case(slack, 404, "channel_not_found", .dead),
        Case(slack, 404, "no_service", .dead), Case(slack, 410, "channel_is_archived", .dead),
        Case(slack, 429, "rate_limited", after: "30", .retry(30_000)), Case(slack, 500, "rollup_error", .retry(nil)),

        Case(pagerduty, 202, #"{"status":"success","dedup_key":"x"}"#, .delivered), Case(pagerduty, 200, "", .fewTries),
        Case(pagerduty, 400, #"{"status":"invalid event"}"#, .refused), Case(pagerduty, 429, .retry(60_000)),
        Case(pagerduty, 429, after: "180", .retry(180_000)), Case(pagerduty, 500, .retry(nil)),
        Case(pagerduty, 403, .dead),

        Case(feishu, 200, #"{"code":0,"msg":"success","data":{}}"#, .delivered),
        Case(feishu, 200, #"{"Extra":null,"StatusCode":0,"StatusMessage":"success"}"#, .delivered),
        Case(feishu, 200, #"{"code":9499,"msg":"Bad Request"}"#, .refused),
        Case(feishu, 200, #"{"code":19021,"msg":"sign match fail or timestamp is not within one hour"}"#, .refused),
        Case(feishu, 200, #"{"code":19022,"msg":"Ip Not Allowed"}"#, .refused),
        Case(feishu, 200, #"{"code":19024,"msg":"Key Words Not Found"}"#, .refused),
        Case(feishu, 200, #"{"code":19001,"msg":"param invalid: incoming webhook access token invalid"}"#, .dead),
        Case(feishu, 200, #"{"code":11232,"msg":"frequency limited"}"#, .retry(nil)),
        Case(feishu, 429, after: "5", .retry(5000)), Case(feishu, 500, #"{"code":99999}"#, .retry(nil)),
        Case(feishu, 500, #"{"code":0}"#, .retry(nil)), Case(feishu, 200, "<html>", .fewTries),

        Case(dingtalk, 200, #"{"errcode":0,"errmsg":"ok"}"#, .delivered),
        Case(dingtalk, 200, #"{"errcode":130101,"errmsg":"send too fast"}"#, .retry(60_000)),
        Case(dingtalk, 200, #"{"errcode":130101}"#, after: "90", .retry(90_000)),
        Case(dingtalk, 200, #"{"errcode":-1,"errmsg":"system busy"}"#, .retry(nil)),
        Case(dingtalk, 200, #"{"errcode":310000,"errmsg":"sign not match"}"#, .refused),
        Case(dingtalk, 200, #"{"errcode":300001,"errmsg":"token is not exist"}"#, .dead),
        Case(dingtalk, 502, .retry(nil)), Case(dingtalk, 200, #"{"errcode":"0"}"#, .fewTries),

        Case(wecom, 200, #"{"errcode":0,"errmsg":"ok"}"#, .delivered),
        Case(wecom, 200, #"{"errcode":45009,"errmsg":"api freq out of limit"}"#, .retry(60_000)),
        Case(wecom, 200, #"{"errcode":93000,"errmsg":"invalid webhook url"}"#, .dead),
        Case(wecom, 200, #"{"errcode":40058,"errmsg":"exceed max length 2048"}"#, .refused),
        Case(wecom, 200, #"{"errcode":-1}"#, .retry(nil)), Case(wecom, 503, .retry(nil)),
        Case(wecom, 200, "[]", .fewTries),
    ]

    @Test(arguments: cases)
    func `an answer means what its vendor documents`(_ row: Case) {
        let answer = ChannelAnswer(status: row.status, retryAfter: row.retryAfter, body: Array(row.body.utf8))
        let verdict = row.dialect.verdict(on: answer, at: NoticeSample.at)
        #expect(Meaning(verdict) == row.meaning, "\(verdict)")
    }

    @Test(arguments: [
        (MailTransferError(.refused(451), detail: "", lastLine: "451 later"), Meaning.retry(nil)),
        (MailTransferError(.refused(421), detail: ""), .retry(nil)),
        (MailTransferError(.refused(550), detail: "", lastLine: "550 no such user"), .refused),
        (MailTransferError(.refused(535), detail: ""), .dead), (MailTransferError(.timedOut, detail: ""), .retry(nil)),
        (MailTransferError(.tlsFailed, detail: ""), .retry(nil)),
        (MailTransferError(.addressRefused, detail: ""), .refused),
    ])
    func `4yz may pass and 5yz won't`(error: MailTransferError, meaning: Meaning) {
        let verdict = EmailDialect.verdict(on: error)
        #expect(Meaning(verdict) == meaning)
        if let line = error.lastLine { #expect(verdict.reason?.contains(line) == true) }
    }

    @Test func `of several peers one that has it is enough`() {
        let retry = DeliveryVerdict.retry(afterMs: nil, reason: "")
        let refused = DeliveryVerdict.refused(reason: "", channelIsDead: false)
        #expect(retry.orBetter(.delivered) == .delivered && DeliveryVerdict.delivered.orBetter(retry) == .delivered)
        #expect(refused.orBetter(retry) == retry && retry.orBetter(refused) == retry)
    }
}

/// When a notice is tried again.
@Suite struct RetryScheduleTests {
    private let later = DeliveryVerdict.retry(afterMs: nil, reason: "")

    /// The pauses until it's the next channel's turn, where each try fails at once.
    private func pauses(_ schedule: RetrySchedule, id: String = "412-0", _ verdict: DeliveryVerdict) -> [Int64] {
        var pauses: [Int64] = []
        while let pause = schedule.pauseMs(
            after: verdict,
            tries: pauses.count + 1,
            elapsedMs: pauses.reduce(0, +),
            id: id
        ) { pauses.append(pause) }
        return pauses
    }

    @Test func `a page is tried at growing pauses for a quarter of an hour`() {
        let all = pauses(.page, later)
        let bases: [Int64] = [2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000]
        for (pause, base) in zip(all, bases) { #expect((base...base * 6 / 5).contains(pause)) }
        #expect(all.reduce(0, +) <= 900_000)
        #expect(all.reduce(0, +) > 900_000 - 72_000)
    }

    @Test func `the jitter is another for each notice, and the same for one`() {
        #expect(pauses(.page, later) == pauses(.page, later))
        #expect(pauses(.page, id: "413-0", later) != pauses(.page, later))
    }

    @Test func `what the receiver asks for counts where it's longer`() {
        #expect(
            RetrySchedule.page.pauseMs(after: .retry(afterMs: 90_000, reason: ""), tries: 1, elapsedMs: 0, id: "")
                == 90_000
        )
        let short = RetrySchedule.page.pauseMs(after: .retry(afterMs: 1, reason: ""), tries: 1, elapsedMs: 0, id: "")
        #expect(short.map { $0 >= 2_000 } == true)
        // Later than the schedule lasts: the next channel is asked now.
        let long = DeliveryVerdict.retry(afterMs: 900_001, reason: "")
        #expect(RetrySchedule.page.pauseMs(after: long, tries: 1, elapsedMs: 0, id: "") == nil)
    }

    @Test func `what is likely wrong for good is tried a few times, what is refused never again`() {
        #expect(pauses(.page, .retry(afterMs: nil, maximumTries: 3, reason: "")).count == 2)
        #expect(pauses(.page, .refused(reason: "", channelIsDead: false)).isEmpty)
        #expect(pauses(.page, .delivered).isEmpty)
    }
}
