import Foundation
import ShuntNative
import Testing

@testable import ShuntServer

extension Receivers {
    /// Mail to a real server: aiosmtpd, from PyPI.
    @Suite struct MailTests {
        /// A mail as the server took it.
        private struct Mail: Decodable {
            var sender: String
            var recipients: [String]
            var message: String
            var isEncrypted: Bool
            var user: String?

            func field(_ name: String) -> String? {
                message.components(separatedBy: "\r\n").first { $0.hasPrefix("\(name): ") }?
                    .dropFirst(name.count + 2).description
            }
        }

        private struct Running {
            let process: ReceiverProcess
            let folder: ReceiverFolder
            let port: Int

            /// - Parameter mode: `starttls`, `implicit` or `plain`.
            init(_ mode: String, login: [String] = []) throws {
                folder = try ReceiverFolder()
                let tests = URL(filePath: #filePath).deletingLastPathComponent()
                let root = tests.deletingLastPathComponent().deletingLastPathComponent()
                let python = root.appending(path: ".build/receivers/bin/python").path
                guard FileManager.default.isExecutableFile(atPath: python) else {
                    throw ReceiverError(description: "there is no \(python); make receivers installs the mail server")
                }
                try folder.makeCertificate()
                _ = try folder.write("right", to: "password")
                _ = try folder.write("wrong", to: "wrong")
                let script = tests.appending(path: "smtp_receiver.py").path
                let arguments = ["-B", script, mode, "\(folder.path)/ca.pem", "\(folder.path)/key.pem"] + login
                let process = try ReceiverProcess(python, arguments)
                self.process = process
                try Bell.shared.wait(for: "the mail server") { !process.lines.isEmpty }
                guard let port = process.lines.first.flatMap({ Int($0) }) else {
                    throw ReceiverError(description: process.output)
                }
                self.port = port
            }

            func channel(_ keys: String, to: String = "oncall@example.com", from: String = "shunt@example.com") throws
                -> Channel
            {
                let line =
                    "kind: email, server: \"127.0.0.1:\(port)\", from: \(from), to: [\(to)], allowPrivate: true\(keys)"
                return try Sample.channel(line, in: folder)
            }

            func mails() throws -> [Mail] {
                // The server's warnings share the stream.
                try process.lines.filter { $0.hasPrefix("{") }.map {
                    try JSONDecoder().decode(Mail.self, from: Data($0.utf8))
                }
            }
        }

        private static func reason(_ report: DeliveryReport, isRetry: Bool) -> String {
            switch report.verdict {
            case .retry(_, _, let reason) where isRetry: reason
            case .refused(let reason, _) where !isRetry: reason
            default: "unexpected: \(report.verdict)"
            }
        }

        @Test func `mail is handed in by STARTTLS with a login, one thread an alert`() throws {
            let server = try Running("starttls", login: ["shunt", "right"])
            let channel = try server.channel(", user: shunt, secretFile: password, caFile: ca.pem, language: zh")
            let notice = Sample.firing()
            let report = Sample.sender.send(notice, through: channel)
            #expect(report.verdict == .delivered)
            #expect(report.answer == "250 2.0.0 Taken as 4711")
            #expect(Sample.sender.send(Sample.resolved(notice), through: channel).verdict == .delivered)
            try Bell.shared.wait(for: "two mails") { try server.mails().count == 2 }
            let mails = try server.mails()
            for mail in mails {
                #expect(mail.isEncrypted && mail.user == "shunt")
                #expect(mail.sender == "shunt@example.com" && mail.recipients == ["oncall@example.com"])
            }
            #expect(mails[0].field("References") != nil)
            #expect(mails[0].field("References") == mails[1].field("References"))
            #expect(mails[0].field("Message-Id") != mails[1].field("Message-Id"))
            let parts = mails[0].message.components(separatedBy: "\r\n\r\n")
            let body = try #require(Data(base64Encoded: parts[1].replacingOccurrences(of: "\r\n", with: "")))
            let text = String(decoding: body, as: UTF8.self)
            #expect(text.hasPrefix("[严重] verify/8771：5 分钟内 132 笔支付失败\r\n影响 97 人"))
        }

