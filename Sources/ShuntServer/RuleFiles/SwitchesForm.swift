internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of `switches.yaml`.
enum SwitchesForm {
    static func read(_ root: YAMLNode, _ reader: inout FileReader) -> [SwitchDefinition] {
        guard let file = reader.fields(root, of: "the file", keys: ["switches"]) else { return [] }
        let nodes = reader.required("switches", of: file, .nodes()) ?? []
        var names = FileNames(of: "switch")
        return nodes.compactMap { node in
            guard let definition = definition(node, &reader) else { return nil }
            names.add(definition.key, at: node["key"]?.position ?? node.position, &reader)
            return definition
        }
    }

    /// What stands where a switch's name does in an address: nobody could ask for a switch of that name.
    private static let reservedKeys = ["stream"]

    private static let keys = [
        "key", "variants", "mode", "recovery", "flapLock", "blastRadius", "minDwell", "onUnknown",
    ]

    private static func definition(_ node: YAMLNode, _ reader: inout FileReader) -> SwitchDefinition? {
        guard let fields = reader.fields(node, of: "a switch", keys: keys) else { return nil }
        let key = reader.required("key", of: fields, .name)
        if let key, reservedKeys.contains(key) {
            let found = "a switch \"\(key)\", but /v1/switches/\(key) is an address of its own"
            reader.note(
                .reservedName,
                at: fields.valuePosition("key"),
                found: found,
                expected: "another name",
                suggestion: "\(key)-switch"
            )
        }
        var variants: (normal: String?, degraded: String?)
        if let pair = reader.required("variants", of: fields, .fields(of: "variants", keys: ["normal", "degraded"])) {
            variants.normal = reader.required("normal", of: pair, .name)
            variants.degraded = reader.required("degraded", of: pair, .name)
            if let normal = variants.normal, normal == variants.degraded {
                let expected = "two different ones: a trip would change nothing"
                let found = "both variants are \"\(normal)\""
                reader.note(.contradiction, at: pair.valuePosition("degraded"), found: found, expected: expected)
            }
        }
        let mode: SwitchMode? = reader.optional("mode", of: fields, .word)
        let recovery = recovery(fields, &reader)
        let flapLock = flapLock(fields, &reader)
        let blastRadius = reader.optional("blastRadius", of: fields, .share())
        let dwellMs = reader.optional("minDwell", of: fields, .duration(in: 0...RecoveryPolicy.longestMs))
        guard let key, let normal = variants.normal, let degraded = variants.degraded else { return nil }
        var definition = SwitchDefinition(key: key, normalVariant: normal, degradedVariant: degraded)
        definition.mode = mode ?? definition.mode
        definition.recovery = recovery
        // Where a person restores each time, a lock would be the same state by another name.
        definition.flapLock = flapLock ?? (recovery.mode == .probe ? FlapLock() : nil)
        definition.blastRadiusPercent = blastRadius ?? definition.blastRadiusPercent
        definition.minimumDwellMs = dwellMs ?? definition.minimumDwellMs
        return definition
    }

    // MARK: Recovery

    private static var durations: [(key: String, path: WritableKeyPath<RecoveryPolicy, Int64>)] {
        [
            ("coolDown", \.coolDownMs), ("coolDownMax", \.coolDownMaxMs), ("probeDeadline", \.probeDeadlineMs),
            ("rampStep", \.rampStepMs), ("levelDecay", \.levelDecayMs),
        ]
    }
    private static var counts: [(key: String, path: WritableKeyPath<RecoveryPolicy, Int>)] {
        [
            ("probeAttempts", \.probeAttempts), ("probeFailures", \.probeFailures), ("probeInstalls", \.probeInstalls),
            ("askAfter", \.askAfter),
        ]
    }
    private static var shares: [(key: String, path: WritableKeyPath<RecoveryPolicy, Int>)] {
        [
            ("probe", \.probePercent), ("goodBelow", \.goodBelowPercent),
        ]
    }

