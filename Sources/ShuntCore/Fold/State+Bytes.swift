internal import ShuntSchema

extension State {
    /// The form that `encoded()` writes. Raised whenever the form or the meaning of the fold changes, so that an
    /// older snapshot is left aside and the journal is folded anew.
    static let format: UInt64 = 7

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
        writer.write(alertBook)
        ledger.encode(to: &writer)
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
        adopt(try reader.read())
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
        let at = at
        guard tables.count == specs.count, rules.allSatisfy({ $0.areLooksAfter(at) && $0.areDutiesAfter(at) }) else {
            throw .malformed
        }
        traffic.restore(tables)
        alertBook = try reader.read()
        ledger = try AttemptLedger(from: &reader)
        readAllDoubts()
        guard reader.isAtEnd, ledger.nextDeadline(ruleSet.payments).map({ $0 > at }) ?? true,
            rules.count == ruleSet.rules.count
        else { throw .malformed }
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
