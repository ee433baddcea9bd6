/// How an attempt, or one step of it, ended.
public enum Outcome: String, CaseIterable, Hashable, Sendable, Codable {
    /// It failed with an error.
    case failed
    /// The payer, or a wrapper that calls every dismissal so, cancelled it.
    case cancelled
    /// It succeeded.
    case succeeded
    /// It was begun; gives rates their denominator.
    case attempted
}
