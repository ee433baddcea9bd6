/// A key and its value written inside a text: JSON within a string, a query string, a header, an XML element.
///
/// The key decides (see ``SensitiveKey``). In prose a colon is no assignment (`Invalid token: expired` is a diagnosis), so
/// there only a short list of keys counts.
enum KeyedValue {
    /// How the pair is written, which decides where the value ends and what replaces it.
    private enum Form {
        /// `"key": value`, its quotes behind this many backslashes.
        case quoted(escapes: Int)
        /// `key=value`.
        case assigned
        /// `Authorization: Bearer …`, up to the end of the line.
        case header
        /// `CVV: 123`.
        case prose
    }

    private struct Found {
        var form: Form
        /// Where the value may start.
        var after: Int
    }

    private static let longestKey = 72

    /// Whether a sensitive key ends at the colon or equals sign at `index`.
    static func isSensitive(at index: Int, in bytes: Span<UInt8>) -> Bool { locate(at: index, in: bytes) != nil }

    /// The value to be replaced behind the colon or equals sign at `index`, or nil.
    static func span(at index: Int, in bytes: Span<UInt8>) -> RedactedSpan? {
        guard let found = locate(at: index, in: bytes) else { return nil }
        var start = found.after
        while start < bytes.count, start - found.after < 4, bytes[start] == 0x20 { start += 1 }
        guard start < bytes.count, !bytes.holds("[redacted", at: start), !bytes.holds("[pan ", at: start) else {
            return nil
        }
        switch found.form {
        case .quoted(let escapes): return value(at: start, escapes: escapes, bytes)
        case .assigned: return assignedValue(at: start, bytes)
        case .header: return headerValue(at: start, bytes)
        case .prose: return proseValue(at: start, bytes)
        }
    }

    /// The content of the XML element that opens at `index`, if its name is a sensitive key.
    static func element(at index: Int, in bytes: Span<UInt8>) -> RedactedSpan? {
        var end = index + 1
        while end < bytes.count, end - index < longestKey, isKeyByte(bytes[end]) || bytes[end] == 0x3A { end += 1 }
        guard end + 1 < bytes.count, bytes[end] == 0x3E, bytes[end + 1] != 0x5B else { return nil }
        guard SensitiveKey.isSensitive(bytes.extracting((index + 1)..<end)) else { return nil }
        var close = end + 1
        while close + 1 < bytes.count, !(bytes[close] == 0x3C && bytes[close + 1] == 0x2F) { close += 1 }
        if close + 1 >= bytes.count { close = bytes.count }
        return close == end + 1 ? nil : RedactedSpan(range: (end + 1)..<close, kind: .keyedValue)
    }

    // MARK: The key

    private static func locate(at index: Int, in bytes: Span<UInt8>) -> Found? {
        let isColon = bytes[index] == 0x3A
        guard index > 0, index + 1 < bytes.count else { return nil }
        let isArrow = !isColon && bytes[index + 1] == 0x3E
        if !isColon, bytes[index + 1] == 0x3D { return nil }
        var end = index
        if bytes[end - 1] == 0x20 { end -= 1 }
        guard end > 0 else { return nil }
        let quote = bytes[end - 1]
        if quote == 0x22 || quote == 0x27 {
            let escapes = bytes.backslashes(before: end - 1)
            let keyEnd = end - 1 - escapes
            let keyStart = keyStart(before: keyEnd, in: bytes)
            guard keyStart > 0, bytes[keyStart - 1] == quote, isSensitive(keyStart, keyEnd, bytes) else { return nil }
            return Found(form: .quoted(escapes: escapes), after: index + (isArrow ? 2 : 1))
        }
        let keyStart = keyStart(before: end, in: bytes)
        guard keyStart < end else { return nil }
        if isColon {
            guard let form = unquotedForm(keyStart, end, bytes) else { return nil }
            return Found(form: form, after: index + 1)
        }
        guard isSensitive(keyStart, end, bytes) else { return nil }
        return Found(form: isArrow ? .quoted(escapes: 0) : .assigned, after: index + (isArrow ? 2 : 1))
    }

    private static func isSensitive(_ start: Int, _ end: Int, _ bytes: Span<UInt8>) -> Bool {
        start < end && end - start < longestKey && SensitiveKey.isSensitive(bytes.extracting(start..<end))
    }

    private static func keyStart(before end: Int, in bytes: Span<UInt8>) -> Int {
        var start = end
        while start > 0, end - start <= longestKey, isKeyByte(bytes[start - 1]) { start -= 1 }
        return start
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == 0x5F || byte == 0x2D || byte == 0x2E || byte == 0x5B || byte == 0x5D
    }

    private static func unquotedForm(_ start: Int, _ end: Int, _ bytes: Span<UInt8>) -> Form? {
        func isKey(_ word: String) -> Bool { end - start == word.utf8.count && bytes.holds(word, at: start) }
        switch bytes[end - 1].lowercased {
        case 0x6E:  // n
            if isKey("authorization") || isKey("proxy-authorization") || isKey("x-auth-token") { return .header }
            return isKey("pin") || isKey("pan") || isKey("cvn") ? .prose : nil
        case 0x65: return isKey("cookie") || isKey("set-cookie") ? .header : nil
        case 0x79: return isKey("x-api-key") || isKey("api-key") || isKey("apikey") ? .header : nil
        case 0x64: return isKey("password") || isKey("passwd") ? .header : nil
        case 0x76: return isKey("cvv") ? .prose : nil
        case 0x63: return isKey("cvc") ? .prose : nil
        case 0x32: return isKey("cvn2") || isKey("cvv2") || isKey("cvc2") ? .prose : nil
        default: return nil
        }
    }

