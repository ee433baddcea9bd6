import Foundation
import Testing

@testable import ShuntNative

/// The blocking client against real sockets.
@Suite struct HTTPTransferTests {
    private static func reply(_ head: String, _ body: String = "") -> [UInt8] {
        Array((head.split(separator: "\n").joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private static let hello = reply(
        "HTTP/1.1 200 OK\nContent-Length: 5\nX-Kind: first\nx-kind:  second \nX-Empty:",
        "hello"
    )

    /// What came back, or why nothing did.
    private static func outcome(
        _ request: HTTPTransfer.Request
    ) -> Result<HTTPTransfer.Response, HTTPTransferError> {
        var transfer = HTTPTransfer()
        return Result { () throws(HTTPTransferError) in try transfer.perform(request) }
    }

    private static func failure(_ request: HTTPTransfer.Request) -> HTTPTransferError? {
        guard case .failure(let error) = outcome(request) else { return nil }
        return error
    }

    @Test func `a response has its status, fields in order and body`() throws {
        let server = try ScriptedServer([.send(HTTPTransferTests.hello)])
        defer { server.stop() }
        let response = try HTTPTransferTests.outcome(.init(url: server.url + "/v1/x?a=1")).get()
        #expect(response.status == 200)
        #expect(response.headers.map(\.name) == ["Content-Length", "X-Kind", "x-kind", "X-Empty"])
        #expect(response.header("x-KIND") == "first")
        #expect(response.headers[2].value == "second")
        #expect(response.header("x-empty") == "")
        #expect(response.header("x-none") == nil)
        #expect(response.body == Array("hello".utf8))
        #expect(server.requests.first?.hasPrefix("GET /v1/x?a=1 HTTP/1.1\r\n") == true)
    }

    @Test func `a body is sent as it is, with the given fields and none besides`() throws {
        let server = try ScriptedServer([.send(HTTPTransferTests.hello)])
        defer { server.stop() }
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)
        let request = HTTPTransfer.Request(
            method: "POST",
            url: server.url,
            headers: [.init("Authorization", "Bearer t"), .init("X-Empty", "")],
            body: body
        )
        #expect(try HTTPTransferTests.outcome(request).get().status == 200)
        let text = try #require(server.requests.first)
        let head = text.components(separatedBy: "\r\n\r\n")[0]
        #expect(text.hasSuffix("\r\n\r\n" + String(decoding: body, as: UTF8.self)))
        #expect(
            head.components(separatedBy: "\r\n").sorted() == [
                "Accept: */*", "Authorization: Bearer t", "Content-Length: 3145728", "Host: 127.0.0.1:\(server.port)",
                "POST / HTTP/1.1", "User-Agent: shunt", "X-Empty:",
            ]
        )
    }

    @Test(arguments: [
        ("GET", false), ("DELETE", false), ("POST", true), ("PUT", true), ("PATCH", true), ("HEAD", false),
    ])
    func `a method without body says so only where one is usual`(method: String, saysLength: Bool) throws {
        let server = try ScriptedServer([.send(HTTPTransferTests.reply("HTTP/1.1 204 No Content"))])
        defer { server.stop() }
        let response = try HTTPTransferTests.outcome(.init(method: method, url: server.url)).get()
        #expect(response.status == 204)
        let text = try #require(server.requests.first)
        #expect(text.hasPrefix("\(method) / HTTP/1.1\r\n"))
        #expect(text.contains("Content-Length: 0") == saysLength)
    }

    @Test func `HEAD doesn't wait for the body that it announces`() throws {
        let server = try ScriptedServer([.send(HTTPTransferTests.reply("HTTP/1.1 200 OK\nContent-Length: 500"))])
        defer { server.stop() }
        let response = try HTTPTransferTests.outcome(.init(method: "HEAD", url: server.url)).get()
        #expect(response.header("Content-Length") == "500")
        #expect(response.body == [])
    }

    @Test func `one connection serves many requests, also after an error status`() throws {
        let missing = HTTPTransferTests.reply("HTTP/1.1 404 Not Found\nContent-Length: 2", "no")
        let server = try ScriptedServer([
            .send(HTTPTransferTests.hello), .send(missing), .send(HTTPTransferTests.hello),
        ])
        defer { server.stop() }
        var transfer = HTTPTransfer()
        var statuses: [Int] = []
        for method in ["GET", "POST", "GET"] {
            statuses.append(try transfer.perform(.init(method: method, url: server.url)).status)
        }
        #expect(statuses == [200, 404, 200])
        #expect(server.connections == 1)
        // The body and the method of the second request are forgotten by the third.
        #expect(server.requests[2].hasPrefix("GET /"))
        #expect(!server.requests[2].contains("Content-Length"))
    }

    @Test func `a redirect is a response`() throws {
        let moved = HTTPTransferTests.reply("HTTP/1.1 302 Found\nLocation: http://127.0.0.1:1/\nContent-Length: 0")
        let server = try ScriptedServer([.send(moved)])
        defer { server.stop() }
        let response = try HTTPTransferTests.outcome(.init(url: server.url)).get()
        #expect(response.status == 302)
        #expect(response.header("location") == "http://127.0.0.1:1/")
    }

    @Test func `the fields of an interim response aren't the response's`() throws {
        let interim = HTTPTransferTests.reply("HTTP/1.1 103 Early Hints\nLink: </x>")
        let server = try ScriptedServer([.send(interim + HTTPTransferTests.hello)])
        defer { server.stop() }
        let response = try HTTPTransferTests.outcome(.init(url: server.url)).get()
        #expect(response.status == 200)
        #expect(response.header("link") == nil)
    }

    @Test(
        arguments: [
            ("announced", "HTTP/1.1 200 OK\nContent-Length: 101", String(repeating: "x", count: 101)),
            ("unannounced", "HTTP/1.1 200 OK\nConnection: close", String(repeating: "x", count: 101)),
            (
                "chunked", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked",
                "65\r\n\(String(repeating: "x", count: 101))\r\n0\r\n\r\n"
            ),
        ]
    )
    func `a body beyond the limit is refused, and one at the limit isn't`(name: String, head: String, body: String)
        throws
    {
        let reply = HTTPTransferTests.reply(head, body)
        let server = try ScriptedServer([.sendAndClose(reply), .sendAndClose(reply)])
        defer { server.stop() }
        let error = HTTPTransferTests.failure(.init(url: server.url, maximumResponseBytes: 100))
        #expect(error?.code == .tooLarge)
        #expect(error?.mayHaveBeenSent == true)
        #expect(
            try HTTPTransferTests.outcome(.init(url: server.url, maximumResponseBytes: 101)).get().body.count == 101
        )
    }

