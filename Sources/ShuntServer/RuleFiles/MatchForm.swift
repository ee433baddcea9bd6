internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of a rule's `match`: attributes with the values that they must or mustn't have.
enum MatchForm {
    static func read(_ node: YAMLNode, _ reader: inout FileReader) -> [Condition] {
        let dimensions = Dimension.allCases.map(\.rawValue)
        guard let fields = reader.fields(node, of: "match", keys: dimensions) else { return [] }
        return fields.entries.compactMap { entry in
            guard let dimension = Dimension(rawValue: entry.key) else { return nil }
            return test(entry.value, of: dimension, &reader).map { Condition(dimension, $0) }
        }
    }

    /// A value, a list of values, or a mapping with `not`.
    private static func test(
        _ node: YAMLNode,
        of dimension: Dimension,
        _ reader: inout FileReader
    ) -> Condition.Test? {
        guard node.entries != nil else { return values(node, of: dimension, .neverMatches, &reader).map { .oneOf($0) } }
        guard let fields = reader.fields(node, of: dimension.rawValue, keys: ["not"]) else { return nil }
        guard let excluded = reader.required("not", of: fields, .node("a value or a list")) else { return nil }
        return values(excluded, of: dimension, .outOfRange, &reader).map { .noneOf($0) }
    }

    private static func values(
        _ node: YAMLNode,
        of dimension: Dimension,
        _ empty: RuleProblem.Code,
        _ reader: inout FileReader
    ) -> [String]? {
        let value = value(of: dimension)
        guard node.elements == nil else {
            return FileValue<[String]>.list(of: value, notEmpty: empty).read(node, &reader)
        }
        return value.read(node, &reader).map { [$0] }
    }

    private static func value(of dimension: Dimension) -> FileValue<String> {
        switch dimension {
        case .stage: .word(among: Stage.allCases.map(\.rawValue))
        case .outcome: .word(among: Outcome.allCases.map(\.rawValue))
        default: .filledText
        }
    }
}
