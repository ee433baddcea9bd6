import Foundation
import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// What goes over the wire to each vendor, against the files in `Golden`, which people can read and compare with the
/// vendor's documentation.
@Suite struct DialectGoldenTests {
    private static let dialects: [(String, any ChannelDialect)] = [
        ("webhook", WebhookDialect(url: "https://example.com/hook", signature: nil)),
        ("alertmanager", AlertmanagerDialect(urls: ["http://am:9093"])),
        ("alertmanagerWebhook", AlertmanagerWebhookDialect(url: "https://example.com/am", receiver: "oncall")),
        ("slack", SlackDialect(url: "https://hooks.slack.com/services/T/B/X")),
        ("pagerduty", PagerDutyDialect(routingKey: Secret("0123456789abcdef0123456789abcdef"))),
        ("feishu", FeishuDialect(url: "https://open.feishu.cn/open-apis/bot/v2/hook/X", secret: Secret("demo"))),
        ("dingtalk", DingTalkDialect(url: "https://oapi.dingtalk.com/robot/send?access_token=T")),
        ("wecom", WeComDialect(url: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=K")),
    ]

    private static let notices: [(String, Notice, NoticeLanguage)] = [
        ("firing", NoticeSample.firing(), .english),
        ("resolved", NoticeSample.resolved(), .chinese),
        ("moved", NoticeSample.moved(), .english),
    ]

    private static let cases = dialects.flatMap { dialect in notices.map { "\(dialect.0)-\($0.0)" } }

    @Test(arguments: cases)
    func `a notice goes out as the vendor documents it`(name: String) throws {
        let parts = name.split(separator: "-").map(String.init)
        let dialect = try #require(Self.dialects.first { $0.0 == parts[0] })
        let notice = try #require(Self.notices.first { $0.0 == parts[1] })
        let text = NoticeSample.text(notice.1, notice.2)
        let body = NoticeSample.body(dialect.1, notice.1, in: text)
        // Alertmanager knows alerts, not switches.
        if parts[0].hasPrefix("alertmanager"), parts[1] == "moved" {
            #expect(body.isEmpty)
            return
        }
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).json")
        let expected = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? NSDictionary
        let list = try JSONSerialization.jsonObject(with: Data(body.utf8))
        // Alertmanager wants a list; its one element is compared.
        let found = list as? NSDictionary ?? (list as? [NSDictionary])?.first
        #expect(found == expected, "\(body)")
    }

    @Test func `every message is within what its vendor takes, however long the texts are`() throws {
        let long = String(repeating: "支付\"\\", count: 5000)
        let notice = NoticeSample.firing { notice in
            notice.cause = long
            notice.location = long
            notice.nextStep = long
            notice.alert?.description = long
            notice.alert?.group =
                (0..<8).map { .init(name: "name\($0)", value: long) } + [.init(name: "error.code", value: long)]
            notice.move?.reason = long
            notice.links = (0..<20).map {
                .init(name: "alert\($0)", url: "https://example.com/\(long.utf8.count)\($0)")
            }
        }
        let limits = ["webhook": 20_000, "feishu": 20_000, "dingtalk": 20_000, "pagerduty": 512_000]
        for (name, dialect) in Self.dialects {
            let body = NoticeSample.body(dialect, notice)
            _ = try JSONSerialization.jsonObject(with: Data(body.utf8))
            #expect(body.utf8.count <= limits[name] ?? 40_000, "\(name): \(body.utf8.count)")
        }
    }

    @Test func `titles longer than a header are told in full below it`() throws {
        let notice = NoticeSample.firing { $0.happening = .resolved }
        var text = NoticeSample.text(notice)
        text.title = String(repeating: "支", count: 400)
        let slack = try blocks(text, notice)
        #expect(slack[0].count == SlackDialect.headerLimit && slack[0].hasSuffix("…"))
        #expect(slack[1].hasPrefix(text.title + "\n"))
        text.title = String(repeating: "x", count: 150)
        let whole = try blocks(text, notice)
        #expect(whole[0] == text.title)
        #expect(!whole[1].contains("xx"))
        text.facts = [NoticeText.Fact(kind: .own, label: "", value: String(repeating: "&", count: 4000))]
        let escaped = try blocks(text, notice)
        #expect(escaped[1].utf16.count <= SlackDialect.sectionLimit)
        #expect(escaped[1].hasSuffix("&amp;…"))
    }

    /// The texts of Slack's blocks.
    private func blocks(_ text: NoticeText, _ notice: Notice) throws -> [String] {
        let body = NoticeSample.body(SlackDialect(url: "https://hooks.slack.com"), notice, in: text)
        let root = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
        let blocks = try #require(root?["blocks"] as? [[String: Any]])
        return blocks.compactMap { ($0["text"] as? [String: Any])?["text"] as? String }
    }

    @Test func `PagerDuty's summary and WeCom's content are cut at their limits`() throws {
        let notice = NoticeSample.firing()
        var text = NoticeSample.text(notice)
        text.title = String(repeating: "支", count: 3000)
        let event = NoticeSample.body(PagerDutyDialect(routingKey: Secret("k")), notice, in: text)
        let summary = try #require(try value("payload", "summary", of: event))
        #expect(summary.count == 1024)
        let robot = NoticeSample.body(WeComDialect(url: "https://x"), notice, in: text)
        let content = try #require(try value("text", "content", of: robot))
        #expect((2046...2048).contains(content.utf8.count))
        #expect(content.hasSuffix("…\nAlert: https://shunt.example.com/#/alerts/412-0"))
    }

    private func value(_ key: String, _ inner: String, of body: String) throws -> String? {
        let root = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
        return (root?[key] as? [String: Any])?[inner] as? String
    }

    @Test func `nobody is mentioned and nothing is formatted by a text from outside`() throws {
        let notice = NoticeSample.firing { notice in
            notice.alert?.group = [.init(name: "error.code", value: NoticeSample.hostile)]
            notice.cause = NoticeSample.hostile
        }
        let slack = NoticeSample.body(SlackDialect(url: "https://x"), notice)
        #expect(slack.contains("&lt;!channel&gt; &lt;@U1&gt;"))
        #expect(!slack.contains("<!") && !slack.contains("<@"))
        for text in try blocks(NoticeSample.text(notice), notice).dropLast() { #expect(!text.contains("<")) }
        // Where markup can't be escaped, the message has a form without any.
        let feishu = NoticeSample.body(FeishuDialect(url: "https://x"), notice)
        #expect(!feishu.contains("lark_md") && feishu.contains(#""tag":"plain_text""#))
        #expect(NoticeSample.body(DingTalkDialect(url: "https://x"), notice).contains(#""isAtAll":false"#))
        #expect(NoticeSample.body(DingTalkDialect(url: "https://x"), notice).hasPrefix(#"{"msgtype":"text""#))
        #expect(NoticeSample.body(WeComDialect(url: "https://x"), notice).hasPrefix(#"{"msgtype":"text""#))
        #expect(!NoticeSample.body(WeComDialect(url: "https://x"), notice).contains("mentioned"))
    }

    @Test func `Alertmanager is told of an alert's end, and while it fires of a later one`() {
        let dialect = AlertmanagerDialect(urls: ["http://a:9093/", "http://b:9093/prefix"], token: Secret("t"))
        let notice = NoticeSample.firing()
        let late = NoticeSample.at.advanced(byMs: 600_000)
        let messages = dialect.messages(for: notice, in: NoticeSample.text(notice), at: late)
        let requests = messages.compactMap { if case .http(let request) = $0 { request } else { nil } }
        #expect(requests.map(\.url) == ["http://a:9093/api/v2/alerts", "http://b:9093/prefix/api/v2/alerts"])
        #expect(requests.allSatisfy { $0.headers.contains { $0.name == "Authorization" && $0.value == "Bearer t" } })
        let body = String(decoding: requests[0].body, as: UTF8.self)
        // Of the try, not of the notice: a resend keeps the alert alive.
        #expect(body.contains(#""endsAt":"\#(late.advanced(byMs: 180_000).rfc3339)""#))
        #expect(NoticeSample.body(dialect, NoticeSample.resolved()).contains(#""endsAt":"2026-11-29T19:49:07.000Z""#))
    }

    @Test(arguments: [
        ("error.code", "error_code"), ("9x", "_9x"), ("", "_"), ("支付", "__"), ("a-b c", "a_b_c"), ("²", "_"),
    ])
    func `names of labels are those that Alertmanager takes`(name: String, label: String) {
        #expect(AlertmanagerLabels.name(name) == label)
    }
}
