/// Numbers whose shape proves that they aren't card numbers, though a part of them could pass for one.
enum OpaqueNumber {
    /// The end of a UUID or an IBAN that starts at `index`, or nil. `index` must be the start of a word.
    @inline(__always)
    static func end(at index: Int, in bytes: Span<UInt8>) -> Int? {
        guard index + 15 <= bytes.count else { return nil }
        if index + 36 <= bytes.count, bytes[index + 8] == 0x2D, bytes[index + 13] == 0x2D {
            return uuidEnd(at: index, in: bytes)
        }
        guard bytes[index] &- 0x41 < 26, bytes[index + 1] &- 0x41 < 26, bytes[index + 2] &- 0x30 < 10 else {
            return nil
        }
        return ibanEnd(at: index, in: bytes)
    }

    /// A UUID: 8-4-4-4-12 hexadecimal digits, not part of a longer word.
    private static func uuidEnd(at index: Int, in bytes: Span<UInt8>) -> Int? {
        for offset in 0..<36 {
            let byte = bytes[index + offset]
            switch offset {
            case 8, 13, 18, 23: if byte != 0x2D { return nil }
            default: if TextUnit.hexadecimalValue(byte) == nil { return nil }
            }
        }
        let end = index + 36
        if end < bytes.count, isWordByte(bytes[end]) { return nil }
        return end
    }

    /// An IBAN (ISO 13616), with or without spaces: 15–34 characters whose check digits fit (modulo 97).
    private static func ibanEnd(at index: Int, in bytes: Span<UInt8>) -> Int? {
        let country = letterValue(bytes[index]) * 100 + letterValue(bytes[index + 1])
        guard let check = number(at: index + 2, in: bytes) else { return nil }
        var remainder = 0
        var count = 4
        var position = index + 4
        var best: Int?
        while position < bytes.count, count < 34 {
            let byte = bytes[position]
            if byte == 0x20 {
                guard position + 1 < bytes.count, isWordByte(bytes[position + 1]) else { break }
                position += 1
                continue
            }
            if byte &- 0x30 < 10 {
                remainder = (remainder * 10 + Int(byte &- 0x30)) % 97
            } else if byte &- 0x41 < 26 {
                remainder = (remainder * 100 + letterValue(byte)) % 97
            } else {
                break
            }
            count += 1
            position += 1
            let isWordEnd = position == bytes.count || !isWordByte(bytes[position])
            // The country and check digits move to the end before the division: six digits.
            if count >= 15, isWordEnd, (remainder * 1_000_000 + country * 100 + check) % 97 == 1 { best = position }
        }
        return best
    }

    private static func number(at index: Int, in bytes: Span<UInt8>) -> Int? {
        guard bytes[index] &- 0x30 < 10, bytes[index + 1] &- 0x30 < 10 else { return nil }
        return Int(bytes[index] &- 0x30) * 10 + Int(bytes[index + 1] &- 0x30)
    }

    private static func letterValue(_ byte: UInt8) -> Int { Int(byte) - 0x41 + 10 }

    private static func isWordByte(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 }
}

/// Magnetic stripe data that follows a card number (ISO/IEC 7813).
enum TrackData {
    /// Whether the byte at `index` separates a card number from the rest of track 2: `=`, or `D` as chips spell it.
    static func separates(at index: Int, in bytes: Span<UInt8>) -> Bool {
        guard index < bytes.count, bytes[index] == 0x3D || bytes[index] | 0x20 == 0x64 else { return false }
        // Expiry and service code at least: seven digits.
        guard index + 7 < bytes.count else { return false }
        for offset in 1...7 where bytes[index + offset] &- 0x30 >= 10 { return false }
        return true
    }

    /// Where the track ends whose card number stands at `start..<cardEnd`, or nil when there is no track.
    static func end(from start: Int, cardEnd: Int, in bytes: Span<UInt8>) -> Int? {
        if separates(at: cardEnd, in: bytes) {
            var index = cardEnd + 1
            while index < bytes.count, bytes[index] &- 0x30 < 10 || bytes[index] | 0x20 == 0x66 { index += 1 }
            return index
        }
        // Track 1: `B4111…^NAME^2512…?`
        guard cardEnd < bytes.count, bytes[cardEnd] == 0x5E, start > 0, bytes[start - 1] | 0x20 == 0x62 else {
            return nil
        }
        var index = cardEnd + 1
        while index < bytes.count, index - cardEnd < 80, bytes[index] != 0x3F, bytes[index] >= 0x20 { index += 1 }
        return index
    }
}
