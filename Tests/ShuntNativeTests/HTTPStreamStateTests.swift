import Testing

@testable import ShuntNative

/// What a loop keeps for one stream.
@Suite struct HTTPStreamStateTests {
    private static let second: Int64 = 1_000_000_000

    private static func chunk(_ text: String) -> HTTPStreamChunk { HTTPStreamChunk(Array(text.utf8)) }

    private static func state(isChunked: Bool = true) -> HTTPStreamState {
        let reply = HTTPStreamReply(
            headers: [("Content-Type", "text/plain")],
            first: chunk("first"),
            keepAlive: chunk(":"),
            keepAliveIntervalMs: 15_000
        )
        return HTTPStreamState(reply, isChunked: isChunked, now: 0)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Takes all that is to be sent now, as a kernel with room would.
    private static func drain(_ state: inout HTTPStreamState, now: Int64) -> String {
        var all = ""
        while true {
            let bytes = state.bytes(now: now)
            if bytes.isEmpty { return all }
            all += text(bytes)
            state.sent(bytes.count)
        }
    }

    @Test func `a chunk is framed for 1.1, and bare for 1.0`() {
        let long = Self.chunk(String(repeating: "x", count: 300))
        #expect(Self.text(long.bytes(isChunked: true)) == "12c\r\n\(String(repeating: "x", count: 300))\r\n")
        #expect(Self.text(long.bytes(isChunked: false)) == String(repeating: "x", count: 300))
    }

    @Test(arguments: [true, false]) func `the head comes first, with the first chunk`(isChunked: Bool) {
        var state = Self.state(isChunked: isChunked)
        let sent = Self.drain(&state, now: 0)
        #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(sent.contains("Connection: close\r\n"))
        #expect(sent.contains("Transfer-Encoding: chunked\r\n") == isChunked)
        #expect(!sent.contains("Content-Length"))
        #expect(sent.hasSuffix(isChunked ? "\r\n\r\n5\r\nfirst\r\n" : "\r\n\r\nfirst"))
        #expect(Self.drain(&state, now: Self.second) == "")
    }

    @Test func `what isn't begun is replaced by what is newer`() {
        var state = Self.state()
        state.offer(Self.chunk("a"), notBefore: 0)
        state.offer(Self.chunk("b"), notBefore: 0)
        #expect(Self.drain(&state, now: 0).hasSuffix("first\r\n1\r\nb\r\n"))
        state.offer(Self.chunk("c"), notBefore: 0)
        let begun = state.bytes(now: 0)
        #expect(Self.text(begun) == "1\r\nc\r\n")
        state.sent(2)
        state.block(until: Self.second)
        state.offer(Self.chunk("d"), notBefore: 0)
        state.offer(Self.chunk("e"), notBefore: 0)
        // The begun one is finished, whatever comes: a frame can't be taken back.
        #expect(Self.drain(&state, now: 0) == "\nc\r\n1\r\ne\r\n")
    }

    @Test func `a chunk waits for its time, and one that replaces it doesn't wait longer`() {
        var state = Self.state()
        _ = Self.drain(&state, now: 0)
        state.offer(Self.chunk("a"), notBefore: 100)
        #expect(state.deadline == 100)
        #expect(Self.drain(&state, now: 99) == "")
        state.offer(Self.chunk("b"), notBefore: 150)
        #expect(state.deadline == 100)
        #expect(Self.drain(&state, now: 100) == "1\r\nb\r\n")
        state.offer(Self.chunk("c"), notBefore: 300)
        state.offer(Self.chunk("d"), notBefore: 0)
        #expect(Self.drain(&state, now: 200) == "1\r\nd\r\n")
        // And the next one after those has a time of its own.
        state.offer(Self.chunk("e"), notBefore: 400)
        #expect(state.deadline == 400)
    }

    @Test func `a silent stream says so at each interval, and not after it has spoken`() {
        var state = Self.state()
        _ = Self.drain(&state, now: 0)
        #expect(state.deadline == 15 * Self.second)
        #expect(Self.drain(&state, now: 15 * Self.second - 1) == "")
        #expect(Self.drain(&state, now: 15 * Self.second) == "1\r\n:\r\n")
        state.offer(Self.chunk("a"), notBefore: 0)
        #expect(Self.drain(&state, now: 20 * Self.second) == "1\r\na\r\n")
        #expect(Self.drain(&state, now: 30 * Self.second) == "")
        #expect(state.deadline == 35 * Self.second)
    }

    @Test func `a client that takes a byte now and then gains no time by it`() {
        var state = Self.state()
        #expect(!state.isBlocked)
        state.block(until: 100)
        state.sent(1)
        state.block(until: 200)
        #expect(state.deadline == 100)
        #expect(state.isBlocked)
        _ = Self.drain(&state, now: 50)
        #expect(!state.isBlocked)
        state.offer(Self.chunk("a"), notBefore: 0)
        _ = state.bytes(now: 60)
        state.block(until: 300)
        #expect(state.deadline == 300)
    }

    @Test func `a control character can't leave its field`() {
        let reply = HTTPStreamReply(
            headers: [("X-A", "a\r\nX-B: b")],
            first: Self.chunk("a"),
            keepAlive: Self.chunk(":"),
            keepAliveIntervalMs: 1
        )
        #expect(Self.text(reply.head(isChunked: true)[...]).contains("X-A: a  X-B: b\r\n"))
    }
}
