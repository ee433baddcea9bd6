internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of an entry of `expect`.
struct RuleTestExpectationForm {
    let ruleSet: RuleSet

    /// Who moves a switch when no rule does.
    static let byOthers = ["operator", "recovery"]

    /// What an expectation can be about.
    private static let subjects = ["alerts", "switches", "states", "version", "transitions", "notifications"]

    private static let decisions =
        ["tripped", "wouldHaveTripped", "overridden", TripDecision.noSwitch.name] + SwitchHold.allCases.map(\.rawValue)

    func read(
        _ node: YAMLNode,
        subjects: Set<String>,
        _ reader: inout FileReader
    ) -> RuleTestExpectation? {
        let keys = ["at", "environment", "payer"] + Self.subjects
        guard let fields = reader.fields(node, of: "an expectation", keys: keys) else { return nil }
        let atMs = reader.required("at", of: fields, .testTime)
        if Self.subjects.allSatisfy({ fields[$0] == nil }) {
            let expected = "one of \(FileReader.list(Self.subjects))"
            reader.note(.missingKey, at: node.position, found: "an expectation of nothing", expected: expected)
        }
        let environment = reader.optional("environment", of: fields, .filledText)
        let payer = fields["payer"].flatMap { attributes(ofPayer: $0, &reader) } ?? [:]
        if fields["switches"] == nil, fields["states"] == nil, let position = fields.keyPosition("payer") {
            reader.note(.contradiction, at: position, found: "a payer without switches", expected: "both, or neither")
        }
        let alerts = reader.optional("alerts", of: fields, .nodes()).map { nodes in
            nodes.compactMap { alert($0, subjects: subjects, &reader) }
        }
        let switches = fields["switches"].flatMap { variants($0, &reader) }
        let states = fields["states"].flatMap { self.states($0, &reader) }
        let version = reader.optional("version", of: fields, .integer(in: 1...(.max)))
        let transitions = reader.optional("transitions", of: fields, .nodes()).map { nodes in
            nodes.compactMap { move($0, &reader) }
        }
        let notifications = reader.optional("notifications", of: fields, .nodes()).map { nodes in
            nodes.compactMap { notification($0, subjects: subjects, &reader) }
        }
        guard let atMs else { return nil }
        return RuleTestExpectation(
            position: node.position,
            atMs: atMs,
            environment: environment,
            payer: payer,
            alerts: alerts,
            switches: switches,
            states: states,
            version: version,
            transitions: transitions,
            notifications: notifications
        )
    }

    private func attributes(ofPayer node: YAMLNode, _ reader: inout FileReader) -> [String: String]? {
        let dimensions = Dimension.allCases.filter { !$0.isOfFailures && !$0.isMeasured && $0 != .environment }
        let names = dimensions.map(\.rawValue) + ["installId"]
        guard let attributes = reader.attributes(node, of: "payer", named: names) else { return nil }
        return Dictionary(attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private func alert(
        _ node: YAMLNode,
        subjects: Set<String>,
        _ reader: inout FileReader
    ) -> RuleTestExpectation.ExpectedAlert? {
        let keys = ["rule", "state", "group", "decision"]
        guard let fields = reader.fields(node, of: "an alert", keys: keys) else { return nil }
        let id = rule(of: fields, subjects: subjects, &reader)
        let states = AlertPhase.allCases.filter { $0 != .inactive }.map(\.rawValue)
        let state = reader.optional("state", of: fields, .word(among: states))
        let decision = reader.optional("decision", of: fields, .word(among: Self.decisions))
        let dimensions = ruleSet.rules.first { $0.id == id }?.groupDimensions ?? Dimension.allCases
        let group = fields["group"].flatMap { reader.attributes($0, of: "group", among: dimensions) }
        return id.map {
            RuleTestExpectation.ExpectedAlert(rule: $0, state: state, group: group ?? [], decision: decision)
        }
    }

    /// The rule that an expectation is about: one of the test's.
    private func rule(of fields: FileFields, subjects: Set<String>, _ reader: inout FileReader) -> String? {
        let id = reader.required("rule", of: fields, .word(among: ruleSet.rules.map(\.id)))
        if let id, !subjects.contains(id) {
            let found = "an alert of \(id), which the test isn't about"
            let expected = "one of the rules that it names: \(FileReader.list(subjects.sorted()))"
            reader.note(.contradiction, at: fields.valuePosition("rule"), found: found, expected: expected)
        }
        return id
    }

    private func notification(
        _ node: YAMLNode,
        subjects: Set<String>,
        _ reader: inout FileReader
    ) -> RuleTestExpectation.Notification? {
        let keys = ["at", "rule", "what", "severity", "channels"]
        guard let fields = reader.fields(node, of: "a notification", keys: keys) else { return nil }
        let atMs = reader.optional("at", of: fields, .testTime)
        let id = rule(of: fields, subjects: subjects, &reader)
        let what: AlertInput? = reader.optional("what", of: fields, .word)
        let severity: Severity? = reader.optional("severity", of: fields, .word)
        let channels = reader.optional("channels", of: fields, .list(of: .name))
        return id.map {
            RuleTestExpectation.Notification(atMs: atMs, rule: $0, what: what, severity: severity, channels: channels)
        }
    }

    private func variants(_ node: YAMLNode, _ reader: inout FileReader) -> [(key: String, variant: String)]? {
        let form = reader.fields(node, of: "switches", keys: ruleSet.switches.map(\.key))
        return form?.entries.compactMap { entry in
            variant(of: entry.key).read(entry.value, &reader).map { (entry.key, $0) }
        }
    }

    private func states(_ node: YAMLNode, _ reader: inout FileReader) -> [(key: String, state: SwitchPhase)]? {
        let form = reader.fields(node, of: "states", keys: ruleSet.switches.map(\.key))
        return form?.entries.compactMap { entry in
            FileValue<SwitchPhase>.word.read(entry.value, &reader).map { (entry.key, $0) }
        }
    }

    private func move(_ node: YAMLNode, _ reader: inout FileReader) -> RuleTestExpectation.Move? {
        guard let fields = reader.fields(node, of: "a transition", keys: ["at", "switch", "to", "by"]) else {
            return nil
        }
        let atMs = reader.optional("at", of: fields, .testTime)
        let key = reader.required("switch", of: fields, .word(among: ruleSet.switches.map(\.key)))
        let variant = reader.required("to", of: fields, variant(of: key))
        let by = reader.optional("by", of: fields, .word(among: ruleSet.rules.map(\.id) + Self.byOthers))
        guard let key, let variant else { return nil }
        return RuleTestExpectation.Move(atMs: atMs, switchKey: key, variant: variant, by: by)
    }

    /// A variant of the switch; of any, where it isn't known which.
    func variant(of key: String?) -> FileValue<String> {
        guard let definition = key.flatMap(ruleSet.switchDefinition) else { return .name }
        return .word(among: [definition.normalVariant, definition.degradedVariant])
    }
}
