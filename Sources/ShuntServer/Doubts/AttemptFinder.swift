/// Finds the events of attempts that the state doesn't remember any more.
///
/// The seam for an index on disk: until there is one, only what the state remembers is found.
struct AttemptFinder: Sendable {
    /// The numbers of an attempt's entries in the journal, in order; nil where the attempt isn't known.
    ///
    /// - Parameters: the attempt's `attemptId` or its order's `orderRef`, and the environment.
    var seqs: @Sendable (_ name: String, _ environment: String) -> [UInt64]?

    /// Knows none.
    static let none = AttemptFinder { _, _ in nil }
}
