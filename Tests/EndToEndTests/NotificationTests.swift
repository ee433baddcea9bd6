import Foundation
import Testing

/// Alerts that reach people: the real daemon, and receivers beside it.
@Suite(.serialized) struct `Telling people` {
    /// Writes a configuration whose channels are these lines, and says how to serve with it.
    private func arguments(_ folder: TemporaryFolder, _ channels: String...) throws -> [String] {
        _ = try folder.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", to: "hook.key")
        let text = "channels:\n" + channels.map { "  - { \($0) }\n" }.joined()
        return ["--config", try folder.write(text, to: "shunt.yaml")]
    }

    private func hook(_ url: String) -> String {
        "name: hook, kind: webhook, url: \"\(url)\", secretFile: ./hook.key, allowPrivate: true"
    }

    private func chat(_ url: String) -> String {
        "name: chat, kind: slack, url: \"\(url)\", allowPrivate: true"
    }

    private let isPage: @Sendable (Receiver.Message) -> Bool = { message in
        message.type.hasPrefix("payments.alert.") && message.data["alert"].map { "\($0)" }?.contains("burst") ?? false
    }

    @Test func `an outage is one page in each channel, and a try that failed is the same one again`() async throws {
        let receiver = try Receiver { _, before in before == 0 ? (500, "not now") : (200, "") }
        let slack = try Receiver()
        let folder = try TemporaryFolder()
        let channels = try arguments(folder, hook(receiver.url), chat(slack.url))
        try await withDaemon(on: folder, arguments: channels) { daemon in
            try await daemon.report(SampleEvent.failures(1...99))
            #expect(await receiver.settled(where: isPage).isEmpty)
            try await daemon.report(SampleEvent.failures(100...100))
            let tries = try await receiver.messages(2, where: isPage)
            // More of the same is no news.
            try await daemon.report(SampleEvent.failures(101...250))
            let pages = await receiver.settled(where: isPage)
            #expect(pages.count == 2, "\(pages.map(\.title))")
            #expect(tries[0].id == tries[1].id && !tries[0].id.isEmpty)
            #expect(tries[0].body == tries[1].body)
            let page = tries[1]
            #expect(page.type == "payments.alert.firing")
            #expect((page.data["switch"] as? [String: Any])?["decision"] as? String == "tripped")
            #expect(page.title.hasPrefix("[critical] verify/8771: 100 payments failing in 5 min → "), "\(page.title)")
            #expect(page.title.hasSuffix("payers now go to web"), "\(page.title)")
            let impact = try #require(page.lines.first)
            #expect(impact.hasPrefix("100 payers · ¥39,900.00 failed · since "), "\(impact)")
            #expect(impact.contains(" UTC ("), "\(impact)")

            let told = try await slack.messages(1) { $0.text.contains("8771: 100 payments") }
            #expect(told.count == 1, "\(slack.all.map(\.text))")
            let lines = told[0].text.components(separatedBy: "\n")
            #expect(lines.prefix(2) == [page.title, impact])
        }
    }

    @Test func `the last message says what it cost in all, and what the other route saved`() async throws {
        let slack = try Receiver()
        let folder = try TemporaryFolder()
        let rules = """
            rules:
              - id: burst
                description: a burst
                groupBy: [error.domain, error.code]
                threshold: 20
                window: 3s
                alert: { severity: critical, resolveBelow: 1, holdFor: 1s }
                trip: { switch: apple-pay, scope: [environment] }
            """
        let alerts = folder.url.appending(path: "rules/alerts")
        try FileManager.default.createDirectory(at: alerts, withIntermediateDirectories: true)
        _ = try folder.write(rules, to: "rules/alerts/burst.yaml")
        var arguments = try arguments(folder, chat(slack.url))
        arguments += ["--rules", folder.path("rules")]
        try await withDaemon(on: folder, arguments: arguments) { daemon in
            try await daemon.report(SampleEvent.failures(1...20))
            _ = try await slack.messages(1) { $0.text.contains("20 payments failing") }
            // Ten more fail on the way, and thirty pay on the web.
            try await daemon.report(SampleEvent.failures(21...30))
            try await daemon.report(
                SampleEvent.failures(1...30, series: "web") { event in
                    event.outcome = "succeeded"
                    event.route = "web"
                }
            )
            try await daemon.restore()
            let last = try await slack.messages(1) { $0.text.contains("[resolved]") }
            let line = last[0].text.components(separatedBy: "\n")[0]
            #expect(line.contains("30 failed (¥11,970.00)"), "\(line)")
            #expect(line.contains("about 30 payments saved by the other route"), "\(line)")
        }
    }

    @Test func `a kill right after the trip pages nobody twice`() async throws {
        let receiver = try Receiver()
        let folder = try TemporaryFolder()
        let channels = try arguments(folder, hook(receiver.url))
        let daemon = try await RunningDaemon.start(on: folder, arguments: channels)
        do {
            try await daemon.report(SampleEvent.failures(1...100))
            _ = try await receiver.messages(1, where: isPage)
            // What the answer made of the row must be on disk: before that the page is in doubt, and may come again.
            let id = try await alert(on: daemon)
            try await delivery(of: id, is: "delivered", on: daemon)
        } catch {
            try? await daemon.crash()
            throw error
        }
        try await daemon.crash()
        try await withDaemon(on: folder, arguments: channels) { daemon in
            try await daemon.report(SampleEvent.failures(101...120))
            let pages = await receiver.settled(where: isPage)
            #expect(pages.count == 1)
            #expect(try await daemon.variant() == "web")
        }
    }

