internal import ShuntCore
internal import ShuntNative

/// The form of `when` and `also`: what must be true of failures and of the traffic around them.
private enum TriageFactsForm {
    static let keys = [
        "match", "text", "underlying", "context", "failures", "share", "fineIn", "newInVersion", "pattern",
        "merchantIds",
    ]

    /// What `merchantIds` can say.
    enum MerchantIds: String, CaseIterable {
        case spelledTwoWays
    }

    static func read(_ fields: FileFields, _ reader: inout FileReader) -> [DiagnosisFact] {
        fields.entries.flatMap { facts($0.key, $0.value, fields, &reader) }
    }

    private static func facts(
        _ key: String,
        _ node: YAMLNode,
        _ fields: FileFields,
        _ reader: inout FileReader
    ) -> [DiagnosisFact] {
        switch key {
        case "match": return (MatchForm.read(node, &reader) ?? []).map { .condition($0) }
        case "text": return texts.read(node, &reader).map { [.text($0)] } ?? []
        case "underlying": return underlying(node, &reader).map { [$0] } ?? []
        case "context": return context(node, &reader)
        case "failures":
            return FileValue<Int>.count(in: 1...1_000_000_000).read(node, &reader).map { [.failures($0)] } ?? []
        case "share": return share(node, &reader).map { [.share($0)] } ?? []
        case "fineIn": return FileValue<String>.filledText.read(node, &reader).map { [.fineIn($0)] } ?? []
        case "newInVersion":
            guard let isTrue = FileValue<Bool>.truth.read(node, &reader) else { return [] }
            if isTrue { return [.newInVersion] }
            let found = "newInVersion: false"
            reader.note(.outOfRange, at: node.position, found: found, expected: "true, or no newInVersion")
            return []
        case "pattern": return FileValue<DiagnosisFact.Pattern>.word.read(node, &reader).map { [.pattern($0)] } ?? []
        default:
            return FileValue<MerchantIds>.word.read(node, &reader) == nil ? [] : [.merchantIdSpelling]
        }
    }

    /// One text, or a list of them.
    private static var texts: FileValue<[String]> {
        FileValue("a text, or a list of texts") { node, reader in
            guard node.elements == nil else {
                return FileValue<[String]>.list(of: .filledText, notEmpty: .neverMatches).read(node, &reader)
            }
            return FileValue<String>.filledText.read(node, &reader).map { [$0] }
        }
    }

    private static func underlying(_ node: YAMLNode, _ reader: inout FileReader) -> DiagnosisFact? {
        guard let fields = reader.fields(node, of: "underlying", keys: ["domain", "code"]) else { return nil }
        let codes = fields["code"] == nil ? [] : reader.optional("code", of: fields, texts)
        guard let domain = reader.required("domain", of: fields, .filledText), let codes else { return nil }
        return .underlying(domain: domain, codes: codes)
    }

    private static func context(_ node: YAMLNode, _ reader: inout FileReader) -> [DiagnosisFact] {
        guard let entries = node.entries, !entries.isEmpty else {
            let expected = "a mapping from keys of the context to values"
            reader.note(.wrongType, at: node.position, found: node.words, expected: expected)
            return []
        }
        return entries.compactMap { entry in
            texts.read(entry.value, &reader).map { .context(key: entry.key, values: $0) }
        }
    }

    private static func share(_ node: YAMLNode, _ reader: inout FileReader) -> NumberRange? {
        guard let fields = reader.fields(node, of: "share", keys: ["atLeast", "atMost"]) else { return nil }
        let lower = reader.optional("atLeast", of: fields, .share())
        let upper = reader.optional("atMost", of: fields, .share())
        if fields.entries.isEmpty, node.entries?.isEmpty == true {
            reader.note(.missingKey, at: node.position, found: "an empty share", expected: "atLeast, atMost or both")
        }
        if let lower, let upper, upper < lower {
            let found = "a share of at least \(lower)% and at most \(upper)%"
            reader.note(.neverMatches, at: node.position, found: found, expected: "the lower one first")
        }
        return NumberRange(lower: lower.map { Int64($0) }, upper: upper.map { Int64($0) })
    }
}

extension FileValue where Value == [DiagnosisFact] {
    /// Facts, at least one.
    static func facts(of form: String) -> Self {
        let expected = "a mapping with \(FileReader.list(TriageFactsForm.keys))"
        return Self(expected) { node, reader in
            guard let fields = reader.fields(node, of: form, keys: TriageFactsForm.keys) else { return nil }
            let before = reader.problems.count
            let facts = TriageFactsForm.read(fields, &reader)
            if facts.isEmpty, reader.problems.count == before, node.entries?.allSatisfy({ $0.key == "match" }) == true {
                let found = "\(form) without a fact"
                reader.note(.outOfRange, at: node.position, found: found, expected: "at least one")
            }
            return reader.problems.count == before ? facts : nil
        }
    }
}
