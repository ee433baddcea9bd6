internal import ShuntNative

// MARK: Durations

extension FileValue where Value == Int64 {
    /// A duration such as `30s`, `5m`, `2h` or `7d`, in milliseconds.
    static func duration(in range: ClosedRange<Int64> = 0...DurationText.longestMs) -> Self {
        let expected = "a duration such as 30s, 5m, 2h or 7d"
        return Self(expected) { node, reader in
            let text = node.text ?? ""
            guard !node.isNull, let milliseconds = DurationText.milliseconds(text) else {
                reader.note(
                    node.text == nil || node.isNull ? .wrongType : .badUnit,
                    at: node.position,
                    found: node.words,
                    expected: expected,
                    suggestion: DurationText.meant(by: text)
                )
                return nil
            }
            guard range.contains(milliseconds) else {
                let limits = "from \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
                reader.note(.outOfRange, at: node.position, found: text, expected: "a duration \(limits)")
                return nil
            }
            return milliseconds
        }
    }
}

/// Durations as rule files write them: a whole number and a unit.
enum DurationText {
    /// Ten years; past it a figure is a slip of the finger.
    static let longestMs: Int64 = 3650 * 86_400_000

    private static let units: [(name: String, ms: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
    ]

    /// Reads a duration; nil if it isn't one or is longer than `longestMs`.
    static func milliseconds(_ text: String) -> Int64? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        return scaled(text.dropLast(unit.name.count), by: unit.ms, atMost: longestMs)
    }

    /// Writes a duration in the largest unit that divides it.
    static func text(_ milliseconds: Int64) -> String {
        let unit = units.first { milliseconds != 0 && milliseconds % $0.ms == 0 } ?? ("s", 1000)
        return "\(milliseconds / unit.ms)\(unit.name)"
    }

    /// A duration in another spelling: `5 min`, `300`, `300000ms`, `1h30m`.
    static func meant(by text: String) -> String? {
        var totalMs: Int64 = 0
        var rest = text.lowercased().filter { $0 != " " }[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { !$0.isNumber }
            rest = rest.dropFirst(name.count)
            guard let unitMs = spelled(String(name)), let partMs = scaled(digits, by: unitMs, atMost: longestMs) else {
                return nil
            }
            totalMs += partMs
        }
        guard totalMs >= 1000, totalMs % 1000 == 0, totalMs <= longestMs else { return nil }
        return self.text(totalMs)
    }

    private static func spelled(_ name: String) -> Int64? {
        switch name {
        case "ms", "msec", "millis", "milliseconds": 1
        case "", "s", "sec", "secs", "second", "seconds": 1000
        case "m", "min", "mins", "minute", "minutes": 60_000
        case "h", "hr", "hrs", "hour", "hours": 3_600_000
        case "d", "day", "days": 86_400_000
        case "w", "week", "weeks": 7 * 86_400_000
        default: nil
        }
    }

    /// Digits without sign, times a unit.
    static func scaled(_ digits: Substring, by unit: Int64, atMost limit: Int64) -> Int64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit), let number = Int64(digits) else { return nil }
        let product = number.multipliedReportingOverflow(by: unit)
        return product.overflow || product.partialValue > limit ? nil : product.partialValue
    }
}

// MARK: Shares

extension FileValue where Value == Int {
    /// A share such as `20%`, in per cent.
    static func share(in range: ClosedRange<Int> = 1...100) -> Self {
        let expected = "a share from \(range.lowerBound)% to \(range.upperBound)%, in whole per cent"
        return Self(expected) { node, reader in
            let text = node.text ?? ""
            let digits = text.dropLast()
            guard text.hasSuffix("%"), digits.utf8.allSatisfy(\.isDigit), let percent = Int(digits) else {
                reader.note(
                    node.text == nil || node.isNull ? .wrongType : .badUnit,
                    at: node.position,
                    found: node.words,
                    expected: expected,
                    suggestion: meant(by: text)
                )
                return nil
            }
            guard range.contains(percent) else {
                reader.note(.outOfRange, at: node.position, found: text, expected: expected)
                return nil
            }
            return percent
        }
    }

    /// A share in another spelling: `20`, `20 %`, `0.2`.
    private static func meant(by text: String) -> String? {
        let number = text.filter { $0 != " " && $0 != "%" }
        guard let value = Double(number), value > 0 else { return nil }
        let percent = value < 1 && !text.contains("%") ? (value * 100).rounded() : value
        guard percent >= 1, percent <= 100, percent == percent.rounded() else { return nil }
        return "\(Int(percent))%"
    }
}

// MARK: Sizes

extension FileValue where Value == Int64 {
    /// A size such as `8192`, `512KiB` or `20GiB`, in bytes.
    static func size(in range: ClosedRange<Int64> = 0...SizeText.largest) -> Self {
        let expected = "a size such as 8192, 512KiB, 64MiB or 20GiB"
        return Self(expected) { node, reader in
            let text = node.text ?? ""
            guard !node.isNull, let bytes = SizeText.bytes(text) else {
                reader.note(
                    node.text == nil || node.isNull ? .wrongType : .badUnit,
                    at: node.position,
                    found: node.words,
                    expected: expected,
                    suggestion: SizeText.meant(by: text)
                )
                return nil
            }
            guard range.contains(bytes) else {
                let limits = "from \(range.lowerBound) to \(range.upperBound) bytes"
                reader.note(.outOfRange, at: node.position, found: text, expected: "a size \(limits)")
                return nil
            }
            return bytes
        }
    }
}

/// Sizes as files write them: a whole number of bytes, or of a binary unit.
enum SizeText {
    /// 1 EiB.
    static let largest: Int64 = 1 << 60

    private static let units: [(name: String, bytes: Int64)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("", 1),
    ]

    /// Reads a size; nil if it isn't one or is larger than `largest`.
    static func bytes(_ text: String) -> Int64? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        return DurationText.scaled(text.dropLast(unit.name.count), by: unit.bytes, atMost: largest)
    }

    /// A size in another spelling: `20 GB`, `20g`, `8192B`.
    static func meant(by text: String) -> String? {
        let letters = text.lowercased().filter { $0 != " " }
        let digits = letters.prefix { $0.isASCII && $0.isNumber }
        let unit: String? =
            switch letters.dropFirst(digits.count) {
            case "b", "bytes": ""
            case "k", "kb", "kib": "KiB"
            case "m", "mb", "mib": "MiB"
            case "g", "gb", "gib": "GiB"
            case "t", "tb", "tib": "TiB"
            default: nil
            }
        guard let unit, bytes(digits + unit) != nil else { return nil }
        return digits + unit
    }
}
