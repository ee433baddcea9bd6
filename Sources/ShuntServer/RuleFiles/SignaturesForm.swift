internal import ShuntCore
internal import ShuntNative

/// The form of `catalogue/signatures.yaml`.
enum SignaturesForm {
    /// How many texts a signature may have.
    private static let mostTexts = 8

    private enum Decider: String, CaseIterable {
        case cancel, code
    }

    private static let meaningKeys = ["class", "retry", "switchWeight", "money", "note"]
    private static let keys = ["id", "all", "domains", "by"] + meaningKeys + ["environment", "say"]

    static func read(_ root: YAMLNode, _ reader: inout FileReader) -> [Signature] {
        guard let file = reader.fields(root, of: "the file", keys: ["signatures"]) else { return [] }
        let nodes = reader.required("signatures", of: file, .nodes()) ?? []
        var names = FileNames(of: "signature")
        return nodes.compactMap { node in
            guard let signature = signature(node, &reader) else { return nil }
            names.add(signature.id, at: node["id"]?.position ?? node.position, &reader)
            return signature
        }
    }

    private static func signature(_ node: YAMLNode, _ reader: inout FileReader) -> Signature? {
        guard let fields = reader.fields(node, of: "a signature", keys: keys) else { return nil }
        let id = reader.required("id", of: fields, .name)
        let all = reader.required("all", of: fields, .list(of: .filledText, notEmpty: .neverMatches))
        if let all, all.count > mostTexts {
            let found = "\(all.count) texts"
            reader.note(.outOfRange, at: fields.valuePosition("all"), found: found, expected: "at most \(mostTexts)")
        }
        let domains = reader.optional("domains", of: fields, .list(of: .filledText, notEmpty: .neverMatches))
        let hint: Signature.EnvironmentHint? = reader.optional("environment", of: fields, .word)
        let say = reader.required("say", of: fields, .filledText)
        let verdict = verdict(fields, named: id ?? "", &reader)
        guard let id, let all, let say, let verdict else { return nil }
        return Signature(id: id, all: all, domains: domains ?? [], verdict: verdict, environment: hint, say: say)
    }

    private static func verdict(
        _ fields: FileFields,
        named name: String,
        _ reader: inout FileReader
    ) -> Signature.Verdict? {
        guard fields["by"] != nil else {
            return CatalogueForm.meaning(fields, named: name, &reader).map { .entry($0) }
        }
        guard let decider: Decider = reader.optional("by", of: fields, .word) else { return nil }
        for key in meaningKeys {
            guard let position = fields.keyPosition(key) else { continue }
            let found = "\(key) beside by: \(decider.rawValue)"
            reader.note(.contradiction, at: position, found: found, expected: "one of them")
        }
        switch decider {
        case .cancel: return .cancel
        case .code: return .code
        }
    }
}
