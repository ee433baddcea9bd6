import ShuntNative
import Testing

/// Bounds on what a client may make the server hold.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerLimitTests {
    private static func post(_ length: Int, _ fields: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(fields)\r\n"
    }

    @Test func `a body as long as admitted is taken`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            for _ in 0..<2 {
                reader.socket.send(Self.post(1 << 20))
                reader.socket.send(Array(repeating: 0x61, count: 1 << 20))
                #expect(try reader.next().body == "post / [] 1048576")
            }
            #expect(server.bufferedBodyBytes == 0)
        }
    }

    @Test func `a longer declared body is refused before any of it is sent`() async throws {
        try await withHTTPServer { server, application in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.post((1 << 20) + 1))
            let reply = try reader.next()
            #expect(reply.status == 413)
            #expect(reply.headers["connection"] == "close")
            #expect(try reader.isAtEnd())
            #expect(application.served.isEmpty)
        }
    }

    @Test func `a client that sends all of a refused body first can still read the refusal`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.post(8 << 20))
            // Without a reset in the middle, which would lose the refusal on other systems than this one.
            #expect(reader.socket.send(Array(repeating: 0x61, count: 8 << 20)))
            #expect(try reader.next().status == 413)
            #expect(try reader.isAtEnd())
        }
    }

    @Test func `a refused client that expects 100-continue is told the refusal alone`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.post(2 << 20, "Expect: 100-continue\r\n"))
            #expect(try reader.next().status == 413)
            #expect(try reader.isAtEnd())
        }
    }

    @Test func `a chunked body is refused when it grows too long`() async throws {
        try await withHTTPServer(maximumBodyBytes: 1000) { server, application in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "64\r\n" + String(repeating: "a", count: 100) + "\r\n"
            for _ in 0..<50 { reader.socket.send(chunk) }
            #expect(try reader.next().status == 413)
            #expect(try reader.isAtEnd())
            #expect(application.served.isEmpty)
            #expect(server.bufferedBodyBytes == 0)
        }
    }

    @Test func `a chunk size beyond 64 bits is refused`() async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n")
            let answer = try socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
            #expect(application.served.isEmpty)
        }
    }

    @Test func `a broken chunk is refused`() async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n")
            let answer = try socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.split(separator: "HTTP/1.1 ").count == 1)
            #expect(application.served.isEmpty)
        }
    }

    @Test(arguments: [6300, 7500, 20_000, 200_000])
    func `a head that is too large is refused once`(_ size: Int) async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send("GET / HTTP/1.1\r\nHost: a\r\nX-A: \(String(repeating: "a", count: size))\r\n\r\n")
            let answer = try socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer)")
            #expect(answer.split(separator: "HTTP/1.1 ").count == 1)
            #expect(application.served.isEmpty)
        }
    }

    @Test(arguments: [500, 3000])
    func `too many fields are refused once`(_ count: Int) async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "a:\r\n", count: count))\r\n")
            let answer = try socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer)")
            #expect(answer.split(separator: "HTTP/1.1 ").count == 1)
            #expect(application.served.isEmpty)
        }
    }

    /// What the head has taken of the library's memory, the head of the reply can't have.
    @Test(arguments: ["X", "Cookie"]) func `a head of any size and shape is answered once`(_ name: String) async throws
    {
        try await withHTTPServer { server, _ in
            var statuses: [String: Int] = [:]
            for size in stride(from: 1000, through: 11_000, by: 250) {
                for count in [1, 10, 40, 80, 120] {
                    let socket = try HTTPRawSocket(port: server.port)
                    let piece = String(repeating: "a", count: max(1, size / count - 5))
                    let fields =
                        name == "X"
                        ? String(repeating: "X: \(piece)\r\n", count: count)
                        : "Cookie: " + String(repeating: "c=\(piece);", count: count) + "\r\n"
                    socket.send("GET /document HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n")
                    let answer = try socket.receiveAll()
                    #expect(
                        answer.split(separator: "HTTP/1.1 ").count == 1,
                        "\(size) bytes, \(count) fields: \(answer)"
                    )
                    statuses[String(answer.prefix(12)), default: 0] += 1
                }
            }
            #expect(Set(statuses.keys) == ["HTTP/1.1 200", "HTTP/1.1 431"], "\(statuses)")
        }
    }

    /// The library takes cookies apart after the head is complete, and answers twice when its memory is full.
    @Test(arguments: [";", "a;", "a=b;"])
    func `cookies are served or refused once`(_ cookie: String) async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            let cookies = String(repeating: cookie, count: 4000 / cookie.count)
            socket.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: \(cookies)\r\n\r\n")
            let answer = try socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 431 ") || answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            #expect(answer.split(separator: "HTTP/1.1 ").count == 1, "\(answer)")
        }
    }

    @Test(arguments: [6300, 7500, 20_000, 200_000], [false, true])
    func `a target that is too long is refused once`(_ size: Int, _ isQuery: Bool) async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send(
                "GET /\(String(repeating: isQuery ? "?a&" : "abc", count: size / 3)) HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            let answer = try socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 414 "), "\(answer)")
            #expect(answer.split(separator: "HTTP/1.1 ").count == 1)
            #expect(application.served.isEmpty)
        }
    }

    /// The library keeps a record per parameter, and goes on with a refused request when its memory is full.
    @Test func `thousands of query parameters are read`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send("GET /?\(String(repeating: "a&", count: 2500)) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try reader.next().body.split(separator: "&").count == 2500)
        }
    }

    @Test func `beyond the bytes held for all bodies a client is asked to come back later`() async throws {
        try await withHTTPServer(configure: { $0.maximumBufferedBodyBytes = 100_000 }) { server, _ in
            var first = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            first.socket.send(Self.post(90_000))
            first.socket.send(Array(repeating: 0x61, count: 80_000))
            while server.bufferedBodyBytes < 80_000 { await Task.yield() }

            var declared = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            declared.socket.send(Self.post(30_000))
            let refusal = try declared.next()
            #expect(refusal.status == 503)
            #expect(refusal.headers["retry-after"] == "1")

            var streamed = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            streamed.socket.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7530\r\n")
            streamed.socket.send(Array(repeating: 0x61, count: 30_000))
            #expect(try streamed.next().status == 503)

            first.socket.send(Array(repeating: 0x61, count: 10_000))
            #expect(try first.next().body == "post / [] 90000")
            #expect(server.bufferedBodyBytes == 0)
            first.socket.send(Self.post(30_000))
            first.socket.send(Array(repeating: 0x61, count: 30_000))
            #expect(try first.next().status == 200)
        }
    }

    @Test func `connections beyond the limit wait until one is closed`() async throws {
        try await withHTTPServer(configure: {
            $0.loops = 1
            $0.maximumConnections = 4
        }) { server, _ in
            var readers: [HTTPServerReplyReader] = []
            for _ in 0..<4 {
                readers.append(HTTPServerReplyReader(try HTTPRawSocket(port: server.port)))
                readers[readers.count - 1].socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try readers[readers.count - 1].next().status == 200)
            }
            var late = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            late.socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try late.socket.receive(withinMs: 100) == nil)
            readers.removeLast()
            #expect(try late.next().status == 200)
        }
    }
}
