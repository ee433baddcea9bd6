import Foundation
import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// The sections `channels` and `links` of `shunt.yaml`.
@Suite struct ChannelsFormTests {
    private func read(_ text: String) throws(ConfigurationError) -> Configuration {
        try ConfigurationFile.read(Array(text.utf8), file: "/etc/shunt/shunt.yaml")
    }

    private func channel(_ text: String) throws -> ChannelSettings {
        try #require(try read("channels:\n  - { name: a, \(text) }\n").channels.first)
    }

    @Test func `the contract's own example is read`() throws {
        let configuration = try read(
            """
            channels:
              - { name: oncall, kind: webhook, url: "https://example.com/x", secretFile: ./hook.secret }
              - { name: am, kind: alertmanager, url: "http://127.0.0.1:9093", allowPrivate: true }
            links: { order: "https://example.com/{orderRef}" }
            """
        )
        let oncall = configuration.channels[0]
        #expect(oncall.name == "oncall" && oncall.kind == .webhook && oncall.language == .english)
        #expect(oncall.urls == ["https://example.com/x"] && !oncall.allowsPrivate)
        #expect(oncall.secret?.source == .file("/etc/shunt/./hook.secret"))
        #expect(oncall.secret?.place == "/etc/shunt/shunt.yaml:2:78")
        #expect(configuration.channels[1].allowsPrivate)
        #expect(configuration.links.url(.order) { _ in "INT-1/2" } == "https://example.com/INT-1%2F2")
        #expect(configuration.links.url(.order) { _ in nil } == nil)
        #expect(configuration.links.url(.trace) { _ in "x" } == nil)
    }

    @Test func `every kind is read with its own keys`() throws {
        #expect(try channel("kind: slack, urlFile: hook, language: zh").urlSecret?.source == .file("/etc/shunt/hook"))
        #expect(try channel("kind: wecom, url: \"env:WECOM\"").urlSecret?.source == .environment("WECOM"))
        #expect(try channel("kind: feishu, url: \"https://f\", secret: \"env:F\"").secret?.source == .environment("F"))
        #expect(try channel("kind: alertmanager, url: [\"http://a\", \"http://b\"]").urls == ["http://a", "http://b"])
        #expect(try channel("kind: pagerduty, secretFile: /run/key").urls.isEmpty)
        let webhook = try channel("kind: webhook, url: \"http://a\", secret: \"env:A\", previousSecretFile: old")
        #expect(webhook.previousSecret?.source == .file("/etc/shunt/old"))
        let mail = try channel(
            "kind: email, server: mail.example.com, from: a@b.c, to: [d@e.f, g@h.i], user: u, secret: \"env:P\", caFile: ca"
        )
        #expect(mail.mail?.port == 587 && mail.mail?.security == .starttls && mail.mail?.user == "u")
        #expect(mail.mail?.recipients == ["d@e.f", "g@h.i"] && mail.certificates?.text == "/etc/shunt/ca")
        #expect(try channel("kind: email, server: \"m:465\", from: a@b.c, to: d@e.f").mail?.security == .implicit)
        #expect(try channel("kind: email, server: \"[::1]:25\", from: a@b.c, to: d@e.f, tls: none").mail?.host == "::1")
    }

    static let broken: [Row<[String]>] = [
        Row("kind: slak, url: \"https://x\"", ["3:22", "the text \"slak\"", "did you mean slack"]),
        Row("url: \"https://x\"", ["3:5", "without the key \"kind\""]),
        Row("kind: slack", ["without the key \"url\"", "url or urlFile"]),
        Row("kind: pagerduty", ["without the key \"secret\"", "routing key"]),
        Row(
            "kind: slack, url: \"https://x\", secret: \"env:X\"",
            ["unknown key \"secret\" of a channel of the kind slack"]
        ),
        Row(
            "kind: webhook, url: \"https://x\", server: y",
            ["unknown key \"server\" of a channel of the kind webhook"]
        ),
        Row("kind: webhook, url: \"hooks.s3cret\"", ["3:36", "a text of 12 characters", "absolute http or https URL"]),
        Row("kind: webhook, url: \"ftp://s3cret\"", ["a text of 12 characters"]),
        Row("kind: webhook, url: \"https://s3cret/a b\"", ["a text of 18 characters"]),
        Row("kind: webhook, url: \"https://x\", secret: s3cret", ["3:57", "a text of 6 characters", "env:NAME"]),
        Row("kind: webhook, url: \"https://x\", secret: \"env:s3cret-!\"", ["a text of"]),
        Row(
            "kind: webhook, url: \"https://x\", secret: \"env:A\", secretFile: b",
            ["secret and secretFile", "one of them"]
        ),
        Row("kind: webhook, url: \"https://x\", urlFile: b", ["url and urlFile"]),
        Row("kind: webhook, url: \"https://x\", previousSecret: \"env:A\"", ["a previous secret without a secret"]),
        Row("kind: webhook, url: [\"https://x\"]", ["a list"]),
        Row("kind: alertmanager, url: []", ["an empty list"]),
        Row("kind: alertmanager, url: \"http://a\", language: fr", ["the text \"fr\"", "en and zh"]),
        Row("kind: alertmanager, url: \"http://a\", allowPrivate: yes", ["did you mean true"]),
        Row("kind: email, server: \"m:0\", from: a@b.c, to: d@e.f", ["the text \"m:0\"", "mail.example.com:587"]),
        Row("kind: email, server: \"m/x\", from: a@b.c, to: d@e.f", ["the text \"m/x\""]),
        Row("kind: email, server: m, from: \"Shunt <a@b.c>\", to: d@e.f", ["bare mail address", "did you mean a@b.c"]),
        Row("kind: email, server: m, from: \"a@b.c\\r\\nBcc: x@y.z\", to: d@e.f", ["bare mail address"]),
        Row("kind: email, server: m, from: a@b.c, to: []", ["an empty list"]),
        Row("kind: email, server: m, from: a@b.c, to: [d]", ["the text \"d\""]),
        Row("kind: email, server: m, from: a@b.c", ["without the key \"to\""]),
        Row("kind: email, server: m, from: a@b.c, to: d@e.f, user: u", ["a user without a password"]),
        Row("kind: email, server: m, from: a@b.c, to: d@e.f, secret: \"env:P\"", ["a password without a user"]),
        Row(
            "kind: email, server: m, from: a@b.c, to: d@e.f, user: u, secret: \"env:P\", tls: none",
            ["travel in the clear"]
        ),
        Row(
            "kind: webhook, url: \"https://x\", template: \"{titel}\"",
            ["unknown name {titel}", "did you mean {title}"]
        ),
        Row("kind: webhook, url: \"https://x\", template: \"{title\"", ["a brace without its other half"]),
    ]

