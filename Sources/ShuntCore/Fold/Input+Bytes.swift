/// The kinds of journal entries, as the journal stores them.
public enum InputKind: Int64, CaseIterable, Sendable {
    /// A payment event; its body is canonical JSON.
    case event = 1
    /// The journal's first entry.
    case founded = 2
    /// Rules and switches.
    case configured = 3
    /// A person's decision.
    case command = 4
    /// Something was due.
    case tick = 5
    /// The daemon has started again.
    case started = 6
    /// A person's decision about alerts.
    case alertCommand = 7
    /// A person's word on how an attempt ended.
    case settle = 8
}

extension Input {
    /// Its kind.
    public var kind: InputKind {
        switch self {
        case .event: .event
        case .founded: .founded
        case .configured: .configured
        case .command: .command
        case .alertCommand: .alertCommand
        case .settle: .settle
        case .tick: .tick
        case .started: .started
        }
    }

    private static let format: UInt64 = 7

    /// The body of an entry that isn't an event, as bytes. An event's is its JSON, which is the journal's to write.
    public func encodedBody() -> [UInt8] {
        var writer = StateWriter()
        writer.write(Self.format)
        switch self {
        case .event, .tick, .started: break
        case .founded(let epoch): writer.write(epoch)
        case .configured(let ruleSet): writer.write(ruleSet)
        case .command(let command): writer.write(command)
        case .alertCommand(let command): writer.write(command)
        case .settle(let command): writer.write(command)
        }
        return writer.bytes
    }

    /// The input that `encodedBody()` wrote; an event can't be read so.
    public init(kind: InputKind, body: [UInt8]) throws(StateBytesError) {
        var reader = StateReader(body)
        guard try reader.readUInt64() == Self.format else { throw .unknownFormat }
        switch kind {
        case .event: throw .malformed
        case .tick: self = .tick
        case .started: self = .started
        case .founded: self = .founded(epoch: try reader.readString())
        case .configured: self = .configured(try reader.read())
        case .command: self = .command(try reader.read())
        case .alertCommand: self = .alertCommand(try reader.read())
        case .settle: self = .settle(try reader.read())
        }
        guard reader.isAtEnd else { throw .malformed }
    }
}
