import Testing

@testable import ShuntNative

/// The pure parts of the transport.
struct HTTPServerPartsTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
        (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
    func `a date is written as RFC 9110 has it`(_ seconds: Int, _ text: String) {
        #expect(HTTPClock.date(secondsSince1970: seconds) == text)
    }

    @Test func `a field is found without regard to case, trimmed and joined`() {
        let head = HTTPRequestHead(
            method: .get,
            target: "/a?x=1&y=%41+b&x=2&z",
            headers: [("If-None-Match", "\"a\" \t"), ("X", ""), ("IF-NONE-MATCH", "\"b\"")]
        )
        #expect(head.header("if-none-match") == "\"a\", \"b\"")
        #expect(head.header("If-None-Match") == "\"a\", \"b\"")
        #expect(head.header("x")?.isEmpty == true)
        #expect(head.header("none") == nil)
        #expect(head.query("x") == "1")
        #expect(head.query("y") == "A b")
        #expect(head.query("z")?.isEmpty == true)
        #expect(head.query("w") == nil)
        #expect(head.queryPairs.map(\.name) == ["x", "y", "x", "z"])
        #expect(head.path == "/a")
        #expect(!head.hasBody)
    }

    @Test func `an address is written as numbers`() {
        #expect(HTTPRemoteAddress.loopback.description == "127.0.0.1")
        #expect(HTTPRemoteAddress(high: 0x2001_0db8_0000_0000, low: 1).description == "2001:db8::1")
        #expect(HTTPRemoteAddress(high: 0, low: 1).isLoopback)
        #expect(HTTPRemoteAddress(high: 0, low: 0x0000_ffff_7fff_fffe).isLoopback)
        #expect(!HTTPRemoteAddress(high: 0, low: 0x0000_ffff_8000_0001).isLoopback)
    }

    @Test func `connections of one address are bounded, and those of loopback aren't`() {
        var configuration = HTTPServerConfiguration()
        configuration.maximumConnectionsPerAddress = 2
        let shared = HTTPShared(configuration: configuration, application: HTTPServerTestApplication())
        let remote = HTTPRemoteAddress(high: 0, low: 0x0000_ffff_c000_0201)
        for _ in 0..<2 {
            #expect(shared.mayConnect(remote))
            shared.count(remote, 1)
            shared.count(.loopback, 1)
        }
        #expect(!shared.mayConnect(remote))
        #expect(shared.mayConnect(.loopback))
        shared.count(remote, -1)
        #expect(shared.mayConnect(remote))
    }

    @Test func `a deadline expires once, at its time and not before`() {
        var deadlines = HTTPDeadlines()
        deadlines.set(0, 100)
        deadlines.set(3, 50)
        deadlines.set(1, 200)
        #expect(deadlines.takeExpired(atNanoseconds: 49).isEmpty)
        deadlines.set(3, 150)
        #expect(deadlines.takeExpired(atNanoseconds: 99).isEmpty)
        #expect(deadlines.takeExpired(atNanoseconds: 100) == [0])
        #expect(deadlines.takeExpired(atNanoseconds: 149).isEmpty)
        #expect(deadlines.takeExpired(atNanoseconds: 1000) == [1, 3])
        #expect(deadlines.earliest == HTTPDeadlines.never)
    }
}