        @Test func `mail is handed in by TLS from the first byte`() throws {
            let server = try Running("implicit")
            let channel = try server.channel(", tls: implicit, caFile: ca.pem")
            #expect(Sample.sender.send(Sample.firing(), through: channel).verdict == .delivered)
            try Bell.shared.wait(for: "the mail") { try server.mails().count == 1 }
            #expect(try server.mails()[0].isEncrypted)
        }

        @Test func `a certificate that nobody vouches for gets no mail`() throws {
            let server = try Running("starttls")
            let report = Sample.sender.send(Sample.firing(), through: try server.channel(""))
            #expect(Self.reason(report, isRetry: true).lowercased().contains("certificate"))
            #expect(try server.mails().isEmpty)
        }

        @Test func `a server without STARTTLS gets no mail unless the channel says so`() throws {
            let server = try Running("plain")
            let report = Sample.sender.send(Sample.firing(), through: try server.channel(""))
            #expect(Self.reason(report, isRetry: true).contains("STARTTLS"), "\(report.verdict)")
            #expect(try server.mails().isEmpty)
            let open = try server.channel(", tls: none")
            #expect(Sample.sender.send(Sample.firing(), through: open).verdict == .delivered)
            try Bell.shared.wait(for: "the mail") { try server.mails().count == 1 }
            #expect(try !server.mails()[0].isEncrypted)
        }

        @Test func `4yz is tried again, 5yz isn't, and both tell what the server said`() throws {
            let server = try Running("starttls")
            func send(_ to: String) throws -> DeliveryReport {
                Sample.sender.send(Sample.firing(), through: try server.channel(", caFile: ca.pem", to: to))
            }
            let later = try send("later@example.com")
            #expect(Self.reason(later, isRetry: true).contains("451 4.2.1 The mailbox is being moved"), "\(later)")
            let never = try send("never@example.com")
            #expect(Self.reason(never, isRetry: false).contains("550 5.1.1 There is no such mailbox"), "\(never)")
            #expect(try send("never@example.com, oncall@example.com").verdict == .delivered)
            try Bell.shared.wait(for: "the mail") { try server.mails().count == 1 }
            #expect(try server.mails()[0].recipients == ["oncall@example.com"])
        }

        @Test func `a wrong password kills the channel and isn't shown`() throws {
            let server = try Running("starttls", login: ["shunt", "right"])
            let channel = try server.channel(", user: shunt, secretFile: wrong, caFile: ca.pem")
            let report = Sample.sender.send(Sample.firing(), through: channel)
            guard case .refused(let reason, channelIsDead: true) = report.verdict else {
                Issue.record("\(report.verdict)")
                return
            }
            #expect(reason.contains("535"))
        }

        @Test func `a server that says nothing, hangs up or isn't there is tried again`() throws {
            let silent = try VendorServer(.hang)
            defer { silent.stop() }
            func send(_ port: UInt16) throws -> DeliveryReport {
                let line = "kind: email, server: \"127.0.0.1:\(port)\", from: a@b.c, to: d@e.f, allowPrivate: true"
                let sender = ChannelSender(connectTimeoutMs: 1000, timeoutMs: 1000, mailTimeoutMs: 1500)
                return sender.send(Sample.firing(), through: try Sample.channel(line))
            }
            let report = try send(silent.port)
            #expect(Self.reason(report, isRetry: true).contains("timed out"), "\(report.verdict)")
            #expect(report.durationMs < 5000)
            let gone = try VendorServer(.close)
            gone.stop()
            #expect(Self.reason(try send(gone.port), isRetry: true).contains("connect"))
        }

        @Test func `a private mail server is refused unless the channel allows it`() throws {
            let server = try VendorServer(.hang)
            defer { server.stop() }
            let line = "kind: email, server: \"127.0.0.1:\(server.port)\", from: a@b.c, to: d@e.f"
            let report = Sample.sender.send(Sample.firing(), through: try Sample.channel(line))
            #expect(Self.reason(report, isRetry: false).contains("127.0.0.1 is an address of this machine"))
            #expect(server.connections == 0)
        }
    }
}
