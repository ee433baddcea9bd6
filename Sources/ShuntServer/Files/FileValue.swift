internal import ShuntNative

/// How one value of a file is read: from a node to a value, or to a noted problem.
struct FileValue<Value> {
    /// What the value should be, in words.
    let expected: String
    let read: (YAMLNode, inout FileReader) -> Value?

    init(_ expected: String, read: @escaping (YAMLNode, inout FileReader) -> Value?) {
        self.expected = expected
        self.read = read
    }
}

// MARK: Texts

extension FileValue where Value == String {
    /// A text of any length. A plain number or truth value was perhaps not meant as a text, so it must be quoted.
    static var text: Self {
        Self("a text") { node, reader in
            guard let text = node.text, !node.isNull else {
                reader.note(.wrongType, at: node.position, found: node.words, expected: "a text")
                return nil
            }
            guard !node.isPlain || !text.looksLikeNumber && node.bool == nil else {
                reader.noteUnquoted(node.words, text, at: node.position)
                return nil
            }
            return text
        }
    }

    /// A text with something in it.
    static var filledText: Self {
        Self("a text") { node, reader in
            guard let text = Self.text.read(node, &reader) else { return nil }
            guard !text.isEmpty else {
                reader.note(.outOfRange, at: node.position, found: "an empty text", expected: "some letters")
                return nil
            }
            return text
        }
    }

    /// A name that metrics, addresses and files can carry: up to 100 letters, digits, `-`, `_` and `.`.
    static var name: Self {
        Self(String.nameForm) { node, reader in
            guard let text = Self.text.read(node, &reader) else { return nil }
            guard text.isName else {
                reader.note(.outOfRange, at: node.position, found: node.words, expected: String.nameForm)
                return nil
            }
            return text
        }
    }
}

extension String {
    /// What a name must be, in words.
    static let nameForm = "a name of 1 to 100 letters a-z, A-Z, 0-9, -, _ and ."

    /// Whether it is a name that metrics, addresses and files can carry.
    var isName: Bool { (1...100).contains(utf8.count) && utf8.allSatisfy(\.isOfName) }
}

extension UInt8 {
    fileprivate var isOfName: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || "-_.".utf8.contains(self)
    }
}

extension FileReader {
    /// Notes a text that should be quoted.
    mutating func noteUnquoted(_ found: String, _ text: String, at position: YAMLPosition) {
        let expected = "a text; quote it, since \"05\" and 5 differ"
        note(.unquotedCode, at: position, found: found, expected: expected, suggestion: "\"\(text)\"")
    }
}

// MARK: Numbers and words

extension FileValue where Value == Int64 {
    /// A plain whole number within limits.
    static func integer(in range: ClosedRange<Int64>) -> Self {
        let limits =
            range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        let expected = "a whole number \(limits)"
        return Self(expected) { node, reader in
            guard let value = node.int64 else {
                reader.note(.wrongType, at: node.position, found: node.words, expected: expected)
                return nil
            }
            guard range.contains(value) else {
                reader.note(.outOfRange, at: node.position, found: "\(value)", expected: expected)
                return nil
            }
            return value
        }
    }
}

extension FileValue where Value == Bool {
    /// A plain `true` or `false`.
    static var truth: Self {
        Self("true or false") { node, reader in
            if let value = node.bool { return value }
            let meant = ["yes", "on", "no", "off"].firstIndex(of: node.text?.lowercased() ?? "")
            reader.note(
                .wrongType,
                at: node.position,
                found: node.words,
                expected: "true or false",
                suggestion: meant.map { $0 < 2 ? "true" : "false" }
            )
            return nil
        }
    }
}

extension FileValue where Value == Int {
    /// A plain whole number within limits.
    static func count(in range: ClosedRange<Int64>) -> Self {
        let integer = FileValue<Int64>.integer(in: range)
        return Self(integer.expected) { node, reader in integer.read(node, &reader).map { Int($0) } }
    }
}

extension FileValue where Value: RawRepresentable<String> & CaseIterable {
    /// One of a type's words.
    static var word: Self {
        let word = FileValue<String>.word(among: Value.allCases.map(\.rawValue))
        return Self(word.expected) { node, reader in
            if let value = node.text.flatMap({ Value(rawValue: $0) }) { return value }
            _ = word.read(node, &reader)
            return nil
        }
    }
}

extension FileValue where Value == String {
    /// One of these words.
    static func word(among words: [String]) -> Self {
        let expected = words.count == 1 ? words[0] : "one of \(FileReader.list(words))"
        return Self(expected) { node, reader in
            if let text = node.text, words.contains(text) { return text }
            let isText = node.text != nil && !node.isNull
            reader.note(
                isText ? .unknownValue : .wrongType,
                at: node.position,
                found: node.words,
                expected: expected,
                suggestion: node.text.flatMap { Suggestion.nearest(to: $0, among: words) }
            )
            return nil
        }
    }
}

// MARK: Lists and mappings

extension FileValue {
    /// A value that the form reads itself.
    static func node(_ expected: String) -> Self where Value == YAMLNode {
        Self(expected) { node, _ in node }
    }

    /// A list whose elements the form reads itself.
    static func nodes() -> Self where Value == [YAMLNode] {
        Self("a list") { node, reader in
            if let nodes = node.elements { return nodes }
            reader.note(.wrongType, at: node.position, found: node.words, expected: "a list")
            return nil
        }
    }

    /// A mapping with these keys and no others.
    static func fields(of form: String, keys: [String]) -> Self where Value == FileFields {
        Self("a mapping with \(FileReader.list(keys))") { node, reader in
            reader.fields(node, of: form, keys: keys)
        }
    }

    /// A list, no value twice; an empty one is a problem of the given kind, if any.
    static func list<Element: Hashable>(
        of element: FileValue<Element>,
        notEmpty: RuleProblem.Code? = nil
    ) -> Self where Value == [Element] {
        let expected = "a list; of each element: \(element.expected)"
        return Self(expected) { node, reader in
            guard let nodes = node.elements else {
                reader.note(.wrongType, at: node.position, found: node.words, expected: expected)
                return nil
            }
            if let notEmpty, nodes.isEmpty {
                reader.note(notEmpty, at: node.position, found: "an empty list", expected: "at least one value")
                return nil
            }
            var values: [Element] = []
            var seen: Set<Element> = []
            for node in nodes {
                guard let value = element.read(node, &reader) else { continue }
                if seen.insert(value).inserted {
                    values.append(value)
                } else {
                    let found = "\(node.words), which the list has already"
                    reader.note(.duplicateValue, at: node.position, found: found, expected: "it once")
                }
            }
            return values
        }
    }
}
