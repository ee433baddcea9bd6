internal import CCrypto

/// Random bytes that nobody can guess: for identifiers, tokens and epochs.
public enum SecureRandom {
    /// That many random bytes.
    public static func bytes(_ count: Int) -> [UInt8] {
        let count = max(0, count)
        guard count > 0, let size = Int32(exactly: count) else { return systemBytes(count) }
        var isWritten = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe isWritten = RAND_bytes(buffer.baseAddress, size) == 1
            initialized = isWritten ? count : 0
        }
        return isWritten ? bytes : systemBytes(count)
    }

    /// The kernel's bytes: slower, but there when libcrypto's generator can't be seeded.
    private static func systemBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
