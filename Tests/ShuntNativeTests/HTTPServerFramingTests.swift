import ShuntNative
import TestSupport
import Testing

/// Requests whose end can be understood in two ways must never be served (request smuggling).
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerFramingTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: String
        var status = 400

        init(_ name: String, _ bytes: String, status: Int = 400) {
            testDescription = name
            self.bytes = bytes
            self.status = status
        }
    }

    /// A request that must not be served if it hides behind another one.
    static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

    static let malformed: [Row] = [
        Row("two equal Content-Length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n"),
        Row(
            "two different Content-Length",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n"
        ),
        Row(
            "Content-Length and chunked",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        Row(
            "chunked and Content-Length",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
        ),
        Row("unknown transfer coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
        Row("identity transfer coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n"),
        Row(
            "list of transfer codings",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
        ),
        Row("chunked twice", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
        Row(
            "chunked in two fields",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        Row("nearly chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        Row(
            "chunked with white space behind",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n"
        ),
        Row("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Row("space before the colon", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
        Row("tab before the colon", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length\t: 5\r\n\r\n"),
        Row("folded line", "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n 2\r\n\r\n"),
        Row("line folded by a tab", "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n\t2\r\n\r\n"),
        Row("line folded into nothing", "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\r\n \r\n\r\n"),
        Row("first line folded", "GET / HTTP/1.1\r\n X: 1\r\nHost: a\r\n\r\n"),
        Row("fold that makes a field", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Enc: x\r\n oding\r\n\r\n0\r\n\r\n"),
        Row("fold that makes a length", "POST / HTTP/1.1\r\nHost: a\r\nContent-: 5\r\n length\r\n\r\n"),
        Row("bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        Row("bare LF after a field", "GET / HTTP/1.1\r\nHost: a\nX-A: 1\r\n\r\n"),
        Row("bare LF after the last field", "GET / HTTP/1.1\r\nHost: a\n\r\n"),
        Row("bare LF at the end of the head", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        Row("CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\rX-B: 2\r\n\r\n"),
        Row("NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX-A: 1\u{0}2\r\n\r\n"),
        Row("NUL in a length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\u{0}5\r\n\r\n"),
        Row(
            "NULs that look like the end of a line",
            "GET / HTTP/1.1\r\nHost: a\u{0}\u{0}Content-Length\u{0} 5\r\n\r\n"
        ),
        Row("NUL in the last value", "GET / HTTP/1.1\r\nHost: a\u{0}\u{0}\r\n\r\n"),
        Row("NUL in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\u{0}A: 1\r\n\r\n"),
        Row("NUL in the target", "GET /a\u{0}b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX-A: \u{1}\r\n\r\n"),
        Row("field without a name", "GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n"),
        Row("field without a colon", "GET / HTTP/1.1\r\nHost: a\r\nX-A\r\n\r\n"),
        Row("length that is a word", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n"),
        Row("length with a sign", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n"),
        Row("negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        Row("empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n"),
        Row("hexadecimal length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x10\r\n\r\n"),
        Row("list of lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n"),
        Row(
            "length beyond 64 bits",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
            status: 413
        ),
        Row("no Host", "GET / HTTP/1.1\r\n\r\n"),
        Row("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        Row("two spaces after the method", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("target without a slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("target with a fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("broken escape", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("escaped NUL", "GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("escapes that aren't UTF-8", "GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("bytes above 127 in the target", "GET /\u{fc} HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("authority as target", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("method that isn't a token", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"),
        Row("version in lower case", "GET / http/1.1\r\nHost: a\r\n\r\n"),
        Row("no version", "GET /\r\nHost: a\r\n\r\n"),
        Row("HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", status: 505),
    ]

    @Test(arguments: malformed)
    func `a malformed request is refused once, and nothing behind it is served`(_ row: Row) async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send(row.bytes + Self.hidden)
            let answer = try socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(answer)")
            #expect(answer.split(separator: "HTTP/1.1 ").count == 1, "\(answer)")
            #expect(answer.lowercased().contains("connection: close"))
            #expect(application.served.isEmpty)
        }
    }

    @Test(arguments: malformed)
    func `a malformed request that comes in pieces is refused once too`(_ row: Row) async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            // After a served request, so that neither the connection nor the buffer is new.
            socket.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            var reader = HTTPServerReplyReader(socket)
            #expect(try reader.next().status == 200)
            let bytes = Array((row.bytes + Self.hidden).utf8)
            for start in stride(from: 0, to: bytes.count, by: 7) {
                guard socket.send(Array(bytes[start..<min(start + 7, bytes.count)])) else { break }
            }
            let answer = try socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(answer)")
            #expect(answer.split(separator: "HTTP/1.1 ").count == 1, "\(answer)")
            #expect(application.served == ["/first"])
        }
    }

    @Test func `a method alone is closed without a reply`() async throws {
        try await withHTTPServer { server, application in
            let socket = try HTTPRawSocket(port: server.port)
            socket.send("GET\r\n\r\n" + Self.hidden)
            #expect(try socket.receiveAll().isEmpty)
            #expect(application.served.isEmpty)
        }
    }

    static let wellFormed: [Row] = [
        Row("get / [] 0", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("get /a [] 0", "\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("get /a b/c [x=1 2&y=&z=ü&x=3] 0", "GET /a%20b%2Fc?x=1+2&y&z=%C3%BC&&x=3 HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("get /a [] 0", "GET /a? HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("get /a [b=c] 0", "GET http://example.com:80/a?b=c HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("get / [b=c] 0", "GET http://example.com?b=c HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("options * [] 0", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("other(\"PURGE\") / [] 0", "PURGE / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("get / [] 0", "GET / HTTP/1.1\r\nhOsT:a\r\nX-Empty:\r\nX-A: \t b \t \r\n\r\n"),
        Row("get / [] 0", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
        Row("post / [] 5", "POST / HTTP/1.1\r\nHost: a\r\ncontent-length: 5\r\n\r\nhello"),
        Row("post / [] 0", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"),
        Row("post / [] 0", "POST / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row(
            "post / [] 8",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n5;x=y\r\nhello\r\n3\r\nyou\r\n0\r\nX: y\r\n\r\n"
        ),
        Row("get / [] 2", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"),
    ]

    @Test(arguments: wellFormed)
    func `a well-formed request is served, and the next one too`(_ row: Row) async throws {
        try await withHTTPServer { server, application in
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send(row.bytes + Self.hidden)
            let first = try reader.next()
            #expect(first.status == 200)
            #expect(first.body == row.testDescription)
            #expect(first.headers["connection"] != "close")
            #expect(try reader.next().body == "get /hidden [] 0")
        }
    }
}
