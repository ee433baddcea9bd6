internal import ShuntSchema

extension State {
    /// The form that `encoded()` writes. Raised whenever the form or the meaning of the fold changes, so that an
    /// older snapshot is left aside and the journal is folded anew.
    static let format: UInt64 = 6

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
        writer.write(traffic.tables) { writer, table in table.encodeCounts(to: &writer) }
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
        bindTraffic()
        let specs = traffic.tables.map(\.spec)
        var remainingSpecs = specs.makeIterator()
        let tables = try reader.readArray { (reader) throws(StateBytesError) in
            guard let spec = remainingSpecs.next() else { throw .malformed }
            return try TrafficTable(spec: spec, from: &reader)
        }
        guard tables.count == specs.count, rules.allSatisfy({ $0.areLooksAfter(at) }) else { throw .malformed }
        traffic.tables = tables
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
        writer.write(attempts) { $0.write($1) }
        writer.write(before) { $0.write($1) }
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
            attempts: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt() },
            before: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt() },
            decision: try reader.read()
        )
    }
}

extension TripDecision: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(name)
        if let version { writer.write(version) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        switch try reader.readString() {
        case "tripped": self = .tripped(version: try reader.readUInt64())
        case "wouldHaveTripped": self = .wouldHaveTripped(version: try reader.readUInt64())
        case "overridden": self = .overridden(version: try reader.readUInt64())
        case "noSwitch": self = .noSwitch
        case let name:
            guard let hold = SwitchHold(rawValue: name) else { throw .malformed }
            self = .held(hold)
        }
    }
}
