import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// `GET /v1/switches/stream` through the real server.
@Suite struct StreamTests {
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

    private func restore() throws {
        try #require(try server.post("/v1/switches/apple-pay/restore", #"{"reason":"test"}"#).status == 200)
    }

    private func waitForStreams(_ count: Int) -> Bool {
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        let signal = Signal()
        while server.board.streamCount != count, HTTPClock.nowNanoseconds < deadlineNs { signal.wait(timeoutMs: 2) }
        return server.board.streamCount == count
    }

    /// What a message of this version says, by the document that a poll gets.
    private func notice(_ environment: String = "production") throws -> String {
        let document = try server.get("/v1/switches?environment=\(environment)")
        let etag = try #require(document.header("ETag")).replacing("\"", with: "\\\"")
        let standing = server.board.standing(of: environment)
        let epoch = try #require(server.board.document(environment: environment)).document.epoch
        let data = #"{"type":"refetchEvaluation","etag":"\#(etag)","epoch":"\#(epoch)","version":\#(standing.version)}"#
        return "id: \(epoch)-\(standing.version)\nevent: message\ndata: \(data)"
    }

    @Test func `a stream begins with the present version, and goes on with each other`() throws {
        defer { server.stop() }
        var stream = try EventStream(port: server.port)
        #expect(stream.status == 200)
        for field in ["Content-Type: text/event-stream", "Cache-Control: no-store", "X-Accel-Buffering: no"] {
            #expect(stream.head.contains("\r\n\(field)"), "\(field)")
        }
        let greeting = try stream.message()
        let lines = greeting.split(separator: "\n", maxSplits: 1)
        let retryMs = try #require(Int(lines[0].dropFirst("retry: ".count)))
        #expect(SwitchesEndpoint.reconnectMs.contains(retryMs))
        #expect(String(lines[1]) == (try notice()))
        for _ in 0..<3 {
            try trip()
            #expect(try stream.message() == notice())
            try restore()
            #expect(try stream.message() == notice())
        }
        #expect(server.board.standing(of: "production").version == 7)
    }

    @Test func `clients are told different times to come back after`() throws {
        defer { server.stop() }
        var seen: Set<Substring> = []
        for _ in 0..<20 {
            var stream = try EventStream(port: server.port)
            if let line = try stream.message().split(separator: "\n").first { seen.insert(line) }
            _ = consume stream
            #expect(waitForStreams(0))
        }
        #expect(seen.count > 10)
    }

    @Test func `a stream hears of its own environment only`() throws {
        defer { server.stop() }
        var production = try EventStream(port: server.port)
        var sandbox = try EventStream(port: server.port, target: "/v1/switches/stream?environment=sandbox")
        _ = try production.message()
        _ = try sandbox.message()
        try trip("sandbox")
        #expect(try sandbox.message() == notice("sandbox"))
        #expect(try production.isSilent(forMs: 200))
        try trip()
        #expect(try production.message() == notice())
        #expect(try sandbox.isSilent(forMs: 200))
    }

    @Test func `whoever is told of a version can fetch it`() throws {
        defer { server.stop() }
        var streams = try (0..<4).map { _ in try EventStream(port: server.port) }
        for index in streams.indices { _ = try streams[index].message() }
        for round in 0..<30 {
            if round % 2 == 0 { try trip() } else { try restore() }
            for index in streams.indices {
                let message = try streams[index].message()
                #expect(message.hasSuffix(#""version":\#(round + 2)}"#))
                #expect(try server.get("/v1/switches").text.contains(#""version":\#(round + 2),"#))
            }
        }
    }

