public import ShuntSchema

/// A person's decision about a switch.
public struct SwitchCommand: Equatable, Sendable {
    /// What is to happen.
    public enum Action: Equatable, Sendable {
        /// To the degraded variant.
        case trip
        /// Back to the normal variant, in the scope and in all that lie within it.
        case restore
        /// This variant for everybody in the scope, whatever the machine says, for so many milliseconds: at most
        /// `SwitchOverride.maximumMs`, a longer time is cut.
        case override(variant: String, forMs: Int64)
        /// Takes the scope's override back.
        case clear
        /// What the automation may do, in all scopes.
        case mode(SwitchMode)

        /// Its name.
        public var verb: Verb {
            switch self {
            case .trip: .trip
            case .restore: .restore
            case .override: .override
            case .clear: .clear
            case .mode: .mode
            }
        }
    }

    /// The names of actions, as addresses and rule tests have them.
    public enum Verb: String, CaseIterable, Sendable {
        /// See `Action`.
        case trip, restore, override, clear, mode
    }

    /// What is to happen.
    public var action: Action
    /// The switch.
    public var key: String
    /// The slice.
    public var scope: Scope
    /// Who decided.
    public var actor: String
    /// Why.
    public var reason: String
    /// Where it came from: the address of who sent it, or of the last proxy; empty where nobody did.
    public var origin: String

    /// A command.
    public init(action: Action, key: String, scope: Scope, actor: String, reason: String, origin: String = "") {
        self.action = action
        self.key = key
        self.scope = scope
        self.actor = actor
        self.reason = reason
        self.origin = origin
    }
}

extension SwitchCommand: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(action.verb)
        switch action {
        case .trip, .restore, .clear: break
        case .override(let variant, let forMs):
            writer.write(variant)
            writer.write(forMs)
        case .mode(let mode): writer.write(mode)
        }
        writer.write(key)
        writer.write(scope)
        writer.write(actor)
        writer.write(reason)
        writer.write(origin)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        let action: Action =
            switch try reader.readCase(Verb.self) {
            case .trip: .trip
            case .restore: .restore
            case .override: .override(variant: try reader.readString(), forMs: try reader.readInt64())
            case .clear: .clear
            case .mode: .mode(try reader.readCase())
            }
        self.init(
            action: action,
            key: try reader.readString(),
            scope: try reader.read(),
            actor: try reader.readString(),
            reason: try reader.readString(),
            origin: try reader.readString()
        )
    }
}
