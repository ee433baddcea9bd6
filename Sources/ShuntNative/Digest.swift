internal import CCrypto

/// SHA-256, by OpenSSL.
public struct SHA256: Hashable, Sendable {
    /// The size of a digest in bytes.
    public static let byteCount = 32

    /// The digest.
    public let bytes: [UInt8]

    /// The digest of the bytes.
    public static func hash(_ bytes: [UInt8]) -> SHA256 {
        var digest = [UInt8](repeating: 0, count: byteCount)
        var count: UInt32 = 0
        unsafe EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil)
        return SHA256(bytes: digest)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
