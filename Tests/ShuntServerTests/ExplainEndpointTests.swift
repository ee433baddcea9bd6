import ShuntCore
import ShuntNative
import ShuntSchema
import Synchronization
import TestSupport
import Testing

@testable import ShuntServer

/// `GET /v1/explain` through the real server, and the looks that it asks the writer for.
@Suite struct ExplainEndpointTests {
    private func isObject(_ response: HTTPTransfer.Response) throws -> Bool {
        var document = JSONDocument()
        try document.parse(response.body)
        return document.kind(of: document.root) == .object
    }

    @Test func `an answer shows the count, the distance and what holds the rule back`() throws {
        let server = try TestServer()
        defer { server.stop() }
        #expect(try server.post("/v1/events", #"{"error":{"domain":"verify","code":"1"}}"#).status == 202)
        let reply = try server.get("/v1/explain?code=1")
        #expect(reply.status == 200)
        #expect(try isObject(reply))
        #expect(reply.text.contains(#""id":"burst""#) && reply.text.contains(#""id":"watch""#))
        #expect(reply.text.contains(#""count":1,"missing":2,"shared":true"#), "\(reply.text)")
        #expect(reply.text.contains(#""name":"belowThreshold""#))
        #expect(reply.text.contains("unknown, counted apart"))
        for _ in 0..<2 { _ = try server.post("/v1/events", #"{"error":{"domain":"verify","code":"1"}}"#) }
        let tripped = try server.get("/v1/explain?code=1&domain=verify&environment=production&stage=charge").text
        #expect(tripped.contains(#""decision":"tripped","version":2"#), "\(tripped)")
        #expect(tripped.contains(#""name":"alreadyDegraded""#))
        #expect(tripped.contains(#""matches":"no""#) && tripped.contains(#""name":"unmatched""#))
    }

    @Test(arguments: [
        Row("/v1/explain", "codeMissing"), Row("/v1/explain?domain=verify", "codeMissing"),
        Row("/v1/explain?code=", "invalidCode"), Row("/v1/explain?code=1%00", "invalidCode"),
        Row("/v1/explain?code=1&domain=", "invalidDomain"),
        Row("/v1/explain?code=\(String(repeating: "x", count: 201))", "invalidCode"),
        Row("/v1/explain?code=1&environment=", "invalidEnvironment"),
        Row("/v1/explain?code=1&environment=\(String(repeating: "x", count: 65))", "invalidEnvironment"),
        Row("/v1/explain?code=1&stage=Charge", "invalidStage"), Row("/v1/explain?code=1&stage=", "invalidStage"),
    ])
    func `a question that can't be read is refused by name`(row: Row<String>) throws {
        let server = try TestServer()
        defer { server.stop() }
        let reply = try server.get(row.name)
        #expect(reply.status == 400)
        #expect(reply.text.contains(#""code":"\#(row.value)""#), "\(reply.text)")
    }

    @Test func `a strange code comes back as it was asked`() throws {
        let server = try TestServer()
        defer { server.stop() }
        let reply = try server.get("/v1/explain?code=%22%0A%5C%C3%A4+%01")
        #expect(reply.status == 200)
        #expect(try isObject(reply))
        #expect(reply.text.contains(#""code":"\"\n\\ä \u0001""#), "\(reply.text)")
    }

    @Test func `it is answered while the journal can't be written, and nothing is journaled for it`() throws {
        let server = try TestServer()
        defer { server.stop() }
        _ = try server.post("/v1/events", #"{"error":{"code":"1"}}"#)
        let refusal = try server.parts.refuseInserts()
        #expect(try server.post("/v1/events", #"{"error":{"code":"1"}}"#).status == 503)
        let reply = try server.get("/v1/explain?code=1")
        #expect(reply.status == 200)
        #expect(reply.text.contains(#""count":1,"missing":2"#))
        try refusal.execute("DROP TRIGGER refusal")
        for _ in 0..<20 { _ = try server.get("/v1/explain?code=1") }
        // The founding and the rules come first; the writer's own try is a tick.
        #expect(try server.parts.inputs().dropFirst(2).allSatisfy { $0 == .tick || $0.isEvent })
        #expect(try server.parts.inputs().count { $0.isEvent } == 1)
    }

    // MARK: The writer

    @Test func `a look sees what it was queued with, and makes no commit`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        let seen = Seen()
        writer.process([seen.look])
        #expect(seen.counts == [0])
        #expect(parts.metrics.snapshot.commit.count == 0)
        let results = Results()
        writer.process([seen.look, results.submission([.failure(id: "a"), .failure(id: "b")]), seen.look])
        #expect(seen.counts == [0, 2, 2])
        #expect(results.successes.map(\.accepted) == [2])
        #expect(parts.metrics.snapshot.commit.count == 1)
        #expect(try parts.numbers() == [1, 2, 3, 4])
        try parts.expectReplayEquals(writer)
    }

    @Test func `a look beside events that can't be made durable sees the state without them`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        let seen = Seen()
        let refusal = try parts.refuseInserts()
        let results = Results()
        writer.process([results.submission([.failure(id: "a")]), seen.look])
        #expect(results.all.count == 1 && results.successes.isEmpty)
        writer.process([seen.look])
        #expect(seen.counts == [0, 0])
        try refusal.execute("DROP TRIGGER refusal")
        try parts.expectReplayEquals(writer)
    }

    @Test func `looks alone don't keep what is due from happening`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        writer.process([Results().submission((0..<3).map { .failure(id: "\($0)", environment: "watched") })])
        #expect(!parts.metrics.snapshot.openAlerts.isEmpty)
        let isDue = parts.waitUntilDue(&writer)
        #expect(isDue)
        writer.process([Seen().look])
        #expect(parts.metrics.snapshot.openAlerts.isEmpty)
        #expect(try parts.inputs().last == .tick)
        try parts.expectReplayEquals(writer)
    }
}

/// Looks at how many failures the first rule has counted in production.
private final class Seen: Sendable {
    private let found = Mutex<[Int]>([])

    var counts: [Int] { found.withLock { $0 } }

    var look: Submission {
        Results().submission(
            .look { [self] state, _ in
                found.withLock { $0.append(state.count(rule: "burst", group: ["production"])) }
                return HTTPReply(status: 204)
            }
        )
    }
}

extension Input {
    fileprivate var isEvent: Bool {
        if case .event = self { true } else { false }
    }
}
