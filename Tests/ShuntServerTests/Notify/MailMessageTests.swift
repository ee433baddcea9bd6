import Foundation
import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// Mail as it goes on the wire.
@Suite struct MailMessageTests {
    private let dialect = EmailDialect(
        settings: MailSettings(
            host: "mail.example.com",
            port: 587,
            security: .starttls,
            sender: "shunt@example.com",
            recipients: ["a@example.com", "b@example.org"]
        )
    )

    private func mail(_ notice: Notice, in text: NoticeText? = nil) throws -> OutboundMail {
        let messages = dialect.messages(for: notice, in: text ?? NoticeSample.text(notice), at: NoticeSample.at)
        guard case .mail(let mail)? = messages.first else { throw CocoaError(.featureUnsupported) }
        return mail
    }

    /// The header's fields, unfolded, and the decoded body.
    private func parsed(_ mail: OutboundMail) throws -> (fields: [String: String], body: String) {
        let text = String(decoding: mail.message, as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 2)
        var fields: [String: String] = [:]
        for line in parts[0].replacingOccurrences(of: "\r\n ", with: " ").components(separatedBy: "\r\n") {
            let colon = try #require(line.firstIndex(of: ":"))
            let name = String(line[..<colon])
            #expect(fields[name] == nil, "\(name) twice")
            fields[name] = line[colon...].dropFirst(2).description
        }
        let data = try #require(Data(base64Encoded: parts[1].replacingOccurrences(of: "\r\n", with: "")))
        return (fields, String(decoding: data, as: UTF8.self))
    }

    @Test func `a mail has all that servers and readers want`() throws {
        let mail = try mail(NoticeSample.firing())
        let (fields, body) = try parsed(mail)
        #expect(mail.sender == "shunt@example.com" && mail.recipients == ["a@example.com", "b@example.org"])
        #expect(fields["Date"] == "Sun, 29 Nov 2026 19:12:07 +0000")
        #expect(fields["From"] == "Shunt <shunt@example.com>")
        #expect(fields["To"] == "a@example.com, b@example.org")
        #expect(fields["Auto-Submitted"] == "auto-generated")
        #expect(fields["Importance"] == "high")
        #expect(fields["Message-Id"]?.wholeMatch(of: /<shunt\.[0-9a-f]{32}@example\.com>/) != nil)
        #expect(
            body.replacingOccurrences(of: "\r\n", with: "\n") == NoticeSample.text(NoticeSample.firing()).plain + "\n"
        )
        let lines = String(decoding: mail.message, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && !$0.contains("\n") && !$0.contains("\r") })
    }

    @Test func `an alert's mails hang on one thread, and each has an identity of its own`() throws {
        let firing = try parsed(mail(NoticeSample.firing())).fields
        let again = try parsed(mail(NoticeSample.firing())).fields
        let resolved = try parsed(mail(NoticeSample.resolved())).fields
        let other = try parsed(mail(NoticeSample.firing { $0.alert?.id = "500-0" })).fields
        #expect(firing["References"] != nil && firing["References"] == firing["In-Reply-To"])
        #expect(firing["References"] == resolved["References"])
        #expect(firing["References"] != other["References"])
        #expect(firing["Message-Id"] != resolved["Message-Id"])
        #expect(firing["Message-Id"] == again["Message-Id"])
        let moved = try parsed(mail(NoticeSample.moved())).fields
        #expect(moved["References"] == nil)
    }

    @Test func `nothing from outside becomes a field`() throws {
        let notice = NoticeSample.firing { notice in
            notice.alert?.group = [.init(name: "error.code", value: "x\r\nBcc: evil@example.com\r\n\r\nhello")]
        }
        var text = NoticeSample.text(notice)
        // Even where a text came past the notice's own care.
        text.title = "x\r\nBcc: evil@example.com\r\n\r\nhello"
        let fields = try parsed(mail(notice, in: text)).fields
        #expect(fields["Bcc"] == nil)
        #expect(
            fields["Subject"] == "x Bcc: evil@example.com  hello"
                || fields["Subject"] == "x Bcc: evil@example.com hello"
        )
    }

    @Test(arguments: ["[严重] verify/8771：5 分钟内 132 笔支付失败 → apple-pay 已切换到 web", "→", String(repeating: "👍", count: 90)])
    func `a subject beyond ASCII is written in encoded words`(subject: String) throws {
        let encoded = MailMessage.encodedSubject(subject)
        var decoded = ""
        for word in encoded.components(separatedBy: "\r\n ") {
            #expect(word.utf8.count <= 75)
            let match = try #require(word.wholeMatch(of: /=\?UTF-8\?B\?([A-Za-z0-9+\/=]+)\?=/))
            let data = try #require(Data(base64Encoded: String(match.output.1)))
            // Each word is UTF-8 by itself: no character is cut.
            decoded += try #require(String(data: data, encoding: .utf8))
        }
        #expect(decoded == subject)
    }

    @Test func `what only looks like an encoded word is encoded`() {
        #expect(MailMessage.encodedSubject("plain [x]") == "plain [x]")
        #expect(!MailMessage.encodedSubject("=?UTF-8?B?eA==?=").contains("eA=="))
        #expect(MailMessage.encodedSubject(String(repeating: "x", count: 1000)).hasPrefix("=?UTF-8?B?"))
    }

    @Test func `dates are read as HTTP writes them`() {
        #expect(HTTPDate.time("Sun, 06 Nov 1994 08:49:37 GMT") == Timestamp(milliseconds: 784_111_777_000))
        for text in [
            "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT",
        ] {
            #expect(HTTPDate.time(text) == nil)
        }
        #expect(HTTPDate.mailDate(Timestamp(milliseconds: 784_111_777_000)) == "Sun, 06 Nov 1994 08:49:37 +0000")
        #expect(HTTPDate.mailDate(Timestamp(milliseconds: 0)) == "Thu, 01 Jan 1970 00:00:00 +0000")
    }
}