    @Test(arguments: [0, 1, 5, 20])
    func `a page that nobody took before a kill arrives after it, once`(_ milliseconds: Int) async throws {
        let port = try Receiver.freePort()
        let folder = try TemporaryFolder()
        let channels = try arguments(folder, hook("http://127.0.0.1:\(port)/"))
        let daemon = try await RunningDaemon.start(on: folder, arguments: channels)
        do {
            try await daemon.report(SampleEvent.failures(1...100))
        } catch {
            try? await daemon.crash()
            throw error
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            daemon.child.signal(SIGKILL)
        }
        _ = try await daemon.child.end(withinSeconds: 20)
        let receiver = try Receiver(port: port)
        try await withDaemon(on: folder, arguments: channels) { _ in
            _ = try await receiver.messages(1, where: isPage)
            let pages = await receiver.settled(where: isPage)
            #expect(pages.map(\.type) == ["payments.alert.firing"])
        }
    }

    @Test func `a silence keeps a page from going out, and its end tells at once`() async throws {
        let receiver = try Receiver()
        let folder = try TemporaryFolder()
        try await withDaemon(on: folder, arguments: arguments(folder, hook(receiver.url))) { daemon in
            let words = ["error.code=8771", "--for", "2h", "--comment", "renewal", "--url", daemon.url]
            let added = try await ChildProcess.run(["silence", "add"] + words)
            #expect(added.end == .exit(0), "\(added.errors)")
            try await daemon.report(SampleEvent.failures(1...100))
            // A silence quiets people: the payers are moved all the same.
            #expect(try await daemon.variant() == "web")
            _ = try await receiver.messages(1) { $0.type == "payments.switch.moved" }
            let titles = await receiver.settled { $0.title.contains("8771: ") }.map(\.title)
            #expect(titles.isEmpty)
            let list = try await ChildProcess.run(["silence", "list", "--url", daemon.url])
            let name = try #require(list.output.split(whereSeparator: \.isWhitespace).first)
            let expired = try await ChildProcess.run(["silence", "expire", String(name), "--url", daemon.url])
            #expect(expired.end == .exit(0), "\(expired.errors)")
            let first = try await receiver.messages(1, withinSeconds: 3, where: isPage)
            #expect(first[0].title.contains("verify/8771: "))
            let pages = await receiver.settled(where: isPage)
            #expect(pages.count == 1)
        }
    }

    // MARK: Drills

    @Test func `a drill goes the whole way and moves no payer`() async throws {
        let receiver = try Receiver()
        let slack = try Receiver()
        let folder = try TemporaryFolder()
        let channels = try arguments(folder, hook(receiver.url), chat(slack.url))
        try await withDaemon(on: folder, arguments: channels) { daemon in
            let before = try await daemon.document()
            let drill = try await ChildProcess.run(["drill", "--url", daemon.url, "--timeout", "20"])
            #expect(drill.end == .exit(0), "\(drill.output)\(drill.errors)")
            let lines = drill.output.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(drill.output)")
            for hop in ["intake ", "alert ", "switch ", "  hook ", "  chat "] {
                #expect(lines.contains { $0.hasPrefix(hop) }, "\(hop): \(drill.output)")
            }
            #expect(drill.output.contains("error-code-burst"))
            #expect(drill.output.contains("every channel has it"))

            let after = try await daemon.document()
            #expect(after.version == before.version)
            #expect(after.applePay?.variant == "native")
            #expect(receiver.all.allSatisfy { $0.data["test"] as? Bool == true })
            #expect(!receiver.all.isEmpty && !slack.all.isEmpty)
            for title in receiver.all.map(\.title) + slack.all.map(\.text) {
                #expect(title.lowercased().contains("drill") || title.contains("TEST"), "\(title)")
            }
        }
    }

    @Test func `a drill says which channel hasn't it, and why`() async throws {
        let receiver = try Receiver()
        let refusing = try Receiver { _, _ in (404, "no_service") }
        let folder = try TemporaryFolder()
        let channels = try arguments(folder, hook(receiver.url), chat(refusing.url))
        try await withDaemon(on: folder, arguments: channels) { daemon in
            let drill = try await ChildProcess.run(["drill", "--url", daemon.url, "--timeout", "20"])
            #expect(drill.end == .exit(1), "\(drill.output)\(drill.errors)")
            #expect(drill.output.contains("not every channel has it"))
            #expect(drill.output.contains("  chat      refused"), "\(drill.output)")
            #expect(drill.output.contains("HTTP 404: no_service"), "\(drill.output)")
            #expect(drill.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(drill.output)")
        }
    }

    // MARK: Asking

    private struct List: Decodable {
        struct Alert: Decodable {
            let id: String
            let rule: String
        }
        let alerts: [Alert]
    }

    private struct Shown: Decodable {
        struct Notification: Decodable { let state: String }
        let notifications: [Notification]
    }

    private func alert(on daemon: RunningDaemon) async throws -> String {
        let list: List = try await daemon.client.get("/v1/alerts").decode()
        return try #require(list.alerts.first { $0.rule == "error-code-burst" }).id
    }

    private func delivery(of id: String, is state: String, on daemon: RunningDaemon) async throws {
        let end = Date(timeIntervalSinceNow: 10)
        while Date() < end {
            let shown: Shown = try await daemon.client.get("/v1/alerts/\(id)").decode()
            if shown.notifications.first?.state == state { return }
        }
        throw Receiver.TooFew(description: "the alert \(id) has no delivery that is \(state)")
    }
}
