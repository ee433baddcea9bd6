internal import CCrypto
internal import Synchronization

/// The 32 bytes of a SHA-256 digest, or of an HMAC made with it. Comparing takes the same time for any two.
public struct Digest: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes.
    public static let byteCount = 32

    /// A digest of exactly 32 bytes; nil for another number.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Digest.byteCount else { return nil }
        func word(_ index: Int) -> UInt64 {
            bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// A digest written as 64 hexadecimal digits of either case; nil for anything else.
    public init?(hexadecimal: String) {
        var bytes: [UInt8] = []
        var high: Int?
        for character in hexadecimal {
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(UInt8(first << 4 | digit))
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
        self.init(bytes: bytes)
    }

    init(filling write: (UnsafeMutablePointer<UInt8>) -> Bool) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let isWritten = unsafe withUnsafeMutableBytes(of: &words) { buffer in
            unsafe buffer.withMemoryRebound(to: UInt8.self) { bytes in
                guard let first = bytes.baseAddress else { return false }
                return unsafe write(first)
            }
        }
        // Hashing memory can't fail in a way that a caller could mend.
        precondition(isWritten, "libcrypto refused to hash")
        self.words = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    }

    /// The digest's bytes.
    public var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// 64 lower-case hexadecimal digits.
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension Digest: Hashable {
    /// Whether two digests are equal, in constant time.
    public static func == (one: Digest, other: Digest) -> Bool {
        let difference =
            (one.words.0 ^ other.words.0) | (one.words.1 ^ other.words.1)
            | (one.words.2 ^ other.words.2) | (one.words.3 ^ other.words.3)
        return difference == 0
    }

    /// Feeds the digest's first bytes, which are as good as random.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Digest: CustomStringConvertible {
    /// The digest in hexadecimal.
    public var description: String { hexadecimal }
}

extension Digest {
    /// SHA-256 of some bytes (FIPS 180-4).
    public static func sha256(_ bytes: [UInt8]) -> Digest { sha256(bytes.span) }

    /// SHA-256 of some bytes (FIPS 180-4).
    public static func sha256(_ bytes: Span<UInt8>) -> Digest {
        DigestContexts.shared.sha256.withLock { context in
            unsafe bytes.withUnsafeBufferPointer { input in
                unsafe Digest { unsafe ccrypto_sha256(context.handle, input.baseAddress, input.count, $0) == 1 }
            }
        }
    }

    /// HMAC with SHA-256 (RFC 2104) of some bytes.
    public static func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> Digest {
        // An empty array may have no address, which libcrypto would take for "the last key"; HMAC pads keys with
        // zeros up to 64 bytes, so one zero is the same key.
        let key = key.isEmpty ? [0] : key
        return DigestContexts.shared.hmac.withLock { context in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe bytes.withUnsafeBufferPointer { input in
                    unsafe Digest {
                        unsafe ccrypto_hmac_sha256(
                            context.handle,
                            key.baseAddress,
                            key.count,
                            input.baseAddress,
                            input.count,
                            $0
                        ) == 1
                    }
                }
            }
        }
    }

    /// Whether two secrets are the same, in a time that depends on their lengths only.
    public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return true }
                return unsafe CRYPTO_memcmp(first, second, one.count) == 0
            }
        }
    }
}
