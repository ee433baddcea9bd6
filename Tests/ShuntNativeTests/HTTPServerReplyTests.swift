import ShuntNative
import Testing

/// Replies on connections that live on.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerReplyTests {
    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    @Test func `a connection serves one request after the other`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            for number in 0..<20 {
                reader.socket.send(Self.get("/\(number)"))
                let reply = try reader.next()
                #expect(reply.body == "get /\(number) [] 0")
                #expect(reply.headers["connection"] == nil)
                #expect(reply.headers["date"]?.hasSuffix(" GMT") == true)
            }
        }
    }

    @Test func `pipelined requests are answered in order`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            let requests = (0..<200).map { number in
                number % 3 == 0
                    ? "POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nGET" : Self.get("/\(number)")
            }
            reader.socket.send(requests.joined())
            for number in 0..<200 {
                let expected = number % 3 == 0 ? "post /\(number) [] 3" : "get /\(number) [] 0"
                #expect(try reader.next().body == expected)
            }
        }
    }

    @Test(arguments: ["/document", "/x", "/large", "/missing?a=b"])
    func `HEAD has the fields of GET and no body`(_ path: String) async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.get(path))
            var get = try reader.next()
            reader.socket.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get("/after"))
            var head = try reader.next(hasBody: false)
            get.headers["date"] = nil
            head.headers["date"] = nil
            #expect(head.status == get.status)
            #expect(head.headers == get.headers)
            #expect(head.headers["content-length"] == "\(get.body.utf8.count)")
            #expect(try reader.next().body == "get /after [] 0")
        }
    }

    @Test func `a 304 keeps the validator, drops what describes the body, and keeps the connection`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.get("/document", "If-None-Match: \"v1\"\r\n") + Self.get("/after"))
            let reply = try reader.next()
            #expect(reply.status == 304)
            #expect(reply.headers["etag"] == "\"v1\"")
            #expect(reply.headers["cache-control"] == "max-age=5")
            #expect(reply.headers["content-type"] == nil)
            #expect(try reader.next().body == "get /after [] 0")
        }
    }

    @Test func `a 204 has no length`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.get("/empty") + Self.get("/after"))
            let reply = try reader.next()
            #expect(reply.status == 204)
            #expect(reply.headers["content-length"] == nil)
            #expect(try reader.next().body == "get /after [] 0")
        }
    }

    @Test func `a refusal by the head keeps the connection if there is no body`() async throws {
        try await withHTTPServer { server, application in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.get("/forbidden") + Self.get("/after"))
            let reply = try reader.next()
            #expect(reply.status == 403)
            #expect(reply.headers["connection"] == nil)
            #expect(try reader.next().status == 200)
            #expect(application.served == ["/after"])
        }
    }

    @Test func `a refusal by the head closes the connection if there is a body`() async throws {
        try await withHTTPServer { server, application in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(
                "POST /forbidden HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n" + Self.get("/hidden")
            )
            let reply = try reader.next()
            #expect(reply.status == 403)
            #expect(reply.headers["connection"] == "close")
            #expect(try reader.isAtEnd())
            #expect(application.served.isEmpty)
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "close"),
        ("GET / HTTP/1.0\r\nHost: a\r\n\r\n", "close"),
    ])
    func `a connection that the client doesn't want to keep is closed`(_ request: String, _ field: String) async throws
    {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(request)
            #expect(try reader.next().headers["connection"] == field)
            #expect(try reader.isAtEnd())
        }
    }

    @Test func `a client that stops sending still gets its reply`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(Self.get("/large"))
            reader.socket.finishSending()
            #expect(try reader.next().body.utf8.count == 4 << 20)
        }
    }

    @Test func `Expect 100-continue is answered before the body is sent`() async throws {
        try await withHTTPServer { server, _ in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            #expect(try reader.next().status == 100)
            reader.socket.send("hello")
            #expect(try reader.next().body == "post / [] 5")
        }
    }

    /// The library's own loop falls to a tenth at multiples of 128 busy connections.
    @Test(arguments: [127, 128, 256]) func `full batches of busy connections don't stall`(_ count: Int) async throws {
        try await withHTTPServer(configure: { $0.loops = 1 }) { server, _ in
            var readers: [HTTPServerReplyReader] = []
            for _ in 0..<count { readers.append(HTTPServerReplyReader(try HTTPRawSocket(port: server.port))) }
            let start = ContinuousClock.now
            for _ in 0..<20 {
                for reader in readers { reader.socket.send(Self.get("/document")) }
                for index in readers.indices { #expect(try readers[index].next().status == 200) }
            }
            // Each stall costs a time-out of the library's, in the order of seconds; without any this takes well under
            // one second.
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }

    @Test func `one reply is sent from several loops at once`() async throws {
        try await withHTTPServer { server, _ in
            var readers: [HTTPServerReplyReader] = []
            for _ in 0..<32 { readers.append(HTTPServerReplyReader(try HTTPRawSocket(port: server.port))) }
            for reader in readers { reader.socket.send(String(repeating: Self.get("/document"), count: 50)) }
            for index in readers.indices {
                for _ in 0..<50 { #expect(try readers[index].next().body == "{\"state\":\"normal\"}") }
            }
        }
    }

    @Test func `control characters in a field of a reply become spaces`() {
        let reply = HTTPReply(status: 200, headers: [("X-Reason", "a\r\nX-B: c")])
        #expect(reply.headers[0].value == "a  X-B: c")
    }
}