    /// Without the key a person restores.
    private static func recovery(_ fields: FileFields, _ reader: inout FileReader) -> RecoveryPolicy {
        let keys = ["mode", "ramp", "onUnknown"] + durations.map(\.key) + counts.map(\.key) + shares.map(\.key)
        let given = reader.optional("recovery", of: fields, .fields(of: "recovery", keys: keys))
        let outer: UnknownPolicy? = reader.optional("onUnknown", of: fields, .word)
        guard let given else {
            if let position = fields.keyPosition("onUnknown") {
                let expected = "recovery: { mode: probe }, or no onUnknown"
                reader.note(.contradiction, at: position, found: "onUnknown where nobody probes", expected: expected)
            }
            return RecoveryPolicy(mode: .manual)
        }
        let mode: RecoveryMode? = reader.required("mode", of: given, .word)
        var policy = RecoveryPolicy(mode: mode ?? .manual)
        let range = 1000...RecoveryPolicy.longestMs
        for (key, path) in durations { policy.set(path, reader.optional(key, of: given, .duration(in: range))) }
        let counted = 1...Int64(RecoveryPolicy.maximumCount)
        for (key, path) in counts { policy.set(path, reader.optional(key, of: given, .count(in: counted))) }
        for (key, path) in shares { policy.set(path, reader.optional(key, of: given, .share())) }
        policy.set(\.rampPercents, reader.optional("ramp", of: given, .list(of: .share(), notEmpty: .outOfRange)))
        policy.set(\.onUnknown, reader.optional("onUnknown", of: given, .word) ?? outer)
        check(policy, isRead: mode != nil, given, outer: fields, &reader)
        return policy
    }

    /// What is right by itself and not together.
    private static func check(
        _ policy: RecoveryPolicy,
        isRead: Bool,
        _ given: FileFields,
        outer: FileFields,
        _ reader: inout FileReader
    ) {
        if policy.mode == .manual, isRead {
            if let entry = given.entries.first(where: { $0.key != "mode" }) {
                let found = "recovery by hand with \(entry.key)"
                reader.note(.contradiction, at: entry.keyPosition, found: found, expected: "mode: manual alone")
            }
            if let position = outer.keyPosition("onUnknown") {
                let found = "onUnknown where nobody probes"
                reader.note(.contradiction, at: position, found: found, expected: "mode: probe, or no onUnknown")
            }
        }
        if given["onUnknown"] != nil, let position = outer.keyPosition("onUnknown") {
            let found = "onUnknown of the switch and of its recovery"
            reader.note(.contradiction, at: position, found: found, expected: "one of them")
        }
        if policy.coolDownMs > policy.coolDownMaxMs {
            let key = given["coolDown"] == nil ? "coolDownMax" : "coolDown"
            let found = "a coolDown of \(DurationText.text(policy.coolDownMs))"
            let expected = "at most coolDownMax, \(DurationText.text(policy.coolDownMaxMs))"
            reader.note(.contradiction, at: given.valuePosition(key), found: found, expected: expected)
        }
        let ramp = policy.rampPercents
        if let place = zip(ramp, ramp.dropFirst()).first(where: { $0 >= $1 }) {
            let found = "\(place.1)% after \(place.0)%"
            reader.note(.contradiction, at: given.valuePosition("ramp"), found: found, expected: "shares that grow")
        }
    }

    private static func flapLock(_ fields: FileFields, _ reader: inout FileReader) -> FlapLock? {
        let form = FileValue.fields(of: "flapLock", keys: ["trips", "within"])
        guard let lock = reader.optional("flapLock", of: fields, form) else { return nil }
        let trips = reader.required("trips", of: lock, .count(in: 1...Int64(FlapLock.maximumTrips)))
        let withinMs = reader.required("within", of: lock, .duration(in: 1000...RecoveryPolicy.longestMs))
        return FlapLock(trips: trips ?? 1, withinMs: withinMs ?? 1000)
    }
}

extension RecoveryPolicy {
    /// Takes a value over, if there is one.
    fileprivate mutating func set<Value>(_ path: WritableKeyPath<RecoveryPolicy, Value>, _ value: Value?) {
        if let value { self[keyPath: path] = value }
    }
}
