import ShuntNative
import Testing

/// A document that must be refused, and where.
struct BadDocument: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    let code: JSONError.Code
    let offset: Int

    init(_ name: String, _ text: String, _ code: JSONError.Code, _ offset: Int) {
        self.init(name, bytes: Array(text.utf8), code, offset)
    }

    init(_ name: String, bytes: [UInt8], _ code: JSONError.Code, _ offset: Int) {
        (self.name, self.bytes, self.code, self.offset) = (name, bytes, code, offset)
    }

    var testDescription: String { name }
}

/// Every refusal names its reason and its byte.
@Suite struct JSONErrorTests {
    @Test(
        arguments: [
            BadDocument("nothing", "", .empty, 0),
            BadDocument("white space only", " \n\t\r ", .empty, 0),
            BadDocument("a byte order mark", "\u{FEFF}{}", .byteOrderMark, 0),
            BadDocument("an open object", "{", .unexpectedEnd, 1),
            BadDocument("an open array", "[1,[2]", .unexpectedEnd, 6),
            BadDocument("an object open after a key", #"{"a""#, .unexpectedEnd, 4),
            BadDocument("an object open after a colon", #"{"a": "#, .unexpectedEnd, 6),
            BadDocument("an object open after a comma", #"{"a":1,"#, .unexpectedEnd, 7),
            BadDocument("an open string", #"["abc"#, .unexpectedEnd, 5),
            BadDocument("an escaped closing quote", #"["abc\"]"#, .unexpectedEnd, 8),
            BadDocument("a trailing comma in an array", "[1,]", .unexpectedByte, 3),
            BadDocument("a trailing comma in an object", #"{"a":1,}"#, .unexpectedByte, 7),
            BadDocument("a leading comma", "[,1]", .unexpectedByte, 1),
            BadDocument("two commas", "[1,,2]", .unexpectedByte, 3),
            BadDocument("a missing comma", "[1 2]", .unexpectedByte, 3),
            BadDocument("a missing comma between strings", #"["a""b"]"#, .unexpectedByte, 4),
            BadDocument("a missing comma between members", #"{"a":1 "b":2}"#, .unexpectedByte, 7),
            BadDocument("a missing colon", #"{"a" 1}"#, .unexpectedByte, 5),
            BadDocument("two colons", #"{"a"::1}"#, .unexpectedByte, 5),
            BadDocument("a colon in an array", "[1:2]", .unexpectedByte, 2),
            BadDocument("a number as key", "{1:2}", .unexpectedByte, 1),
            BadDocument("a bare key", "{a:2}", .unexpectedByte, 1),
            BadDocument("a member without value", #"{"a"}"#, .unexpectedByte, 4),
            BadDocument("an array closed as object", "[1}", .unexpectedByte, 2),
            BadDocument("an object closed as array", #"{"a":1]"#, .unexpectedByte, 6),
            BadDocument("a comment", "[1/**/]", .unexpectedByte, 2),
            BadDocument("single quotes", "['a']", .unexpectedByte, 1),
            BadDocument("a misspelt literal", "[nul]", .unexpectedByte, 4),
            BadDocument("a literal with a tail", "[nullx]", .unexpectedByte, 5),
            BadDocument("a literal with a quoted tail", #"[true"x"]"#, .unexpectedByte, 5),
            BadDocument("a capital literal", "[True]", .unexpectedByte, 1),
            BadDocument("a cut literal", "fal", .unexpectedEnd, 3),
            BadDocument("not a number", "[NaN]", .unexpectedByte, 1),
            BadDocument("minus infinity", "[-Infinity]", .invalidNumber, 2),
            BadDocument("a leading zero", "[012]", .invalidNumber, 2),
            BadDocument("a leading zero after a minus", "[-00]", .invalidNumber, 3),
            BadDocument("a leading plus", "[+1]", .unexpectedByte, 1),
            BadDocument("a leading point", "[.5]", .unexpectedByte, 1),
            BadDocument("a point without digits", "[1.]", .invalidNumber, 3),
            BadDocument("an exponent without digits", "[1e]", .invalidNumber, 3),
            BadDocument("an exponent with only a sign", "[1e+]", .invalidNumber, 4),
            BadDocument("an exponent before the point", "[1e2.5]", .unexpectedByte, 4),
            BadDocument("a bare minus", "-", .unexpectedEnd, 1),
            BadDocument("a colon after a number beyond doubles", "[1e400:1]", .unexpectedByte, 6),
            BadDocument("a missing comma after a number beyond doubles", "[1e400 1]", .unexpectedByte, 7),
            BadDocument("a second value after a number beyond doubles", #"{"a":1e400:2}"#, .unexpectedByte, 10),
            BadDocument("a hexadecimal number", "[0x1]", .unexpectedByte, 2),
            BadDocument("a number with a tail", "[1a]", .unexpectedByte, 2),
            BadDocument("a number with a quoted tail", #"[1"a"]"#, .unexpectedByte, 2),
            BadDocument("a line break in a string", "[\"a\nb\"]", .controlCharacter, 3),
            BadDocument("a tab in a key", "{\"\t\":1}", .controlCharacter, 2),
            BadDocument("a NUL in a string", "[\"a\0\"]", .controlCharacter, 3),
            BadDocument("a NUL between values", "[1,\0 2]", .unexpectedByte, 3),
            BadDocument("a NUL after the document", "[1]\0", .trailingBytes, 3),
            BadDocument("an escaped NUL", #"["a\u0000"]"#, .escapedNUL, 3),
            BadDocument("an escaped NUL in a key", #"{"a\u0000":1}"#, .escapedNUL, 3),
            BadDocument("an unknown escape", #"["a\x"]"#, .invalidEscape, 3),
            BadDocument("a short unicode escape", #"["\u12"]"#, .invalidEscape, 2),
            BadDocument("a bad unicode escape", #"["\u12G4"]"#, .invalidEscape, 2),
            BadDocument("a lone high surrogate", #"["ab\uD83D"]"#, .loneSurrogate, 4),
            BadDocument("a lone low surrogate", #"["\uDE00"]"#, .loneSurrogate, 2),
            BadDocument("two high surrogates", #"["\uD83D\uD83D"]"#, .loneSurrogate, 2),
            BadDocument("a high surrogate and a letter", #"["\uD83D\u0041"]"#, .loneSurrogate, 2),
            BadDocument("a high surrogate and text", #"["\uD83Dxx"]"#, .loneSurrogate, 2),
            BadDocument("reversed surrogates", #"["\uDE00\uD83D"]"#, .loneSurrogate, 2),
            BadDocument("a lone surrogate in a key", #"{"\uDE00":1}"#, .loneSurrogate, 2),
            BadDocument("a lone surrogate after an escaped backslash", #"["\\\uDE00"]"#, .loneSurrogate, 4),
            BadDocument("a lone continuation byte", bytes: [0x22, 0x61, 0x80, 0x22], .invalidUTF8, 2),
            BadDocument("an overlong sequence", bytes: [0x22, 0xC0, 0xAF, 0x22], .invalidUTF8, 1),
            BadDocument("an encoded surrogate", bytes: [0x22, 0xED, 0xA0, 0x80, 0x22], .invalidUTF8, 1),
            BadDocument("beyond the last scalar", bytes: [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .invalidUTF8, 1),
            BadDocument("a cut sequence", bytes: [0x22, 0x61, 0xE6, 0xBC, 0x22], .invalidUTF8, 2),
            BadDocument("a sequence cut by the end", bytes: [0x22, 0x61, 0xE6, 0xBC], .invalidUTF8, 2),
            BadDocument("bad UTF-8 between values", bytes: [0x5B, 0xFF, 0x5D], .unexpectedByte, 1),
            BadDocument("UTF-16", bytes: [0x7B, 0x00, 0x7D, 0x00], .unexpectedByte, 1),
            BadDocument("an equal key", #"{"a":1,"b":2,"a":3}"#, .duplicateKey, 13),
            BadDocument("an equal key after unescaping", #"{"a":1,"\u0061":3}"#, .duplicateKey, 7),
            BadDocument("equal empty keys", #"{"":1,"":3}"#, .duplicateKey, 6),
            BadDocument("an equal key deep inside", #"[{"x":[{"k":{},"k":[]}]}]"#, .duplicateKey, 15),
            BadDocument("an equal key before an inner one", #"{"a":1,"a":{"b":1,"b":2}}"#, .duplicateKey, 7),
            BadDocument("a second document", "{} {}", .trailingBytes, 3),
            BadDocument("a second number", "1 2", .trailingBytes, 2),
            BadDocument("a second string", #""a" "b""#, .trailingBytes, 4),
            BadDocument("a comma after the document", "[1],", .trailingBytes, 3),
            BadDocument("a bracket too many", "[1]]", .trailingBytes, 3),
            BadDocument("a brace too many", "{}}", .trailingBytes, 2),
            BadDocument("a literal and more", "null x", .trailingBytes, 5),
            BadDocument("a separator that only JavaScript allows", "\u{A0}1", .unexpectedByte, 0),
            BadDocument("a form feed as space", "[1,\u{0C}2]", .unexpectedByte, 3),
            BadDocument("seventeen levels", String(repeating: "[", count: 17), .tooDeep, 16),
            BadDocument("a flood of brackets", String(repeating: "[", count: 100_000), .tooDeep, 16),
            BadDocument("a flood of open objects", String(repeating: "{\"a\":", count: 100_000), .tooDeep, 80),
        ]
    )
    func `a bad document is refused at its byte`(_ row: BadDocument) throws {
        // Alone, and as a part of a buffer whose neighbours must not be read.
        var document = JSONDocument()
        let alone = #expect(throws: JSONError.self) { try document.parse(row.bytes) }
        #expect(alone?.code == row.code)
        #expect(alone?.offset == row.offset)
        #expect(alone?.expected.isEmpty == false)
        let buffer = Array(#""]}"#.utf8) + row.bytes + Array(#"]}"]}"#.utf8)
        let inside = #expect(throws: JSONError.self) { try document.parse(buffer, in: 3..<3 + row.bytes.count) }
        #expect(inside?.code == row.code)
        #expect(inside?.offset == row.offset + 3)
        #expect(document.valueCount == 0)
    }

    @Test(
        arguments: [
            "[]", "{}", " [ ] ", "0", "-0", "-1.5E+10", "\"\"", "true", " null ", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
            #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#, #"["\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"]"#, #"["\\uD83D"]"#,
            #"["\\\\"]"#, #"{"a\\":1,"a":2}"#, "[\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFD}\u{FFFF}\u{10000}\u{10FFFF}\"]",
            "[1e400,1E-400,0.00000000000000000000000000000000000001]", "\n[\r\n1\t]\n", #"["\uFFFF\uD7FF\uE000"]"#,
            #"{"k":1,"K":2,"k ":3}"#, "[\u{22}\u{FEFF}\u{22}]", #"["{[,:]}"]"#,
        ]
    )
    func `a good document is accepted`(_ text: String) throws {
        var document = JSONDocument()
        try document.parse(Array(text.utf8))
        #expect(document.valueCount > 0)
    }
}
