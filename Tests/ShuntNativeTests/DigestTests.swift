import ShuntNative
import Testing

/// Hashes against published vectors.
@Suite struct DigestTests {
    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func `SHA-256 gives the vectors of RFC 6234`(text: String, expected: String) {
        #expect(Digest.sha256(Array(text.utf8)).hexadecimal == expected)
        #expect(Digest.sha256(Array(text.utf8).span) == Digest(hexadecimal: expected.uppercased()))
    }

    @Test func `SHA-256 of a million letters is that of FIPS 180-4`() {
        let digest = Digest.sha256([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect("\(digest)" == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(
        arguments: [
            (
                "case 1", String(repeating: "0b", count: 20), "4869205468657265",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                "case 2", "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                "case 3", String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                "case 4", "0102030405060708090a0b0c0d0e0f10111213141516171819", String(repeating: "cd", count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                "case 6, a key longer than a block", String(repeating: "aa", count: 131),
                "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            ("an empty key and text", "", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ]
    )
    func `HMAC-SHA-256 gives the vectors of RFC 4231`(name: String, key: String, text: String, expected: String) {
        // Another key in between: the context must not remember one.
        _ = Digest.hmacSHA256(key: [1, 2, 3], [4])
        #expect(Digest.hmacSHA256(key: DigestTests.bytes(key), DigestTests.bytes(text)).hexadecimal == expected)
    }

    @Test func `a digest survives bytes and hexadecimal, and nothing else makes one`() {
        let digest = Digest.sha256([1])
        #expect(Digest(bytes: digest.bytes) == digest)
        #expect(Digest(hexadecimal: digest.hexadecimal) == digest)
        #expect(digest.hashValue == Digest(bytes: digest.bytes)?.hashValue)
        #expect(Digest(bytes: [1, 2]) == nil)
        for text in ["", "ab", String(repeating: "g", count: 64), String(repeating: "0", count: 65), "０"] {
            #expect(Digest(hexadecimal: text) == nil, "\(text)")
        }
    }

    @Test func `a difference in any bit is seen`() {
        let digest = Digest.sha256([7])
        for bit in 0..<256 {
            var bytes = digest.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(Digest(bytes: bytes) != digest)
            #expect(!Digest.areEqual(bytes, digest.bytes))
        }
        #expect(Digest.areEqual([], []))
        #expect(Digest.areEqual([1, 2], [1, 2]))
        #expect(!Digest.areEqual([1, 2], [1, 2, 3]))
    }

    @Test func `many threads hash at once without mixing`() async {
        let expected = (0..<64).map { Digest.sha256([UInt8($0)]) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<2_000).allSatisfy { Digest.sha256([UInt8($0 % 64)]) == expected[$0 % 64] }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `random bytes come in the number asked for and don't repeat`() {
        #expect(SecureRandom.bytes(0) == [])
        #expect(SecureRandom.bytes(-1) == [])
        #expect(SecureRandom.bytes(33).count == 33)
        #expect(Set((0..<1_000).map { _ in SecureRandom.bytes(16) }).count == 1_000)
    }
}
