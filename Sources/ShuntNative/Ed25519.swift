internal import CCrypto

/// Signatures of the form Ed25519 (RFC 8032), checked by anybody who has the signer's public key.
public enum Ed25519 {
    /// The number of bytes of a private and of a public key.
    public static let keyByteCount = 32
    /// The number of bytes of a signature.
    public static let signatureByteCount = 64

    /// Whether the bytes were signed with the private key that belongs to this public one.
    ///
    /// False also for a key or a signature of the wrong length, or a key that is no point of the curve.
    public static func isValid(_ signature: [UInt8], of bytes: [UInt8], publicKey: [UInt8]) -> Bool {
        guard publicKey.count == keyByteCount, signature.count == signatureByteCount else { return false }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe signature.withUnsafeBufferPointer { signature in
                unsafe publicKey.withUnsafeBufferPointer { key in
                    unsafe ccrypto_ed25519_verify(
                        key.baseAddress,
                        signature.baseAddress,
                        bytes.baseAddress,
                        bytes.count
                    ) == 1
                }
            }
        }
    }
}

/// A private key of Ed25519: signs, and gives nothing away but its public key.
public final class Ed25519PrivateKey: Sendable {
    /// The 32 bytes that those who verify need.
    public let publicKey: [UInt8]

    private let handle: Ed25519Handle

    /// The key of 32 secret bytes (RFC 8032's "private key", which others call the seed); nil for another number.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Ed25519.keyByteCount else { return nil }
        let handle = Ed25519Handle(bytes)
        publicKey = handle.publicKey()
        self.handle = handle
    }

    /// The 64 bytes of the signature. The same bytes always have the same one.
    public func signature(of bytes: [UInt8]) -> [UInt8] {
        handle.signature(of: bytes)
    }
}

/// The library's form of a private key. Nothing changes it once it's made, and signing only reads it, so that any
/// thread may; its address is kept as a number because pointers are never `Sendable`.
private struct Ed25519Handle: ~Copyable, Sendable {
    private let address: UInt

    private var key: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

    /// Any 32 bytes are a key.
    init(_ bytes: [UInt8]) {
        let made = unsafe bytes.withUnsafeBufferPointer { unsafe ccrypto_ed25519_private($0.baseAddress) }
        guard let made = unsafe made else { preconditionFailure("libcrypto has no Ed25519") }
        address = UInt(bitPattern: made)
    }

    deinit {
        // Overwrites the secret as well.
        unsafe EVP_PKEY_free(key)
    }

    func publicKey() -> [UInt8] {
        unsafe filled(Ed25519.keyByteCount) { unsafe ccrypto_ed25519_public(key, $0) == 1 }
    }

    func signature(of bytes: [UInt8]) -> [UInt8] {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe filled(Ed25519.signatureByteCount) {
                unsafe ccrypto_ed25519_sign(key, bytes.baseAddress, bytes.count, $0) == 1
            }
        }
    }

    private func filled(_ count: Int, by write: (UnsafeMutablePointer<UInt8>?) -> Bool) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Like hashing: with a sound key only want of memory can make it fail.
            precondition(unsafe write(buffer.baseAddress), "libcrypto refused to sign")
            initialized = count
        }
    }
}
