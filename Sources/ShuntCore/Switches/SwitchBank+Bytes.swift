internal import ShuntSchema

extension SwitchBank: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(version)
        writer.write(definedVersion)
        writer.write(allMachines) { writer, machine in
            writer.write(machine.key)
            writer.write(machine.scope)
            writer.write(machine.phase)
            writer.write(machine.since.milliseconds)
            writer.write(machine.version)
            writer.write(machine.reason) { writer, reason in
                writer.write(reason.kind)
                writer.write(reason.rule) { $0.write($1) }
                writer.write(reason.alert) { $0.write($1) }
                writer.write(reason.summary)
            }
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let version = try reader.readUInt64()
        let definedVersion = try reader.readUInt64()
        let machines = try reader.readArray { (reader) throws(StateBytesError) in
            SwitchMachine(
                key: try reader.readString(),
                scope: try reader.read(),
                phase: try reader.readCase(),
                since: Timestamp(milliseconds: try reader.readInt64()),
                version: try reader.readUInt64(),
                reason: try reader.readOptional { (reader) throws(StateBytesError) in
                    SwitchReason(
                        kind: try reader.readString(),
                        rule: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readString() },
                        alert: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readString() },
                        summary: try reader.readString()
                    )
                }
            )
        }
        guard version >= Self.firstVersion, version <= UInt64(Int64.max), definedVersion >= Self.firstVersion,
            definedVersion <= version, machines.allSatisfy({ $0.version <= version })
        else { throw .malformed }
        self.init(version: version, definedVersion: definedVersion, machines: machines)
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

extension SwitchDefinition: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(key)
        writer.write(normalVariant)
        writer.write(degradedVariant)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            key: try reader.readString(),
            normalVariant: try reader.readString(),
            degradedVariant: try reader.readString()
        )
    }
}
