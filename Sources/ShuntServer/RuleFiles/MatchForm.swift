internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of a rule's `match`: attributes with what they must or mustn't be.
enum MatchForm {
    /// Reads the conditions; nil where one of them has a problem.
    static func read(_ node: YAMLNode, _ reader: inout FileReader) -> [Condition]? {
        let before = reader.problems.count
        let dimensions = Dimension.allCases.map(\.rawValue)
        guard let fields = reader.fields(node, of: "match", keys: dimensions) else { return nil }
        let conditions = fields.entries.compactMap { entry in
            Dimension(rawValue: entry.key).flatMap { dimension in
                test(entry.value, of: dimension, &reader).map { Condition(dimension, $0) }
            }
        }
        return reader.problems.count == before ? conditions : nil
    }

    /// A value, a list of values, a range, or a mapping with `not` or `prefix`.
    private static func test(
        _ node: YAMLNode,
        of dimension: Dimension,
        _ reader: inout FileReader
    ) -> Condition.Test? {
        guard node.entries == nil else { return mapping(node, of: dimension, &reader) }
        if let text = node.text, RangeText.isRange(text, of: dimension) {
            return RangeText.test(text, of: dimension, at: node.position, &reader)
        }
        return values(node, .value(of: dimension), ifEmpty: .neverMatches, &reader).map { .oneOf($0) }
    }

    private static func mapping(
        _ node: YAMLNode,
        of dimension: Dimension,
        _ reader: inout FileReader
    ) -> Condition.Test? {
        guard let fields = reader.fields(node, of: dimension.rawValue, keys: ["not", "prefix"]) else { return nil }
        guard fields.entries.count == 1, let entry = fields.entries.first else {
            let isTold = fields.entries.isEmpty && node.entries?.isEmpty == false
            let found = "\(dimension.rawValue) with \(fields.entries.isEmpty ? "nothing" : "both not and prefix")"
            if !isTold { reader.note(.wrongType, at: node.position, found: found, expected: "one of not and prefix") }
            return nil
        }
        if entry.key == "prefix" {
            return values(entry.value, .filledText, ifEmpty: .neverMatches, &reader).map { .prefix($0) }
        }
        return values(entry.value, .value(of: dimension), ifEmpty: .outOfRange, &reader).map { .noneOf($0) }
    }

    /// One value, or a list of them.
    private static func values(
        _ node: YAMLNode,
        _ value: FileValue<String>,
        ifEmpty code: RuleProblem.Code,
        _ reader: inout FileReader
    ) -> [String]? {
        guard node.elements == nil else {
            return FileValue<[String]>.list(of: value, notEmpty: code).read(node, &reader)
        }
        return value.read(node, &reader).map { [$0] }
    }
}

extension Dimension {
    /// The values that it can have, where those are known.
    var words: [String]? {
        switch self {
        case .stage: Stage.allCases.map(\.rawValue)
        case .outcome: Outcome.allCases.map(\.rawValue)
        case .failureClass: FailureClass.allCases.map(\.rawValue)
        case .switchWeight: SwitchWeight.allCases.map(\.rawValue)
        // `stage` stands in rows of the catalogue only.
        case .money: MoneyState.allCases.filter { $0 != .stage }.map(\.rawValue)
        default: nil
        }
    }
}

extension FileValue where Value == String {
    /// A single value of an attribute.
    fileprivate static func value(of dimension: Dimension) -> Self {
        if let words = dimension.words { return .word(among: words) }
        return dimension.isNumeric ? .number(in: dimension.numbers) : .unrangedText
    }

    /// A whole number, as events write it.
    private static func number(in range: ClosedRange<Int64>) -> Self {
        let expected = "a whole number, a list of them, or a range such as \">=8000\" or \"500..599\""
        return Self(expected) { node, reader in
            if let text = node.text, let number = Int64(text), String(number) == text {
                if range.contains(number) { return text }
                let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
                reader.note(.neverMatches, at: node.position, found: node.words, expected: expected)
                return nil
            }
            let code: RuleProblem.Code = node.text == nil || node.isNull ? .wrongType : .badUnit
            reader.note(code, at: node.position, found: node.words, expected: expected)
            return nil
        }
    }

    /// A text that doesn't look like a range, which would stand for itself here.
    private static var unrangedText: Self {
        Self("a text") { node, reader in
            guard let text = filledText.read(node, &reader) else { return nil }
            guard text.first != "<", text.first != ">" else {
                let expected = "a value; only versions and numbers have ranges, which stand alone: no list, no \"not\""
                reader.note(.badUnit, at: node.position, found: node.words, expected: expected)
                return nil
            }
            return text
        }
    }
}
