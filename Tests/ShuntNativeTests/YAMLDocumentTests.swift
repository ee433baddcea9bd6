import ShuntNative
import TestSupport
import Testing

/// A file that must be refused, and all that is wrong with it.
struct BadFile: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    let problems: [String]

    init(_ name: String, _ text: String, _ problems: String...) {
        self.init(name, bytes: Array(text.utf8), problems)
    }

    init(_ name: String, bytes: [UInt8], _ problems: [String]) {
        (self.name, self.bytes, self.problems) = (name, bytes, problems)
    }

    var testDescription: String { name }
}

/// Rule files in, values with places out.
@Suite struct YAMLDocumentTests {
    private static func parse(_ text: String, _ limits: YAMLDocument.Limits = .init()) throws(YAMLError) -> YAMLNode {
        try YAMLDocument.parse(Array(text.utf8), file: "rules.yaml", limits: limits).root
    }

    private static func problems(_ bytes: [UInt8], _ limits: YAMLDocument.Limits = .init()) -> [String] {
        do throws(YAMLError) {
            _ = try YAMLDocument.parse(bytes, file: "rules.yaml", limits: limits)
            return []
        } catch {
            return error.problems.map { "\($0.position.line):\($0.position.column) \($0.code.rawValue)" }
        }
    }

    @Test func `a rule file becomes values that know their places`() throws {
        let root = try YAMLDocumentTests.parse(
            """
            # founding rule
            rules:
              - id: error-code-burst
                match: { environment: [production], code: "05" }
                threshold: 100
                description: |
                  two
                  lines
              - {}
            """
        )
        #expect(root.position == YAMLPosition(line: 2, column: 1))
        let rules = try #require(root["rules"]?.elements)
        #expect(rules.map(\.position) == [YAMLPosition(line: 3, column: 5), YAMLPosition(line: 9, column: 5)])
        let entries = try #require(rules[0].entries)
        #expect(entries.map(\.key) == ["id", "match", "threshold", "description"])
        #expect(entries[1].keyPosition == YAMLPosition(line: 4, column: 5))
        #expect(entries[1].value.position == YAMLPosition(line: 4, column: 12))
        #expect(rules[0]["match"]?["environment"]?.elements?.map(\.text) == ["production"])
        #expect(rules[0]["threshold"]?.int64 == 100)
        #expect(rules[0]["description"]?.text == "two\nlines\n")
        #expect(rules[1].entries == [])
        #expect(root["none"] == nil)
        #expect(rules[0]["id"]?["x"] == nil)
    }

    @Test(
        arguments: [
            ("\"05\"", "05", nil, nil, false), ("05", "05", nil, nil, false), ("'5'", "5", nil, nil, false),
            ("5", "5", 5, nil, false), ("-12", "-12", -12, nil, false), ("+5", "+5", nil, nil, false),
            ("9223372036854775808", "9223372036854775808", nil, nil, false), ("1_000", "1_000", nil, nil, false),
            ("true", "true", nil, true, false), ("'true'", "true", nil, nil, false), ("yes", "yes", nil, nil, false),
            ("~", "~", nil, nil, true), ("null", "null", nil, nil, true), ("'null'", "null", nil, nil, false),
            ("", "", nil, nil, true), ("''", "", nil, nil, false), ("5m # minutes", "5m", nil, nil, false),
            ("\"\\u6F22\\n\"", "漢\n", nil, nil, false), ("20%", "20%", nil, nil, false),
            ("\">=4.2.0\"", ">=4.2.0", nil, nil, false),
        ] as [(String, String, Int64?, Bool?, Bool)]
    )
    func `only plain scalars mean more than their text`(
        written: String,
        text: String,
        int64: Int64?,
        bool: Bool?,
        isNull: Bool
    ) throws {
        let value = try #require(try YAMLDocumentTests.parse("key: \(written)")["key"])
        #expect(value.text == text)
        #expect(value.int64 == int64)
        #expect(value.bool == bool)
        #expect(value.isNull == isNull)
    }

    @Test(arguments: ["", "\n\n", "# only a comment\n", "---\n", "--- ~\n", "---\n...\n"])
    func `a file without a value is null`(text: String) throws {
        #expect(try YAMLDocumentTests.parse(text).isNull)
    }

    @Test func `columns count characters`() throws {
        let root = try YAMLDocumentTests.parse("漢字: { é: 😀, b: 1 }")
        #expect(root["漢字"]?.entries?[1].keyPosition == YAMLPosition(line: 1, column: 13))
        #expect(try YAMLDocumentTests.parse("\u{FEFF}a: 1")["a"]?.int64 == 1)
    }

