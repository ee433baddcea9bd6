/// How long an attempt is waited for: `payments.yaml` in the rules folder.
public struct PaymentPolicy: Equatable, Sendable {
    /// An attempt that was begun and of which nobody says for so long how it ended has no outcome; in milliseconds.
    ///
    /// Source of the figure: public reports measure some 30 s until the payment sheet gives up.
    public var patienceMs: Int64 = 30_000
    /// A charge that the provider took on is to be asked for when no notification came for so long; in milliseconds.
    ///
    /// Source of the figure: UnionPay's advice for its back notification.
    public var queryAfterMs: Int64 = 3_000

    /// No wait is longer, in milliseconds: a day.
    public static let longestMs: Int64 = 86_400_000

    /// The standing policy.
    public init() {}

    /// A policy; both waits from 1 to `longestMs`.
    public init(patienceMs: Int64, queryAfterMs: Int64) {
        self.patienceMs = patienceMs
        self.queryAfterMs = queryAfterMs
    }
}

extension PaymentPolicy: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(patienceMs)
        writer.write(queryAfterMs)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(patienceMs: try reader.readInt64(), queryAfterMs: try reader.readInt64())
        let waits = 1...Self.longestMs
        guard waits.contains(patienceMs), waits.contains(queryAfterMs) else { throw .malformed }
    }
}
