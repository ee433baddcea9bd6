/// Which installs lie within a share of all, so that each keeps its answer while a switch recovers.
///
/// An install's bucket is MurmurHash3 (x86, 32 bits, seed 0) of the UTF-8 bytes of salt, `:` and install, modulo
/// 10,000. Anybody can compute it: the hash is small, public domain and in every language. The test vectors stand in
/// `docs/api.md`.
public enum Cohort {
    /// How many buckets there are: a hundredth of a per cent each.
    public static let buckets: UInt32 = 10_000

    /// The bucket of an install, from 0 to 9,999.
    public static func bucket(installId: String, salt: String) -> UInt32 {
        Murmur3.hash(salt + ":" + installId) % buckets
    }

    /// Whether the install lies within the first `percent` of a hundred; a share of 100 or more holds everybody.
    public static func contains(installId: String, salt: String, percent: Int64) -> Bool {
        Int64(bucket(installId: installId, salt: salt)) < min(max(percent, 0), 100) * 100
    }
}

/// MurmurHash3 for 32 bits.
///
/// Source: Austin Appleby, MurmurHash3.cpp, `MurmurHash3_x86_32`.
private enum Murmur3 {
    static func hash(_ text: String) -> UInt32 {
        let bytes = text.utf8.span
        var hash: UInt32 = 0
        var block: UInt32 = 0
        for index in bytes.indices {
            block |= UInt32(bytes[index]) << (8 * UInt32(index % 4))
            guard index % 4 == 3 else { continue }
            hash = rotate(hash ^ mix(block), by: 13) &* 5 &+ 0xE654_6B64
            block = 0
        }
        // What is left of the last block; of nothing it is nothing.
        hash ^= mix(block)
        hash ^= UInt32(truncatingIfNeeded: bytes.count)
        hash = (hash ^ (hash >> 16)) &* 0x85EB_CA6B
        hash = (hash ^ (hash >> 13)) &* 0xC2B2_AE35
        return hash ^ (hash >> 16)
    }

    private static func mix(_ block: UInt32) -> UInt32 {
        rotate(block &* 0xCC9E_2D51, by: 15) &* 0x1B87_3593
    }

    private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
