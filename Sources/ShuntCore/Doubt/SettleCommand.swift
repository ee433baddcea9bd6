/// How a person, or a back end, says that an attempt ended.
public enum Settlement: String, CaseIterable, Hashable, Sendable {
    /// The payer paid.
    case paid
    /// Nothing was paid.
    case notPaid
    /// The charge was taken back.
    case reversed
    /// The money was sent back.
    case refunded

    /// What it is to the state machine, from a person.
    var declaration: MoneyInput {
        switch self {
        case .paid: .declaredPaid
        case .notPaid: .declaredNotPaid
        case .reversed: .declaredReversed
        case .refunded: .declaredRefunded
        }
    }
}

/// A person's word on how an attempt ended.
public struct SettleCommand: Equatable, Sendable {
    /// The attempt's `attemptId`; where its events have none, the order's `orderRef`.
    public var attempt: String
    /// Where it was made.
    public var environment: String
    /// How it ended.
    public var result: Settlement
    /// Why they say so.
    public var note: String
    /// Who decided.
    public var actor: String
    /// Where it came from: the address of who sent it, or of the last proxy; empty where nobody did.
    public var origin: String

    /// A command.
    public init(
        attempt: String,
        environment: String,
        result: Settlement,
        note: String,
        actor: String,
        origin: String = ""
    ) {
        self.attempt = attempt
        self.environment = environment
        self.result = result
        self.note = note
        self.actor = actor
        self.origin = origin
    }
}

/// Why a person's word on an attempt changed nothing.
public enum SettleRefusal: String, Error, CaseIterable, Hashable, Sendable {
    /// No attempt of that name is known, or it ended so long ago that it isn't remembered.
    case unknownAttempt
    /// It is settled so already.
    case alreadySettled

    /// The reason in words.
    public var sentence: String {
        switch self {
        case .unknownAttempt: "no attempt of that name is remembered in that environment"
        case .alreadySettled: "the attempt is settled so already"
        }
    }
}

extension SettleCommand: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(attempt)
        writer.write(environment)
        writer.write(result)
        writer.write(note)
        writer.write(actor)
        writer.write(origin)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            attempt: try reader.readString(),
            environment: try reader.readString(),
            result: try reader.readCase(),
            note: try reader.readString(),
            actor: try reader.readString(),
            origin: try reader.readString()
        )
    }
}