    // MARK: The value

    /// A JSON value: a string, an object or array as a whole, or a number. `null`, booleans and empty values stay.
    private static func value(at start: Int, escapes: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        var quote = start
        while quote < bytes.count, bytes[quote] == 0x5C { quote += 1 }
        guard quote < bytes.count else { return nil }
        switch bytes[quote] {
        case 0x22, 0x27:
            guard !bytes.holds("[redacted", at: quote + 1), !bytes.holds("[pan ", at: quote + 1) else { return nil }
            let end = stringEnd(from: quote + 1, quote: bytes[quote], escapes: quote - start, bytes)
            return end == quote + 1 ? nil : RedactedSpan(range: (quote + 1)..<end, kind: .keyedValue)
        case 0x7B, 0x5B:
            let end = containerEnd(from: quote, escapes: escapes, bytes)
            let isEmpty = end - quote <= 2
            return isEmpty ? nil : marker(quote..<end, escapes)
        default:
            var end = start
            while end < bytes.count, !endsScalar(bytes[end]) { end += 1 }
            guard end > start, !isBlankWord(start, end, bytes) else { return nil }
            return marker(start..<end, escapes)
        }
    }

    private static func marker(_ range: Range<Int>, _ escapes: Int) -> RedactedSpan {
        var span = RedactedSpan(range: range, kind: .keyedValue)
        span.isQuoted = true
        span.escapes = escapes
        return span
    }

    private static func stringEnd(from start: Int, quote: UInt8, escapes: Int, _ bytes: Span<UInt8>) -> Int {
        var index = start
        var slashes = 0
        while index < bytes.count {
            if bytes[index] == 0x5C {
                slashes += 1
            } else {
                if bytes[index] == quote, slashes <= escapes { return index - slashes }
                slashes = 0
            }
            index += 1
        }
        return bytes.count
    }

    private static func containerEnd(from start: Int, escapes: Int, _ bytes: Span<UInt8>) -> Int {
        var depth = 0
        var isInString = false
        var slashes = 0
        for index in start..<bytes.count {
            let byte = bytes[index]
            if byte == 0x22, slashes <= escapes { isInString.toggle() }
            slashes = byte == 0x5C ? slashes + 1 : 0
            if isInString { continue }
            if byte == 0x7B || byte == 0x5B { depth += 1 }
            if byte == 0x7D || byte == 0x5D { depth -= 1 }
            if depth == 0 { return index + 1 }
        }
        return bytes.count
    }

    private static func assignedValue(at start: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        let first = bytes[start]
        if first == 0x22 || first == 0x27 || first == 0x5C { return value(at: start, escapes: 0, bytes) }
        var end = start
        while end < bytes.count, !endsScalar(bytes[end]) || bytes[end] == 0x5B || bytes[end] == 0x7B { end += 1 }
        guard end > start, !isBlankWord(start, end, bytes) else { return nil }
        return RedactedSpan(range: start..<end, kind: .keyedValue)
    }

    /// A credential header goes up to the end of its line; anything else behind that word is prose.
    private static func headerValue(at start: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        var end = start
        var wordEnd: Int?
        while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D, bytes[end] != 0x22, bytes[end] != 0x5C {
            if wordEnd == nil, bytes[end] == 0x20 { wordEnd = end }
            end += 1
        }
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        guard end > start else { return nil }
        let firstWord = (wordEnd ?? end) - start
        let isScheme = ["bearer", "basic", "digest", "token", "negotiate"].contains { bytes.holds($0, at: start) }
        let isCredential =
            isScheme && end > start + firstWord || firstWord >= 16 || hasMark(start, start + firstWord, bytes)
        guard isCredential, !bytes.holds("[redacted", at: start + firstWord + 1) else { return nil }
        return RedactedSpan(range: start..<end, kind: .credential)
    }

    /// A digit or an equals sign: no word of prose has one.
    private static func hasMark(_ start: Int, _ end: Int, _ bytes: Span<UInt8>) -> Bool {
        for index in start..<end where bytes[index].isDigit || bytes[index] == 0x3D { return true }
        return false
    }

    private static func proseValue(at start: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        var end = start
        while end < bytes.count, bytes[end].isAlphanumeric { end += 1 }
        return hasMark(start, end, bytes) ? RedactedSpan(range: start..<end, kind: .keyedValue) : nil
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, 0x22, 0x26, 0x27, 0x28, 0x29, 0x2C, 0x3B, 0x3C, 0x3E, 0x5B, 0x5C, 0x5D, 0x7B, 0x7D:
            true
        default: false
        }
    }

    private static func isBlankWord(_ start: Int, _ end: Int, _ bytes: Span<UInt8>) -> Bool {
        ["null", "nil", "true", "false", "none"].contains { $0.utf8.count == end - start && bytes.holds($0, at: start) }
    }
}
