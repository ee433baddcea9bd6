internal import ShuntNative

/// Reads the values of one file and collects what is wrong, so that one bad value doesn't hide the next.
///
/// A read that finds a problem notes it and returns nil; the form goes on with the other keys. What a form returns for
/// a file with problems is never used.
struct FileReader {
    /// The file's name as problems give it.
    let file: String
    private(set) var problems: [RuleProblem] = []
    /// Where the text itself is wrong.
    private var badPlaces: Set<YAMLPosition> = []
    private var noted: Set<Noted> = []

    private struct Noted: Hashable {
        var code: RuleProblem.Code
        var position: YAMLPosition
        var found: String
    }

    init(file: String) {
        self.file = file
    }

    /// Notes a problem; what repeats another in other words is left out.
    mutating func note(
        _ code: RuleProblem.Code,
        at position: YAMLPosition,
        found: String,
        expected: String? = nil,
        suggestion: String? = nil
    ) {
        let note = Noted(code: code, position: position, found: found)
        guard !badPlaces.contains(position), noted.insert(note).inserted else { return }
        problems.append(
            RuleProblem(
                code,
                file: file,
                at: position,
                found: found,
                expected: expected,
                suggestion: suggestion
            )
        )
    }

    /// Notes what the text itself has wrong.
    mutating func note(_ problem: YAMLProblem) {
        problems.append(RuleProblem(problem))
        badPlaces.insert(problem.position)
    }

    /// A mapping with these keys and no others.
    mutating func fields(_ node: YAMLNode, of form: String, keys: [String]) -> FileFields? {
        guard let entries = node.entries else {
            let list = Self.list(keys)
            note(.wrongType, at: node.position, found: node.words, expected: "\(form), a mapping with \(list)")
            return nil
        }
        var known = entries.filter { keys.contains($0.key) }
        for entry in entries where !keys.contains(entry.key) {
            let meant = Suggestion.nearest(to: entry.key, among: keys)
            note(
                .unknownKey,
                at: entry.keyPosition,
                found: "unknown key \"\(entry.key)\" of \(form)",
                expected: keys.count == 1 ? keys[0] : "one of \(Self.list(keys))",
                suggestion: meant
            )
            // Read as what was meant: its value may be wrong as well, and the right key isn't missing.
            guard let meant, !known.contains(where: { $0.key == meant }) else { continue }
            known.append(YAMLEntry(key: meant, isPlain: entry.isPlain, at: entry.keyPosition, value: entry.value))
        }
        return FileFields(form: form, position: node.position, entries: known)
    }

    /// The value of a key; its absence is a problem.
    mutating func required<Value>(_ key: String, of fields: FileFields, _ value: FileValue<Value>) -> Value? {
        guard let node = fields[key] else {
            let found = "\(fields.form) without the key \"\(key)\""
            note(.missingKey, at: fields.position, found: found, expected: value.expected)
            return nil
        }
        return value.read(node, &self)
    }

    /// The value of a key, if it is there.
    mutating func optional<Value>(_ key: String, of fields: FileFields, _ value: FileValue<Value>) -> Value? {
        fields[key].flatMap { value.read($0, &self) }
    }

    /// Refuses a key whose value is right but which this version doesn't do yet.
    mutating func refuse(_ key: String, of fields: FileFields, _ what: String, expected: String) {
        guard let position = fields.keyPosition(key) else { return }
        note(.notSupported, at: position, found: "\(what) isn't supported yet", expected: expected)
    }

    /// `a, b and c`.
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}

/// The keys and values of a mapping that a form has looked at.
struct FileFields {
    /// What the mapping is, e.g. `a rule`.
    let form: String
    /// Where the mapping starts.
    let position: YAMLPosition
    let entries: [YAMLEntry]

    /// The value of a key.
    subscript(key: String) -> YAMLNode? {
        entries.first { $0.key == key }?.value
    }

    /// Where a key stands.
    func keyPosition(_ key: String) -> YAMLPosition? {
        entries.first { $0.key == key }?.keyPosition
    }

    /// Where a key's value starts; without it, where the mapping does.
    func valuePosition(_ key: String) -> YAMLPosition {
        self[key]?.position ?? position
    }
}

extension YAMLNode {
    /// What the node is, as a problem says it.
    var words: String {
        switch content {
        case .sequence: return "a list"
        case .mapping: return "a mapping"
        case .scalar(let text, let isPlain):
            if isNull { return "nothing" }
            if bool != nil { return "the truth value \(text)" }
            if isPlain, text.looksLikeNumber { return "the number \(text)" }
            return "the text \"\(text.shortened)\""
        }
    }
}

extension String {
    /// Whether YAML's core schema would take the plain text for a number: `5`, `05`, `-1`, `4.2`, `1e3`, `0x1F`, `.inf`.
    ///
    /// Source: YAML 1.2.2, section 10.3.2.
    var looksLikeNumber: Bool {
        var rest = utf8[...]
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard let first = rest.first else { return false }
        if [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"].contains(String(Substring(rest))) { return true }
        if rest.starts(with: "0x".utf8) || rest.starts(with: "0o".utf8) { return true }
        guard first.isDigit || first == UInt8(ascii: ".") else { return false }
        let hasDigit = rest.contains { $0.isDigit }
        return hasDigit && Double(String(Substring(rest))) != nil
    }

    /// The first 60 characters, so that a problem stays a line.
    var shortened: String { count > 60 ? prefix(59) + "…" : self }
}

extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
