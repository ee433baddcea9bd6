extension Span where Element == UInt8 {
    /// Whether an ASCII word, given in lower case, stands at `index`, in any case.
    func holds(_ word: String, at index: Int) -> Bool {
        let letters = word.utf8.span
        guard index >= 0, index + letters.count <= count else { return false }
        for offset in letters.indices where self[index + offset].lowercased != letters[offset] { return false }
        return true
    }

    /// Whether an ASCII word, given in lower case, ends right before `index`, in any case.
    func holds(_ word: String, endingAt index: Int) -> Bool { holds(word, at: index - word.utf8.count) }

    /// Where an ASCII word, given in lower case, first stands at or after `index`, in any case; nil if nowhere.
    func firstIndex(of word: String, from index: Int) -> Int? {
        var position = index
        while position < count {
            if holds(word, at: position) { return position }
            position += 1
        }
        return nil
    }

    /// How many backslashes stand right before `index`.
    func backslashes(before index: Int) -> Int {
        var position = index
        while position > 0, self[position - 1] == 0x5C { position -= 1 }
        return index - position
    }
}

extension UInt8 {
    /// An ASCII capital as a small letter; any other byte unchanged.
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// An ASCII letter.
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// An ASCII digit.
    var isDigit: Bool { self &- 0x30 < 10 }

    /// An ASCII letter or digit.
    var isAlphanumeric: Bool { isLetter || isDigit }

    /// A byte of base64 or base64url; not `=`, which pads the end and joins keys to values.
    var isBase64: Bool {
        switch self {
        case 0x2B, 0x2F, 0x2D, 0x5F: true
        default: isAlphanumeric
        }
    }

    /// Space, tab, line feed, carriage return.
    var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
