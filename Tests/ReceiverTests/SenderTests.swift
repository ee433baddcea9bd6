import Foundation
import ShuntNative
import Testing

@testable import ShuntServer

extension Receivers {
    /// Sending over HTTP, to a server that answers as the vendors do, and fails as they do.
    @Suite struct SenderTests {
        private static let webhookKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

        /// Each kind with the answer that means success, and how its channel is written.
        private static let kinds: [(name: String, keys: String, answer: VendorServer.Answer)] = [
            ("webhook", "", .reply(204, "")), ("alertmanager", "", .reply(200, "")),
            ("alertmanagerWebhook", "", .reply(200, "")), ("slack", "", .reply(200, "ok")),
            ("pagerduty", ", secretFile: secret", .reply(202, #"{"status":"success"}"#)),
            ("feishu", ", secretFile: secret", .reply(200, #"{"code":0,"msg":"success"}"#)),
            ("dingtalk", ", secretFile: secret", .reply(200, #"{"errcode":0,"errmsg":"ok"}"#)),
            ("wecom", "", .reply(200, #"{"errcode":0,"errmsg":"ok"}"#)),
        ]

        private func send(
            _ kind: String,
            _ server: VendorServer,
            allowPrivate: Bool = true,
            path: String = "/hook"
        ) throws -> DeliveryReport {
            let folder = try ReceiverFolder()
            _ = try folder.write("0123456789abcdef0123456789abcdef", to: "secret")
            let keys = Self.kinds.first { $0.name == kind }?.keys ?? ""
            let line = "kind: \(kind), url: \"\(server.url)\(path)\"\(keys), allowPrivate: \(allowPrivate)"
            return Sample.sender.send(Sample.firing(), through: try Sample.channel(line, in: folder))
        }

        @Test(arguments: kinds.map(\.name))
        func `what the vendor takes is delivered, and its failures are to be tried again`(kind: String) throws {
            let good = try #require(Self.kinds.first { $0.name == kind }).answer
            let server = try VendorServer(
                good,
                .reply(500, "oops"),
                .reply(429, "slow down", ["Retry-After": "17"]),
                .close,
                .reply(200, String(repeating: "x", count: 100_000)),
                .reply(302, "", ["Location": "http://169.254.169.254/latest/meta-data"])
            )
            defer { server.stop() }
            #expect(try send(kind, server).verdict == .delivered)
            for answer in ["500", "429"] {
                guard case .retry(let afterMs, nil, let reason) = try send(kind, server).verdict else {
                    Issue.record("\(answer) isn't tried again")
                    continue
                }
                #expect(reason.contains(answer))
                #expect(afterMs == (answer == "429" ? 17_000 : nil))
            }
            for what in ["a closed connection", "a flood"] {
                guard case .retry = try send(kind, server).verdict else {
                    Issue.record("\(what) isn't tried again")
                    continue
                }
            }
            let redirected = try send(kind, server).verdict
            // A webhook's receiver gets a few more tries where it says that the request is wrong, but not for this.
            guard case .refused(let reason, _) = redirected else {
                Issue.record("\(redirected)")
                return
            }
            #expect(reason.contains("redirects aren't followed"))
            #expect(server.requests.count == 6)
        }

        @Test(arguments: [
            ("feishu", #"{"code":19024,"msg":"Key Words Not Found"}"#),
            ("dingtalk", #"{"errcode":310000,"errmsg":"keywords not in content"}"#),
            ("wecom", #"{"errcode":93000,"errmsg":"invalid webhook url"}"#),
        ])
        func `200 with an error in the body isn't success`(kind: String, body: String) throws {
            let server = try VendorServer(.reply(200, body))
            defer { server.stop() }
            let report = try send(kind, server)
            guard case .refused(let reason, _) = report.verdict else {
                Issue.record("\(report.verdict)")
                return
            }
            #expect(body.contains(reason.split(separator: " ").last ?? ""))
        }

        @Test func `a receiver that says nothing is given up on in time`() throws {
            let server = try VendorServer(.hang)
            defer { server.stop() }
            let report = try send("slack", server)
            guard case .retry(nil, nil, let reason) = report.verdict else {
                Issue.record("\(report.verdict)")
                return
            }
            #expect(reason.contains("timed out"))
            #expect((2500...6000).contains(report.durationMs))
        }

        @Test(arguments: kinds.map(\.name))
        func `an address of this machine is refused before a connection unless the channel allows it`(kind: String)
            throws
        {
            let server = try VendorServer(.reply(200, "ok"))
            defer { server.stop() }
            let report = try send(kind, server, allowPrivate: false)
            guard case .refused(let reason, channelIsDead: false) = report.verdict else {
                Issue.record("\(report.verdict)")
                return
            }
            #expect(reason.hasPrefix("127.0.0.1 is an address of this machine"))
            #expect(reason.contains("allowPrivate"))
            #expect(server.connections == 0)
        }

        @Test func `what a receiver repeats of a secret isn't shown`() throws {
            let path = "/services/T0/B0/abcdefghijklmnop"
            let server = try VendorServer(.reply(404, "no_service abcdefghijklmnop \(path)"))
            defer { server.stop() }
            let report = try send("slack", server, path: path)
            #expect(report.answer == "HTTP 404: no_service *** /services/T0/B0/***")
            #expect(report.verdict.reason?.contains("abcdefghijklmnop") == false)
        }

        @Test func `of two Alertmanagers one may be away`() throws {
            let server = try VendorServer(.reply(200, ""))
            let gone = try VendorServer(.close)
            gone.stop()
            defer { server.stop() }
            let channel = try Sample.channel(
                "kind: alertmanager, url: [\"\(gone.url)\", \"\(server.url)\"], allowPrivate: true"
            )
            let report = Sample.sender.send(Sample.firing(), through: channel)
            #expect(report.verdict == .delivered)
            #expect(server.requests.map(\.line) == ["POST /api/v2/alerts HTTP/1.1"])
        }

        @Test func `a certificate counts where the channel trusts it, and nothing is sent where it doesn't`() throws {
            let folder = try ReceiverFolder()
            try folder.makeCertificate()
            let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "https_receiver.py").path
            let server = try ReceiverProcess(
                "python3",
                ["-B", script, "\(folder.path)/ca.pem", "\(folder.path)/key.pem"]
            )
            try Bell.shared.wait(for: "the server") { !server.lines.isEmpty }
            let port = try #require(server.lines.first)
            func send(_ host: String, _ keys: String) throws -> DeliveryVerdict {
                let line = "kind: slack, url: \"https://\(host):\(port)/hook\", allowPrivate: true\(keys)"
                return Sample.sender.send(Sample.firing(), through: try Sample.channel(line, in: folder)).verdict
            }
            guard case .retry(_, _, let reason) = try send("127.0.0.1", "") else {
                Issue.record("the certificate is believed")
                return
            }
            #expect(reason.contains("certificate"), "\(reason)")
            #expect(try send("127.0.0.1", ", caFile: ca.pem") == .delivered)
            try Bell.shared.wait(for: "the request in the server's own words") { server.lines.count > 1 }
            #expect(server.lines == [port, "/hook"], "\(server.output)")
        }

        @Test func `a webhook arrives signed, with the same identity at every try`() throws {
            let server = try VendorServer(.reply(500, ""), .reply(200, ""))
            defer { server.stop() }
            let folder = try ReceiverFolder()
            _ = try folder.write(Self.webhookKey, to: "secret")
            let line = "kind: webhook, url: \"\(server.url)/\", secretFile: secret, allowPrivate: true"
            let channel = try Sample.channel(line, in: folder)
            let notice = Sample.firing()
            _ = Sample.sender.send(notice, through: channel)
            #expect(Sample.sender.send(notice, through: channel).verdict == .delivered)
            let requests = server.requests
            #expect(requests.map { $0.fields["webhook-id"] } == ["412-0", "412-0"])
            #expect(requests[0].body == requests[1].body)
            for request in requests {
                let time = try #require(request.fields["webhook-timestamp"].flatMap { Int64($0) })
                let key = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
                let signed = Array("412-0.\(time).\(request.body)".utf8)
                let expected = Data(Digest.hmacSHA256(key: Array(key), signed).bytes).base64EncodedString()
                #expect(request.fields["webhook-signature"] == "v1,\(expected)")
                #expect(request.fields["content-type"] == "application/json")
            }
        }
    }

    /// `shunt channels`.
    @Suite struct ChannelsCommandTests {
        private static let executable = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "shunt").path

        private func shunt(_ arguments: String..., configuration: String) throws -> (
            status: Int32, output: String
        ) {
            let folder = try ReceiverFolder()
            let file = try folder.write(configuration, to: "shunt.yaml")
            return try ReceiverProcess.run(
                Self.executable,
                ["channels"] + arguments + ["--config", file],
                environment: ["SHUNT_TEST_HOOK": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
            )
        }

        private func configuration(_ server: VendorServer) -> String {
            """
            channels:
              - { name: oncall, kind: webhook, url: "\(server.url)/s3cret-in-the-path", secret: "env:SHUNT_TEST_HOOK", allowPrivate: true }
              - { name: chat, kind: feishu, url: "\(server.url)/x", allowPrivate: true, language: zh }
            """
        }

        @Test func `a test is sent for real, and its outcome is told`() throws {
            let server = try VendorServer(.reply(200, "thanks\nand more"), .reply(410, "s3cret-in-the-path is gone"))
            defer { server.stop() }
            let good = try shunt("test", "oncall", configuration: configuration(server))
            #expect(good.status == 0)
            #expect(
                good.output.wholeMatch(of: /oncall: delivered in \d+ ms\n  answer:   HTTP 200: thanks\n/) != nil,
                "\(good.output)"
            )
            let request = try #require(server.requests.first)
            #expect(request.fields["webhook-signature"]?.hasPrefix("v1,") == true)
            #expect(request.body.contains(#""test":true"#) && request.body.contains("[test]"))
            let dead = try shunt("test", "oncall", "--json", configuration: configuration(server))
            #expect(dead.status == 1)
            #expect(dead.output.contains(#""verdict":"dead","reason":"HTTP 410: *** is gone""#), "\(dead.output)")
        }

        @Test func `the list shows whom channels tell and no secret`() throws {
            let server = try VendorServer(.close)
            server.stop()
            let list = try shunt("list", configuration: configuration(server))
            #expect(list.status == 0)
            #expect(list.output == "oncall  webhook  en  \(server.url)/…\nchat    feishu   zh  \(server.url)/…\n")
        }

        @Test func `what can't be used ends with the status of a wrong configuration`() throws {
            let wrong = "channels: [ { name: a, kind: slack, urlFile: nothing } ]"
            let list = try shunt("list", configuration: wrong)
            #expect(list.status == 78)
            #expect(
                list.output.contains("shunt.yaml:1:46 urlFile of the channel a: there is no such file"),
                "\(list.output)"
            )
            #expect(try shunt("test", "a", configuration: wrong).status == 78)
            let unknown = try shunt(
                "test",
                "oncal",
                configuration: "channels: [ { name: oncall, kind: slack, url: \"https://x\" } ]"
            )
            #expect(unknown.status == 1)
            #expect(unknown.output.contains("did you mean oncall?"))
            #expect(try shunt("test", configuration: "").status == 2)
        }

        @Test func `a daemon whose channel has no secret doesn't start`() throws {
            let folder = try ReceiverFolder()
            let file = try folder.write("channels: [ { name: a, kind: slack, urlFile: nothing } ]", to: "shunt.yaml")
            let arguments = ["serve", "--config", file, "--data", "\(folder.path)/data", "--listen", "127.0.0.1:0"]
            let daemon = try ReceiverProcess.run(Self.executable, arguments)
            #expect(daemon.status == 78)
            #expect(daemon.output.contains("urlFile of the channel a: there is no such file"), "\(daemon.output)")
        }
    }
}
