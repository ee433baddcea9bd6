/// One unit of a text as the card scanner sees it: a digit or a separator, in whatever spelling it arrived.
///
/// Card numbers come full-width (`４１１１`), with no-break spaces, percent-encoded (`4111%201111`) and as escapes of JSON
/// within JSON (`4111\u00a01111`). Folding happens here, so that the rules above see plain digits.
struct TextUnit {
    enum Kind: UInt8 {
        case digit, dot, separator, letter, other
    }

    var kind: Kind
    /// The digit's value, 0–9; else 0.
    var value: Int = 0
    /// How many bytes it takes, at least 1.
    var length: Int = 1

    /// The unit that starts at `index`.
    @inline(__always)
    static func at(_ index: Int, in bytes: Span<UInt8>) -> TextUnit {
        let byte = bytes[index]
        if byte &- 0x30 < 10 { return TextUnit(kind: .digit, value: Int(byte &- 0x30)) }
        if (byte | 0x20) &- 0x61 < 26 { return TextUnit(kind: .letter) }
        switch byte {
        case 0x20, 0x2B, 0x2D: return TextUnit(kind: .separator)  // space, plus (a space in a query string), hyphen
        case 0x2E: return TextUnit(kind: .dot)
        case 0x25: return percentEscape(index, in: bytes)
        case 0x5C: return backslashEscape(index, in: bytes)
        case 0xC2, 0xE2, 0xE3, 0xEF: return wide(index, in: bytes)
        default: return TextUnit(kind: .other)
        }
    }

    private static func percentEscape(_ index: Int, in bytes: Span<UInt8>) -> TextUnit {
        switch hexadecimal(index + 1, count: 2, in: bytes) {
        case 0x20, 0x2D, 0x2E: return TextUnit(kind: .separator, length: 3)
        case 0xC2:
            let isNoBreakSpace =
                index + 3 < bytes.count && bytes[index + 3] == 0x25
                && hexadecimal(index + 4, count: 2, in: bytes) == 0xA0
            return isNoBreakSpace ? TextUnit(kind: .separator, length: 6) : TextUnit(kind: .other)
        default: return TextUnit(kind: .other)
        }
    }

    /// Backslashes with what they escape; JSON within JSON doubles them, so any number counts as one.
    private static func backslashEscape(_ index: Int, in bytes: Span<UInt8>) -> TextUnit {
        var next = index + 1
        while next < bytes.count, bytes[next] == 0x5C { next += 1 }
        let slashes = next - index
        guard next < bytes.count else { return TextUnit(kind: .other, length: slashes) }
        switch bytes[next] {
        case 0x6E, 0x74, 0x72, 0x62, 0x66:  // n t r b f: the letter belongs to the escape, not to what follows
            return TextUnit(kind: .other, length: slashes + 1)
        case 0x75:  // uXXXX
            guard let scalar = hexadecimal(next + 1, count: 4, in: bytes) else {
                return TextUnit(kind: .other, length: slashes)
            }
            return of(scalar: scalar, length: slashes + 5)
        default:
            return TextUnit(kind: .other, length: slashes)
        }
    }

    private static func wide(_ index: Int, in bytes: Span<UInt8>) -> TextUnit {
        guard index + 1 < bytes.count else { return TextUnit(kind: .other) }
        let second = Int(bytes[index + 1]) & 0x3F
        if bytes[index] == 0xC2 { return of(scalar: second | 0x80, length: 2) }
        guard index + 2 < bytes.count else { return TextUnit(kind: .other) }
        let lead = Int(bytes[index]) & 0x0F
        return of(scalar: lead << 12 | second << 6 | Int(bytes[index + 2]) & 0x3F, length: 3)
    }

    private static func of(scalar: Int, length: Int) -> TextUnit {
        switch scalar {
        case 0x30...0x39: TextUnit(kind: .digit, value: scalar - 0x30, length: length)
        case 0xFF10...0xFF19: TextUnit(kind: .digit, value: scalar - 0xFF10, length: length)
        case 0x20, 0x2D, 0xA0, 0x2007, 0x2009, 0x202F, 0x3000: TextUnit(kind: .separator, length: length)  // spaces
        case 0x2010...0x2014, 0x2212, 0xFF0D: TextUnit(kind: .separator, length: length)  // hyphens and dashes
        case 0x2E, 0xFF0E: TextUnit(kind: .separator, length: length)  // no decimal point in these spellings
        default: TextUnit(kind: .other, length: length)
        }
    }

    /// The value of `count` hexadecimal digits at `index`, or nil where they aren't.
    static func hexadecimal(_ index: Int, count: Int, in bytes: Span<UInt8>) -> Int? {
        guard index + count <= bytes.count else { return nil }
        var value = 0
        for position in index..<(index + count) {
            guard let digit = hexadecimalValue(bytes[position]) else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    /// The value of one hexadecimal digit, or nil.
    @inline(__always)
    static func hexadecimalValue(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x37
        case 0x61...0x66: Int(byte) - 0x57
        default: nil
        }
    }
}
