import ShuntNative
import TestSupport
import Testing

/// Gzip in, never more out than allowed.
@Suite struct InflaterTests {
    private static let text = Array(String(repeating: "payment failed, payment ", count: 400).utf8)

    /// What gunzip made of it, or why not.
    private static func outcome(_ bytes: [UInt8], _ maximumBytes: Int = 1 << 20) -> Result<[UInt8], InflateError> {
        var inflater = Inflater()
        return Result { () throws(InflateError) in try inflater.inflate(bytes, maximumBytes: maximumBytes) }
    }

    private static func gzip(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        var deflater = Deflater(level: level)
        return deflater.gzip(bytes)
    }

    @Test(arguments: [1, 6, 12])
    func `what is deflated inflates to itself`(level: Int) {
        for bytes in [[], [7], InflaterTests.text, (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }] {
            #expect(InflaterTests.outcome(InflaterTests.gzip(bytes, level: level)) == .success(bytes))
        }
    }

    @Test func `what gzip itself wrote is read, with a file name in its header`() {
        // printf hello | gzip, its header extended by FNAME "a.txt".
        let bytes: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x08, 0, 0, 0, 0, 0, 0x03, 0x61, 0x2E, 0x74, 0x78, 0x74, 0, 0xCB, 0x48, 0xCD, 0xC9, 0xC9,
            0x07, 0, 0x86, 0xA6, 0x10, 0x36, 0x05, 0, 0, 0,
        ]
        #expect(InflaterTests.outcome(bytes) == .success(Array("hello".utf8)))
    }

    @Test func `members are joined, empty ones too`() {
        let members = InflaterTests.gzip([1, 2]) + InflaterTests.gzip([]) + InflaterTests.gzip(InflaterTests.text)
        #expect(InflaterTests.outcome(members) == .success([1, 2] + InflaterTests.text))
    }

    @Test func `content as big as the limit passes, and one byte more doesn't`() {
        let count = InflaterTests.text.count
        let bytes = InflaterTests.gzip(InflaterTests.text)
        #expect(InflaterTests.outcome(bytes, count) == .success(InflaterTests.text))
        #expect(InflaterTests.outcome(bytes, count - 1) == .failure(.tooLarge(maximumBytes: count - 1)))
        #expect(InflaterTests.outcome(bytes + bytes, count * 2) == .success(InflaterTests.text + InflaterTests.text))
        #expect(InflaterTests.outcome(bytes + bytes, count * 2 - 1) == .failure(.tooLarge(maximumBytes: count * 2 - 1)))
        #expect(InflaterTests.outcome(InflaterTests.gzip([]), 0) == .success([]))
        #expect(InflaterTests.outcome(InflaterTests.gzip([1]), 0) == .failure(.tooLarge(maximumBytes: 0)))
    }

    @Test func `every truncation is refused`() {
        let bytes = InflaterTests.gzip(Array("a body that is cut somewhere".utf8))
        for length in 0..<bytes.count {
            let expected = length < 2 ? InflateError.notGzip : .corrupt
            #expect(InflaterTests.outcome(Array(bytes[..<length])) == .failure(expected), "\(length) bytes")
        }
    }

    @Test func `trailing bytes are refused where they start`() {
        let bytes = InflaterTests.gzip([1, 2, 3])
        for tail in [[0], [0, 0, 0, 0], [0x1F], [0x1F, 0x8C], Array("{}".utf8)] as [[UInt8]] {
            #expect(InflaterTests.outcome(bytes + tail) == .failure(.trailingBytes(offset: bytes.count)))
        }
        #expect(InflaterTests.outcome(bytes + [0x1F, 0x8B]) == .failure(.corrupt))
    }

    @Test(
        arguments: [
            ("nothing", []), ("JSON", Array("{\"a\":1}".utf8)), ("zlib", [0x78, 0x9C, 0x03, 0, 0, 0, 0, 1]),
            ("zstd", [0x28, 0xB5, 0x2F, 0xFD]),
        ] as [(String, [UInt8])]
    )
    func `what isn't gzip is named so`(name: String, bytes: [UInt8]) {
        #expect(InflaterTests.outcome(bytes) == .failure(.notGzip))
    }

    @Test func `a wrong checksum and a wrong size field are refused`() {
        let bytes = InflaterTests.gzip(InflaterTests.text)
        for offset in 1...8 {
            var damaged = bytes
            damaged[bytes.count - offset] ^= 0x10
            #expect(InflaterTests.outcome(damaged) == .failure(.corrupt), "byte \(offset) from the end")
        }
    }

    @Test func `bombs are refused at the limit`() {
        let zeros = InflaterTests.gzip([UInt8](repeating: 0, count: 100 << 20), level: 9)
        #expect(zeros.count < 200_000)
        #expect(InflaterTests.outcome(zeros, 8 << 20) == .failure(.tooLarge(maximumBytes: 8 << 20)))
        // 10 MB that would be some ten gigabytes, each member small enough by itself.
        let member = InflaterTests.gzip([UInt8](repeating: 0, count: 1 << 20), level: 9)
        var members: [UInt8] = []
        while members.count < 10 << 20 { members += member }
        #expect(InflaterTests.outcome(members, 8 << 20) == .failure(.tooLarge(maximumBytes: 8 << 20)))
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `flipped bytes are refused or inflate within the limit (seed)`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = InflaterTests.gzip(InflaterTests.text) + InflaterTests.gzip(Array("{}".utf8))
        for _ in 0..<5_000 {
            var damaged = bytes
            for _ in 0...random.below(4) {
                damaged[random.below(damaged.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            guard case .success(let content) = InflaterTests.outcome(damaged, 20_000) else { continue }
            #expect(content.count <= 20_000)
        }
    }
}
