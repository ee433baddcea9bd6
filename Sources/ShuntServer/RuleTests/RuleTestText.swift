extension RuleTestFailure {
    /// More lines of a list help nobody.
    private static let mostLines = 20

    /// The difference in words, a line for each thing; what belongs below a line is set in by two spaces more.
    ///
    /// - Parameter file: the test's file.
    public func lines(file: String) -> [String] {
        var lines = ["at \(RuleTestTime.text(atMs)), \(file):\(line):\(column)"]
        for difference in differences {
            lines.append("  \(difference.subject)")
            lines += Self.list("expected", difference.expected)
            lines += Self.list("actual  ", difference.actual)
        }
        for rule in rules {
            lines.append("  rule \(rule.rule)")
            lines += rule.lines.map { "    \($0)" }
        }
        return lines.map(\.visible)
    }

    private static func list(_ title: String, _ values: [String]) -> [String] {
        guard let first = values.first else { return ["    \(title)  none"] }
        let indentation = String(repeating: " ", count: title.count)
        var lines = ["    \(title)  \(first)"]
        lines += values.dropFirst().prefix(mostLines - 1).map { "    \(indentation)  \($0)" }
        if values.count > mostLines { lines.append("    \(indentation)  and \(values.count - mostLines) more") }
        return lines
    }
}

extension String {
    /// With control characters spelled out, as `\u{1B}`: a text from a file must not steer a terminal, and XML has no
    /// place for them.
    public var visible: String {
        guard unicodeScalars.contains(where: \.isInvisible) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isInvisible {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Controls, what turns the direction of text, and what isn't a character at all.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: properties.isBidiControl
        default: properties.isNoncharacterCodePoint
        }
    }
}
