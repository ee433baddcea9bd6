internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of a file in `alerts/`: rules.
struct AlertsForm {
    /// The switches that a rule may trip; nil where that isn't known, since their file has problems of its own.
    var switchKeys: [String]?
    /// How long events are kept, in milliseconds; a window can't be longer.
    var retentionMs: Int64
    /// The rules named so far, over all files.
    private var names = FileNames(of: "rule")

    private static let keys =
        ["id", "description", "kind", "match", "groupBy", "count"] + KindForm.keys
        + ["require", "maxPerInstall", "alert", "trip"]

    init(switchKeys: [String]?, retentionMs: Int64) {
        self.switchKeys = switchKeys
        self.retentionMs = retentionMs
    }

    /// Reads the rules of a file.
    mutating func read(_ root: YAMLNode, _ reader: inout FileReader) -> [Rule] {
        guard let file = reader.fields(root, of: "the file", keys: ["rules"]) else { return [] }
        let nodes = reader.required("rules", of: file, .nodes()) ?? []
        return nodes.compactMap { node in
            if let id = node["id"], let text = id.text { names.add(text, at: id.position, &reader) }
            guard let fields = reader.fields(node, of: "a rule", keys: Self.keys) else { return nil }
            return rule(fields, &reader)
        }
    }

    private func rule(_ fields: FileFields, _ reader: inout FileReader) -> Rule? {
        let id = reader.required("id", of: fields, .name)
        let description = reader.optional("description", of: fields, .text) ?? ""
        let form = KindForm.read(fields, &reader)
        let match = fields["match"].map { MatchForm.read($0, &reader) } ?? []
        let groupBy = groups(of: fields, kind: form.name, &reader)
        let count: Counting =
            reader.optional("count", of: fields, .word) ?? (form.name == .newCode ? .installs : .attempts)
        let maximumPerInstall = reader.optional("maxPerInstall", of: fields, .count(in: KindForm.counts))
        let require = requirements(of: fields, &reader)
        let alert = AlertPolicyForm.read(fields, kind: form, &reader)
        let trip = trip(of: fields, groupBy: groupBy, &reader)
        let check = RuleCheck(
            fields: fields,
            kind: form.name,
            match: match,
            count: count,
            windowMs: fields["window"] == nil ? nil : form.windowMs,
            retentionMs: retentionMs
        )
        check.note(&reader)
        let kind = form.kind
        let threshold = form.threshold
        let windowMs = form.windowMs
        guard let id, let kind, let match, let groupBy, let threshold, let windowMs, let alert else { return nil }
        return Rule(
            id: id,
            description: description,
            kind: kind,
            match: match,
            groupBy: groupBy,
            count: count,
            threshold: threshold,
            maximumPerInstall: maximumPerInstall,
            require: require,
            windowMs: windowMs,
            alert: alert,
            trip: trip
        )
    }

    // MARK: Parts

    private func requirements(of fields: FileFields, _ reader: inout FileReader) -> Requirements {
        let form = FileValue.fields(of: "require", keys: ["installs", "share", "webShare"])
        guard let require = reader.optional("require", of: fields, form) else { return Requirements() }
        return Requirements(
            installs: reader.optional("installs", of: require, .count(in: KindForm.counts)),
            share: reader.optional("share", of: require, .share()),
            webShare: reader.optional("webShare", of: require, .share()) ?? Requirements.defaultWebShare
        )
    }

    /// What the rule groups by; one that watches Shunt itself or what is in doubt looks at no event.
    private func groups(of fields: FileFields, kind: RuleKind.Name?, _ reader: inout FileReader) -> [Dimension]? {
        guard kind == .watchdog || kind == .keyLimit || kind == .inDoubtAge || kind == .inDoubtTotal else {
            return reader.required("groupBy", of: fields, .list(of: .groupDimension))
        }
        return []
    }

    private func trip(of fields: FileFields, groupBy: [Dimension]?, _ reader: inout FileReader) -> Trip? {
        guard let trip = reader.optional("trip", of: fields, .fields(of: "trip", keys: ["switch", "scope"])) else {
            return nil
        }
        let key = reader.required("switch", of: trip, .name)
        if let key, let switchKeys, !switchKeys.contains(key) {
            reader.note(
                .unknownSwitch,
                at: trip.valuePosition("switch"),
                found: "a trip of the switch \"\(key)\"",
                expected: switchKeys.isEmpty ? "a switch in switches.yaml" : "one of \(FileReader.list(switchKeys))",
                suggestion: Suggestion.nearest(to: key, among: switchKeys)
            )
        }
        let scope = reader.optional("scope", of: trip, .list(of: .scopeDimension)) ?? []
        if let groupBy { checkScope(trip, groupBy, &reader) }
        return key.map { Trip(switchKey: $0, scope: scope) }
    }

    private func checkScope(_ trip: FileFields, _ groupBy: [Dimension], _ reader: inout FileReader) {
        for node in trip["scope"]?.elements ?? [] {
            guard let dimension = node.text.flatMap({ Dimension(rawValue: $0) }), dimension.isOfPayers else { continue }
            guard dimension != .environment, !groupBy.contains(dimension) else { continue }
            let allowed = [Dimension.environment] + groupBy.filter { $0 != .environment && $0.isOfPayers }
            reader.note(
                .scopeNotGrouped,
                at: node.position,
                found: "the scope \(dimension.rawValue), which the rule doesn't group by",
                expected: "one of \(FileReader.list(allowed.map(\.rawValue)))"
            )
        }
    }
}

extension FileValue where Value == Dimension {
    /// An attribute to group by.
    fileprivate static var groupDimension: Self { among(Dimension.allCases.filter { !$0.isMeasured }) }

    /// An attribute whose values apps know before a payment.
    fileprivate static var scopeDimension: Self { among(Dimension.allCases.filter(\.isOfPayers)) }

    private static func among(_ dimensions: [Dimension]) -> Self {
        let word = FileValue<String>.word(among: dimensions.map(\.rawValue))
        return Self(word.expected) { node, reader in word.read(node, &reader).flatMap { Dimension(rawValue: $0) } }
    }
}
