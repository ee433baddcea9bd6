import ShuntNative
import Testing

/// What an accepted document says.
@Suite struct JSONDocumentTests {
    private let sample = Array(
        #"""
        {"a": [1, -2.5, true, null, "x\ty"], "b\u0062": {"c": "漢字😀"}, "big": 123456789012345678901234567890 }
        """#.utf8
    )

    @Test func `a document is walked in order, with kinds, counts and keys`() throws {
        var document = JSONDocument()
        try document.parse(sample)
        let root = document.root
        #expect(document.kind(of: root) == .object)
        #expect(document.count(of: root) == 3)
        var keys: [String] = []
        var members = document.children(of: root)
        while let member = members.next(in: document) { keys.append(document.key(of: member)) }
        #expect(keys == ["a", "bb", "big"])

        let array = try #require(document.member("a", of: root) as JSONValue?)
        var kinds: [JSONKind] = []
        var elements = document.children(of: array)
        while let element = elements.next(in: document) { kinds.append(document.kind(of: element)) }
        #expect(kinds == [.integer, .number, .bool, .null, .string])
        #expect(document.valueCount == 10)
    }

    @Test func `strings and keys come unescaped`() throws {
        var document = JSONDocument()
        try document.parse(sample)
        let inner = try #require(document.member("bb", of: document.root) as JSONValue?)
        let text = try #require(document.member("c", of: inner) as JSONValue?)
        #expect(document.string(of: text) == "漢字😀")
        #expect(document.utf8Count(of: text) == 10)
        #expect(document.stringEquals("漢字😀", of: text) == true)
        #expect(document.stringEquals("漢字", of: text) == false)
        #expect(document.withString(of: text) { $0.count } == 10)
        #expect(document.withKey(of: inner) { $0[1] } == UInt8(ascii: "b"))
        #expect(document.string(of: inner) == nil)
    }

    @Test func `source ranges cover a value and nothing around it`() throws {
        var document = JSONDocument()
        try document.parse(sample)
        func text(_ value: JSONValue) -> String {
            String(decoding: sample[document.sourceRange(of: value)], as: UTF8.self)
        }
        #expect(text(document.root).utf8.count == sample.count)
        let array = try #require(document.member("a", of: document.root) as JSONValue?)
        #expect(text(array) == #"[1, -2.5, true, null, "x\ty"]"#)
        var elements = document.children(of: array)
        var texts: [String] = []
        while let element = elements.next(in: document) { texts.append(text(element)) }
        #expect(texts == ["1", "-2.5", "true", "null", #""x\ty""#])
        let inner = try #require(document.member("bb", of: document.root) as JSONValue?)
        #expect(text(inner) == #"{"c": "漢字😀"}"#)
        #expect(document.source(of: inner) == Array(text(inner).utf8))
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("18446744073709551616", nil), ("1.0", nil),
            ("1e3", nil), ("\"1\"", nil), ("true", nil), ("100000000000000000000000000000", nil),
        ] as [(String, Int64?)]
    )
    func `integers are exact or absent`(text: String, expected: Int64?) throws {
        for shape in [text, "[\(text)]", " \(text)\n"] {
            var document = JSONDocument()
            try document.parse(Array(shape.utf8))
            let value = shape.hasPrefix("[") ? JSONDocumentTests.first(in: document) : document.root
            #expect(document.int64(of: value) == expected, "\(shape)")
        }
    }

    @Test(
        arguments: [
            ("1.5", 1.5), ("-0.0", -0.0), ("1E-2", 0.01), ("9007199254740993", 9_007_199_254_740_992),
            ("123456789012345678901234567890", 1.2345678901234568e29), ("1e400", nil), ("-1e400", nil), ("1e-400", 0),
            ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown), ("\"1\"", nil),
        ] as [(String, Double?)]
    )
    func `doubles are the nearest, and the text stays exact`(text: String, expected: Double?) throws {
        for shape in [text, "[\(text) , 7]"] {
            var document = JSONDocument()
            try document.parse(Array(shape.utf8))
            let value = shape.hasPrefix("[") ? JSONDocumentTests.first(in: document) : document.root
            #expect(document.double(of: value) == expected, "\(shape)")
            #expect(document.numberText(of: value) == (text.hasPrefix("\"") ? nil : text), "\(shape)")
        }
    }

    @Test func `the scalars of a document are told apart`() throws {
        var document = JSONDocument()
        for (text, kind) in [("null", JSONKind.null), ("true", .bool), ("\"\"", .string), ("[]", .array)] {
            try document.parse(Array(text.utf8))
            #expect(document.kind(of: document.root) == kind)
            #expect(document.isNull(document.root) == (kind == .null))
            #expect(document.bool(of: document.root) == (kind == .bool ? true : nil))
            #expect(document.string(of: document.root) == (kind == .string ? "" : nil))
            #expect(document.count(of: document.root) == 0)
        }
    }

    @Test func `a vocabulary numbers keys and words`() throws {
        let keys = JSONVocabulary(["eventId", "code", "", "errorMessageThatIsLongerThanSixteen", "code"])
        let words = JSONVocabulary(["ios", "android"])
        var document = JSONDocument()
        let text =
            #"{"\u0063ode":"ios","errorMessageThatIsLongerThanSixteen":"iOS","other":1,"":"android","eventI":null}"#
        try document.parse(Array(text.utf8))
        var found: [Int?] = []
        var values: [Int?] = []
        var members = document.children(of: document.root)
        while let member = members.next(in: document) {
            found.append(document.keyNumber(of: member, in: keys))
            values.append(document.stringNumber(of: member, in: words))
        }
        #expect(found == [1, 3, nil, 2, nil])
        #expect(values == [0, nil, nil, 1, nil])
        #expect(keys.count == 5)
        #expect(words.number(of: Array("android".utf8).span) == 1)
    }

    @Test func `a line of a bigger buffer is parsed in place, with offsets of the buffer`() throws {
        let buffer = Array("{\"a\":1}\n{\"b\":[2]}\n{\"c\":}\n".utf8)
        var document = JSONDocument()
        try document.parse(buffer, in: 8..<17)
        let value = try #require(document.member("b", of: document.root) as JSONValue?)
        #expect(document.sourceRange(of: document.root) == 8..<17)
        #expect(document.sourceRange(of: value) == 13..<16)
        let error = #expect(throws: JSONError.self) { try document.parse(buffer, in: 18..<24) }
        #expect(error == JSONError(.unexpectedByte, at: 23, expected: "a value"))
    }

    @Test func `a document that follows a refused or a bigger one is read as if alone`() throws {
        var document = JSONDocument()
        let big = "[" + String(repeating: "\"0123456789\",", count: 20_000) + "0]"
        try document.parse(Array(big.utf8))
        #expect(document.valueCount == 20_002)
        #expect(throws: JSONError.self) { try document.parse(Array("[1".utf8)) }
        #expect(document.valueCount == 0)
        try document.parse(Array("[1]".utf8))
        #expect(document.valueCount == 2)
        document.trim()
        #expect(document.valueCount == 0)
        try document.parse(Array(big.utf8))
        #expect(document.valueCount == 20_002)
    }

    @Test func `limits take what is exactly at them`() throws {
        func parses(_ text: String, _ limits: JSONLimits) -> JSONError? {
            var document = JSONDocument(limits: limits)
            do throws(JSONError) { try document.parse(Array(text.utf8)) } catch { return error }
            return nil
        }
        #expect(parses("[[[]]]", JSONLimits(depth: 3)) == nil)
        #expect(parses("[[[[]]]]", JSONLimits(depth: 3))?.code == .tooDeep)
        #expect(parses("[[[[]]]]", JSONLimits(depth: 3))?.offset == 3)
        #expect(parses("[1,2]", JSONLimits(values: 3)) == nil)
        #expect(
            parses("[1,2,3]", JSONLimits(values: 3)) == JSONError(.tooManyValues, at: 5, expected: "at most 3 values")
        )
        #expect(parses("[1,2]", JSONLimits(bytes: 5)) == nil)
        #expect(parses("[1,2] ", JSONLimits(bytes: 5)) == JSONError(.tooLarge, at: 5, expected: "at most 5 bytes"))
        #expect(parses(#"["a\u0000b"]"#, JSONLimits())?.code == .escapedNUL)
        #expect(parses(#"["a\u0000b"]"#, JSONLimits(allowsEscapedNUL: true)) == nil)
        #expect(parses(#"{"\u0000":1,"\u0000":1}"#, JSONLimits(allowsEscapedNUL: true))?.code == .duplicateKey)
    }

    @Test func `equal keys are found among few and among very many`() throws {
        for count in [2, 3, 8, 100, 5_000] {
            let members = (0..<count).map { "\"key\($0)\":\($0)" }
            var document = JSONDocument()
            try document.parse(Array("{\(members.joined(separator: ","))}".utf8))
            #expect(document.count(of: document.root) == count)
            for repeated in [0, count / 2, count - 1] {
                let text = "{\(members.joined(separator: ",")),\"key\(repeated)\":0}"
                let error = #expect(throws: JSONError.self) { try document.parse(Array(text.utf8)) }
                #expect(error?.code == .duplicateKey)
                #expect(error?.offset == members.joined(separator: ",").utf8.count + 2)
            }
        }
    }

    /// The first element of the document's array.
    private static func first(in document: borrowing JSONDocument) -> JSONValue {
        var elements = document.children(of: document.root)
        return elements.next(in: document) ?? document.root
    }
}