    @Test(
        arguments: [
            BadFile("one key twice", "a: 1\nb: 2\na: 3\n", "3:1 duplicateKey"),
            BadFile(
                "many keys twice, all of them listed",
                "a: 1\na: { x: 1, x: 2 }\nb:\n  - c: 1\n    c: 2\n    \"c\": 3\nb: 4\n",
                "2:1 duplicateKey",
                "2:12 duplicateKey",
                "5:5 duplicateKey",
                "6:5 duplicateKey",
                "7:1 duplicateKey"
            ),
            BadFile("an anchor and its alias", "a: &x 1\nb: *x\n", "1:4 anchor", "2:4 alias"),
            BadFile("an anchor on a mapping", "a: &x\n  b: 1\n", "1:4 anchor"),
            BadFile("aliases as keys", "? &x y\n: 1\n? *x\n: 2\n? *x\n: 3\n", "1:3 anchor", "3:3 alias", "5:3 alias"),
            BadFile("a tag", "a: !!str 5\nb: !own [1]\n", "1:4 tag", "2:4 tag"),
            BadFile("two documents", "a: 1\n---\nb: 2\n", "2:1 secondDocument"),
            BadFile("a list as key", "? [a, b]\n: 1\nc: 2\nc: 3\n", "1:3 keyNotText", "4:1 duplicateKey"),
            BadFile("a tab as indent", "a:\n\tb: 1\n", "2:1 tab"),
            BadFile("a tab after spaces", "a:\n  b: 1\n  \tc: 2\n", "3:3 tab"),
            BadFile("an open bracket", "a: [1, 2\n", "2:1 syntax"),
            BadFile("an open quote", "a: \"x\n", "2:1 syntax"),
            BadFile("a stray colon", "a: b: c\n", "1:5 syntax"),
            BadFile("wrong indentation", "a:\n  b: 1\n c: 2\n", "3:2 syntax"),
            BadFile("a duplicate before a syntax error", "a: 1\na: 2\nb: ]\n", "2:1 duplicateKey", "3:4 syntax"),
            BadFile("an unknown anchor", "a: *nowhere\n", "1:4 alias"),
            BadFile("a control character", "a: 1\nb: x\u{1}\n", "2:5 invalidText"),
            BadFile("a NUL", "a: \0\n", "1:4 invalidText"),
            BadFile("bytes that aren't UTF-8", bytes: Array("a: 1\né: ".utf8) + [0xFF, 0x0A], ["2:4 invalidText"]),
            BadFile("an overlong sequence", bytes: [0x61, 0x3A, 0x20, 0xC0, 0x80], ["1:4 invalidText"]),
            BadFile("a cut sequence", bytes: [0x61, 0x3A, 0x20, 0xE6, 0xBC], ["1:4 invalidText"]),
            BadFile("UTF-16", bytes: [0xFF, 0xFE, 0x61, 0, 0x3A, 0], ["1:1 invalidText"]),
        ]
    )
    func `a bad file is refused with all its problems`(_ file: BadFile) {
        #expect(YAMLDocumentTests.problems(file.bytes) == file.problems)
    }

    @Test func `limits take what is exactly at them`() {
        func problems(_ text: String, _ limits: YAMLDocument.Limits) -> [String] {
            YAMLDocumentTests.problems(Array(text.utf8), limits)
        }
        #expect(problems("[[[1]]]", .init(depth: 3)) == [])
        #expect(problems("[[[[1]]]]", .init(depth: 3)) == ["1:4 tooDeep"])
        #expect(problems("a: [1, 2]", .init(nodes: 5)) == [])
        #expect(problems("a: [1, 2, 3]", .init(nodes: 5)) == ["1:11 tooLarge"])
        #expect(problems("abc", .init(bytes: 3)) == [])
        #expect(problems("abcd", .init(bytes: 3)) == ["1:1 tooLarge"])
        #expect(problems(String(repeating: "[", count: 100_000), .init()) == ["1:33 tooDeep"])
        #expect(problems(String(repeating: "- ", count: 100_000), .init()) == ["1:65 tooDeep"])
    }

    @Test func `a problem reads as editors want it`() throws {
        let error = #expect(throws: YAMLError.self) {
            try YAMLDocument.parse(Array("a: 1\nb: 2\na: [\n".utf8), file: "rules/x.yaml")
        }
        let lines = try #require(error).description.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines[0].hasPrefix("rules/x.yaml:4:1: "))
        let document = try YAMLDocument.parse(Array("a: 1\nb: 2".utf8), file: "x.yaml")
        let place = try #require(document.root.entries?[1].keyPosition)
        #expect("\(document.problem("unknown key", at: place))" == "x.yaml:2:1: unknown key")
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `broken files never do more than be refused (seed)`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "\t", "- ", ": ", "? ", "[", "]", "{", "}", "&a ", "*a", "!t ", "|\n", ">-\n", "\"", "'", "#", "---\n",
            "\n  ",
            "%YAML 1.1\n", "\u{85}", "\u{2028}", "\0", "漢", ",", "<<: ", "\\",
        ].map { Array($0.utf8) }
        let whole = Array(
            "# c\nrules:\n  - id: a-b\n    match: { x: [1, \"2\"], y: ~ }\n    text: |\n      l1\n      l2\n  - q: 'it''s'\n"
                .utf8
        )
        for _ in 0..<4_000 {
            var bytes = whole
            for _ in 0...random.below(4) {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes.insert(contentsOf: random.pick(pieces), at: place)
                case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(5)))
                }
            }
            for problem in YAMLDocumentTests.problems(bytes) { #expect(!problem.hasPrefix("0:")) }
        }
    }
}
