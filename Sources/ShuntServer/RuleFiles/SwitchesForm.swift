internal import ShuntCore
internal import ShuntNative

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

    private static func definition(_ node: YAMLNode, _ reader: inout FileReader) -> SwitchDefinition? {
        let keys = ["key", "variants", "mode", "recovery", "flapLock", "blastRadius", "onUnknown"]
        guard let fields = reader.fields(node, of: "a switch", keys: keys) else { return nil }
        let key = reader.required("key", of: fields, .name)
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
        later(fields, &reader)
        guard let key, let normal = variants.normal, let degraded = variants.degraded else { return nil }
        return SwitchDefinition(key: key, normalVariant: normal, degradedVariant: degraded)
    }

    // MARK: What isn't done yet

    private enum Mode: String, CaseIterable {
        case armed, dryRun, disarmed
    }

    private enum RecoveryMode: String, CaseIterable {
        case probe, manual
    }

    private enum Unknown: String, CaseIterable {
        case hold, restore, degrade
    }

    /// Checks the settings that the machine doesn't have yet, and takes only those that ask for what it does anyway.
    private static func later(_ fields: FileFields, _ reader: inout FileReader) {
        if let mode: Mode = reader.optional("mode", of: fields, .word), mode != .armed {
            reader.refuse("mode", of: fields, "mode \(mode.rawValue)", expected: "armed, or no mode")
        }
        if let recovery = reader.optional("recovery", of: fields, .fields(of: "recovery", keys: recoveryKeys)) {
            self.recovery(recovery, of: fields, &reader)
        }
        let lock = reader.optional("flapLock", of: fields, .fields(of: "flapLock", keys: ["trips", "within"]))
        if let lock {
            _ = reader.required("trips", of: lock, .count(in: 1...1000))
            _ = reader.required("within", of: lock, .duration(in: 1000...DurationText.longestMs))
            reader.refuse("flapLock", of: fields, "flapLock", expected: "a switch without it")
        }
        if let percent = reader.optional("blastRadius", of: fields, .share()), percent != 100 {
            reader.refuse("blastRadius", of: fields, "a blastRadius below 100%", expected: "100%, or no blastRadius")
        }
        let unknown: Unknown? = reader.optional("onUnknown", of: fields, .word)
        if unknown != nil { reader.refuse("onUnknown", of: fields, "onUnknown", expected: "a switch without it") }
    }

    private static let recoveryKeys = [
        "mode", "coolDown", "coolDownMax", "probe", "probeAttempts", "probeDeadline", "ramp", "rampStep", "onUnknown",
    ]

    private static func recovery(_ recovery: FileFields, of fields: FileFields, _ reader: inout FileReader) {
        let mode: RecoveryMode? = reader.required("mode", of: recovery, .word)
        for key in ["coolDown", "coolDownMax", "probeDeadline", "rampStep"] {
            _ = reader.optional(key, of: recovery, .duration(in: 1000...DurationText.longestMs))
        }
        _ = reader.optional("probe", of: recovery, .share())
        _ = reader.optional("probeAttempts", of: recovery, .count(in: 1...1_000_000))
        _ = reader.optional("ramp", of: recovery, .list(of: .share(), notEmpty: .outOfRange))
        let _: Unknown? = reader.optional("onUnknown", of: recovery, .word)
        if mode == .probe {
            let expected = "mode: manual, which is what happens today: a person restores"
            reader.refuse("mode", of: recovery, "recovery by probe", expected: expected)
        } else if mode == .manual, let entry = recovery.entries.first(where: { $0.key != "mode" }) {
            let found = "recovery by hand with \(entry.key)"
            reader.note(.contradiction, at: entry.keyPosition, found: found, expected: "mode: manual alone")
        }
    }
}
