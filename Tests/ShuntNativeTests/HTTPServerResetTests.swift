import ShuntNative
import Testing

/// Clients that vanish at any moment.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPServerResetTests {
    /// A linear congruential generator (Knuth's constants), so that a failing seed can be repeated.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 33)
        }
    }

    static let requests = [
        "GET /document HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /park HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /completedEarly HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\n" + String(repeating: "b", count: 300),
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "POST /forbidden HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\n" + String(repeating: "b", count: 300),
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + String(repeating: "b", count: 3000),
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
    ]

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `nothing is left of clients that break off anywhere (seed)`(_ seed: UInt64) async throws {
        try await withHTTPServer(
            parkMs: 300,
            configure: {
                $0.requestDeadlineMs = 2000
                $0.parkedCheckIntervalSec = 1
            }
        ) { server, _ in
            var generator = Generator(state: seed)
            var open: [HTTPRawSocket] = []
            for _ in 0..<400 {
                let socket = try HTTPRawSocket(port: server.port)
                let count = Int.random(in: 1...3, using: &generator)
                let text = (0..<count).map { _ in Self.requests.randomElement(using: &generator) ?? "" }.joined()
                let bytes = Array(text.utf8)
                let cut =
                    Bool.random(using: &generator) ? bytes.count : Int.random(in: 0...bytes.count, using: &generator)
                socket.send(Array(bytes[..<cut]))
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: socket.resetWhenClosed()
                case 1: socket.finishSending()
                case 2: open.append(socket)
                default: break
                }
                if open.count > 30 { open.remove(at: Int.random(in: 0..<open.count, using: &generator)) }
            }
            open = []
            var reader = HTTPServerReplyReader(try HTTPRawSocket(port: server.port))
            reader.socket.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try reader.next().status == 200)
            while server.connectionCount > 0 { await Task.yield() }
            #expect(server.bufferedBodyBytes == 0)
        }
    }
}
