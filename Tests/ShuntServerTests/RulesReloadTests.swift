import Foundation
import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// Rules that are read again while the daemon runs, through the real server.
@Suite struct RulesReloadTests {
    private let server: TestServer
    private let alerts: URL

    init() throws {
        server = try TestServer()
        alerts = URL(fileURLWithPath: "\(server.parts.folder.path)/rules/alerts")
        try FileManager.default.createDirectory(at: alerts, withIntermediateDirectories: true)
    }

    private func write(threshold: Int, name: String = "burst.yaml") throws {
        let text = """
            rules:
              - id: burst
                description: burst
                groupBy: [error.code]
                count: events
                threshold: \(threshold)
                window: 1m
                alert: { severity: critical, resolveBelow: 1, holdFor: 1s }
                trip: { switch: apple-pay, scope: [environment] }

            """
        try Data(text.utf8).write(to: alerts.appendingPathComponent(name))
    }

    private func report(_ times: Int) throws {
        for _ in 0..<times {
            #expect(try server.post("/v1/events", #"{"error":{"code":"1"}}"#).status == 202)
        }
    }

    private func variant() throws -> String {
        let text = try server.get("/v1/switches/apple-pay").text
        return text.contains(#""variant":"web""#) ? "web" : "native"
    }

    @Test func `new rules are in force when the reload is answered`() throws {
        defer { server.stop() }
        try write(threshold: 5)
        let reply = try server.post("/v1/rules/reload", "")
        #expect(reply.status == 200)
        #expect(reply.text == #"{"changed":true,"rules":1,"switches":1}"#)
        try report(4)
        #expect(try variant() == "native")
        try report(1)
        #expect(try variant() == "web")
        let list = try server.get("/v1/rules").text
        #expect(list.contains(#""id":"burst""#) && list.contains(#""threshold":5"#))
    }

    @Test func `the same rules again change nothing, and what was counted stays`() throws {
        defer { server.stop() }
        try write(threshold: 5)
        _ = try server.post("/v1/rules/reload", "")
        try report(4)
        let seq = server.parts.metrics.snapshot.lastSeq
        #expect(try server.post("/v1/rules/reload", "").text.contains(#""changed":false"#))
        #expect(server.parts.metrics.snapshot.lastSeq == seq)
        try report(1)
        #expect(try variant() == "web")
    }

    @Test func `files with problems keep the rules in force, and everybody says so`() throws {
        defer { server.stop() }
        try write(threshold: 5)
        _ = try server.post("/v1/rules/reload", "")
        try write(threshold: 0)
        let reply = try server.post("/v1/rules/reload", "")
        #expect(reply.status == 422)
        #expect(reply.text.contains(#""code":"rulesInvalid""#))
        #expect(reply.text.contains("burst.yaml") && reply.text.contains(#""line":6"#))
        let ready = try server.get("/readyz")
        #expect(ready.status == 200)
        #expect(ready.text.contains("the last reload failed"))
        #expect(try server.get("/metrics").text.contains("shunt_rules_last_reload_successful 0"))
        #expect(try server.get("/v1/rules").text.contains(#""lastReloadSuccessful":false"#))
        try report(5)
        #expect(try variant() == "web")
        try write(threshold: 6)
        #expect(try server.post("/v1/rules/reload", "").status == 200)
        #expect(try server.get("/metrics").text.contains("shunt_rules_last_reload_successful 1"))
    }

    @Test func `other switches answer every poll that waits, and the next one waits again`() throws {
        defer { server.stop() }
        try write(threshold: 5)
        _ = try server.post("/v1/rules/reload", "")
        let polls = ["production", "sandbox", "unheard-of"].map {
            WaitingPoll(server.request("/v1/switches?environment=\($0)&after=1&waitSec=60"))
        }
        #expect(server.waitForParked(3))
        let switches = """
            switches:
              - key: apple-pay
                variants: { normal: native, degraded: web }
              - key: google-pay
                variants: { normal: native, degraded: web }

            """
        let file = alerts.deletingLastPathComponent().appendingPathComponent("switches.yaml")
        try Data(switches.utf8).write(to: file)
        #expect(try server.post("/v1/rules/reload", "").text.contains(#""changed":true"#))
        for poll in polls {
            let answer = try #require(poll.answer())
            #expect(answer.status == 200)
            #expect(answer.text.contains(#""version":2"#) && answer.text.contains("google-pay"))
        }
        // The version is the present one everywhere now: who has it waits, in whatever environment.
        for number in 0..<(Board.maximumCalmEnvironments + 2) {
            let reply = try server.get("/v1/switches?environment=calm-\(number)&after=2&waitSec=0")
            #expect(reply.status == 304)
        }
        let again = WaitingPoll(server.request("/v1/switches?environment=unheard-of&after=2&waitSec=60"))
        #expect(server.waitForParked(1))
        #expect(
            try server.post("/v1/events", #"{"error":{"code":"1"},"environment":"unheard-of"}"#).text.contains(
                #""switchVersion":2"#
            )
        )
        server.stop()
        #expect(again.answer()?.status == 304)
    }

    @Test func `a folder that is gone takes no rules away`() throws {
        defer { server.stop() }
        try write(threshold: 5)
        _ = try server.post("/v1/rules/reload", "")
        try FileManager.default.removeItem(at: alerts.deletingLastPathComponent())
        let reply = try server.post("/v1/rules/reload", "")
        #expect(reply.status == 422)
        #expect(reply.text.contains(#""code":"rulesMissing""#))
        try report(5)
        #expect(try variant() == "web")
    }

    @Test func `a file that changed is noticed by itself`() throws {
        defer { server.stop() }
        try write(threshold: 5)
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        while try !server.get("/v1/rules").text.contains(#""threshold":5"#), HTTPClock.nowNanoseconds < deadlineNs {}
        #expect(try server.get("/v1/rules").text.contains(#""threshold":5"#))
    }

    @Test func `many who ask at once are all answered`() throws {
        defer { server.stop() }
        try write(threshold: 5)
        let waiting = (0..<6).map { _ in WaitingPoll(server.request("/v1/rules/reload", body: "")) }
        #expect(waiting.allSatisfy { $0.answer()?.status == 200 })
    }
}
