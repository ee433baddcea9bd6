internal import ShuntSchema

/// What is known of alerts besides those that are open: the silences in force, and the alerts that have ended.
public struct AlertBook: Equatable, Sendable {
    /// How many ended alerts are remembered.
    public static let maximumEnded = 1_000

    /// The silences in force, in the order in which they were made.
    public internal(set) var silences: [Silence] = []
    /// The alerts that ended last, in the order of their ends.
    public private(set) var ended: [Alert] = []

    /// When the first of the silences ends.
    var nextEnd: Timestamp? { silences.lazy.map(\.endsAt).min() }

    /// The silence that covers an alert: the oldest of them.
    func silence(covering alert: Alert) -> Silence? {
        silences.first { $0.covers(alert) }
    }

    /// Notes what the silences hide.
    mutating func noteHidden(_ alert: Alert) {
        for number in silences.indices where !silences[number].hasHidden && silences[number].covers(alert) {
            silences[number].hasHidden = true
        }
    }

    /// Remembers an alert that ended. One that nobody could have heard of isn't worth it.
    mutating func noteEnded(_ alert: Alert) {
        ended.append(alert)
        if ended.count > Self.maximumEnded { ended.removeFirst(ended.count - Self.maximumEnded) }
    }
}

extension AlertBook: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(silences) { $0.write($1) }
        writer.write(ended) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        silences = try reader.readArray { (reader) throws(StateBytesError) in try reader.read() }
        ended = try reader.readArray { (reader) throws(StateBytesError) in try reader.read() }
        guard silences.count <= Silence.maximumCount, ended.count <= Self.maximumEnded,
            ended.allSatisfy({ $0.phase == .inactive && $0.endsAt != nil })
        else { throw .malformed }
    }
}

extension Silence: StateCodable {
    func encode(to writer: inout StateWriter) {
        writer.write(id)
        writer.write(matchers) { $0.write($1) }
        writer.write(startsAt.milliseconds)
        writer.write(endsAt.milliseconds)
        writer.write(isUntilResolved)
        writer.write(hasHidden)
        writer.write(actor)
        writer.write(comment)
    }

    init(from reader: inout StateReader) throws(StateBytesError) {
        self.init(
            id: try reader.readString(),
            matchers: try reader.readArray { (reader) throws(StateBytesError) in try reader.read() },
            startsAt: Timestamp(milliseconds: try reader.readInt64()),
            endsAt: Timestamp(milliseconds: try reader.readInt64()),
            isUntilResolved: try reader.readBool(),
            hasHidden: try reader.readBool(),
            actor: try reader.readString(),
            comment: try reader.readString()
        )
        guard !matchers.isEmpty else { throw .malformed }
    }
}
