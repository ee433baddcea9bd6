import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// Polls and long-polls through the real server.
@Suite struct PollTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
    }

    private func trip(_ environment: String = "production") throws {
        let response = try server.post(
            "/v1/switches/apple-pay/trip",
            #"{"reason":"test","scope":{"environment":"\#(environment)"}}"#
        )
        try #require(response.status == 200)
    }

    @Test func `a poll is answered with a document, and again with 304`() throws {
        defer { server.stop() }
        let first = try server.get("/v1/switches")
        #expect(first.status == 200)
        let etag = try #require(first.header("ETag"))
        #expect(try server.get("/v1/switches", headers: [("If-None-Match", etag)]).status == 304)
        try trip()
        let moved = try server.get("/v1/switches", headers: [("If-None-Match", etag)])
        #expect(moved.status == 200)
        #expect(moved.text.contains(#""variant":"web""#))
        let values = server.parts.metrics.snapshot
        #expect(values.polls == [200: 2, 304: 1])
    }

    @Test(arguments: [
        Row("/v1/switches?after=1", 304), Row("/v1/switches?after=0", 200),
        Row("/v1/switches?after=99&waitSec=30", 200),
        Row("/v1/switches?after=18446744073709551615&waitSec=1", 200),
        Row("/v1/switches/apple-pay?after=0&waitSec=60", 200),
        Row("/v1/switches?after=1&waitSec=0", 304), Row("/v1/switches?after=-1", 400), Row("/v1/switches?after=x", 400),
        Row("/v1/switches?after=18446744073709551616", 400), Row("/v1/switches?waitSec=5", 400),
        Row("/v1/switches?after=1&waitSec=-1", 400), Row("/v1/switches?after=1&waitSec=1.5", 400),
        Row("/v1/switches?after=0&waitSec=9223372036854775807", 200),
        Row("/v1/switches?after=0&waitSec=9223372036854775808", 400), Row("/v1/switches?after=&waitSec=", 400),
        Row("/v1/switches?environment=", 400),
        Row("/v1/switches?environment=\(String(repeating: "e", count: 64))", 200),
        Row("/v1/switches?environment=\(String(repeating: "e", count: 65))", 400), Row("/v1/switches/none", 404),
        Row("/v1/switches/none?after=1&waitSec=9", 404), Row("/v1/switches/apple-pay?region=CN", 200),
    ])
    func `odd queries are answered at once`(row: Row<Int>) throws {
        defer { server.stop() }
        #expect(try server.get(row.name).status == row.value)
        #expect(server.board.parkedCount == 0)
        #expect(server.parts.metrics.snapshot.polls == [row.value: 1])
    }

    @Test func `long-polls wait until their own environment moves`() throws {
        defer { server.stop() }
        let polls = (0..<4).map { _ in WaitingPoll(server.request("/v1/switches?after=1&waitSec=60")) }
        let single = WaitingPoll(server.request("/v1/switches/apple-pay?after=1&waitSec=60"))
        let other = WaitingPoll(server.request("/v1/switches?environment=sandbox&after=1&waitSec=60"))
        #expect(server.waitForParked(6))
        try trip("test")
        #expect(server.board.parkedCount == 6)
        try trip("production")
        for poll in polls + [single] {
            let answer = try #require(poll.answer())
            #expect(answer.status == 200)
            #expect(answer.text.contains(#""version":3"#))
        }
        #expect(server.board.parkedCount == 1)
        try trip("sandbox")
        #expect(other.answer()?.text.contains(#""version":4"#) == true)
    }

    @Test func `when too many wait already, the next one is told to come without waiting`() throws {
        defer { server.stop() }
        let polls = (0..<8).map { _ in WaitingPoll(server.request("/v1/switches?after=1&waitSec=60")) }
        #expect(server.waitForParked(8))
        let refused = try server.get("/v1/switches?after=1&waitSec=60")
        #expect(refused.status == 503)
        #expect(refused.header("Retry-After") == "5")
        #expect(try server.get("/v1/switches").status == 200)
        try trip()
        #expect(polls.allSatisfy { $0.answer()?.status == 200 })
    }

    @Test func `a long-poll gets its own switch`() throws {
        defer { server.stop() }
        let poll = WaitingPoll(server.request("/v1/switches/apple-pay?after=1&waitSec=60"))
        #expect(server.waitForParked(1))
        try trip()
        let answer = try #require(poll.answer())
        #expect(answer.body == (try server.get("/v1/switches/apple-pay")).body)
    }

    @Test func `a long-poll whose time is over is 304, and is forgotten`() throws {
        defer { server.stop() }
        let answer = try server.get("/v1/switches?after=1&waitSec=1")
        #expect(answer.status == 304)
        #expect(answer.header("ETag") != nil)
        #expect(server.waitForParked(0))
    }

    @Test func `a server that stops answers those who wait`() throws {
        let poll = WaitingPoll(server.request("/v1/switches?after=1&waitSec=60"))
        #expect(server.waitForParked(1))
        server.stop()
        #expect(poll.answer()?.status == 304)
        #expect(server.board.parkedCount == 0)
    }

    @Test func `polls race with moves, and none is left waiting for a version that was passed`() throws {
        defer { server.stop() }
        let server = server
        for round in 0..<20 {
            let version = UInt64(1 + round)
            let poll = WaitingPoll(server.request("/v1/switches?after=\(version)&waitSec=60"))
            let action = round % 2 == 0 ? "trip" : "restore"
            let response = try server.post("/v1/switches/apple-pay/\(action)", #"{"reason":"race"}"#)
            #expect(response.status == 200)
            let answer = try #require(poll.answer())
            #expect(answer.status == 200)
            #expect(answer.text.contains("\"version\":\(version + 1),"))
        }
    }

    @Test func `the event that crosses is answered when polls show it`() throws {
        defer { server.stop() }
        for number in 0..<3 {
            let before = try server.get("/v1/switches").text
            #expect(before.contains("native"))
            let answer = try server.post("/v1/events", #"{"eventId":"\#(number)","error":{"code":"8771"}}"#)
            #expect(answer.status == 202)
            let version = number == 2 ? 2 : 1
            let pollAfterSec = number == 2 ? 15 : 60
            #expect(
                answer.text == #"{"accepted":1,"duplicates":0,"rejected":[],"late":0,"#
                    + #""switchVersion":\#(version),"pollAfterSec":\#(pollAfterSec)}"#
            )
        }
        #expect(try server.get("/v1/switches").text.contains("web"))
    }

    @Test func `two moves in one group are one publication`() throws {
        let held = try TestServer(startsEngine: false)
        defer { held.stop() }
        let results = Results()
        for action in [SwitchCommand.Action.trip, .restore, .trip] {
            let scope = Scope(environment: "production")
            let command = SwitchCommand(action: action, key: "apple-pay", scope: scope, actor: "a", reason: "r")
            #expect(held.engine.submit(results.submission(.command(command))))
        }
        let poll = WaitingPoll(held.request("/v1/switches?after=1&waitSec=60"))
        #expect(held.waitForParked(1))
        held.engine.start()
        let answer = try #require(poll.answer())
        #expect(answer.text.contains(#""version":4"#))
        #expect(results.wait(for: 3))
    }

    @Test func `a full queue refuses with a time to come back`() throws {
        let held = try TestServer(startsEngine: false)
        defer { held.stop() }
        let filler = (0..<Engine.maximumQueuedEvents).map { _ in PaymentEvent(outcome: .succeeded) }
        #expect(held.engine.submit(Results().submission(filler)))
        for answer in [
            try held.post("/v1/events", #"{"error":{"code":"1"}}"#),
            try held.post("/v1/switches/apple-pay/trip", #"{"reason":"r"}"#),
        ] {
            #expect(answer.status == 503)
            #expect(answer.header("Retry-After") == "1")
            #expect(answer.text.contains(#""code":"overloaded""#))
        }
        held.engine.start()
    }

    @Test func `readiness says what is wrong, and that it is over`() throws {
        defer { server.stop() }
        #expect(try server.get("/readyz").status == 200)
        let refusal = try server.parts.refuseInserts()
        let refused = try server.post("/v1/events", #"{"error":{"code":"1"}}"#)
        #expect(refused.status == 503)
        #expect(refused.text.contains(#""code":"notDurable""#))
        let signal = Signal()
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        while try server.get("/readyz").status == 200, HTTPClock.nowNanoseconds < deadlineNs {
            signal.wait(timeoutMs: 5)
        }
        let unready = try server.get("/readyz")
        #expect(unready.status == 503)
        #expect(unready.text.contains("the last commit failed"))
        // Polls go on.
        #expect(try server.get("/v1/switches").status == 200)
        try refusal.execute("DROP TRIGGER refusal")
        while try server.get("/readyz").status != 200, HTTPClock.nowNanoseconds < deadlineNs {
            signal.wait(timeoutMs: 5)
        }
        #expect(try server.get("/readyz").status == 200)
    }

    @Test(arguments: [
        Row(#"{"reason":"r","scope":{"region":"CN"}}"#, 200), Row(#"{"reason":"r","scope":null}"#, 200),
        Row("{}", 422), Row(#"{"reason":""}"#, 422), Row(#"{"reason":5}"#, 422), Row("[]", 422), Row("{", 400),
        Row(#"{"reason":"r","scope":[]}"#, 422), Row(#"{"reason":"r","scope":{"shoe":"42"}}"#, 422),
        Row(#"{"reason":"r","scope":{"region":5}}"#, 422), Row(#"{"reason":"r","scope":{"region":""}}"#, 422),
        Row(#"{"reason":"r","scope":{"environment":"\#(String(repeating: "e", count: 65))"}}"#, 422),
    ])
    func `a command needs a reason and a scope that makes sense`(row: Row<Int>) throws {
        defer { server.stop() }
        #expect(try server.post("/v1/switches/apple-pay/trip", row.name).status == row.value)
        if row.value == 200 {
            #expect(try server.post("/v1/switches/apple-pay/trip", row.name).status == 409)
        }
    }
}
