import ShuntNative
import Testing

/// Requests that wait for an answer from another thread.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerParkingTests {
    private static let park = "GET /park HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let after = "GET /after HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let done = HTTPReply(status: 200, body: Array("done".utf8))

    @Test func `a reply from another thread arrives at once`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            for _ in 0..<20 {
                reader.socket.send(Self.park)
                let responder = try #require(await parked.next())
                let start = ContinuousClock.now
                responder.complete(Self.done)
                #expect(try reader.next().body == "done")
                #expect(ContinuousClock.now - start < .milliseconds(200))
            }
        }
    }

    @Test func `thousands of parked requests are answered by one call`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var readers: [HTTPServerReplyReader] = []
            for _ in 0..<3000 {
                readers.append(HTTPServerReplyReader(try HTTPRawSocket(port: server.port)))
                readers[readers.count - 1].socket.send(Self.park)
            }
            var completions: [(responder: HTTPResponder, reply: HTTPReply)] = []
            for _ in 0..<3000 { completions.append((try #require(await parked.next()), Self.done)) }
            #expect(Set(completions.map(\.responder)).count == 3000)
            HTTPResponder.complete(completions)
            for index in readers.indices { #expect(try readers[index].next().body == "done") }
            // And the connections are as good as new.
            for reader in readers { reader.socket.send(Self.after) }
            for index in readers.indices { #expect(try readers[index].next().body == "get /after [] 0") }
        }
    }

    @Test func `a reply that comes before the request is parked is sent`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            for _ in 0..<50 {
                reader.socket.send("GET /completedEarly HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try reader.next().body == "early")
            }
        }
    }

    @Test func `only the first of several replies counts`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.park + Self.park)
            let first = try #require(await parked.next())
            first.complete(Self.done)
            first.complete(HTTPReply(status: 500))
            #expect(try reader.next().body == "done")
            // The second request of the connection isn't touched by the handle of the first.
            let second = try #require(await parked.next())
            #expect(first != second)
            first.complete(HTTPReply(status: 500))
            second.complete(HTTPReply(status: 200, body: Array("second".utf8)))
            #expect(try reader.next().body == "second")
        }
    }

    @Test func `a pipelined request waits behind a parked one`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.park + Self.after)
            let responder = try #require(await parked.next())
            #expect(application.served == ["/park"])
            responder.complete(Self.done)
            #expect(try reader.next().body == "done")
            #expect(try reader.next().body == "get /after [] 0")
        }
    }

    @Test func `a parked request gets its time-out reply, and its connection goes on`() async throws {
        try await withHTTPServer(parkMs: 100) { server, application in
            var endings = application.endings.makeAsyncIterator()
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            let start = ContinuousClock.now
            reader.socket.send(Self.park + Self.after)
            #expect(try reader.next().status == 304)
            #expect(ContinuousClock.now - start >= .milliseconds(100))
            #expect(await endings.next() == .deadline)
            #expect(try reader.next().status == 200)
        }
    }

    @Test(arguments: [false, true]) func `a client that leaves is noticed`(_ isReset: Bool) async throws {
        try await withHTTPServer(configure: { $0.parkedCheckIntervalSec = 1 }) { server, application in
            var parked = application.parked.makeAsyncIterator()
            var endings = application.endings.makeAsyncIterator()
            // One that stays, so that leaving is told from staying.
            var staying = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            staying.socket.send(Self.park)
            let stayingResponder = try #require(await parked.next())
            var leaving: HTTPRawSocket? = try HTTPRawSocket(port: server.port)
            leaving?.send(Self.park)
            let left = try #require(await parked.next())
            if isReset { leaving?.resetWhenClosed() }
            let start = ContinuousClock.now
            leaving = nil
            #expect(await endings.next() == .clientLeft)
            #expect(ContinuousClock.now - start < .seconds(5))
            left.complete(Self.done)
            while server.connectionCount > 1 { await Task.yield() }
            stayingResponder.complete(Self.done)
            #expect(try staying.next().body == "done")
        }
    }

    @Test func `a parked request outlives the deadline of a request`() async throws {
        try await withHTTPServer(configure: {
            $0.requestDeadlineMs = 100
            $0.idleTimeoutMs = 100
            $0.parkedCheckIntervalSec = 1
        }) { server, application in
            var parked = application.parked.makeAsyncIterator()
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.park)
            let responder = try #require(await parked.next())
            // Longer than all deadlines and a check for clients that have left.
            #expect(try reader.socket.receive(withinMs: 1300) == nil)
            responder.complete(Self.done)
            #expect(try reader.next().body == "done")
        }
    }
}