    @Test func `an endless head is refused`() throws {
        let lines = (0..<5_000).map { "X-Field-\($0): some value" }.joined(separator: "\n")
        let server = try ScriptedServer([.sendAndClose(HTTPTransferTests.reply("HTTP/1.1 200 OK\n" + lines))])
        defer { server.stop() }
        #expect(HTTPTransferTests.failure(.init(url: server.url))?.code == .tooLarge)
    }

    @Test func `nobody listening is told from nobody answering`() throws {
        let server = try ScriptedServer([.silence])
        let silent = HTTPTransferTests.failure(.init(method: "POST", url: server.url, body: [1], timeoutMs: 150))
        #expect(silent?.code == .timedOut)
        #expect(silent?.mayHaveBeenSent == true)
        server.stop()
        let refused = HTTPTransferTests.failure(.init(url: server.url))
        #expect(refused?.code == .couldNotConnect)
        #expect(refused?.mayHaveBeenSent == false)
        #expect(refused?.description.contains("127.0.0.1 port \(server.port)") == true)
    }

    @Test(
        arguments: [
            ("nothing", ""), ("half a head", "HTTP/1.1 200 OK\r\nContent-Le"),
            ("a head without its end", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"),
            ("half a body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
            ("half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf"),
        ]
    )
    func `an answer that breaks off is an error after sending`(name: String, text: String) throws {
        let server = try ScriptedServer([.sendAndClose(Array(text.utf8))])
        defer { server.stop() }
        let error = try #require(HTTPTransferTests.failure(.init(method: "POST", url: server.url, body: [1])))
        #expect(error.mayHaveBeenSent)
        guard case .other = error.code else {
            Issue.record("\(error.code)")
            return
        }
    }

    @Test func `plain text where TLS is expected fails before sending`() throws {
        let server = try ScriptedServer([.sendAndClose(HTTPTransferTests.hello)])
        defer { server.stop() }
        // The server waits for an empty line that a TLS greeting doesn't have; the time limit ends it.
        let error = HTTPTransferTests.failure(.init(url: "https://127.0.0.1:\(server.port)", timeoutMs: 200))
        #expect(error?.mayHaveBeenSent == false)
        #expect(error?.code == .timedOut || error?.code == .tlsFailed)
    }

    @Test(
        arguments: [
            HTTPTransfer.Request(url: "file:///etc/passwd"), .init(url: "ftp://127.0.0.1/"), .init(url: ""),
            .init(url: "127.0.0.1:1"), .init(url: "http://127.0.0.1/a b"), .init(url: "http://127.0.0.1/\r\nX: y"),
            .init(url: "http://127.0.0.1/漢"), .init(method: "", url: "http://127.0.0.1"),
            .init(method: "GET /x", url: "http://127.0.0.1"),
            .init(url: "http://127.0.0.1", headers: [.init("A B", "")]),
            .init(url: "http://127.0.0.1", headers: [.init("", "x")]), .init(url: "http://"),
            .init(url: "http://127.0.0.1", headers: [.init("A", "x\r\nB: y")]), .init(url: "http://127.0.0.1:99999/"),
            .init(url: "http://127.0.0.1", headers: [.init("A", "x\0y")]),
        ]
    )
    func `what can't be sent is refused before anything is`(_ request: HTTPTransfer.Request) {
        let error = HTTPTransferTests.failure(request)
        #expect(error?.code == .invalidRequest)
        #expect(error?.mayHaveBeenSent == false)
    }

    @Test(
        arguments: [
            ("http://127.0.0.1:8710/x", true), ("http://LOCALHOST", true), ("https://a.localhost/", true),
            ("http://[::1]:8710/", true), ("http://user:pass@127.9.9.9", true),
            ("http://127.0.0.1@example.com/", false),
            ("http://example.com/127.0.0.1", false), ("http://example.com?@localhost", false),
            ("http://10.0.0.1", false),
            ("http://localhost.example.com", false),
        ]
    )
    func `loopback, which no proxy may see, is known by its host`(url: String, expected: Bool) {
        #expect(HTTPTransferRules.isLoopback(url) == expected)
    }
}