    @Test(arguments: broken)
    func `what is wrong with a channel is named, and a secret isn't repeated`(row: Row<[String]>) {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try read("# a comment\nchannels:\n  - { name: a, \(row.name) }\n")
        }
        let text = error?.problems.map(\.description).joined(separator: "\n") ?? ""
        for part in row.value { #expect(text.contains(part), "\(text)") }
        #expect(!text.contains("s3cret"))
    }

    @Test(arguments: [
        ("links: { oder: \"https://x\" }", "did you mean order"),
        ("links: { order: \"https://x/{order}\" }", "unknown name {order}"),
        ("links: { order: \"x/{orderRef}\" }", "an http or https URL"),
        ("links: { trace: \"https://x/{traceId\" }", "a brace"),
        ("channels: { name: a }", "a list"),
        (
            "channels: [ { name: a, kind: slack, url: \"https://x\" }, { name: a, kind: slack, url: \"https://y\" } ]",
            "a second channel \"a\""
        ),
    ])
    func `what is wrong with links and lists is named`(text: String, part: String) {
        let error = #expect(throws: ConfigurationError.self) { _ = try read(text) }
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }
}

/// Channels that are ready to send.
@Suite struct ChannelTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ channel: String, file: String? = nil) throws -> [Channel] {
        if let file { try folder.write(Array(file.utf8), to: "secret") }
        let text = "channels:\n  - { name: a, \(channel) }\n"
        return try ConfigurationFile.read(Array(text.utf8), file: "\(folder.path)/shunt.yaml").openChannels()
    }

    private func problem(_ channel: String, file: String? = nil) throws -> String {
        do {
            _ = try open(channel, file: file)
            return ""
        } catch let error as ConfigurationError {
            return error.description
        }
    }

    private static let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test func `secrets are read with their white space taken off, and shown nowhere`() throws {
        let channel = try #require(
            try open(
                "kind: webhook, url: \"https://u:pw@example.com/T0/abcdefghijkl\", secretFile: secret",
                file: Self.key + "\n"
            )
            .first
        )
        #expect(channel.target == "https://example.com/…")
        let dialect = try #require(channel.dialect as? WebhookDialect)
        #expect(dialect.signature != nil)
        let said = "no \(Self.key) at https://u:pw@example.com/T0/abcdefghijkl, abcdefghijkl, u:pw"
        #expect(channel.mask.masked(said) == "no *** at ***, ***, ***")
        #expect("\(Secret("x")) \(String(reflecting: Secret("x")))" == "*** ***")
        var dumped = ""
        dump(PagerDutyDialect(routingKey: Secret("routing")), to: &dumped)
        #expect(!dumped.contains("routing\""))
    }

    @Test func `an address is read from a file as well`() throws {
        let channel = try #require(
            try open("kind: slack, urlFile: secret", file: "https://hooks.slack.com/services/T/B/X").first
        )
        #expect((channel.dialect as? SlackDialect)?.url == "https://hooks.slack.com/services/T/B/X")
        #expect(channel.target == "https://hooks.slack.com/…")
        #expect(channel.reach == .publicOnly)
    }

    @Test func `what can't be used is named with its place, and not repeated`() throws {
        let place = "\(folder.path)/shunt.yaml" + ":2:"
        let missing = try problem("kind: slack, urlFile: none")
        #expect(missing == "\(place)38 urlFile of the channel a: there is no such file")
        #expect(
            try problem("kind: slack, urlFile: secret", file: "s3cret").hasPrefix(
                "\(place)38 urlFile of the channel a: exp"
            )
        )
        #expect(try problem("kind: slack, urlFile: secret", file: " \n").hasSuffix("it's empty"))
        #expect(
            try problem("kind: slack, url: \"env:SHUNT_NOT_SET\"").hasSuffix("the variable SHUNT_NOT_SET isn't set")
        )
        let wrong = try problem("kind: webhook, url: \"https://x\", secretFile: secret", file: "s3cret")
        #expect(wrong.contains("expected whsec_") && !wrong.contains("s3cret"))
        let words = try problem("kind: pagerduty, secretFile: secret", file: "s3cret two")
        #expect(words.contains("expected one word") && !words.contains("s3cret"))
        let certificates = "kind: slack, url: \"https://x\", caFile: secret"
        #expect(
            try problem(certificates, file: "no PEM").hasSuffix("caFile of the channel a: expected certificates as PEM")
        )
        #expect(try problem("kind: slack, url: \"https://x\", caFile: none").hasSuffix("there is no such file"))
        #expect(try problem("kind: slack, url: \"https://x\", timeZone: Mars/Base").contains("found \"Mars/Base\""))
        #expect(
            try problem("kind: slack, url: \"https://x\", timeZone: ../../../etc/passwd").contains("timeZone of the")
        )
        #expect(try problem("kind: slack, url: \"https://x\", timeZone: Asia/Shanghai").isEmpty)
    }

    @Test func `all that is wrong is told at once`() throws {
        let text = """
            channels:
              - { name: a, kind: slack, urlFile: none }
              - { name: b, kind: slack, url: "env:SHUNT_NOT_SET" }
            """
        let configuration = try ConfigurationFile.read(Array(text.utf8), file: "\(folder.path)/shunt.yaml")
        let error = #expect(throws: ConfigurationError.self) { _ = try configuration.openChannels() }
        #expect(error?.description.split(separator: "\n").count == 2)
    }

    @Test func `a channel's own template tells the notice in its words`() throws {
        let channel = try #require(
            try open("kind: slack, url: \"https://x\", template: \"{{!}} {code} {count}\\nsince {since}\\n{facts}\"")
                .first
        )
        let (text, failure) = channel.text(of: NoticeSample.firing())
        #expect(failure == nil)
        #expect(text.title == "{!} verify/8771 132")
        #expect(text.lines.prefix(2) == ["since 19:08 UTC", "Where: 97 % are app 4.2.0 on iOS 17.4 (normally 11 %)"])
        #expect(text.links == NoticeSample.text(NoticeSample.firing()).links)
    }

    @Test(arguments: [
        ("{payers} hit", "{payers} isn't known of this notice"), (" \\n ", "{title} isn't known of this notice"),
    ])
    func `a template that fails falls back to the built-in text, and that is counted`(template: String, why: String)
        throws
    {
        let channel = try #require(try open("kind: slack, url: \"https://x\", template: \"\(template)\"").first)
        let notice = NoticeSample.firing { $0.failures.payers = nil }
        let (text, failure) = channel.text(of: notice)
        #expect(failure == why)
        #expect(text == NoticeText(notice, language: .english, zone: .utc))
        let metrics = Metrics()
        let report = DeliveryReport(verdict: .delivered, durationMs: 5, answer: "", templateFailure: failure)
        metrics.notified(report, channel: "a")
        #expect(metrics.snapshot.templateFailures == ["a": 1])
        #expect(metrics.snapshot.notifications[.init(channel: "a", outcome: "delivered")] == 1)
    }

    @Test func `a zone's clocks are those of its history`() throws {
        let shanghai = try #require(ZoneFile.read("Asia/Shanghai"))
        #expect(shanghai.clock(NoticeSample.at, now: NoticeSample.at) == "03:12 CST")
        let berlin = try #require(ZoneFile.read("Europe/Berlin"))
        // 2026-07-01T12:00:00Z and 2026-12-01T12:00:00Z.
        #expect(
            berlin.clock(.init(milliseconds: 1_782_907_200_000), now: .init(milliseconds: 1_782_907_200_000))
                == "14:00 CEST"
        )
        #expect(
            berlin.clock(.init(milliseconds: 1_796_126_400_000), now: .init(milliseconds: 1_796_126_400_000))
                == "13:00 CET"
        )
        // Another local day than today's has its date.
        #expect(
            shanghai.clock(NoticeSample.at.advanced(byMs: -4 * 3_600_000), now: NoticeSample.at)
                == "2026-11-29 23:12 CST"
        )
        #expect(ZoneFile.read("UTC") == .utc)
        for name in ["", "Mars/Base", "Asia", "../etc/passwd", "/etc/passwd", "zone.tab"] {
            #expect(ZoneFile.read(name) == nil)
        }
        #expect(ZoneFile.zone(Array("TZif2".utf8)) == nil)
    }
}
