internal import ShuntNative

/// A text with `{names}` in it that are filled in later; `{{` and `}}` stand for the braces themselves.
struct PlaceholderText: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        case text(String)
        case field(String)
    }

    private(set) var parts: [Part] = []

    /// Why a text has no such form, or can't be filled in.
    enum Problem: Error, Equatable, Sendable {
        /// A brace that nothing closes, or that closes nothing.
        case brace
        /// A name that means nothing here.
        case unknown(String)
        /// A name whose value isn't known this time.
        case missing(String)
    }

    /// Reads a text.
    ///
    /// - Parameter known: the names that mean something.
    init(_ text: String, known: [String]) throws(Problem) {
        var rest = text[...]
        var literal = ""
        while let character = rest.popFirst() {
            guard character == "{" || character == "}" else {
                literal.append(character)
                continue
            }
            if rest.first == character {
                rest.removeFirst()
                literal.append(character)
                continue
            }
            guard character == "{", let end = rest.firstIndex(of: "}") else { throw .brace }
            let name = String(rest[..<end])
            guard known.contains(name) else { throw .unknown(name) }
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts.append(.field(name))
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
    }

    /// The names that it asks for.
    var fields: [String] {
        parts.compactMap { if case .field(let name) = $0 { name } else { nil } }
    }

    /// The text with every name filled in.
    func filled(_ value: (String) -> String?) throws(Problem) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .text(let text): result += text
            case .field(let name):
                guard let value = value(name) else { throw .missing(name) }
                result += value
            }
        }
        return result
    }
}

extension FileValue where Value == PlaceholderText {
    /// A text with these names in it.
    static func placeholders(_ known: [String], in what: String, check: @escaping (String) -> Bool = { _ in true })
        -> Self
    {
        let names = FileReader.list(known.map { "{\($0)}" })
        let expected = "\(what) with \(names)"
        return Self(expected) { node, reader in
            guard let text = FileValue<String>.filledText.read(node, &reader) else { return nil }
            do throws(PlaceholderText.Problem) {
                let result = try PlaceholderText(text, known: known)
                if check(text) { return result }
                reader.note(.unknownValue, at: node.position, found: node.words, expected: expected)
            } catch {
                if case .unknown(let name) = error {
                    let found = "unknown name {\(name.shortened)}"
                    let meant = Suggestion.nearest(to: name, among: known).map { "{\($0)}" }
                    reader.note(
                        .unknownValue,
                        at: node.position,
                        found: found,
                        expected: "of \(names)",
                        suggestion: meant
                    )
                } else {
                    let found = "a brace without its other half"
                    reader.note(.unknownValue, at: node.position, found: found, expected: "{{ or }} for a brace itself")
                }
            }
            return nil
        }
    }
}
