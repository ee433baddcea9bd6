internal import CCrypto
internal import Synchronization

/// The library's contexts, made once: finding an algorithm costs more than hashing a token with it.
final class DigestContexts: Sendable {
    static let shared = DigestContexts()

    let sha256 = Mutex(SHA256Context())
    let hmac = Mutex(HMACContext())
}

/// A context that hashes with SHA-256.
@safe
struct SHA256Context: ~Copyable {
    let handle: OpaquePointer

    init() {
        guard let handle = unsafe ccrypto_sha256_new() else { preconditionFailure("libcrypto has no SHA-256") }
        unsafe self.handle = handle
    }

    deinit { unsafe EVP_MD_CTX_free(handle) }
}

/// A context that makes HMACs with SHA-256.
@safe
struct HMACContext: ~Copyable {
    let handle: OpaquePointer

    init() {
        guard let handle = unsafe ccrypto_hmac_sha256_new() else { preconditionFailure("libcrypto has no HMAC") }
        unsafe self.handle = handle
    }

    deinit { unsafe EVP_MAC_CTX_free(handle) }
}
