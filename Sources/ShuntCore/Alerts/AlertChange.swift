public import ShuntSchema

/// A change of an alert. People are told of it unless it names a reason why not.
public struct AlertChange: Equatable, Sendable {
    /// What happened.
    public var input: AlertInput
    /// When.
    public var at: Timestamp
    /// The alert after it.
    public var alert: Alert
    /// The channels that its rule names, after an escalation those of `escalateTo` too; empty for all that are
    /// configured.
    public var channels: [String]
    /// Why nobody is told; nil when people are.
    public var untold: Untold?

    /// Why nobody is told of a change. It is recorded all the same.
    public enum Untold: Hashable, Sendable {
        /// The condition doesn't hold for long enough yet.
        case pending
        /// The silence with this identity covers it.
        case silenced(by: String)
        /// The alert with this identity says the same.
        case inhibited(by: String)
        /// A person knows.
        case acknowledged
        /// It ended, and nobody was told that it had begun.
        case neverTold
        /// It never was more than a warning. Where a channel keeps open what it was told of, such as an incident, this
        /// is its end nonetheless.
        case onlyWarned
        /// The change just before it, of the same entry, says so.
        case saidAlready

        /// The reason's name, for logs, metrics and documents.
        public var name: String {
            switch self {
            case .pending: "pending"
            case .silenced: "silenced"
            case .inhibited: "inhibited"
            case .acknowledged: "acknowledged"
            case .neverTold: "neverTold"
            case .onlyWarned: "onlyWarned"
            case .saidAlready: "saidAlready"
            }
        }

        /// The silence or the alert that is the reason.
        public var by: String? {
            switch self {
            case .silenced(let id), .inhibited(let id): id
            case .pending, .acknowledged, .neverTold, .onlyWarned, .saidAlready: nil
            }
        }
    }
}

extension AlertChange.Untold {
    init(_ hiding: AlertHiding) {
        self =
            switch hiding {
            case .silenced(let id): .silenced(by: id)
            case .inhibited(let id): .inhibited(by: id)
            }
    }
}
