import ShuntNative
import TestSupport
import Testing

/// Signatures against published vectors.
@Suite struct Ed25519Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let privateKey: String
        let publicKey: String
        let message: String
        let signature: String

        var testDescription: String { name }
    }

    /// RFC 8032, 7.1.
    static let vectors = [
        Vector(
            name: "test 1, an empty message",
            privateKey: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        Vector(
            name: "test 2, one byte",
            privateKey: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        Vector(
            name: "test 3, two bytes",
            privateKey: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: "af82",
            signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
        Vector(
            name: "test SHA(abc)",
            privateKey: "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
            publicKey: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            message: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
                + "454d4423643ce80e2a9ac94fa54ca49f",
            signature: "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
                + "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
        ),
    ]

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test(arguments: vectors)
    func `the vectors of RFC 8032`(vector: Vector) throws {
        let key = try #require(Ed25519PrivateKey(bytes: Self.bytes(vector.privateKey)))
        let message = Self.bytes(vector.message)
        let signature = Self.bytes(vector.signature)
        #expect(key.publicKey == Self.bytes(vector.publicKey))
        #expect(key.signature(of: message) == signature)
        #expect(Ed25519.isValid(signature, of: message, publicKey: key.publicKey))
    }

    @Test func `a difference in any bit of signature, message or key is seen`() throws {
        let key = try #require(Ed25519PrivateKey(bytes: SecureRandom.bytes(32)))
        let message: [UInt8] = [1, 2, 3]
        let signature = key.signature(of: message)
        func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            return bytes
        }
        for bit in 0..<512 { #expect(!Ed25519.isValid(flipped(signature, bit), of: message, publicKey: key.publicKey)) }
        for bit in 0..<256 { #expect(!Ed25519.isValid(signature, of: message, publicKey: flipped(key.publicKey, bit))) }
        for bit in 0..<24 { #expect(!Ed25519.isValid(signature, of: flipped(message, bit), publicKey: key.publicKey)) }
    }

    @Test(arguments: [0, 31, 33, 64])
    func `what has another length is no key and no signature`(count: Int) throws {
        #expect(Ed25519PrivateKey(bytes: [UInt8](repeating: 1, count: count)) == nil)
        let key = try #require(Ed25519PrivateKey(bytes: [UInt8](repeating: 1, count: 32)))
        let signature = key.signature(of: [])
        #expect(!Ed25519.isValid(signature, of: [], publicKey: [UInt8](repeating: 1, count: count)))
        #expect(!Ed25519.isValid([UInt8](repeating: 0, count: count), of: [], publicKey: key.publicKey))
        #expect(!Ed25519.isValid(Array(signature.dropLast()), of: [], publicKey: key.publicKey))
    }

    @Test func `many threads sign at once with one key`() async throws {
        let key = try #require(Ed25519PrivateKey(bytes: [UInt8](0..<32)))
        let expected = (0..<16).map { key.signature(of: [UInt8($0)]) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<200).allSatisfy { key.signature(of: [UInt8($0 % 16)]) == expected[$0 % 16] } }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
