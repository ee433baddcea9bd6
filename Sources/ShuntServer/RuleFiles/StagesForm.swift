internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of `catalogue/stages.yaml`.
enum StagesForm {
    private static let keys = ["stages", "hangsOnStage", "nothingSent", "transportCodes", "unknownCodes"]
    private static let ruleKeys = ["happened", "transport", "cancel", "money", "proof", "unknownCode", "quickCancelMs"]

    static func read(_ root: YAMLNode, _ reader: inout FileReader, _ places: inout CataloguePlaces) -> StageTable? {
        guard let file = reader.fields(root, of: "the file", keys: keys) else { return nil }
        var rules: [Stage: StageRule] = [:]
        let stages = Stage.allCases.map(\.rawValue)
        if let fields = reader.required("stages", of: file, .fields(of: "stages", keys: stages)) {
            for entry in fields.entries {
                guard let stage = Stage(rawValue: entry.key) else { continue }
                rules[stage] = rule(entry, &reader)
            }
        }
        let dependences = (reader.optional("hangsOnStage", of: file, .nodes()) ?? []).compactMap {
            dependence($0, &reader, &places)
        }
        let proofs = (reader.optional("nothingSent", of: file, .nodes()) ?? []).compactMap {
            proof($0, &reader, &places)
        }
        var table = StageTable(rules: rules, hangsOnStage: dependences, nothingSent: proofs)
        transportCodes(file, &table, &reader)
        if let unknown = reader.required("unknownCodes", of: file, .fields(of: "unknownCodes", keys: ["switchWeight"]))
        {
            table.unknownCodeWeight = reader.required("switchWeight", of: unknown, .word) ?? .count
        }
        return table
    }

    // MARK: Stages

    private enum Proof: String, CaseIterable {
        case holds, fails
    }

    private enum UnknownCode: String, CaseIterable {
        case unknown, inDoubt
    }

    private static func rule(_ entry: YAMLEntry, _ reader: inout FileReader) -> StageRule? {
        guard let fields = reader.fields(entry.value, of: "the stage \(entry.key)", keys: ruleKeys) else { return nil }
        _ = reader.optional("happened", of: fields, .text)
        let transport = reader.required("transport", of: fields, .transport)
        let cancel: StageRule.Cancel? = reader.required("cancel", of: fields, .word)
        let money = reader.required("money", of: fields, .settledMoney)
        let proof: Proof? = reader.optional("proof", of: fields, .word)
        let unknownCode: UnknownCode? = reader.optional("unknownCode", of: fields, .word)
        let quickCancelMs = reader.optional("quickCancelMs", of: fields, .integer(in: 1...3_600_000))
        guard let transport, let cancel, let money else { return nil }
        if quickCancelMs != nil, cancel == .inDoubt {
            let found = "quickCancelMs where a cancel is in doubt"
            let position = fields.keyPosition("quickCancelMs") ?? fields.position
            reader.note(.contradiction, at: position, found: found, expected: "cancel: user, or no quickCancelMs")
        }
        return StageRule(
            transport: transport,
            cancel: cancel,
            money: money,
            proofHolds: proof != .fails,
            unknownCodeIsInDoubt: unknownCode == .inDoubt,
            quickCancelMs: quickCancelMs
        )
    }

    // MARK: Rows that the stages refine

    private static func dependence(
        _ node: YAMLNode,
        _ reader: inout FileReader,
        _ places: inout CataloguePlaces
    ) -> StageDependence? {
        let keys = ["system", "kind", "codes", "harmlessAt"]
        guard let fields = reader.fields(node, of: "an entry of hangsOnStage", keys: keys) else { return nil }
        let kind: StageDependence.Kind? = reader.required("kind", of: fields, .word)
        let harmlessAt: [Stage]? = reader.optional("harmlessAt", of: fields, .list(of: .word, notEmpty: .outOfRange))
        let codes = codes(of: fields, &reader, &places)
        guard let kind, let codes else { return nil }
        return StageDependence(system: codes.system, kind: kind, codes: codes.codes, harmlessAt: harmlessAt)
    }

    private static func proof(
        _ node: YAMLNode,
        _ reader: inout FileReader,
        _ places: inout CataloguePlaces
    ) -> StageTable.Codes? {
        let keys = ["system", "codes"]
        guard let fields = reader.fields(node, of: "an entry of nothingSent", keys: keys) else { return nil }
        return codes(of: fields, &reader, &places)
    }

    private static func codes(
        of fields: FileFields,
        _ reader: inout FileReader,
        _ places: inout CataloguePlaces
    ) -> StageTable.Codes? {
        let system = reader.required("system", of: fields, .filledText)
        let codes = reader.required("codes", of: fields, .list(of: .filledText, notEmpty: .neverMatches))
        guard let system, let codes else { return nil }
        for node in fields["codes"]?.elements ?? [] {
            guard let code = node.text else { continue }
            places[.unknownStageRow(system: system, code: code)] = (reader.file, node.position)
        }
        return StageTable.Codes(system: system, codes: codes)
    }

    // MARK: Codes without a system

    private static func transportCodes(_ file: FileFields, _ table: inout StageTable, _ reader: inout FileReader) {
        let keys = ["class", "retry", "switchWeight", "codes"]
        let form = FileValue.fields(of: "transportCodes", keys: keys)
        guard let fields = reader.optional("transportCodes", of: file, form) else { return }
        if let failureClass: FailureClass = reader.required("class", of: fields, .word) {
            table.transportEntry.failureClass = failureClass
        }
        if let retry: RetryAdvice = reader.required("retry", of: fields, .word) { table.transportEntry.retry = retry }
        if let weight: SwitchWeight = reader.required("switchWeight", of: fields, .word) {
            table.transportEntry.switchWeight = weight
        }
        table.transportCodes = Set(reader.required("codes", of: fields, .list(of: .foldedCode)) ?? [])
    }
}

extension FileValue where Value == StageRule.Transport {
    /// `inDoubt`, or the classes that a transport fault can be.
    fileprivate static var transport: Self {
        Self("inDoubt, or a list of classes") { node, reader in
            guard node.elements == nil else {
                let list = FileValue<[FailureClass]>.list(of: .word, notEmpty: .outOfRange)
                return list.read(node, &reader).map { .classes($0) }
            }
            return FileValue<String>.word(among: ["inDoubt"]).read(node, &reader).map { _ in .inDoubt }
        }
    }
}

extension FileValue where Value == MoneyState {
    /// Whether money has moved; a stage can't leave that to the stage.
    fileprivate static var settledMoney: Self {
        let words = MoneyState.allCases.filter { $0 != .stage }.map(\.rawValue)
        let word = FileValue<String>.word(among: words)
        return Self(word.expected) { node, reader in word.read(node, &reader).flatMap { MoneyState(rawValue: $0) } }
    }
}

extension FileValue where Value == String {
    /// A code as the classifier compares it: lower case, without `-` and `_`, at most 40 letters.
    fileprivate static var foldedCode: Self {
        Self("a code in lower case without - and _") { node, reader in
            guard let text = Self.filledText.read(node, &reader) else { return nil }
            let folded = text.lowercased().filter { $0 != "-" && $0 != "_" }
            let isReadable = folded == text && text.utf8.count <= 40 && text.utf8.first.map { !$0.isDigit } ?? false
            guard isReadable else {
                reader.note(
                    .neverMatches,
                    at: node.position,
                    found: node.words,
                    expected: "a code of at most 40 letters in lower case without - and _, a letter first",
                    suggestion: folded == text ? nil : folded
                )
                return nil
            }
            return text
        }
    }
}
