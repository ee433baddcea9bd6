internal import ShuntSchema

extension Alert: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(id)
        writer.write(rule)
        writer.write(severity)
        writer.write(group) { $0.write($1) }
        writer.write(phase)
        writer.write(holdingSince) { $0.write($1.milliseconds) }
        writer.write(startsAt.milliseconds)
        writer.write(endsAt) { $0.write($1.milliseconds) }
        writer.write(quietFrom.milliseconds)
        writer.write(count)
        writer.write(attempts) { $0.write($1) }
        writer.write(before) { $0.write($1) }
        writer.write(decision)
        writer.write(refires)
        writer.write(acknowledgement) { $0.write($1) }
        writer.write(hiding) { $0.write($1) }
        writer.write(isTold)
        writer.write(remindFrom.milliseconds)
        writer.write(escalateFrom.milliseconds)
        writer.write(escalatedAt) { $0.write($1.milliseconds) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            id: try reader.readString(),
            rule: try reader.readString(),
            severity: try reader.readCase(),
            group: try reader.readArray { (reader) throws(StateBytesError) in try reader.read(ScopeAttribute.self) },
            phase: try reader.readCase(),
            holdingSince: try reader.readOptionalTime(),
            startsAt: try reader.readTime(),
            endsAt: try reader.readOptionalTime(),
            quietFrom: try reader.readTime(),
            count: try reader.readInt(),
            attempts: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt() },
            before: try reader.readOptional { (reader) throws(StateBytesError) in try reader.readInt() },
            decision: try reader.read(),
            refires: try reader.readInt(),
            acknowledgement: try reader.readOptional { (reader) throws(StateBytesError) in try reader.read() },
            hiding: try reader.readOptional { (reader) throws(StateBytesError) in try reader.read() },
            isTold: try reader.readBool(),
            remindFrom: try reader.readTime(),
            escalateFrom: try reader.readTime(),
            escalatedAt: try reader.readOptionalTime()
        )
        guard (0...Alert.maximumRefires).contains(refires), holdingSince == nil || phase == .pending else {
            throw .malformed
        }
    }
}

extension Acknowledgement: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(actor)
        writer.write(note)
        writer.write(at.milliseconds)
        writer.write(until.milliseconds)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            actor: try reader.readString(),
            note: try reader.readString(),
            at: try reader.readTime(),
            until: try reader.readTime()
        )
    }
}

extension AlertHiding: StateCodable {
    func encode(to writer: inout StateWriter) {
        switch self {
        case .silenced(let id):
            writer.write(true)
            writer.write(id)
        case .inhibited(let id):
            writer.write(false)
            writer.write(id)
        }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self = try reader.readBool() ? .silenced(by: try reader.readString()) : .inhibited(by: try reader.readString())
    }
}

extension StateReader {
    mutating func readTime() throws(StateBytesError) -> Timestamp {
        Timestamp(milliseconds: try readInt64())
    }

    mutating func readOptionalTime() throws(StateBytesError) -> Timestamp? {
        try readOptional { (reader) throws(StateBytesError) in try reader.readTime() }
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
