import ShuntNative
import TestSupport
import Testing

/// Slow clients: the library would keep a connection for ever that sends a byte now and then.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerDeadlineTests {
    /// Sends a byte every 20 ms until the server closes, and gives what it said and how long it took.
    private static func drip(_ text: String, on socket: HTTPRawSocket) throws -> (answer: String, took: Duration) {
        let start = ContinuousClock.now
        var answer: [UInt8] = []
        for byte in text.utf8 {
            socket.send([byte])
            if let more = try? socket.receive(withinMs: 20) {
                if more.isEmpty { break }
                answer += more
            }
        }
        return (String(decoding: answer, as: UTF8.self), ContinuousClock.now - start)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let start: String
        let drip: String
        let status: Int?

        init(_ name: String, _ start: String, drip: String, status: Int?) {
            testDescription = name
            self.start = start
            self.drip = drip
            self.status = status
        }
    }

    static let rows = [
        Row("request line", "", drip: "GET /" + String(repeating: "a", count: 500), status: nil),
        Row("fields", "GET / HTTP/1.1\r\nHost: a\r\nX-A: ", drip: String(repeating: "a", count: 500), status: 408),
        Row(
            "body",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n",
            drip: String(repeating: "a", count: 500),
            status: 408
        ),
        Row(
            "chunked body",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
            drip: String(repeating: "1\r\na\r\n", count: 100),
            status: 408
        ),
        Row(
            "trailer",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: ",
            drip: String(repeating: "a", count: 500),
            status: 408
        ),
    ]

    @Test(arguments: rows) func `a client that drips is closed at the deadline`(_ row: Row) async throws {
        try await withHTTPServer(configure: { $0.requestDeadlineMs = 400 }) { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send(row.start)
            let (answer, took) = try Self.drip(row.drip, on: socket)
            if let status = row.status {
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            } else {
                #expect(answer.isEmpty)
            }
            #expect(took > .milliseconds(300) && took < .seconds(3))
            #expect(application.served.isEmpty)
            while server.connectionCount > 0 { await Task.yield() }
            #expect(server.bufferedBodyBytes == 0)
        }
    }

    @Test(arguments: rows) func `so is one that drips its second request`(_ row: Row) async throws {
        try await withHTTPServer(configure: {
            $0.requestDeadlineMs = 400
            $0.idleTimeoutMs = 600
        }) { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            var reader = HTTPServerReplyReader(socket)
            socket.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try reader.next().status == 200)
            socket.send(row.start)
            let (answer, took) = try Self.drip(row.drip, on: socket)
            if let status = row.status { #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)") }
            #expect(took < .seconds(3))
            #expect(application.served == ["/first"])
        }
    }

    @Test func `a request that takes its time within the deadline is served`() async throws {
        try await withHTTPServer(configure: { $0.requestDeadlineMs = 5000 }) { server, _ in
            let socket = try HTTPRawSocket(port: server.port)
            let (answer, _) = try Self.drip("GET / HTTP/1.1\r\nHost: a\r\n\r\n", on: socket)
            let rest = try socket.receive(withinMs: 1000) ?? []
            #expect((answer + String(decoding: rest, as: UTF8.self)).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `an idle connection is closed, and not before its time`() async throws {
        try await withHTTPServer(configure: { $0.idleTimeoutMs = 300 }) { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            for _ in 0..<3 {
                reader.socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try reader.next().status == 200)
                #expect(try reader.socket.receive(withinMs: 100) == nil)
            }
            let start = ContinuousClock.now
            #expect(try reader.isAtEnd())
            #expect(ContinuousClock.now - start < .seconds(2))
        }
    }

    @Test func `a connection that says nothing is closed`() async throws {
        try await withHTTPServer(configure: { $0.requestDeadlineMs = 200 }) { server, _ in
            let socket = try HTTPRawSocket(port: server.port)
            #expect(try socket.receiveAll().isEmpty)
        }
    }

    @Test func `a client that doesn't read its reply is closed`() async throws {
        try await withHTTPServer(configure: { $0.replyDeadlineMs = 300 }) { server, _ in
            let socket = try HTTPRawSocket(port: server.port, receiveBufferBytes: 4096)
            socket.send(String(repeating: "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", count: 10))
            while server.connectionCount == 0 { await Task.yield() }
            let start = ContinuousClock.now
            while server.connectionCount > 0 { await Task.yield() }
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }

    /// With its buffer full of a chunk's extension the library asks for a turn at once, and again, and again.
    @Test func `an endless chunk extension neither spins nor outlives the deadline`() async {
        // In a process of its own, whose processor time is nobody else's.
        await #expect(processExitsWith: .success) {
            try await withHTTPServer(configure: { $0.requestDeadlineMs = 1000 }) { server, _ in
                let socket = try HTTPRawSocket(port: server.port)
                socket.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;")
                socket.send(Array(repeating: 0x61, count: 100_000))
                let before = processorTimeMs()
                let answer = try socket.receiveAll()
                let spent = processorTimeMs() - before
                guard answer.hasPrefix("HTTP/1.1 4"), spent < 200 else {
                    throw HTTPRawSocket.Failure(description: "\(spent) ms, \(answer)")
                }
            }
        }
    }
}
