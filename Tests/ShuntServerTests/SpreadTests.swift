import ShuntCore
import ShuntNative
import Testing

@testable import ShuntServer

/// Telling those who wait over a time, instead of all at once.
@Suite struct SpreadTests {
    @Test func `each of those who wait has its own time, from at once to the end of the spread`() throws {
        let server = try TestServer(spreadMs: 2_000)
        defer { server.stop() }
        var streams = try (0..<4).map { _ in try EventStream(port: server.port) }
        for index in streams.indices { _ = try streams[index].message() }
        let polls = (0..<4).map { _ in WaitingPoll(server.request("/v1/switches?after=1&waitSec=60")) }
        #expect(server.waitForParked(4))
        let beganNs = HTTPClock.nowNanoseconds
        #expect(try server.post("/v1/switches/apple-pay/trip", #"{"reason":"test"}"#).status == 200)
        // Whoever asks isn't put off.
        #expect(try server.get("/v1/switches").text.contains(#""version":2"#))
        #expect(try server.get("/v1/switches?after=1&waitSec=60").status == 200)
        #expect(HTTPClock.nowNanoseconds - beganNs < 1_000_000_000)
        // Streams have the first four of eight times, polls the others: 0, 250, 500, …, 1,750 ms.
        for index in streams.indices { #expect(try streams[index].message().hasSuffix(#""version":2}"#)) }
        #expect(HTTPClock.nowNanoseconds - beganNs >= 750_000_000)
        #expect(polls.allSatisfy { $0.answer()?.text.contains(#""version":2"#) == true })
        #expect(HTTPClock.nowNanoseconds - beganNs >= 1_750_000_000)
    }

    @Test func `those who wait for their time get the newest version`() throws {
        let server = try TestServer(spreadMs: 1_000)
        defer { server.stop() }
        var streams = try (0..<4).map { _ in try EventStream(port: server.port) }
        for index in streams.indices { _ = try streams[index].message() }
        #expect(try server.post("/v1/switches/apple-pay/trip", #"{"reason":"test"}"#).status == 200)
        #expect(try server.post("/v1/switches/apple-pay/restore", #"{"reason":"test"}"#).status == 200)
        var messages: [[String]] = []
        for index in streams.indices {
            messages.append([try streams[index].message()])
            while messages[index].last?.hasSuffix(#""version":3}"#) == false {
                messages[index].append(try streams[index].message())
            }
        }
        // The one that was told at once hears of both; the last one's time came after both.
        #expect(messages.contains { $0.count == 1 })
        #expect(messages.allSatisfy { $0.count <= 2 })
    }

    @Test func `a server that stops doesn't wait for their times`() throws {
        let server = try TestServer(spreadMs: 60_000)
        let polls = (0..<4).map { _ in WaitingPoll(server.request("/v1/switches?after=1&waitSec=60")) }
        #expect(server.waitForParked(4))
        let beganNs = HTTPClock.nowNanoseconds
        #expect(try server.post("/v1/switches/apple-pay/trip", #"{"reason":"test"}"#).status == 200)
        server.stop()
        #expect(polls.allSatisfy { $0.answer()?.status == 200 })
        #expect(HTTPClock.nowNanoseconds - beganNs < 10_000_000_000)
    }
}
