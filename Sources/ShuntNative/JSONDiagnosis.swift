/// Finds out where and why a document isn't acceptable.
///
/// The fast parser only refuses: its structural index is built before any place is known, and its errors depend on
/// the processor. So a refused document is read again here, slowly and in order, and the first violation is the
/// answer. Nothing is accepted by this type.
struct JSONDiagnosis {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private let base: Int
    private var place = 0
    private var values = 0

    private init(bytes: [UInt8], limits: JSONLimits, base: Int) {
        self.bytes = bytes
        self.limits = limits
        self.base = base
    }

    /// The first violation in a document that the fast parser refused.
    static func explain(_ bytes: Span<UInt8>, limits: JSONLimits, base: Int) -> JSONError {
        // Both readers know the same rules, and tests compare them; should one ever be missing here, this is honest.
        violation(in: bytes, limits: limits, base: base)
            ?? JSONError(.unexpectedByte, at: base, expected: "a JSON document")
    }

    /// The first violation in a document, or nil.
    static func violation(in bytes: Span<UInt8>, limits: JSONLimits, base: Int = 0) -> JSONError? {
        guard bytes.count <= limits.bytes else {
            return JSONError(.tooLarge, at: base + limits.bytes, expected: "at most \(limits.bytes) bytes")
        }
        let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        var diagnosis = JSONDiagnosis(bytes: copy, limits: limits, base: base)
        do throws(JSONError) {
            try diagnosis.document()
        } catch {
            return error
        }
        return nil
    }

    // MARK: Grammar

