internal import ShuntCore
internal import ShuntNative

/// Ranges as rule files write them: `">=4.2.0 <4.3.0"` of versions, `">=8000"` and `"500..599"` of numbers.
enum RangeText {
    /// Whether a text is meant as a range of that attribute.
    static func isRange(_ text: String, of dimension: Dimension) -> Bool {
        guard dimension.isVersion || dimension.isNumeric else { return false }
        return text.first == "<" || text.first == ">" || text.first == "=" || text.contains("..")
    }

    /// Reads a range.
    static func test(
        _ text: String,
        of dimension: Dimension,
        at position: YAMLPosition,
        _ reader: inout FileReader
    ) -> Condition.Test? {
        let test: Condition.Test?
        let isEmpty: Bool
        if dimension.isVersion {
            let range = versions(text)
            isEmpty = range?.isEmpty ?? false
            test = range.map { .versions($0) }
        } else {
            let range = numbers(text, of: dimension)
            isEmpty = range.map { !$0.overlaps(dimension.numbers) } ?? false
            test = range.map { .numbers($0) }
        }
        if test == nil {
            let example = dimension.isVersion ? "\">=4.2.0 <4.3.0\"" : "\">=8000\" or \"500..599\""
            let found = "the text \"\(text.shortened)\""
            reader.note(.badUnit, at: position, found: found, expected: "a range such as \(example)")
        } else if isEmpty {
            let found = "the range \"\(text)\", in which no \(dimension.rawValue) can be"
            reader.note(.neverMatches, at: position, found: found, expected: "the lower end first, and some room")
        }
        return test
    }

    // MARK: Versions

    static func versions(_ text: String) -> VersionRange? {
        var range = VersionRange(lower: nil, upper: nil)
        guard let bounds = bounds(text) else { return nil }
        for bound in bounds {
            // What the core would leave aside, such as `-beta`, can't be compared.
            guard bound.value.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }),
                let version = Version(bound.value)
            else { return nil }
            let end = VersionRange.Bound(version, isIncluded: bound.isIncluded)
            if bound.isLower { range.lower = end } else { range.upper = end }
        }
        return range
    }

    // MARK: Numbers

    static func numbers(_ text: String, of dimension: Dimension) -> NumberRange? {
        func number(_ text: String) -> Int64? {
            if dimension == .bodyBytes { return SizeText.bytes(text) }
            return Int64(text).flatMap { String($0) == text ? $0 : nil }
        }
        let ends = text.components(around: "..")
        if ends.count == 2 {
            guard let lower = number(ends[0]), let upper = number(ends[1]) else { return nil }
            return NumberRange(lower: lower, upper: upper)
        }
        var range = NumberRange(lower: nil, upper: nil)
        guard let bounds = bounds(text) else { return nil }
        for bound in bounds {
            guard let end = number(bound.value) else { return nil }
            let step = end.addingReportingOverflow(bound.isIncluded ? 0 : bound.isLower ? 1 : -1)
            guard !step.overflow else { return nil }
            if bound.isLower { range.lower = step.partialValue } else { range.upper = step.partialValue }
        }
        return range
    }

    // MARK: Ends

    private struct Bound {
        var isLower: Bool
        var isIncluded: Bool
        var value: String
    }

    /// One or two ends with their signs, no side twice.
    private static func bounds(_ text: String) -> [Bound]? {
        var bounds: [Bound] = []
        for word in text.split(separator: " ") {
            let sign = word.prefix { $0 == "<" || $0 == ">" || $0 == "=" }
            guard [">=", ">", "<=", "<"].contains(String(sign)) else { return nil }
            let bound = Bound(
                isLower: sign.first == ">",
                isIncluded: sign.count == 2,
                value: String(word.dropFirst(sign.count))
            )
            guard bounds.allSatisfy({ $0.isLower != bound.isLower }) else { return nil }
            bounds.append(bound)
        }
        return bounds.isEmpty ? nil : bounds
    }
}

extension VersionRange {
    fileprivate var isEmpty: Bool {
        guard let lower, let upper else { return false }
        if lower.version == upper.version { return !lower.isIncluded || !upper.isIncluded }
        return upper.version < lower.version
    }
}

extension NumberRange {
    /// Whether it holds any of those numbers.
    fileprivate func overlaps(_ numbers: ClosedRange<Int64>) -> Bool {
        max(lower ?? .min, numbers.lowerBound) <= min(upper ?? .max, numbers.upperBound)
    }
}

extension Dimension {
    /// The numbers that intake lets in.
    var numbers: ClosedRange<Int64> {
        switch self {
        case .errorHTTPStatus: 0...999
        case .durationMs, .bodyBytes: 0...Int64.max
        default: Int64.min...Int64.max
        }
    }
}

extension String {
    /// The parts before and after each separator.
    fileprivate func components(around separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
    }
}
