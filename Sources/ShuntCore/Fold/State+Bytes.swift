internal import ShuntSchema

extension State {
    /// The form that `encoded()` writes. Raised whenever the form or the meaning of the fold changes, so that an
    /// older snapshot is left aside and the journal is folded anew.
    static let format: UInt64 = 2

    /// The state as bytes: equal states are equal bytes.
    public func encoded() -> [UInt8] {
        var writer = StateWriter()
        writer.write(Self.format)
        writer.write(seq)
        writer.write(at.milliseconds)
        writer.write(foundedAt.milliseconds)
        writer.write(epoch)
        writer.write(ruleSet)
        writer.write(switches)
        writer.write(rules) { writer, rule in rule.encodeCounts(to: &writer) }
        return writer.bytes
    }

    /// The state that `encoded()` wrote.
    public init(decoding bytes: [UInt8]) throws(StateBytesError) {
        var reader = StateReader(bytes)
        guard try reader.readUInt64() == Self.format else { throw .unknownFormat }
        self.init()
        seq = try reader.readUInt64()
        at = Timestamp(milliseconds: try reader.readInt64())
        foundedAt = Timestamp(milliseconds: try reader.readInt64())
        epoch = try reader.readString()
        ruleSet = try reader.read()
        switches = try reader.read()
        var remaining = ruleSet.rules.makeIterator()
        rules = try reader.readArray { (reader) throws(StateBytesError) in
            guard let rule = remaining.next() else { throw .malformed }
            return try RuleState(rule: rule, from: &reader)
        }
        guard reader.isAtEnd, rules.count == ruleSet.rules.count else { throw .malformed }
        deadlineFloor = nextDeadline
        // There is one way to write a state. What reads well but would be written differently (groups out of order
        // or twice, windows that hold too much) was damaged.
        guard encoded() == bytes else { throw .malformed }
    }

    /// A short fingerprint of everything believed: equal in every process that folded the same entries.
    public var digest: UInt64 {
        var hash = StableHash()
        for byte in encoded() { hash.combine(byte: byte) }
        return hash.value
    }
}

extension State: Equatable {
    /// Two states are equal when they would write the same bytes.
    public static func == (left: State, right: State) -> Bool {
        left.encoded() == right.encoded()
    }
}

extension RuleState {
    func encodeCounts(to writer: inout StateWriter) {
        writer.write(nextSweep.milliseconds)
        writer.write(orderedGroups) { writer, group in
            writer.write(group.values) { $0.write($1) }
            writer.write(group.window.contents) { writer, item in
                writer.write(item.key) { $0.write($1) }
                writer.write(item.owner) { $0.write($1) }
                writer.write(item.at.milliseconds)
            }
            writer.write((group.installs?.contents ?? [])) { writer, item in
                writer.write(item.key) { $0.write($1) }
                writer.write(item.at.milliseconds)
            }
            writer.write(group.hasFired)
            writer.write(group.alert) { $0.write($1) }
        }
    }

    init(rule: Rule, from reader: inout StateReader) throws(StateBytesError) {
        self.init(rule: rule)
        nextSweep = Timestamp(milliseconds: try reader.readInt64())
        let empty = emptyGroup([])
        let groups = try reader.readArray { (reader) throws(StateBytesError) in
            let values = try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() }
            var group = empty
            group.values = values
            let contents = try reader.readArray { (reader) throws(StateBytesError) in
                (
                    try reader.readOptional { (reader) throws(StateBytesError) in try reader.readUInt64() },
                    try reader.readOptional { (reader) throws(StateBytesError) in try reader.readUInt64() },
                    Timestamp(milliseconds: try reader.readInt64())
                )
            }
            for (key, owner, at) in contents { group.window.record(key: key, owner: owner, at: at) }
            let installs = try reader.readArray { (reader) throws(StateBytesError) in
                (
                    try reader.readOptional { (reader) throws(StateBytesError) in try reader.readUInt64() },
                    Timestamp(milliseconds: try reader.readInt64())
                )
            }
            for (key, at) in installs { group.installs?.record(key: key, at: at) }
            group.hasFired = try reader.readBool()
            group.alert = try reader.readOptional { (reader) throws(StateBytesError) in try reader.read(Alert.self) }
            return group
        }
        for group in groups { insert(group) }
    }
}

extension Alert: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(id)
        writer.write(rule)
        writer.write(severity)
        writer.write(group) { $0.write($1) }
        writer.write(phase)
        writer.write(startsAt.milliseconds)
        writer.write(endsAt) { $0.write($1.milliseconds) }
        writer.write(quietFrom.milliseconds)
        writer.write(count)
        writer.write(decision)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            id: try reader.readString(),
            rule: try reader.readString(),
            severity: try reader.readCase(),
            group: try reader.readArray { (reader) throws(StateBytesError) in try reader.read(ScopeAttribute.self) },
            phase: try reader.readCase(),
            startsAt: Timestamp(milliseconds: try reader.readInt64()),
            endsAt: try reader.readOptional { (reader) throws(StateBytesError) in
                Timestamp(milliseconds: try reader.readInt64())
            },
            quietFrom: Timestamp(milliseconds: try reader.readInt64()),
            count: try reader.readInt(),
            decision: try reader.read()
        )
    }
}

extension TripDecision: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(name)
        if case .tripped(let version) = self { writer.write(version) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        switch try reader.readString() {
        case "tripped": self = .tripped(version: try reader.readUInt64())
        case "noSwitch": self = .noSwitch
        case let name:
            guard let hold = SwitchHold(rawValue: name) else { throw .malformed }
            self = .held(hold)
        }
    }
}
