public import ShuntSchema

/// A person's decision about alerts.
public struct AlertCommand: Equatable, Sendable {
    /// What is to happen.
    public enum Action: Equatable, Sendable {
        /// Nobody is reminded of this alert for so many milliseconds: at most `Acknowledgement.maximumMs`.
        case acknowledge(alert: String, note: String, forMs: Int64)
        /// Nobody is told of certain alerts.
        case silence(SilenceRequest)
        /// A silence ends now.
        case expire(silence: String)

        /// Its name.
        public var verb: Verb {
            switch self {
            case .acknowledge: .acknowledge
            case .silence: .silence
            case .expire: .expire
            }
        }
    }

    /// The names of actions.
    public enum Verb: String, CaseIterable, Sendable {
        /// See `Action`.
        case acknowledge, silence, expire
    }

    /// What is to happen.
    public var action: Action
    /// Who decided.
    public var actor: String
    /// Where it came from: the address of who sent it, or of the last proxy; empty where nobody did.
    public var origin: String

    /// A command.
    public init(action: Action, actor: String, origin: String = "") {
        self.action = action
        self.actor = actor
        self.origin = origin
    }
}

/// What a silence is to be like.
public struct SilenceRequest: Equatable, Sendable {
    /// When it ends.
    public enum End: Equatable, Sendable {
        /// At this time.
        case at(Timestamp)
        /// After so many milliseconds.
        case after(ms: Int64)
    }

    /// What it covers.
    public var matchers: [AlertMatcher]
    /// When it ends, at the latest.
    public var end: End
    /// Whether it ends once all that it hid has ended.
    public var isUntilResolved: Bool
    /// Why.
    public var comment: String

    /// A request.
    public init(matchers: [AlertMatcher], end: End, isUntilResolved: Bool = false, comment: String) {
        self.matchers = matchers
        self.end = end
        self.isUntilResolved = isUntilResolved
        self.comment = comment
    }
}

/// Why a command about alerts changed nothing.
public enum AlertRefusal: String, Error, CaseIterable, Hashable, Sendable {
    /// No alert has that identity, or it ended so long ago that it isn't remembered.
    case unknownAlert
    /// The alert has ended. What has ended isn't brought back.
    case alreadyResolved
    /// It doesn't fire yet, so there is nothing to be reminded of.
    case notFiring
    /// The end isn't after the beginning.
    case endsInPast
    /// It would last longer than such a thing may.
    case endsTooLate
    /// No silence has that identity, or it has ended.
    case unknownSilence
    /// A silence needs something to go by, and not too much.
    case noMatchers
    /// There are so many silences that one must end first.
    case tooManySilences

    /// The reason in words.
    public var sentence: String {
        switch self {
        case .unknownAlert: "no alert of that identity is known"
        case .alreadyResolved: "the alert has ended already; nothing is left to acknowledge"
        case .notFiring: "the alert doesn't fire yet"
        case .endsInPast: "the end is in the past"
        case .endsTooLate: "the end is too far away: an acknowledgement holds 24 hours, a silence 7 days at most"
        case .unknownSilence: "no silence of that identity is in force"
        case .noMatchers: "a silence needs 1 to \(Silence.maximumMatchers) matchers"
        case .tooManySilences: "\(Silence.maximumCount) silences are in force already; expire one first"
        }
    }
}

extension AlertCommand: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(action.verb)
        switch action {
        case .acknowledge(let alert, let note, let forMs):
            writer.write(alert)
            writer.write(note)
            writer.write(forMs)
        case .silence(let request):
            writer.write(request.matchers) { $0.write($1) }
            switch request.end {
            case .at(let end):
                writer.write(true)
                writer.write(end.milliseconds)
            case .after(let milliseconds):
                writer.write(false)
                writer.write(milliseconds)
            }
            writer.write(request.isUntilResolved)
            writer.write(request.comment)
        case .expire(let silence): writer.write(silence)
        }
        writer.write(actor)
        writer.write(origin)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let action: Action =
            switch try reader.readCase(Verb.self) {
            case .acknowledge:
                .acknowledge(
                    alert: try reader.readString(),
                    note: try reader.readString(),
                    forMs: try reader.readInt64()
                )
            case .silence:
                .silence(
                    SilenceRequest(
                        matchers: try reader.readArray { (reader) throws(StateBytesError) in try reader.read() },
                        end: try reader.readBool()
                            ? .at(Timestamp(milliseconds: try reader.readInt64()))
                            : .after(ms: try reader.readInt64()),
                        isUntilResolved: try reader.readBool(),
                        comment: try reader.readString()
                    )
                )
            case .expire: .expire(silence: try reader.readString())
            }
        self.init(action: action, actor: try reader.readString(), origin: try reader.readString())
    }
}

extension AlertMatcher: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(name)
        writer.write(comparison)
        writer.write(value)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            name: try reader.readString(),
            comparison: try reader.readCase(),
            value: try reader.readString()
        )
    }
}
