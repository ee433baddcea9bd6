import ShuntNative
import Testing

/// From binding to the end.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerLifecycleTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func error(address: String, port: UInt16 = 0) -> HTTPServerError? {
        do throws(HTTPServerError) {
            let configuration = HTTPServerConfiguration(address: address, port: port)
            _ = try HTTPServer(configuration: configuration, application: HTTPServerTestApplication())
            return nil
        } catch {
            return error
        }
    }

    @Test func `a second server on the port is told so`() async throws {
        try await withHTTPServer { server, _ in
            let error = Self.error(address: "127.0.0.1", port: server.port)
            #expect(error == .addressInUse("127.0.0.1", port: server.port))
        }
    }

    @Test func `the port can be had again at once`() async throws {
        var port: UInt16 = 0
        try await withHTTPServer { server, _ in
            port = server.port
            // The server closes first, so that the connection lingers on its side.
            let socket = try HTTPRawSocket(port: port)
            socket.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try socket.receiveAll().hasPrefix("HTTP/1.1 200 "))
        }
        #expect(Self.error(address: "127.0.0.1", port: port) == nil)
    }

    @Test func `an address that isn't numeric, or not of this machine, is told so`() {
        #expect(Self.error(address: "localhost") == .addressNotNumeric("localhost"))
        #expect(Self.error(address: "192.0.2.1") == .addressNotAvailable("192.0.2.1"))
    }

    @Test func `IPv6 is served`() async throws {
        try await withHTTPServer(configure: { $0.address = "::1" }) { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port, isIPv6: true))
            reader.socket.send(Self.get)
            #expect(try reader.next().status == 200)
        }
    }

    @Test func `a stop closes idle connections at once, and a second stop does nothing`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.get)
            #expect(try reader.next().status == 200)
            let start = ContinuousClock.now
            server.stop(drainMs: 30_000)
            server.stop(drainMs: 30_000)
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(try reader.isAtEnd())
            #expect(throws: HTTPRawSocket.Failure.self) { try HTTPRawSocket(port: server.port) }
        }
    }

    @Test func `a stop answers parked requests`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var endings = application.endings.makeAsyncIterator()
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send("GET /park HTTP/1.1\r\nHost: a\r\n\r\n")
            let responder = try #require(await parked.next())
            let start = ContinuousClock.now
            server.stop(drainMs: 30_000)
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(await endings.next() == .stopping)
            #expect(try reader.next().status == 304)
            #expect(try reader.isAtEnd())
            // Nobody is there any more.
            responder.complete(HTTPReply(status: 200))
        }
    }

    @Test func `a stop lets a request in flight finish`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
            while server.bufferedBodyBytes == 0 { await Task.yield() }
            async let stopped: Void = Task.detached { server.stop(drainMs: 20_000) }.value
            // Wait until the stop is under way: new connections are refused.
            while (try? HTTPRawSocket(port: server.port)) != nil { await Task.yield() }
            reader.socket.send("llo")
            #expect(try reader.next().body == "post / [] 5")
            #expect(try reader.isAtEnd())
            await stopped
        }
    }

    @Test func `a stop doesn't wait longer than it may`() async throws {
        try await withHTTPServer { server, _ in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
            while server.bufferedBodyBytes == 0 { await Task.yield() }
            let start = ContinuousClock.now
            server.stop(drainMs: 200)
            let took = ContinuousClock.now - start
            #expect(took >= .milliseconds(200) && took < .seconds(3))
            #expect(server.connectionCount == 0)
            #expect(server.bufferedBodyBytes == 0)
        }
    }

    @Test func `a stop without mercy ends thousands of parked requests`() async throws {
        try await withHTTPServer { server, application in
            var parked = application.parked.makeAsyncIterator()
            var sockets: [HTTPRawSocket] = []
            for _ in 0..<1000 {
                sockets.append(try HTTPRawSocket(port: server.port))
                sockets[sockets.count - 1].send("GET /park HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            for _ in sockets { _ = await parked.next() }
            server.stop(drainMs: 0)
            #expect(server.connectionCount == 0)
        }
    }

    @Test func `a server that never started stops, and doesn't start again`() throws {
        let application = HTTPServerTestApplication()
        let server = try HTTPServer(configuration: HTTPServerConfiguration(), application: application)
        server.stop(drainMs: 0)
        try server.start()
        #expect(throws: HTTPRawSocket.Failure.self) { try HTTPRawSocket(port: server.port) }
    }

    /// The library busy-waits if it can't accept its first connection.
    @Test func `without descriptors nothing spins, and the client is served when there are some`() async {
        await #expect(processExitsWith: .success) {
            try await withHTTPServer { server, _ in
                let taken = exhaustDescriptors()
                var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
                reader.socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let before = processorTimeMs()
                guard try reader.socket.receive(withinMs: 1000) == nil else {
                    throw HTTPRawSocket.Failure(description: "served without a descriptor")
                }
                let spent = processorTimeMs() - before
                guard spent < 200 else {
                    throw HTTPRawSocket.Failure(description: "\(spent) ms of processor time in a second")
                }
                release(taken)
                guard try reader.next().status == 200 else {
                    throw HTTPRawSocket.Failure(description: "not served")
                }
            }
        }
    }
}
