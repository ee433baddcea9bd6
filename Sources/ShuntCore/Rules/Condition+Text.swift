extension Condition {
    /// The condition as rule files write it, e.g. `app.version: ">=4.2 <4.3"`; for people.
    public var text: String {
        let value =
            switch test {
            case .oneOf(let values): Self.list(values)
            case .noneOf(let values): "{ not: \(Self.list(values)) }"
            case .prefix(let prefixes): "{ prefix: \(Self.list(prefixes)) }"
            case .versions(let range): "\"\(range.text)\""
            case .numbers(let range): "\"\(range.text)\""
            }
        return "\(dimension.rawValue): \(value)"
    }

    private static func list(_ values: [String]) -> String {
        values.count == 1 ? values[0] : "[\(values.joined(separator: ", "))]"
    }
}

extension VersionRange {
    /// E.g. `>=4.2 <4.3`; `*` for any version.
    fileprivate var text: String {
        var parts: [String] = []
        if let lower { parts.append("\(lower.isIncluded ? ">=" : ">")\(lower.version.text)") }
        if let upper { parts.append("\(upper.isIncluded ? "<=" : "<")\(upper.version.text)") }
        return parts.isEmpty ? "*" : parts.joined(separator: " ")
    }
}

extension Version {
    fileprivate var text: String {
        parts.isEmpty ? "0" : parts.map { String($0) }.joined(separator: ".")
    }
}

extension NumberRange {
    /// E.g. `500..599`, `>=8000`; `*` for any number.
    fileprivate var text: String {
        switch (lower, upper) {
        case (nil, nil): "*"
        case (let lower?, nil): ">=\(lower)"
        case (nil, let upper?): "<=\(upper)"
        case (let lower?, let upper?): "\(lower)..\(upper)"
        }
    }
}
