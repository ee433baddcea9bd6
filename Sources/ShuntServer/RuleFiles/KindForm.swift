internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The kind of a rule, and the keys that only some kinds have.
struct KindForm {
    /// The rule's kind; nil where that isn't known.
    private(set) var kind: RuleKind?
    /// The kind's name; nil where no such kind is known.
    private(set) var name: RuleKind.Name?
    /// How many must come together at least; nil where that isn't known.
    private(set) var threshold: Int?
    /// The window, in milliseconds; nil where that isn't known.
    private(set) var windowMs: Int64?

    /// The keys that only some kinds have.
    static let keys = [
        "threshold", "window", "share", "attempts", "change", "objective", "burn", "longWindow", "oneIn", "age",
        "total",
    ]

    /// The core keeps windows of less than a million events.
    static let counts: ClosedRange<Int64> = 1...999_999

    private static let hourMs: Int64 = 3_600_000

    /// The keys of a kind, all of which it needs.
    private static func keys(of name: RuleKind.Name) -> [String] {
        switch name {
        case .count, .consecutive, .newCode, .keyLimit: ["threshold", "window"]
        case .share: ["share", "attempts", "window"]
        case .noSuccess: ["attempts", "window"]
        case .change: ["change", "threshold", "window"]
        case .burnRate: ["objective", "burn", "attempts", "window", "longWindow"]
        case .unusualRate: ["oneIn", "threshold"]
        case .inDoubtAge: ["age", "threshold"]
        case .inDoubtTotal: ["total"]
        case .watchdog: []
        }
    }

    static func read(_ fields: FileFields, _ reader: inout FileReader) -> KindForm {
        var form = KindForm()
        form.name = fields["kind"] == nil ? .count : reader.optional("kind", of: fields, .word)
        guard let name = form.name else { return form }
        form.refuseOthers(of: name, fields, &reader)
        if keys(of: name).contains("threshold") {
            form.threshold = reader.required("threshold", of: fields, .count(in: counts))
        }
        if keys(of: name).contains("window") {
            form.windowMs = reader.required("window", of: fields, .duration(in: 1000...DurationText.longestMs))
        }
        form.readFigures(of: name, fields, &reader)
        return form
    }

    private mutating func readFigures(of name: RuleKind.Name, _ fields: FileFields, _ reader: inout FileReader) {
        switch name {
        case .count: kind = .count
        case .consecutive: kind = .consecutive
        case .newCode: kind = .newCode
        case .share:
            let percent = reader.required("share", of: fields, .share())
            let attempts = reader.required("attempts", of: fields, .count(in: Self.counts))
            guard let percent, let attempts else { return }
            kind = .share(percent: percent, attempts: attempts)
            threshold = (attempts * percent + 99) / 100
        case .noSuccess:
            threshold = reader.required("attempts", of: fields, .count(in: Self.counts))
            kind = threshold.map { .noSuccess(attempts: $0) }
        case .change:
            kind = reader.required("change", of: fields, .share(in: 1...100_000)).map { .change(percent: $0) }
        case .burnRate:
            kind = burnRate(fields, &reader).map { .burnRate($0) }
            threshold = 1
        case .unusualRate:
            let oneIn = reader.required("oneIn", of: fields, .count(in: 10...1_000_000_000_000))
            kind = oneIn.map { .unusualRate(oneIn: $0) }
            windowMs = Self.hourMs
        case .inDoubtAge:
            let ageMs = reader.required("age", of: fields, .duration(in: 1000...DurationText.longestMs))
            kind = ageMs.map { .inDoubtAge(ms: $0) }
            windowMs = Self.hourMs
        case .inDoubtTotal:
            let total = reader.required("total", of: fields, .money)
            kind = total.map { .inDoubtTotal(minor: $0.minor, currency: $0.currency) }
            threshold = 1
            windowMs = Self.hourMs
        case .keyLimit: kind = .keyLimit
        case .watchdog:
            kind = .watchdog
            threshold = 1
            windowMs = Self.hourMs
        }
    }

