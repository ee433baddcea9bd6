internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of the files in `triage/`: known causes, with how they show and what to do.
struct TriageForm {
    private static let keys = [
        "id", "class", "owner", "title", "when", "also", "cause", "verify", "nextStep", "runbook",
    ]

    /// The names given so far, over all files.
    private var names = FileNames(of: "diagnosis")

    mutating func read(_ root: YAMLNode, _ reader: inout FileReader) -> [Diagnosis] {
        guard let file = reader.fields(root, of: "the file", keys: ["diagnoses"]) else { return [] }
        let nodes = reader.required("diagnoses", of: file, .nodes()) ?? []
        var diagnoses: [Diagnosis] = []
        for node in nodes {
            if let name = node["id"], let id = name.text { names.add(id, at: name.position, &reader) }
            if let diagnosis = Self.diagnosis(node, &reader) { diagnoses.append(diagnosis) }
        }
        return diagnoses
    }

    private static func diagnosis(_ node: YAMLNode, _ reader: inout FileReader) -> Diagnosis? {
        guard let fields = reader.fields(node, of: "a diagnosis", keys: keys) else { return nil }
        let id = reader.required("id", of: fields, .name)
        let failureClass: FailureClass? = reader.required("class", of: fields, .word)
        let owner = reader.required("owner", of: fields, .name)
        let title = reader.required("title", of: fields, .sentence(of: "title"))
        let required = reader.required("when", of: fields, .facts(of: "when"))
        let supporting = fields["also"] == nil ? [] : reader.optional("also", of: fields, .facts(of: "also"))
        let cause = reader.required("cause", of: fields, .sentence(of: "cause"))
        let verify = reader.required("verify", of: fields, checks)
        let nextStep = reader.required("nextStep", of: fields, .sentence(of: "nextStep"))
        let runbook = reader.optional("runbook", of: fields, .filledText)
        guard let id, let failureClass, let owner, let title, let required, let supporting else { return nil }
        guard let cause, let verify, let nextStep else { return nil }
        return Diagnosis(
            id: id,
            title: title,
            cause: cause,
            verify: verify,
            nextStep: nextStep,
            owner: owner,
            failureClass: failureClass,
            runbook: runbook,
            required: required,
            supporting: supporting
        )
    }

    private static var checks: FileValue<[Diagnosis.Check]> {
        let expected = "a list of checks, each with en and zh, and a command if there is one"
        return FileValue(expected) { node, reader in
            guard let nodes = node.elements else {
                reader.note(.wrongType, at: node.position, found: node.words, expected: expected)
                return nil
            }
            guard !nodes.isEmpty else {
                reader.note(.outOfRange, at: node.position, found: "an empty list", expected: "at least one check")
                return nil
            }
            return nodes.compactMap { node in
                guard let fields = reader.fields(node, of: "a check", keys: ["en", "zh", "command"]) else { return nil }
                let english = reader.required("en", of: fields, .filledText)
                let chinese = reader.required("zh", of: fields, .filledText)
                let command = reader.optional("command", of: fields, .filledText)
                guard let english, let chinese else { return nil }
                return Diagnosis.Check(text: TriageText(english: english, chinese: chinese), command: command)
            }
        }
    }
}

extension FileValue where Value == TriageText {
    /// A sentence in both languages.
    fileprivate static func sentence(of key: String) -> Self {
        Self("a mapping with en and zh") { node, reader in
            guard let fields = reader.fields(node, of: key, keys: ["en", "zh"]) else { return nil }
            let english = reader.required("en", of: fields, .filledText)
            let chinese = reader.required("zh", of: fields, .filledText)
            guard let english, let chinese else { return nil }
            return TriageText(english: english, chinese: chinese)
        }
    }
}
