/// What a token is for. The raw value is the word of the configuration.
public enum Role: String, CaseIterable, Hashable, Sendable {
    /// Reports events, and reads nothing but the switches.
    case report
    /// Reads what was counted and decided, and the metrics.
    case read
    /// Moves payers and changes rules; reads what `read` reads, because nobody should decide blindly.
    case operate
}
