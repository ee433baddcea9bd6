extension RuleSet: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(rules) { $0.write($1) }
        writer.write(switches) { $0.write($1) }
        writer.write(catalogue)
        writer.write(maximumGroups)
        writer.write(payments)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let rules = try reader.readArray { (reader) throws(StateBytesError) in try reader.read(Rule.self) }
        let switches = try reader.readArray { (reader) throws(StateBytesError) in
            try reader.read(SwitchDefinition.self)
        }
        let catalogue = try reader.read(CatalogueSource.self)
        self.init(
            rules: rules,
            switches: switches,
            catalogue: catalogue,
            maximumGroups: try reader.readInt(),
            payments: try reader.read()
        )
        guard maximumGroups >= 1, maximumGroups <= Self.maximumGroupsLimit else { throw .malformed }
    }
}

extension Rule {
    /// The rule as bytes, in one fixed form: equal rules are equal bytes.
    public var canonicalBytes: [UInt8] {
        var writer = StateWriter()
        writer.write(self)
        return writer.bytes
    }
}

extension Rule: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(id)
        writer.write(description)
        writer.write(kind)
        writer.write(match) { $0.write($1) }
        writer.write(groupBy) { $0.write($1) }
        writer.write(count)
        writer.write(threshold)
        writer.write(maximumPerInstall) { $0.write($1) }
        writer.write(require.installs) { $0.write($1) }
        writer.write(require.share) { $0.write($1) }
        writer.write(require.webShare)
        writer.write(windowMs)
        writer.write(alert)
        writer.write(trip) { writer, trip in
            writer.write(trip.switchKey)
            writer.write(trip.scope) { $0.write($1) }
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            id: try reader.readString(),
            description: try reader.readString(),
            kind: try reader.read(),
            match: try reader.readArray { (reader) throws(StateBytesError) in try reader.read(Condition.self) },
            groupBy: try reader.readArray { (reader) throws(StateBytesError) in try reader.readCase(Dimension.self) },
            count: try reader.readCase(),
            threshold: try reader.readInt(),
            maximumPerInstall: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt() },
            require: Requirements(
                installs: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt() },
                share: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt() },
                webShare: try reader.readInt()
            ),
            windowMs: try reader.readInt64(),
            alert: try reader.read(),
            trip: try reader.readOptional { (reader) throws(StateBytesError) in
                Trip(
                    switchKey: try reader.readString(),
                    scope: try reader.readArray { (reader) throws(StateBytesError) in
                        try reader.readCase(Dimension.self)
                    }
                )
            }
        )
        guard threshold >= 1, threshold < 1_000_000, alert.resolveBelow >= 1, alert.resolveBelow <= threshold,
            windowMs >= 1, (1..<1_000_000).contains(maximumPerInstall ?? 1),
            (1..<1_000_000).contains(require.installs ?? 1), (1...100).contains(require.share ?? 1),
            (0...100).contains(require.webShare), windowMs <= Self.longestWindowMs
        else { throw .malformed }
    }
}

extension AlertPolicy: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(severity)
        writer.write(resolveBelow)
        writer.write(holdForMs)
        writer.write(forMs)
        writer.write(warnAtPercent) { $0.write($1) }
        writer.write(renotifyEveryMs) { $0.write($1) }
        writer.write(channels) { $0.write($1) }
        writer.write(escalateAfterMs) { $0.write($1) }
        writer.write(escalateTo) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            severity: try reader.readCase(),
            resolveBelow: try reader.readInt(),
            holdForMs: try reader.readInt64(),
            forMs: try reader.readInt64(),
            warnAtPercent: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt() },
            renotifyEveryMs: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt64() },
            channels: try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() },
            escalateAfterMs: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt64() },
            escalateTo: try reader.readArray { (reader) throws(StateBytesError) in try reader.readString() }
        )
        // A reminder each millisecond would be told for ever.
        let shortest = Self.shortestRenotifyMs
        guard holdForMs >= 0, forMs >= 0, (1...99).contains(warnAtPercent ?? 1),
            renotifyEveryMs ?? shortest >= shortest, escalateAfterMs ?? shortest >= shortest
        else { throw .malformed }
    }
}

extension RuleKind: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(name)
        switch self {
        case .share(let percent, let attempts):
            writer.write(percent)
            writer.write(attempts)
        case .noSuccess(let attempts): writer.write(attempts)
        case .change(let percent): writer.write(percent)
        case .burnRate(let burn):
            writer.write(burn.allowedPpm)
            writer.write(burn.tenths)
            writer.write(burn.longWindowMs)
            writer.write(burn.attempts)
        case .unusualRate(let oneIn): writer.write(oneIn)
        case .inDoubtAge(let ageMs): writer.write(ageMs)
        case .inDoubtTotal(let minor, let currency):
            writer.write(minor)
            writer.write(currency)
        case .count, .consecutive, .newCode, .keyLimit, .watchdog: break
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        switch try reader.readCase(Name.self) {
        case .count: self = .count
        case .consecutive: self = .consecutive
        case .newCode: self = .newCode
        case .keyLimit: self = .keyLimit
        case .watchdog: self = .watchdog
        case .share: self = .share(percent: try reader.readInt(), attempts: try reader.readInt())
        case .noSuccess: self = .noSuccess(attempts: try reader.readInt())
        case .change: self = .change(percent: try reader.readInt())
        case .burnRate:
            self = .burnRate(
                BurnRate(
                    allowedPpm: try reader.readInt(),
                    tenths: try reader.readInt(),
                    longWindowMs: try reader.readInt64(),
                    attempts: try reader.readInt()
                )
            )
        case .unusualRate: self = .unusualRate(oneIn: try reader.readInt())
        case .inDoubtAge: self = .inDoubtAge(ms: try reader.readInt64())
        case .inDoubtTotal:
            self = .inDoubtTotal(minor: try reader.readInt64(), currency: try reader.readString())
        }
        guard isWithinBounds else { throw .malformed }
    }
}
