/// The header fields of a request, as the library leaves them in its buffer: each field is its name, a NUL in place of
/// the colon, white space, the value, and two NULs in place of CR LF.
///
/// The library itself takes bare LF, folded lines, NULs and white space before the colon; all of them leave another
/// pattern of NULs behind, so that reading this one pattern strictly finds them.
struct HTTPHeaderFields: Sendable {
    /// The bytes, one field after the other.
    var bytes: [UInt8]

    /// One field, as ranges of the bytes.
    private struct Field {
        var name: Range<Int>
        var value: Range<Int>
        var end: Int
    }

    /// The field that begins at an index; nil if it's malformed.
    private static func field(in bytes: Span<UInt8>, at start: Int) -> Field? {
        let count = bytes.count
        var index = start
        while index < count, HTTPBytes.isToken(bytes[index]) { index += 1 }
        guard index > start, index < count, bytes[index] == 0 else { return nil }
        let name = start..<index
        index += 1
        while index < count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
        let valueStart = index
        while index < count, HTTPBytes.isField(bytes[index]) { index += 1 }
        guard index + 1 < count, bytes[index] == 0, bytes[index + 1] == 0 else { return nil }
        return Field(name: name, value: valueStart..<index, end: index + 2)
    }

    /// What the fields say of the message's framing.
    struct Framing: Equatable {
        /// The number of fields.
        var count = 0
        /// The number of `Host` fields.
        var hosts = 0
        /// `Content-Length`.
        var declaredLength: Int?
        /// Whether the body is chunked.
        var isChunked = false
    }

    /// Reads the framing out of raw fields; nil if it's malformed or could be understood in two ways.
    static func framing(of bytes: Span<UInt8>) -> Framing? {
        var framing = Framing()
        var start = 0
        while start < bytes.count {
            guard let field = field(in: bytes, at: start) else { return nil }
            start = field.end
            framing.count += 1
            switch field.name.count {
            case 4 where HTTPBytes.equalWithoutCase(bytes.extracting(field.name), "host"):
                framing.hosts += 1
            case 14 where HTTPBytes.equalWithoutCase(bytes.extracting(field.name), "content-length"):
                // One alone: equal duplicates would be allowed (RFC 9110 8.6), but nobody sends them in good faith.
                guard framing.declaredLength == nil, let length = length(bytes.extracting(field.value)) else {
                    return nil
                }
                framing.declaredLength = length
            case 17 where HTTPBytes.equalWithoutCase(bytes.extracting(field.name), "transfer-encoding"):
                // The library knows `chunked` alone, spelt without white space around.
                guard !framing.isChunked, HTTPBytes.equalWithoutCase(bytes.extracting(field.value), "chunked")
                else { return nil }
                framing.isChunked = true
            default: break
            }
        }
        // Both together are the classic request smuggling (RFC 9112 6.1).
        guard !framing.isChunked || framing.declaredLength == nil else { return nil }
        return framing
    }

    /// Digits only, and few enough not to overflow.
    static func length(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty, text.count <= 18 else { return nil }
        var length = 0
        for index in text.indices {
            guard text[index] >= 0x30, text[index] <= 0x39 else { return nil }
            length = length * 10 + Int(text[index] - 0x30)
        }
        return length
    }

    /// The value of a field by its name, in any case; a field sent several times is joined with `, `.
    func value(_ name: StaticString) -> String? {
        let bytes = bytes.span
        var start = 0
        var found: String?
        while start < bytes.count, let field = Self.field(in: bytes, at: start) {
            start = field.end
            guard HTTPBytes.equalWithoutCase(bytes.extracting(field.name), name) else { continue }
            var end = field.value.upperBound
            while end > field.value.lowerBound, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
            let text = HTTPBytes.string(bytes.extracting(field.value.lowerBound..<end))
            found = found.map { $0 + ", " + text } ?? text
        }
        return found
    }
}

extension HTTPHeaderFields {
    /// Lays out fields as the library would; for requests made by hand.
    init(_ fields: [(name: String, value: String)]) {
        bytes = []
        for (name, value) in fields {
            bytes.append(contentsOf: name.utf8)
            bytes.append(0)
            bytes.append(contentsOf: value.utf8)
            bytes.append(0)
            bytes.append(0)
        }
    }
}
