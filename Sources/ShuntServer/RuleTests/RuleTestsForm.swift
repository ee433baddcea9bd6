internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of a file in `tests/`.
struct RuleTestsForm {
    let expectations: RuleTestExpectationForm
    private let ruleSet: RuleSet
    private var names = FileNames(of: "test")

    /// A form for tests of these rules: what they don't have can't be expected.
    init(ruleSet: RuleSet) {
        self.ruleSet = ruleSet
        expectations = RuleTestExpectationForm(ruleSet: ruleSet)
    }

    /// Reads the tests of a file.
    mutating func read(_ root: YAMLNode, _ reader: inout FileReader) -> [RuleTest] {
        guard let file = reader.fields(root, of: "the file", keys: ["rules", "tests"]) else { return [] }
        let subjects = self.subjects(of: file, &reader)
        let nodes = reader.required("tests", of: file, .nodes()) ?? []
        return nodes.compactMap { test($0, subjects: subjects, &reader) }
    }

    /// The rules whose alerts the tests are about: those named, or all but watchdogs, which always fire.
    private func subjects(of fields: FileFields, _ reader: inout FileReader) -> Set<String>? {
        let form = FileValue<String>.word(among: ruleSet.rules.map(\.id))
        return reader.optional("rules", of: fields, .list(of: form, notEmpty: .outOfRange)).map { Set($0) }
    }

    private mutating func test(
        _ node: YAMLNode,
        subjects: Set<String>?,
        _ reader: inout FileReader
    ) -> RuleTest? {
        let keys = ["name", "rules", "events", "actions", "expect"]
        guard let fields = reader.fields(node, of: "a test", keys: keys) else { return nil }
        let name = reader.required("name", of: fields, .filledText)
        if let name { names.add(name, at: fields.valuePosition("name"), &reader) }
        let events = reader.optional("events", of: fields, .nodes()) ?? []
        let actions = reader.optional("actions", of: fields, .nodes()) ?? []
        var steps = events.compactMap { RuleTestEventsForm.read($0, &reader) }
        steps += actions.compactMap { action($0, &reader) }
        steps.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
        let expected = reader.required("expect", of: fields, .nodes())
        if let expected, expected.isEmpty {
            let position = fields.valuePosition("expect")
            reader.note(.outOfRange, at: position, found: "an empty list", expected: "at least one expectation")
        }
        let others = ruleSet.rules.filter { $0.kind != .watchdog }.map(\.id)
        let subjects = self.subjects(of: fields, &reader) ?? subjects ?? Set(others)
        var expectations = (expected ?? []).compactMap {
            self.expectations.read($0, subjects: subjects, &reader)
        }
        // Swift's sort is stable, and has to be: at the same time the file's order counts.
        expectations.sort { $0.atMs < $1.atMs }
        guard let name else { return nil }
        return RuleTest(
            name: name,
            file: reader.file,
            line: node.position.line,
            subjects: subjects,
            steps: steps,
            expectations: expectations
        )
    }

    // MARK: Actions

    private func action(_ node: YAMLNode, _ reader: inout FileReader) -> RuleTestStep? {
        let words = SwitchCommand.Verb.allCases.map(\.rawValue)
        guard let fields = reader.fields(node, of: "an action", keys: ["at"] + words) else { return nil }
        let atMs = reader.required("at", of: fields, .testTime)
        let given = SwitchCommand.Verb.allCases.filter { fields[$0.rawValue] != nil }
        guard given.count == 1, let verb = given.first else {
            let found = "an action with \(given.isEmpty ? "nothing to do" : FileReader.list(given.map(\.rawValue)))"
            let code: RuleProblem.Code = given.isEmpty ? .missingKey : .contradiction
            reader.note(code, at: node.position, found: found, expected: "one of \(FileReader.list(words))")
            return nil
        }
        let keys = ["switch", "reason", "scope"] + Self.keys(of: verb)
        let form = FileValue.fields(of: verb.rawValue, keys: keys)
        guard let command = reader.required(verb.rawValue, of: fields, form) else { return nil }
        let key = reader.required("switch", of: command, .word(among: ruleSet.switches.map(\.key)))
        let reason = reader.optional("reason", of: command, .filledText) ?? "rule test"
        let scope = fields[verb.rawValue]?["scope"].map { self.scope($0, &reader) }
        let action = self.action(verb, of: command, key: key, &reader)
        guard let atMs, let key, let action else { return nil }
        return RuleTestStep(
            position: node.position,
            atMs: atMs,
            kind: .command(
                SwitchCommand(
                    action: action,
                    key: key,
                    scope: scope ?? Scope(environment: PaymentEvent.defaultEnvironment),
                    actor: "rule test",
                    reason: reason
                )
            )
        )
    }

    /// The keys that a verb has besides those of all.
    private static func keys(of verb: SwitchCommand.Verb) -> [String] {
        switch verb {
        case .trip, .restore, .clear: []
        case .override: ["variant", "for"]
        case .mode: ["mode"]
        }
    }

    private func action(
        _ verb: SwitchCommand.Verb,
        of fields: FileFields,
        key: String?,
        _ reader: inout FileReader
    ) -> SwitchCommand.Action? {
        switch verb {
        case .trip: return .trip
        case .restore: return .restore
        case .clear: return .clear
        case .override:
            let variant = reader.required("variant", of: fields, expectations.variant(of: key))
            let forMs = reader.optional("for", of: fields, .duration(in: 1000...SwitchOverride.maximumMs))
            return variant.map { .override(variant: $0, forMs: forMs ?? SwitchOverride.defaultMs) }
        case .mode:
            let mode: SwitchMode? = reader.required("mode", of: fields, .word)
            return mode.map { .mode($0) }
        }
    }

    private func scope(_ node: YAMLNode, _ reader: inout FileReader) -> Scope {
        let attributes = reader.attributes(node, of: "scope", among: Dimension.allCases) ?? []
        let environment = attributes.first { $0.name == Dimension.environment.rawValue }?.value
        return Scope(
            environment: environment ?? PaymentEvent.defaultEnvironment,
            attributes: attributes.filter { $0.name != Dimension.environment.rawValue }
        )
    }
}

extension FileReader {
    /// A mapping of attributes to values, in the order of the file.
    mutating func attributes(
        _ node: YAMLNode,
        of form: String,
        among dimensions: [Dimension]
    ) -> [ScopeAttribute]? {
        attributes(node, of: form, named: dimensions.map(\.rawValue))
    }

    /// As above, with these names.
    mutating func attributes(_ node: YAMLNode, of form: String, named names: [String]) -> [ScopeAttribute]? {
        fields(node, of: form, keys: names)?.entries.compactMap { entry in
            FileValue<String>.filledText.read(entry.value, &self).map { ScopeAttribute(name: entry.key, value: $0) }
        }
    }
}
