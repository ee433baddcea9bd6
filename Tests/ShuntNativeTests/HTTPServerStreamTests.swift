import ShuntNative
import Testing

/// Replies that go on.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerStreamTests {
    private static func chunk(_ text: String) -> HTTPStreamChunk { HTTPStreamChunk(Array(text.utf8)) }

    private static func push(_ text: String, to responders: HTTPResponder...) {
        HTTPResponder.deliver(responders.map { HTTPDelivery($0, .chunk(chunk(text))) })
    }

    @Test func `the head and the first chunk come at once, the others as they are pushed`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var reader = try HTTPServerStreamReader(port: server.port)
            let head = try reader.head()
            #expect(head.hasPrefix("HTTP/1.1 200 OK\n"))
            #expect(head.contains("Content-Type: text/event-stream\n"))
            #expect(head.contains("Transfer-Encoding: chunked\n"))
            #expect(head.contains("Connection: close\n"))
            #expect(!head.contains("Content-Length"))
            #expect(try reader.chunk() == "first;")
            let responder = try #require(await parked.next())
            for number in 0..<200 {
                let start = ContinuousClock.now
                Self.push("chunk \(number);", to: responder)
                #expect(try reader.chunk() == "chunk \(number);")
                #expect(ContinuousClock.now - start < .milliseconds(500))
            }
            // A reply isn't for streams.
            responder.complete(HTTPReply(status: 500))
            Self.push("last;", to: responder)
            #expect(try reader.chunk() == "last;")
        }
    }

    @Test func `a chunk that is pushed before the stream is there comes behind the first`() async throws {
        try await withHTTPServer { server, _ in
            for _ in 0..<50 {
                var reader = try HTTPServerStreamReader(port: server.port, target: "/pushedEarly")
                _ = try reader.head()
                #expect(try reader.chunk() == "first;")
                #expect(try reader.chunk() == "early;")
            }
        }
    }

    @Test func `thousands of streams and parked requests are told by one call`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var deliveries: [HTTPDelivery] = []
            var streams: [HTTPServerStreamReader] = []
            for _ in 0..<1000 {
                streams.append(try HTTPServerStreamReader(port: server.port))
                deliveries.append(HTTPDelivery(try #require(await parked.next()), .chunk(Self.chunk("news;"))))
            }
            var polls: [HTTPServerReplyReader] = []
            let reply = HTTPReply(status: 200, body: Array("news".utf8))
            for _ in 0..<1000 {
                polls.append(HTTPServerReplyReader(try HTTPRawSocket(port: server.port)))
                polls[polls.count - 1].socket.send("GET /park HTTP/1.1\r\nHost: a\r\n\r\n")
                deliveries.append(HTTPDelivery(try #require(await parked.next()), .reply(reply)))
            }
            HTTPResponder.deliver(deliveries)
            for index in streams.indices {
                _ = try streams[index].head()
                #expect(try streams[index].chunk() == "first;")
                #expect(try streams[index].chunk() == "news;")
            }
            for index in polls.indices { #expect(try polls[index].next().body == "news") }
        }
    }

    @Test func `deliveries wait for their time, each for its own`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var stream = try HTTPServerStreamReader(port: server.port)
            _ = try stream.head()
            _ = try stream.chunk()
            let streamResponder = try #require(await parked.next())
            var poll = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            poll.socket.send("GET /park HTTP/1.1\r\nHost: a\r\n\r\n")
            let pollResponder = try #require(await parked.next())
            let start = HTTPClock.nowNanoseconds
            let reply = HTTPReply(status: 200, body: Array("late".utf8))
            HTTPResponder.deliver([
                HTTPDelivery(streamResponder, .chunk(Self.chunk("later;")), notBeforeNanoseconds: start + 300_000_000),
                HTTPDelivery(pollResponder, .reply(reply), notBeforeNanoseconds: start + 150_000_000),
            ])
            // The first reply counts, though its time hasn't come.
            pollResponder.complete(HTTPReply(status: 500))
            #expect(try poll.next().body == "late")
            #expect(HTTPClock.nowNanoseconds - start >= 150_000_000)
            #expect(try stream.chunk() == "later;")
            #expect(HTTPClock.nowNanoseconds - start >= 300_000_000)
        }
    }

    @Test func `a client of HTTP/1.0 gets the bytes without frames`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            let socket = try HTTPRawSocket(port: server.port)
            socket.send("GET /stream HTTP/1.0\r\n\r\n")
            let responder = try #require(await parked.next())
            var text = ""
            while !text.hasSuffix("first;") {
                text += String(decoding: try #require(try socket.receive()), as: UTF8.self)
            }
            #expect(!text.contains("Transfer-Encoding"))
            #expect(text.hasSuffix("\r\n\r\nfirst;"))
            Self.push("news;", to: responder)
            #expect(try socket.receive() == Array("news;".utf8))
            server.stop(drainMs: 1000)
            #expect(try socket.receiveAll() == "")
        }
    }

    @Test func `HEAD gets the head, and the stream is over`() async throws {
        try await withHTTPServer { server, application in
            var endings = application.endings.makeAsyncIterator()
            let socket = try HTTPRawSocket(port: server.port)
            socket.send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            let text = try socket.receiveAll()
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.contains("Transfer-Encoding: chunked\r\n"))
            #expect(text.hasSuffix("\r\n\r\n"))
            #expect(await endings.next() == .clientLeft)
            while server.connectionCount > 0 { await Task.yield() }
        }
    }

    @Test func `a stream comes behind the replies before it, and nothing comes behind a stream`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var replies = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            let after = "GET /after HTTP/1.1\r\nHost: a\r\n\r\n"
            replies.socket.send("GET /before HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try replies.next().body == "get /before [] 0")
            replies.socket.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n" + after)
            var reader = HTTPServerStreamReader(replies.socket)
            _ = try reader.head()
            #expect(try reader.chunk() == "first;")
            let responder = try #require(await parked.next())
            replies.socket.send(after)
            Self.push("news;", to: responder)
            #expect(try reader.chunk() == "news;")
            #expect(application.served == ["/before", "/stream"])
        }
    }

    @Test func `a stream outlives the deadlines of requests, and says that it lives`() async throws {
        try await withHTTPServer(
            keepAliveMs: 100,
            configure: {
                $0.requestDeadlineMs = 100
                $0.idleTimeoutMs = 100
                $0.replyDeadlineMs = 100
                $0.parkedCheckIntervalSec = 1
            }
        ) { server, application in
            var parked = application.parked.makeAsyncIterator()
            var reader = try HTTPServerStreamReader(port: server.port)
            _ = try reader.head()
            #expect(try reader.chunk() == "first;")
            let start = ContinuousClock.now
            for _ in 0..<12 { #expect(try reader.chunk() == ":") }
            #expect(ContinuousClock.now - start >= .milliseconds(1100))
            Self.push("news;", to: try #require(await parked.next()))
            var chunk = try reader.chunk()
            while chunk == ":" { chunk = try reader.chunk() }
            #expect(chunk == "news;")
        }
    }
}
