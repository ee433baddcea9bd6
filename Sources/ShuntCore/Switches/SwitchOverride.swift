public import ShuntSchema

/// A person's decision that lies over a switch in one scope. It always ends; until then no automation changes what
/// payers get, and the machine below runs on, so that everybody sees what it would do.
public struct SwitchOverride: Equatable, Sendable {
    /// How long one lasts where nobody says, in milliseconds.
    public static let defaultMs: Int64 = 60 * 60_000
    /// How long one may last, in milliseconds.
    public static let maximumMs: Int64 = 24 * 60 * 60_000

    /// The variant that payers get.
    public var variant: String
    /// Who decided.
    public var actor: String
    /// Why.
    public var reason: String
    /// When it ends.
    public var endsAt: Timestamp
}

extension SwitchOverride: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(variant)
        writer.write(actor)
        writer.write(reason)
        writer.write(endsAt.milliseconds)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            variant: try reader.readString(),
            actor: try reader.readString(),
            reason: try reader.readString(),
            endsAt: Timestamp(milliseconds: try reader.readInt64())
        )
    }
}
