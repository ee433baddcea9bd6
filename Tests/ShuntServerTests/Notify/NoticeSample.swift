import ShuntCore
import ShuntNative
import ShuntSchema

@testable import ShuntServer

/// The notice of the founding example, for tests to change.
enum NoticeSample {
    /// 2026-11-29T19:12:07Z, which is 03:12 in Shanghai.
    static let at = Timestamp(milliseconds: 1_795_979_527_000)

    static let shanghai = LocalZone(offsets: [LocalZone.Offset(from: .min, seconds: 28_800, name: "CST")])

    static func firing(_ change: (inout Notice) -> Void = { _ in }) -> Notice {
        let alert = Notice.AlertFacts(
            id: "412-0",
            rule: "error-code-burst",
            description: "One code fails 100 payments within 5 minutes",
            severity: .critical,
            group: [
                ScopeAttribute(name: "environment", value: "production"),
                ScopeAttribute(name: "error.domain", value: "verify"),
                ScopeAttribute(name: "error.code", value: "8771"),
            ],
            startsAt: at.advanced(byMs: -240_000)
        )
        var notice = Notice(id: "412-0", happening: .firing, at: at, environment: "production", alert: alert)
        notice.failures = Notice.FailureFacts(count: 132, windowMs: 300_000, threshold: 100, payers: 97)
        notice.failures.amounts = [Notice.Amount(minor: 3_821_400, currency: "CNY")]
        notice.move = Notice.MoveFacts(
            key: "apple-pay",
            scope: Scope(environment: "production"),
            variant: "web",
            version: 418,
            at: at,
            decision: .tripped(version: 418),
            nextStep: .probe(percent: 2),
            nextStepAt: at.advanced(byMs: 300_000)
        )
        notice.location = "97 % are app 4.2.0 on iOS 17.4 (normally 11 %)"
        notice.cause = "Merchant identifier differs in production"
        notice.nextStep = "Compare the signed app's entitlement"
        notice.links = [Notice.Link(name: "alert", url: "https://shunt.example.com/#/alerts/412-0")]
        change(&notice)
        return notice
    }

    static func resolved() -> Notice {
        firing { notice in
            notice.id = "977-0"
            notice.happening = .resolved
            notice.at = at.advanced(byMs: 37 * 60_000)
            notice.alert?.endsAt = notice.at
            notice.closing = Notice.ClosingFacts(
                failed: 1204,
                amounts: [Notice.Amount(minor: 40_211_800, currency: "CNY")],
                saved: 3900,
                ending: .probe
            )
        }
    }

    /// A switch that moved, which is told as a notice of its own.
    static func moved() -> Notice {
        var notice = Notice(id: "412-1", happening: .switchMoved, at: at, environment: "production")
        notice.move = firing().move
        notice.move?.cause = .ruleTrips
        return notice
    }

    static func text(
        _ notice: Notice,
        _ language: NoticeLanguage = .english,
        zone: LocalZone = shanghai
    ) -> NoticeText {
        NoticeText(notice, language: language, zone: zone)
    }

    /// What reporters could send to do harm: markup of every vendor, line breaks, and marks that turn writing around.
    static let hostile =
        "<!channel> <@U1> @all <at id=all></at> & *b* [x](http://e) `c`\r\nBcc: a@b\u{202E}evil\u{200B}\u{0}"

    /// What those who answer only by HTTP get from a dialect.
    static func request(_ dialect: any ChannelDialect, _ notice: Notice, in text: NoticeText? = nil) -> OutboundRequest?
    {
        let messages = dialect.messages(for: notice, in: text ?? self.text(notice), at: at)
        guard case .http(let request)? = messages.first else { return nil }
        return request
    }

    static func body(_ dialect: any ChannelDialect, _ notice: Notice, in text: NoticeText? = nil) -> String {
        String(decoding: request(dialect, notice, in: text)?.body ?? [], as: UTF8.self)
    }
}
