import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// The vendors' signatures, by their published or computed vectors.
@Suite struct SignatureTests {
    @Test func `Feishu signs nothing with the time and the secret`() {
        #expect(
            FeishuDialect.signature(seconds: 100, secret: Secret("demo"))
                == "jquNHnVOwmDRfw+vqTIrY5dooJAgi5EcRtLsQE4wfXg="
        )
        #expect(
            FeishuDialect.signature(seconds: 1_599_360_473, secret: Secret("demo"))
                == "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8="
        )
    }

    @Test func `DingTalk signs the time and the secret with the secret, in the URL`() {
        let secret = Secret("this is secret")
        let expected = "hmPWwU+7lVdm3ZZz0r9tSfx0L4Q26jWOZr9+Gs6EZQM="
        #expect(DingTalkDialect.signature(milliseconds: 1_577_262_236_757, secret: secret) == expected)
        let dialect = DingTalkDialect(url: "https://oapi.dingtalk.com/robot/send?access_token=T", secret: secret)
        let notice = NoticeSample.firing()
        let at = Timestamp(milliseconds: 1_577_262_236_757)
        let messages = dialect.messages(for: notice, in: NoticeSample.text(notice), at: at)
        guard case .http(let request)? = messages.first else {
            Issue.record("no request")
            return
        }
        #expect(
            request.url == "https://oapi.dingtalk.com/robot/send?access_token=T&timestamp=1577262236757"
                + "&sign=hmPWwU%2B7lVdm3ZZz0r9tSfx0L4Q26jWOZr9%2BGs6EZQM%3D"
        )
    }

    private static let key = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let signed = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private func value(_ secrets: String...) -> String? {
        WebhookSignature(secrets: secrets.map { Secret($0) })?.value(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8)
        )
    }

    @Test func `Standard Webhooks sign identity, time and body`() {
        #expect(value(Self.key) == Self.signed)
        #expect(value("whsec_" + Self.key) == Self.signed)
    }

    @Test func `while receivers change keys there are two signatures`() {
        let other = "whsec_" + Base64.text([UInt8](repeating: 7, count: 32))
        let both = value(Self.key, other)
        #expect(both?.hasPrefix(Self.signed + " v1,") == true)
        #expect(both?.split(separator: " ").count == 2)
        #expect(value("\(Self.key)\n\(other)") == both)
    }

    @Test(arguments: ["whsec_c2hvcnQ=", "not base64!", "whsec_", Base64.text([UInt8](repeating: 1, count: 65))])
    func `a key of the wrong form is none`(secret: String) {
        #expect(value(secret) == nil)
        #expect(value(Self.key, secret) == nil)
    }

    @Test func `a webhook's identity stays and its time is the try's`() {
        let dialect = WebhookDialect(
            url: "https://example.com",
            signature: WebhookSignature(secrets: [Secret(Self.key)])
        )
        let notice = NoticeSample.firing()
        let text = NoticeSample.text(notice)
        func headers(at time: Timestamp) -> [String: String] {
            guard case .http(let request)? = dialect.messages(for: notice, in: text, at: time).first else { return [:] }
            return Dictionary(request.headers.map { ($0.name, $0.value) }) { one, _ in one }
        }
        let first = headers(at: NoticeSample.at)
        let second = headers(at: NoticeSample.at.advanced(byMs: 5000))
        #expect(first["webhook-id"] == "412-0")
        #expect(second["webhook-id"] == "412-0")
        #expect(first["webhook-timestamp"] == "1795979527")
        #expect(second["webhook-timestamp"] == "1795979532")
        #expect(first["webhook-signature"] != second["webhook-signature"])
    }

    @Test func `one incident is one key, whatever changes while it fires`() {
        let key = IncidentKey.text(of: NoticeSample.firing())
        let expected = #"["error-code-burst","environment","production","error.code","8771","error.domain","verify"]"#
        #expect(key == Digest.sha256(Array(expected.utf8)).hexadecimal)
        #expect(IncidentKey.text(of: NoticeSample.resolved()) == key)
        let grown = NoticeSample.firing { notice in
            notice.failures.count = 500
            notice.happening = .reminder
            notice.at = notice.at.advanced(byMs: 1)
            notice.alert?.id = "999-1"
            notice.alert?.severity = .warning
        }
        #expect(IncidentKey.text(of: grown) == key)
        #expect(IncidentKey.text(of: NoticeSample.firing { $0.environment = "sandbox" }) != key)
        #expect(IncidentKey.text(of: NoticeSample.firing { $0.isTest = true }) != key)
        #expect(IncidentKey.text(of: NoticeSample.firing { $0.alert?.rule = "other" }) != key)
    }
}
