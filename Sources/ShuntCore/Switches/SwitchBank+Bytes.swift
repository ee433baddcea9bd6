internal import ShuntSchema

extension SwitchBank: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(version)
        writer.write(definedVersion)
        writer.write(modes.sorted { $0.key < $1.key }) { writer, mode in
            writer.write(mode.key)
            writer.write(mode.value)
        }
        writer.write(traffic.sorted { $0.key < $1.key }) { writer, sample in
            writer.write(sample.key.key)
            writer.write(sample.key.environment)
            writer.write(sample.value)
        }
        writer.write(allMachines) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let version = try reader.readUInt64()
        let definedVersion = try reader.readUInt64()
        let modes = try reader.readArray { (reader) throws(StateBytesError) in
            (key: try reader.readString(), mode: try reader.readCase(SwitchMode.self))
        }
        let traffic = try reader.readArray { (reader) throws(StateBytesError) in
            (
                key: TrafficKey(key: try reader.readString(), environment: try reader.readString()),
                sample: try reader.read(TrafficSample.self)
            )
        }
        let machines = try reader.readArray { (reader) throws(StateBytesError) in try reader.read(SwitchMachine.self) }
        guard version >= Self.firstVersion, version <= UInt64(Int64.max), definedVersion >= Self.firstVersion,
            definedVersion <= version, machines.allSatisfy({ $0.version <= version && $0.isSound })
        else { throw .malformed }
        self.init(
            version: version,
            definedVersion: definedVersion,
            modes: Dictionary(modes, uniquingKeysWith: { first, _ in first }),
            traffic: Dictionary(traffic.map { ($0.key, $0.sample) }, uniquingKeysWith: { first, _ in first }),
            machines: machines
        )
    }
}

extension SwitchMachine: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(key)
        writer.write(scope)
        writer.write(state)
        writer.write(since.milliseconds)
        writer.write(version)
        writer.write(stateVersion)
        writer.write(episodeVersion)
        writer.write(reason) { $0.write($1) }
        writer.write(salt)
        writer.write(override) { $0.write($1) }
        writer.write(evidence) { $0.write($1) }
        writer.write(timer) { $0.write($1) }
        writer.write(unknowns)
        writer.write(level)
        writer.write(trips) { $0.write($1.milliseconds) }
        writer.write(canTripFrom.milliseconds)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            key: try reader.readString(),
            scope: try reader.read(),
            since: Timestamp(milliseconds: 0)
        )
        state = try reader.read()
        since = Timestamp(milliseconds: try reader.readInt64())
        version = try reader.readUInt64()
        stateVersion = try reader.readUInt64()
        episodeVersion = try reader.readUInt64()
        reason = try reader.readOptional { (reader) throws(StateBytesError) in try reader.read(SwitchReason.self) }
        salt = try reader.readString()
        override = try reader.readOptional { (reader) throws(StateBytesError) in try reader.read(SwitchOverride.self) }
        evidence = try reader.readOptional { (reader) throws(StateBytesError) in try reader.read(ProbeEvidence.self) }
        timer = try reader.readOptional { (reader) throws(StateBytesError) in try reader.read(SwitchTimer.self) }
        unknowns = try reader.readInt()
        level = try reader.readInt()
        trips = try reader.readArray { (reader) throws(StateBytesError) in
            Timestamp(milliseconds: try reader.readInt64())
        }
        canTripFrom = Timestamp(milliseconds: try reader.readInt64())
    }

    /// Whether its parts agree, so that nothing later traps or waits for what never comes.
    fileprivate var isSound: Bool {
        let isTrying = phase == .probing || phase == .ramping
        let isTimed = isTrying || phase == .degraded
        let levels = 0...SwitchState.highestLevel
        return levels.contains(level) && levels.contains(state.level ?? 0) && (0...1_000_000).contains(unknowns)
            && isTrying == (evidence != nil) && (isTimed || timer == nil) && stateVersion <= version
            && episodeVersion <= stateVersion && trips.count <= FlapLock.maximumTrips
    }
}

extension SwitchState: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(phase)
        writer.write(level ?? 0)
        if case .ramping(_, let step) = self { writer.write(step) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let phase = try reader.readCase(SwitchPhase.self)
        let level = try reader.readInt()
        switch phase {
        case .normal: self = .normal
        case .degraded: self = .degraded(level: level)
        case .probing: self = .probing(level: level)
        case .ramping:
            let step = try reader.readInt()
            guard (0..<RecoveryPolicy.maximumSteps).contains(step) else { throw .malformed }
            self = .ramping(level: level, step: step)
        case .locked: self = .locked(level: level)
        }
    }
}

extension SwitchTimer: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(at.milliseconds)
        writer.write(purpose)
        writer.write(version)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            at: Timestamp(milliseconds: try reader.readInt64()),
            purpose: try reader.readCase(),
            version: try reader.readUInt64()
        )
    }
}

extension SwitchReason: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(kind)
        writer.write(rule) { $0.write($1) }
        writer.write(alert) { $0.write($1) }
        writer.write(summary)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            kind: try reader.readString(),
            rule: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readString() },
            alert: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readString() },
            summary: try reader.readString()
        )
    }
}

extension Scope: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(environment)
        writer.write(attributes) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let environment = try reader.readString()
        let attributes = try reader.readArray { (reader) throws(StateBytesError) in
            try reader.read(ScopeAttribute.self)
        }
        self.init(environment: environment, attributes: attributes)
    }
}

extension ScopeAttribute: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(name)
        writer.write(value)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(name: try reader.readString(), value: try reader.readString())
    }
}
