/// The character classes of RFC 9110, and comparisons of bytes with literals.
enum HTTPBytes {
    /// Letters, digits and ``!#$%&'*+-.^_`|~`` (RFC 9110 5.6.2), a bit for each.
    private static let tokenLow: UInt64 = 0x03ff_6cfa_0000_0000
    private static let tokenHigh: UInt64 = 0x57ff_ffff_c7ff_fffe

    /// Whether a byte may stand in a token.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        byte < 128 && ((byte < 64 ? tokenLow : tokenHigh) >> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether a byte may stand in a field's value: visible, space, tab or above 127.
    @inline(__always)
    static func isField(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7f) || byte == 0x09
    }

    /// Whether bytes are those of a literal.
    static func equal(_ bytes: Span<UInt8>, _ literal: StaticString) -> Bool {
        guard bytes.count == literal.utf8CodeUnitCount else { return false }
        for index in bytes.indices where unsafe bytes[index] != literal.utf8Start[index] { return false }
        return true
    }

    /// Whether bytes are those of a literal, without regard to the case of ASCII letters.
    @inline(__always)
    static func equalWithoutCase(_ bytes: Span<UInt8>, _ literal: StaticString) -> Bool {
        guard bytes.count == literal.utf8CodeUnitCount else { return false }
        for index in bytes.indices
        where unsafe lowercase(bytes[index]) != lowercase(literal.utf8Start[index]) { return false }
        return true
    }

    @inline(__always)
    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
    }

    /// The text of bytes; what isn't UTF-8 is replaced by U+FFFD.
    static func string(_ bytes: Span<UInt8>) -> String {
        unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The value of a hexadecimal digit.
    @inline(__always)
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
