internal import ShuntNative

/// Times of a test: how long after its start, e.g. `0s`, `4m59s`, `14m59s999ms`.
public enum RuleTestTime {
    private static let units: [(name: String, ms: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Writes a time with all the units that it needs.
    public static func text(_ milliseconds: Int64) -> String {
        var rest = milliseconds
        var text = ""
        for unit in units where rest >= unit.ms {
            text += "\(rest / unit.ms)\(unit.name)"
            rest %= unit.ms
        }
        return text.isEmpty ? "0s" : text
    }

    /// Reads a time, its units from large to small and none twice; nil if it isn't one or is longer than ten years.
    static func milliseconds(_ text: String) -> Int64? {
        var rest = text[...]
        var total: Int64 = 0
        var remaining = units[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { !$0.isNumber }
            rest = rest.dropFirst(name.count)
            guard let place = remaining.firstIndex(where: { $0.name == name }),
                let part = DurationText.scaled(digits, by: units[place].ms, atMost: DurationText.longestMs)
            else { return nil }
            remaining = remaining[(place + 1)...]
            total += part
        }
        return text.isEmpty || total > DurationText.longestMs ? nil : total
    }
}

extension FileValue where Value == Int64 {
    /// A time after the test's start, or a stretch of time within it, in milliseconds.
    static var testTime: Self {
        let expected = "a time such as 0s, 4m59s or 1m500ms"
        return Self(expected) { node, reader in
            let text = node.text ?? ""
            if !node.isNull, let milliseconds = RuleTestTime.milliseconds(text) { return milliseconds }
            reader.note(
                node.text == nil || node.isNull ? .wrongType : .badUnit,
                at: node.position,
                found: node.words,
                expected: expected,
                suggestion: DurationText.meant(by: text).flatMap(DurationText.milliseconds).map(RuleTestTime.text)
            )
            return nil
        }
    }
}