    private mutating func document() throws(JSONError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw failure(.byteOrderMark, 0, "a document without a byte order mark")
        }
        skipSpace()
        if place == bytes.count { throw failure(.empty, 0, "a JSON value") }
        try value(depth: 1)
        skipSpace()
        if place < bytes.count { throw failure(.trailingBytes, place, "nothing after the document") }
    }

    private mutating func value(depth: Int) throws(JSONError) {
        let start = place
        guard let first = peek() else { throw end("a value") }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), depth > limits.depth {
            throw failure(.tooDeep, start, "at most \(limits.depth) levels of nesting")
        }
        switch first {
        case UInt8(ascii: "{"):
            try countValue(start)
            try object(depth: depth)
            return
        case UInt8(ascii: "["):
            try countValue(start)
            try array(depth: depth)
            return
        case UInt8(ascii: "\""): _ = try string(isKey: false)
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw failure(.unexpectedByte, start, "a value")
        }
        try countValue(start)
    }

    private mutating func countValue(_ start: Int) throws(JSONError) {
        values += 1
        if values > limits.values { throw failure(.tooManyValues, start, "at most \(limits.values) values") }
    }

    private mutating func array(depth: Int) throws(JSONError) {
        place += 1
        skipSpace()
        if take("]") { return }
        while true {
            try value(depth: depth + 1)
            skipSpace()
            if take("]") { return }
            try require(",", "a comma or ]")
            skipSpace()
        }
    }

    private mutating func object(depth: Int) throws(JSONError) {
        var keys: Set<[UInt8]> = []
        place += 1
        skipSpace()
        if take("}") { return }
        var wanted = "a key in quotes or }"
        while true {
            let start = place
            guard let first = peek() else { throw end(wanted) }
            if first != UInt8(ascii: "\"") { throw failure(.unexpectedByte, start, wanted) }
            if !keys.insert(try string(isKey: true)).inserted {
                throw failure(.duplicateKey, start, "a key that the object doesn't have yet")
            }
            skipSpace()
            try require(":", "a colon")
            skipSpace()
            try value(depth: depth + 1)
            skipSpace()
            if take("}") { return }
            try require(",", "a comma or }")
            skipSpace()
            wanted = "a key in quotes"
        }
    }

    private mutating func literal(_ word: StaticString) throws(JSONError) {
        for wanted in word.description.utf8 {
            guard let byte = peek() else { throw end(word.description) }
            if byte != wanted { throw failure(.unexpectedByte, place, word.description) }
            place += 1
        }
    }

    private mutating func number() throws(JSONError) {
        _ = take("-")
        let leadingZero = peek() == UInt8(ascii: "0")
        let start = place
        try digits()
        if leadingZero && place > start + 1 {
            throw failure(.invalidNumber, start + 1, "no digit after a leading zero")
        }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
    }

    private mutating func digits() throws(JSONError) {
        let start = place
        while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { place += 1 }
        if place > start { return }
        throw place == bytes.count ? end("a digit") : failure(.invalidNumber, place, "a digit")
    }

    // MARK: Strings

    /// Reads a string and gives it back unescaped if it is a key, whose twin may be written in another way.
    private mutating func string(isKey: Bool) throws(JSONError) -> [UInt8] {
        var unescaped: [UInt8] = []
        place += 1
        while true {
            let start = place
            skipPlainText()
            if isKey { unescaped += bytes[start..<place] }
            guard let byte = peek() else { throw end("a closing quote") }
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                return unescaped
            case UInt8(ascii: "\\"):
                try escape(into: &unescaped)
            case 0..<0x20:
                throw failure(.controlCharacter, place, "control characters to be escaped")
            default:
                let length = sequenceLength()
                if length == 0 { throw failure(.invalidUTF8, place, "UTF-8") }
                if isKey { unescaped += bytes[place..<place + length] }
                place += length
            }
        }
    }

    private mutating func skipPlainText() {
        var end = place
        while end < bytes.count {
            let byte = bytes[end]
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            end += 1
        }
        place = end
    }

    private mutating func escape(into unescaped: inout [UInt8]) throws(JSONError) {
        let start = place
        place += 1
        guard let byte = peek() else { throw end("an escape") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"): unescaped += Array(String(Character(try scalar(start))).utf8)
        default: throw failure(.invalidEscape, start, #"one of \" \\ \/ \b \f \n \r \t \u"#)
        }
    }

    private mutating func scalar(_ start: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try codeUnit(start)
        if unit == 0 && !limits.allowsEscapedNUL { throw failure(.escapedNUL, start, "no NUL") }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let pair = #"a high and a low surrogate, \uD800\uDC00 to \uDBFF\uDFFF"#
        guard unit < 0xDC00, peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") else {
            throw failure(.loneSurrogate, start, pair)
        }
        let second = place
        place += 2
        let low = try codeUnit(second)
        guard low >= 0xDC00, low < 0xE000 else { throw failure(.loneSurrogate, start, pair) }
        let combined = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
        return Unicode.Scalar(combined) ?? "\u{FFFD}"
    }

    private mutating func codeUnit(_ start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek() else { throw end("four hexadecimal digits") }
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure(.invalidEscape, start, #"four hexadecimal digits after \u"#)
            }
            unit = unit << 4 | UInt16(digit)
            place += 1
        }
        return unit
    }

    /// The length of the well-formed multi-byte sequence here, 0 if there is none (Unicode 15, table 3-7).
    private func sequenceLength() -> Int {
        func continues(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            peek(offset).map { range.contains($0) } ?? false
        }
        switch bytes[place] {
        case 0xC2...0xDF: return continues(1) ? 2 : 0
        case 0xE0: return continues(1, 0xA0...0xBF) && continues(2) ? 3 : 0
        case 0xED: return continues(1, 0x80...0x9F) && continues(2) ? 3 : 0
        case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : 0
        case 0xF0: return continues(1, 0x90...0xBF) && continues(2) && continues(3) ? 4 : 0
        case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
        case 0xF4: return continues(1, 0x80...0x8F) && continues(2) && continues(3) ? 4 : 0
        default: return 0
        }
    }

    // MARK: Bytes

    private func peek(_ offset: Int = 0) -> UInt8? {
        place + offset < bytes.count ? bytes[place + offset] : nil
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: byte) else { return false }
        place += 1
        return true
    }

    private mutating func require(_ byte: Unicode.Scalar, _ expected: String) throws(JSONError) {
        if take(byte) { return }
        throw place == bytes.count ? end(expected) : failure(.unexpectedByte, place, expected)
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private func end(_ expected: String) -> JSONError { failure(.unexpectedEnd, bytes.count, expected) }

    private func failure(_ code: JSONError.Code, _ place: Int, _ expected: String) -> JSONError {
        JSONError(code, at: base + place, expected: expected)
    }
}
