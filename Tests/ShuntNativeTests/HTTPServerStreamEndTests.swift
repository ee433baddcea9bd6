import ShuntNative
import Testing

/// How streams end.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerStreamEndTests {
    private static let large = HTTPStreamChunk([UInt8](repeating: 0x78, count: 1 << 20))

    @Test func `the end of the server is marked, and doesn't wait for clients`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var endings = application.endings.makeAsyncIterator()
            var readers: [HTTPServerStreamReader] = []
            for _ in 0..<100 {
                readers.append(try HTTPServerStreamReader(port: server.port))
                _ = try #require(await parked.next())
            }
            let start = ContinuousClock.now
            server.stop(drainMs: 10_000)
            #expect(ContinuousClock.now - start < .seconds(1))
            for index in readers.indices {
                _ = try readers[index].head()
                #expect(try readers[index].chunk() == "first;")
                #expect(try readers[index].chunk() == nil)
                #expect(try readers[index].isAtEnd())
                #expect(await endings.next() == .stopping)
            }
        }
    }

    @Test(arguments: [false, true]) func `a client that leaves is noticed at once`(_ isReset: Bool) async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var endings = application.endings.makeAsyncIterator()
            var staying = try HTTPServerStreamReader(port: server.port)
            let stayingResponder = try #require(await parked.next())
            var leaving: HTTPServerStreamReader? = try HTTPServerStreamReader(port: server.port)
            _ = try leaving?.head()
            let left = try #require(await parked.next())
            if isReset { leaving?.socket.resetWhenClosed() }
            let start = ContinuousClock.now
            leaving = nil
            #expect(await endings.next() == .clientLeft)
            #expect(ContinuousClock.now - start < .seconds(2))
            while server.connectionCount > 1 { await Task.yield() }
            let news = HTTPStreamChunk(Array("news;".utf8))
            HTTPResponder.deliver([HTTPDelivery(left, .chunk(news)), HTTPDelivery(stayingResponder, .chunk(news))])
            _ = try staying.head()
            #expect(try staying.chunk() == "first;")
            #expect(try staying.chunk() == "news;")
        }
    }

    @Test func `a slow client gets the newest chunk only, and whole frames`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var reader = try HTTPServerStreamReader(port: server.port, receiveBufferBytes: 4096)
            let responder = try #require(await parked.next())
            _ = try reader.head()
            #expect(try reader.chunk() == "first;")
            // One that the kernel can't take as a whole, so that those after it have to wait.
            HTTPResponder.deliver([HTTPDelivery(responder, .chunk(Self.large))])
            let beginning = try #require(try reader.socket.receive())
            for number in 0..<5000 {
                let news = HTTPStreamChunk(Array("news \(number);".utf8))
                HTTPResponder.deliver([HTTPDelivery(responder, .chunk(news))])
            }
            var text = String(decoding: beginning, as: UTF8.self)
            while !text.hasSuffix("news 4999;\r\n") {
                text += String(decoding: try #require(try reader.socket.receive()), as: UTF8.self)
            }
            let frames = text.split(separator: "\r\n")
            #expect(frames.first == "100000")
            #expect(frames.dropFirst().first?.utf8.count == 1 << 20)
            #expect(frames.last == "news 4999;")
            // Some may have been begun before the socket was found to be full; nearly all were replaced.
            #expect(frames.count < 20)
        }
    }

    @Test func `a client that doesn't read is dropped, and holds up nobody else`() async throws {
        try await withHTTPServer(configure: { $0.streamDrainDeadlineMs = 1000 }) { server, application in
            var parked = application.parked.makeAsyncIterator()
            var endings = application.endings.makeAsyncIterator()
            var sockets: [HTTPServerStreamReader] = []
            var responders: [HTTPResponder] = []
            for _ in 0..<50 {
                sockets.append(try HTTPServerStreamReader(port: server.port, receiveBufferBytes: 4096))
                responders.append(try #require(await parked.next()))
            }
            var staying = try HTTPServerStreamReader(port: server.port)
            let stayingResponder = try #require(await parked.next())
            _ = try staying.head()
            #expect(try staying.chunk() == "first;")
            let start = ContinuousClock.now
            for _ in 0..<100 {
                HTTPResponder.deliver(responders.map { HTTPDelivery($0, .chunk(Self.large)) })
            }
            for _ in responders { #expect(await endings.next() == .tooSlow) }
            let took = ContinuousClock.now - start
            #expect(took >= .milliseconds(900))
            #expect(took < .seconds(20))
            while server.connectionCount > 1 { await Task.yield() }
            HTTPResponder.deliver([HTTPDelivery(stayingResponder, .chunk(HTTPStreamChunk(Array("news;".utf8))))])
            #expect(try staying.chunk() == "news;")
        }
    }

    @Test func `a server ends in time although a client doesn't read`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            let reader = try HTTPServerStreamReader(port: server.port, receiveBufferBytes: 4096)
            let responder = try #require(await parked.next())
            HTTPResponder.deliver([HTTPDelivery(responder, .chunk(Self.large))])
            let start = ContinuousClock.now
            server.stop(drainMs: 10_000)
            #expect(ContinuousClock.now - start < .seconds(1))
            // Cut off in the middle of a frame, so that it can't be taken for the end.
            #expect(try reader.socket.receiveAll().hasSuffix("0\r\n\r\n") == false)
        }
    }
}
