import ShuntCore
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// What a message says. The first two lines are what a phone shows.
@Suite struct NoticeTextTests {
    @Test func `an alert tells in two lines what fails, since when, for whom, and what the switch did`() {
        #expect(
            NoticeSample.text(NoticeSample.firing()).plain == """
                [critical] verify/8771: 132 payments failing in 5 min → apple-pay payers now go to web
                97 payers · ¥38,214.00 failed · since 03:08 CST (4 min)
                Where: 97 % are app 4.2.0 on iOS 17.4 (normally 11 %)
                Likely: Merchant identifier differs in production
                Do next: Compare the signed app's entitlement
                Switch: apple-pay · production → web at 03:12:07 CST (version 418); probing 2 % from 03:17 CST
                Code: 8771
                Rule: error-code-burst · One code fails 100 payments within 5 minutes
                Acknowledge: shunt alerts ack 412-0
                Alert: https://shunt.example.com/#/alerts/412-0
                """
        )
    }

    @Test func `in Chinese it says the same in a payments person's words`() {
        #expect(
            NoticeSample.text(NoticeSample.firing(), .chinese).plain == """
                [严重] verify/8771：5 分钟内 132 笔支付失败 → apple-pay 已降级到网页
                影响 97 人 · 失败金额 ¥38,214.00 · 自 03:08 CST（4 分钟）
                范围：97 % are app 4.2.0 on iOS 17.4 (normally 11 %)
                可能原因：Merchant identifier differs in production
                下一步：Compare the signed app's entitlement
                开关：apple-pay · production → web，03:12:07 CST（版本 418）；03:17 CST 起灰度探测 2 %
                错误码：8771
                规则：error-code-burst · One code fails 100 payments within 5 minutes
                认领：shunt alerts ack 412-0
                告警：https://shunt.example.com/#/alerts/412-0
                """
        )
    }

    static let titles: [Row<(Notice, NoticeLanguage, String)>] = [
        Row("held", (decided(.held(.bothRoutesBad)), .english, "→ NOT switched: too many attempts on the other route")),
        Row("held, in Chinese", (decided(.held(.bothRoutesBad)), .chinese, "→ 未切换：另一条路线同样失败过多")),
        Row(
            "dry run",
            (decided(.wouldHaveTripped(version: 4)), .english, "→ NOT switched: apple-pay is in dry run, it wo")
        ),
        Row("overridden", (decided(.overridden(version: 4)), .english, "→ NOT switched: a person's override holds")),
        Row("degraded already", (decided(.held(.alreadyDegraded)), .english, "→ apple-pay payers now go to web")),
        Row("reminder", (happened(.reminder), .english, "verify/8771: still firing, 132 payments failing")),
        Row("mitigated", (happened(.mitigated), .english, ": still failing natively, payers are on web, 132")),
        Row("mitigated, in Chinese", (happened(.mitigated), .chinese, "：原生支付仍失败，支付者已降级到网页，5 分钟内")),
        Row("escalated", (happened(.escalated), .english, ": nobody has acknowledged it, 132")),
        Row("warning", (happened(.warning), .english, "132 payments failing in 5 min · fires at 100")),
        Row("acknowledged", (happened(.acknowledged, by: "li.wei"), .english, ": acknowledged by li.wei, 132")),
        Row("acknowledged by nobody known", (happened(.acknowledged), .chinese, "：已认领，5 分钟内 132 笔")),
        Row(
            "resolved",
            (
                NoticeSample.resolved(), .english,
                "[resolved] verify/8771: lasted 41 min · 1,204 failed (¥402,118.00) · about 3,900 payments saved by the "
                    + "other route · recovered by probe"
            )
        ),
        Row(
            "resolved, in Chinese",
            (NoticeSample.resolved(), .chinese, "[已恢复] verify/8771：持续 41 分钟 · 共失败 1,204 笔（¥402")
        ),
        Row(
            "moved",
            (NoticeSample.moved(), .english, "[switch] apple-pay · production → web: a rule's threshold was crossed")
        ),
    ]

    private static func decided(_ decision: TripDecision) -> Notice {
        NoticeSample.firing { $0.move?.decision = decision }
    }

    private static func happened(_ happening: Notice.Happening, by actor: String? = nil) -> Notice {
        NoticeSample.firing { notice in
            notice.happening = happening
            notice.actor = actor
        }
    }

    @Test(arguments: titles)
    func `the first line says what happened`(row: Row<(Notice, NoticeLanguage, String)>) {
        let title = NoticeSample.text(row.value.0, row.value.1).title
        #expect(title.contains(row.value.2), "\(title)")
    }

    @Test func `what a held switch didn't do isn't told as done`() {
        let text = NoticeSample.text(NoticeSample.firing { $0.move?.decision = .held(.tooFewInstalls) })
        #expect(!text.facts.contains { $0.kind == .move })
        #expect(!text.plain.contains("→ web"))
    }

    @Test func `what isn't known is left out, not called unknown`() {
        let notice = Notice(id: "1-0", happening: .firing, at: NoticeSample.at, environment: "production")
        for language in NoticeLanguage.allCases {
            let text = NoticeSample.text(notice, language)
            #expect(text.plain == "Shunt\n" + language.labelled(language.whereLabel, "production"))
        }
    }

    @Test func `a rule without a code is told by its group, or by its description`() {
        let grouped = NoticeSample.firing { $0.alert?.group = [ScopeAttribute(name: "region", value: "CN")] }
        #expect(NoticeSample.text(grouped).title.hasPrefix("[critical] region=CN: 132"))
        let alone = NoticeSample.firing { $0.alert?.group = [] }
        #expect(
            NoticeSample.text(alone).title.hasPrefix("[critical] One code fails 100 payments within 5 minutes: 132")
        )
        #expect(!NoticeSample.text(alone).facts.contains { $0.kind == .code })
    }

    @Test func `a rule that doesn't count failures is told by its own sentence`() {
        let notice = NoticeSample.firing { notice in
            notice.failures = Notice.FailureFacts()
            notice.move = nil
            notice.alert?.description = "A code that was never seen before"
        }
        let text = NoticeSample.text(notice)
        #expect(text.title == "[critical] verify/8771: A code that was never seen before")
    }

    @Test func `a count is told beside what it usually is`() {
        let notice = NoticeSample.firing { $0.failures.usual = 2 }
        #expect(NoticeSample.text(notice).title.contains("132 payments failing in 5 min (normally 2) →"))
        #expect(NoticeSample.text(notice, .chinese).title.contains("5 分钟内 132 笔支付失败（平时 2） →"))
    }

    @Test func `what isn't production says so in its first line`() {
        let notice = NoticeSample.firing { notice in
            notice.environment = "sandbox"
            notice.alert?.group.append(ScopeAttribute(name: "region", value: "CN"))
        }
        let text = NoticeSample.text(notice)
        #expect(text.title.hasPrefix("[critical] verify/8771 (sandbox): 132"))
        #expect(text.facts.first?.value.hasSuffix("(normally 11 %) · sandbox, region=CN") == true)
    }

    @Test(arguments: NoticeLanguage.allCases)
    func `every cause, hold and ending has its words in each language`(language: NoticeLanguage) {
        let holds = SwitchHold.allCases.map { language.reason($0, switch: "apple-pay") }
        let causes = SwitchCause.allCases.map(language.cause)
        let endings = [Notice.Ending.probe, .subsided, .person("li.wei"), .ruleChanged].map(language.ended)
        let steps = [Notice.NextStep.probe(percent: 2), .restore, .overrideEnds].map(language.next)
        for phrases in [holds, causes, endings, steps] {
            #expect(Set(phrases).count == phrases.count)
            for phrase in phrases {
                let isChinese = phrase.unicodeScalars.contains { $0.properties.isIdeographic }
                #expect(isChinese == (language == .chinese), "\(phrase)")
            }
        }
    }

    @Test func `an operator's reason follows what they did`() {
        var notice = NoticeSample.moved()
        notice.move?.cause = .operatorTrips
        notice.move?.reason = "gateway announces an outage"
        let title = NoticeSample.text(notice).title
        #expect(title == "[switch] apple-pay · production → web: degraded by a person (gateway announces an outage)")
    }

    @Test func `a test is marked in its first line and says that nothing is wrong`() {
        let text = NoticeSample.text(NoticeSample.firing { $0.isTest = true })
        #expect(text.title.hasPrefix("[test] [critical]"))
        #expect(text.plain.contains("nothing is wrong"))
        #expect(!text.plain.contains("alerts ack"))
    }

    @Test func `texts from outside break no lines and turn no writing around`() {
        let notice = NoticeSample.firing { notice in
            notice.alert?.group = [ScopeAttribute(name: "error.code", value: NoticeSample.hostile)]
            notice.alert?.description = NoticeSample.hostile
            notice.cause = NoticeSample.hostile
            notice.move?.key = NoticeSample.hostile
            notice.environment = NoticeSample.hostile
            notice.location = nil
        }
        let text = NoticeSample.text(notice)
        let benign = NoticeSample.text(NoticeSample.firing())
        #expect(text.plain.split(separator: "\n").count == benign.plain.split(separator: "\n").count)
        for scalar in text.plain.unicodeScalars where scalar != "\n" {
            #expect(![.control, .format].contains(scalar.properties.generalCategory), "\(scalar.value)")
        }
    }

    @Test func `yen, yuan and dinar are told apart`() {
        let amounts = [("JPY", 3000), ("CNY", 3000), ("USD", 5), ("KWD", 1234)].map {
            Notice.Amount(minor: Int128($0.1), currency: $0.0)
        }
        let text = NoticeSample.text(NoticeSample.firing { $0.failures.amounts = amounts })
        #expect(text.impact.contains("JPY 3,000 + ¥30.00 + $0.05 + KWD 1.234 failed"), "\(text.impact)")
    }

    @Test(arguments: [
        (0, "0 s", "0 秒"), (59_999, "59 s", "59 秒"), (60_000, "1 min", "1 分钟"), (3_600_000, "1 h", "1 小时"),
        (7_500_000, "2 h 5 min", "2 小时 5 分钟"), (172_800_000, "2 d", "2 天"), (-5, "0 s", "0 秒"),
    ])
    func `durations are told in one or two units`(milliseconds: Int64, english: String, chinese: String) {
        #expect(NoticeLanguage.english.duration(milliseconds) == english)
        #expect(NoticeLanguage.chinese.duration(milliseconds) == chinese)
    }
}