    @Test func `whoever connects while switches move is told of the last version`() throws {
        defer { server.stop() }
        let server = server
        let mover = WorkerThread {
            for round in 0..<100 {
                let action = round % 2 == 0 ? "trip" : "restore"
                _ = try? server.post("/v1/switches/apple-pay/\(action)", #"{"reason":"test"}"#)
            }
        }
        var streams: [EventStream] = []
        for _ in 0..<4 {
            streams.append(try EventStream(port: server.port))
            _ = try server.get("/v1/switches")
        }
        mover.join()
        let last = #""version":101}"#
        #expect(try notice().hasSuffix(last))
        for index in streams.indices {
            var message = try streams[index].message()
            while !message.hasSuffix(last) { message = try streams[index].message() }
            #expect(try streams[index].isSilent(forMs: 50))
        }
    }

    @Test func `other switches are news, though none moved`() throws {
        defer { server.stop() }
        var stream = try EventStream(port: server.port)
        _ = try stream.message()
        var rules = WriterParts.rules
        rules.switches.append(SwitchDefinition(key: "card", normalVariant: "form", degradedVariant: "hosted"))
        let submission = Submission(
            work: .configure(rules),
            receivedAtNs: HTTPClock.nowNanoseconds,
            responder: nil,
            reply: { _ in HTTPReply(status: 200) }
        )
        #expect(server.engine.submit(submission))
        #expect(try stream.message() == notice())
    }

    @Test func `when too many are open already, the next one is told to poll`() throws {
        defer { server.stop() }
        // Half of the eight that may wait.
        var streams = try (0..<4).map { _ in try EventStream(port: server.port) }
        let refused = try server.get("/v1/switches/stream")
        #expect(refused.status == 503)
        #expect(refused.text.contains(#""code":"tooManyStreams""#))
        #expect((5...15).contains(Int(refused.header("Retry-After") ?? "") ?? 0))
        // Polls may have the other half.
        let polls = (0..<4).map { _ in WaitingPoll(server.request("/v1/switches?after=1&waitSec=60")) }
        #expect(server.waitForParked(4))
        #expect(try server.get("/v1/switches?after=1&waitSec=60").status == 503)
        streams.removeLast()
        #expect(waitForStreams(3))
        let next = try EventStream(port: server.port)
        #expect(next.status == 200)
        try trip()
        #expect(polls.allSatisfy { $0.answer()?.status == 200 })
    }

    @Test(arguments: [
        Row("/v1/switches/stream?environment=", 400),
        Row("/v1/switches/stream?environment=\(String(repeating: "e", count: 65))", 400),
        Row("/v1/switches/stream/", 404),
    ])
    func `odd addresses are answered`(row: Row<Int>) throws {
        defer { server.stop() }
        #expect(try server.get(row.name).status == row.value)
        #expect(server.board.streamCount == 0)
    }

    @Test func `only a client that takes events gets a stream`() throws {
        defer { server.stop() }
        #expect(try server.get("/v1/switches/stream", headers: [("Accept", "application/json")]).status == 406)
        #expect(try server.post("/v1/switches/stream", "{}").status == 405)
        let stream = try EventStream(port: server.port, headers: [("Accept", "text/event-stream")])
        #expect(stream.status == 200)
    }

    @Test func `HEAD shows the fields, and keeps nothing open`() throws {
        defer { server.stop() }
        let socket = try HTTPRawSocket(port: server.port)
        socket.send("HEAD /v1/switches/stream HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = try socket.receiveAll()
        #expect(text.contains("Content-Type: text/event-stream\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
        #expect(waitForStreams(0))
    }

    @Test func `streams are counted while they are open, and by how they end`() throws {
        var staying = try EventStream(port: server.port)
        _ = try staying.message()
        var leaving: EventStream? = try EventStream(port: server.port)
        _ = try leaving?.message()
        #expect(waitForStreams(2))
        #expect(try server.get("/metrics").text.contains("\nshunt_streams 2\n"))
        leaving = nil
        #expect(waitForStreams(1))
        #expect(try server.get("/metrics").text.contains("\nshunt_streams_ended_total{reason=\"clientLeft\"} 1\n"))
        server.stop()
        #expect(try staying.rest() == "")
        #expect(server.board.streamCount == 0)
        #expect(server.parts.metrics.snapshot.streamsEnded == [.clientLeft: 1, .stopping: 1])
    }

    @Test func `long-polls are counted when they are woken, and when their time is over`() throws {
        defer { server.stop() }
        let polls = (0..<3).map { _ in WaitingPoll(server.request("/v1/switches?after=1&waitSec=60")) }
        #expect(server.waitForParked(3))
        #expect(server.parts.metrics.snapshot.polls == [:])
        try trip()
        #expect(polls.allSatisfy { $0.answer()?.status == 200 })
        #expect(server.parts.metrics.snapshot.polls == [200: 3])
        #expect(try server.get("/v1/switches?after=2&waitSec=1").status == 304)
        #expect(server.parts.metrics.snapshot.polls == [200: 3, 304: 1])
    }
}