    private func burnRate(_ fields: FileFields, _ reader: inout FileReader) -> BurnRate? {
        let objective = reader.required("objective", of: fields, .objective)
        let tenths = reader.required("burn", of: fields, .tenths(in: 1...10_000))
        let attempts = reader.required("attempts", of: fields, .count(in: Self.counts))
        let long = reader.required("longWindow", of: fields, .duration(in: 60_000...DurationText.longestMs))
        if let long, let windowMs, long <= windowMs {
            let expected = "more than the window of \(DurationText.text(windowMs))"
            let found = "a longWindow of \(DurationText.text(long))"
            reader.note(.contradiction, at: fields.valuePosition("longWindow"), found: found, expected: expected)
        }
        if let objective, let tenths, objective * tenths > 10_000_000 {
            let found = "a burn that not even failures alone could reach"
            let most = 10_000_000 / objective
            let expected = "at most \(most / 10).\(most % 10) for that objective"
            reader.note(.neverMatches, at: fields.valuePosition("burn"), found: found, expected: expected)
        }
        guard let objective, let tenths, let attempts, let long else { return nil }
        return BurnRate(allowedPpm: objective, tenths: tenths, longWindowMs: long, attempts: attempts)
    }

    /// A key of another kind says something that this rule wouldn't do.
    private func refuseOthers(of name: RuleKind.Name, _ fields: FileFields, _ reader: inout FileReader) {
        let own = Self.keys(of: name)
        for key in Self.keys where !own.contains(key) {
            guard let position = fields.keyPosition(key) else { continue }
            let kinds = RuleKind.Name.allCases.filter { Self.keys(of: $0).contains(key) }.map(\.rawValue)
            let which = kinds.count == 1 ? kinds[0] : "one of \(FileReader.list(kinds))"
            reader.note(
                .contradiction,
                at: position,
                found: "\(key) of a rule of kind \(name.rawValue)",
                expected: "kind: \(which), or no \(key)"
            )
        }
    }
}

extension FileValue where Value == Int {
    /// An objective such as `99.5%`: the share that may fail, in millionths.
    fileprivate static var objective: Self {
        let expected = "a share of successes such as 99.5%, from 0.0001% to 99.9999%"
        return Self(expected) { node, reader in
            let text = node.text ?? ""
            guard text.hasSuffix("%"), let wanted = DecimalText.scaled(text.dropLast(), places: 4) else {
                let code: RuleProblem.Code = node.text == nil || node.isNull ? .wrongType : .badUnit
                reader.note(code, at: node.position, found: node.words, expected: expected)
                return nil
            }
            guard wanted > 0, wanted < 1_000_000 else {
                reader.note(.outOfRange, at: node.position, found: text, expected: expected)
                return nil
            }
            return 1_000_000 - wanted
        }
    }

    /// A number with one decimal at most, in tenths.
    fileprivate static func tenths(in range: ClosedRange<Int>) -> Self {
        let expected = "a number from 0.1 to \(range.upperBound / 10) with one decimal at most, such as 14.4"
        return Self(expected) { node, reader in
            guard let text = node.text, let value = DecimalText.scaled(text[...], places: 1) else {
                reader.note(.wrongType, at: node.position, found: node.words, expected: expected)
                return nil
            }
            guard range.contains(value) else {
                reader.note(.outOfRange, at: node.position, found: text, expected: expected)
                return nil
            }
            return value
        }
    }
}

extension FileValue where Value == Amount {
    /// An amount such as `CNY 50000` or `EUR 1200.50`, in units that people count in.
    fileprivate static var money: Self {
        let expected = "an amount with its currency, such as CNY 50000 or EUR 1200.50"
        return Self(expected) { node, reader in
            let words = (node.text ?? "").split(separator: " ")
            guard words.count == 2, words[0].utf8.count == 3, words[0].utf8.allSatisfy(\.isCapital),
                let minor = CurrencyExponent.minor(String(words[1]), String(words[0]))
            else {
                let code: RuleProblem.Code = node.text == nil || node.isNull ? .wrongType : .badUnit
                reader.note(code, at: node.position, found: node.words, expected: expected)
                return nil
            }
            guard minor > 0 else {
                reader.note(.outOfRange, at: node.position, found: node.words, expected: expected)
                return nil
            }
            return Amount(minor: minor, currency: String(words[0]))
        }
    }
}

extension UInt8 {
    fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}

/// Decimal numbers without a sign, read exactly.
enum DecimalText {
    /// The number times a power of ten; nil for anything else, or for more decimals than `places`.
    static func scaled(_ text: Substring, places: Int) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) else {
            return nil
        }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.count <= places else { return nil }
        return Int(parts[0] + decimals + String(repeating: "0", count: places - decimals.count))
    }
}
