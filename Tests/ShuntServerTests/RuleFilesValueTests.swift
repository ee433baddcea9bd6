import ShuntNative
import Testing

@testable import ShuntServer

/// How single values are read, and what is said about those that can't be.
@Suite struct RuleFilesValueTests {
    private static func read<Value>(_ text: String, _ value: FileValue<Value>) throws -> (Value?, RuleProblem?) {
        let document = try YAMLDocument.parse(Array(text.utf8), file: "a.yaml")
        var reader = FileReader(file: "a.yaml")
        let read = value.read(document.root, &reader)
        #expect(reader.problems.count == (read == nil ? 1 : 0))
        return (read, reader.problems.first)
    }

    struct Case<Value: Sendable>: Sendable {
        var text: String
        var value: Value?
        var code: RuleProblem.Code?
        var suggestion: String?
    }

    private static let durations: [Case<Int64>] = [
        Case(text: "0s", value: 0),
        Case(text: "30s", value: 30_000),
        Case(text: "5m", value: 300_000),
        Case(text: "2h", value: 7_200_000),
        Case(text: "7d", value: 604_800_000),
        Case(text: "\"5m\"", value: 300_000),
        Case(text: "3650d", value: 3650 * 86_400_000),
        Case(text: "3651d", code: .badUnit),
        Case(text: "9223372036854775807d", code: .badUnit),
        Case(text: "300", code: .badUnit, suggestion: "5m"),
        Case(text: "5 min", code: .badUnit, suggestion: "5m"),
        Case(text: "1h30m", code: .badUnit, suggestion: "90m"),
        Case(text: "1500ms", code: .badUnit),
        Case(text: "2000ms", code: .badUnit, suggestion: "2s"),
        Case(text: "1 week", code: .badUnit, suggestion: "7d"),
        Case(text: "1.5h", code: .badUnit),
        Case(text: "-5m", code: .badUnit),
        Case(text: "+5m", code: .badUnit),
        Case(text: "m", code: .badUnit),
        Case(text: "5M", code: .badUnit, suggestion: "5m"),
        Case(text: "٥m", code: .badUnit),
        Case(text: "soon", code: .badUnit),
        Case(text: "[5m]", code: .wrongType),
        Case(text: "~", code: .wrongType),
    ]

    @Test(arguments: durations)
    func `a duration is a whole number and a unit`(row: Case<Int64>) throws {
        let (value, problem) = try Self.read(row.text, .duration())
        #expect(value == row.value)
        #expect(problem?.code == row.code)
        #expect(problem?.suggestion == row.suggestion)
    }

    @Test func `a duration keeps to its limits, ends included`() throws {
        for (text, code) in [("1m", nil), ("59s", .outOfRange), ("1h", nil), ("61m", .outOfRange)]
            as [(String, RuleProblem.Code?)]
        {
            #expect(try Self.read(text, .duration(in: 60_000...3_600_000)).1?.code == code, "\(text)")
        }
    }

    @Test func `a duration is written in its largest whole unit`() {
        let texts = [0, 1000, 59_000, 60_000, 90_000, 3_600_000, 86_400_000, 90_000_000].map { DurationText.text($0) }
        #expect(texts == ["0s", "1s", "59s", "1m", "90s", "1h", "1d", "25h"])
    }

    private static let shares: [Case<Int>] = [
        Case(text: "1%", value: 1),
        Case(text: "100%", value: 100),
        Case(text: "0%", code: .outOfRange),
        Case(text: "101%", code: .outOfRange),
        Case(text: "20", code: .badUnit, suggestion: "20%"),
        Case(text: "20 %", code: .badUnit, suggestion: "20%"),
        Case(text: "0.2", code: .badUnit, suggestion: "20%"),
        Case(text: "2.5%", code: .badUnit),
        Case(text: "-5%", code: .badUnit),
        Case(text: "half", code: .badUnit),
        Case(text: "nan", code: .badUnit),
        Case(text: "[20%]", code: .wrongType),
    ]

    @Test(arguments: shares)
    func `a share is in whole per cent`(row: Case<Int>) throws {
        let (value, problem) = try Self.read(row.text, .share())
        #expect(value == row.value)
        #expect(problem?.code == row.code)
        #expect(problem?.suggestion == row.suggestion)
    }

    private static let sizes: [Case<Int64>] = [
        Case(text: "0", value: 0),
        Case(text: "8192", value: 8192),
        Case(text: "8KiB", value: 8192),
        Case(text: "20GiB", value: 20 << 30),
        Case(text: "1TiB", value: 1 << 40),
        Case(text: "1048577TiB", code: .badUnit),
        Case(text: "20 GB", code: .badUnit, suggestion: "20GiB"),
        Case(text: "8k", code: .badUnit, suggestion: "8KiB"),
        Case(text: "KiB", code: .badUnit),
        Case(text: "-1", code: .badUnit),
        Case(text: "{}", code: .wrongType),
    ]

    @Test(arguments: sizes)
    func `a size is a whole number of bytes or of a binary unit`(row: Case<Int64>) throws {
        let (value, problem) = try Self.read(row.text, .size())
        #expect(value == row.value)
        #expect(problem?.code == row.code)
        #expect(problem?.suggestion == row.suggestion)
    }

    @Test(arguments: [
        "5", "05", "-1", "+1", "4.2", ".5", "1e3", "0x1F", "0xyz", "0o7", ".inf", "-.inf", ".nan", "true", "false",
    ])
    func `a text that YAML takes for something else must be quoted`(text: String) throws {
        #expect(try Self.read(text, .text).1?.code == .unquotedCode)
        #expect(try Self.read("\"\(text)\"", .text).0 == text)
        #expect(try Self.read("'\(text)'", .text).0 == text)
    }

    @Test(arguments: ["A5", "4.2.0", "5_001", "1-5", "yes", "on", "no", "visa", "..", "e5", "2026-11-30"])
    func `any other text needs no quotes`(text: String) throws {
        #expect(try Self.read(text, .text).0 == text)
    }

    private static let near: [(String, String?)] = [
        ("treshold", "threshold"), ("Threshold", "threshold"), ("resolve_below", "resolveBelow"),
        ("windwo", "window"), ("code", "error.code"), ("idd", "id"), ("description of it", nil), ("x", nil), ("", nil),
        ("colour", nil),
    ]

    @Test(arguments: near)
    func `a suggestion is near, or there is none`(word: String, expected: String?) {
        let words = ["id", "description", "threshold", "resolveBelow", "window", "error.code", "count"]
        #expect(Suggestion.nearest(to: word, among: words) == expected)
    }

    @Test func `a problem says what was found, what was expected and what was meant`() throws {
        let (_, problem) = try Self.read("5 min", .duration())
        #expect(
            problem?.description
                == "a.yaml:1:1: the text \"5 min\", expected a duration such as 30s, 5m, 2h or 7d; did you mean 5m?"
        )
    }
}
