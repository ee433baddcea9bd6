public import ShuntSchema

/// The newest failures, as columns: what triage counts, compares and localises.
///
/// A read model of the journal, not a part of ``State``: nothing decides by it, so it may be a moment behind, and a
/// restart reads it back.
public struct FailureLog: Sendable {
    /// How many failures a segment holds. The oldest segment leaves as a whole.
    static let segmentRows = 8_192
    /// How many failures are kept at most.
    public static let defaultCapacity = 262_144

    private(set) var segments: [FailureSegment] = []
    private let maximumSegments: Int
    /// All failures that were received after this are here.
    public private(set) var completeSince: Timestamp

    /// An empty log of all that is received after a moment.
    public init(completeSince: Timestamp, capacity: Int = Self.defaultCapacity) {
        self.completeSince = completeSince
        maximumSegments = max(1, capacity / Self.segmentRows)
    }

    /// How many failures it holds.
    public var count: Int { segments.reduce(0) { $0 + $1.count } }

    /// Notes a failure that isn't older than the last one.
    mutating func append(_ row: FailureSegment.Row, _ event: PaymentEvent, meaning classification: Classification) {
        if segments.last.map({ $0.count >= Self.segmentRows }) ?? true {
            if segments.count >= maximumSegments {
                let oldest = segments.removeFirst()
                completeSince = max(completeSince, oldest.rows.last?.at ?? completeSince)
            }
            segments.append(FailureSegment())
        }
        segments[segments.count - 1].append(row, event, meaning: classification)
    }

    /// The failures of some errors received after one moment and until another that weren't late.
    ///
    /// - Parameter numbers: the errors, as the history numbers them.
    public func select(after since: Timestamp, until end: Timestamp, errors numbers: [Int]) -> FailureSelection {
        let meant = Set(numbers.map { Int32($0) })
        return choose(after: since, until: end) { segment, row in
            !segment.rows[row].isLate && meant.contains(segment.rows[row].key)
        }
    }

    /// The failures received after one moment and until another, through an entry, of which `isMeant` holds.
    public func select(
        after since: Timestamp,
        until end: Timestamp,
        through seq: UInt64 = .max,
        where isMeant: (FailureRow) -> Bool
    ) -> FailureSelection {
        choose(after: since, until: end) { segment, row in
            segment.rows[row].seq <= seq && isMeant(FailureRow(segment: segment, row: row))
        }
    }

    private func choose(
        after since: Timestamp,
        until end: Timestamp,
        _ isMeant: (FailureSegment, Int) -> Bool
    ) -> FailureSelection {
        var selection = FailureSelection(log: self)
        for (number, segment) in segments.enumerated() {
            guard let last = segment.rows.last, last.at > since, let first = segment.rows.first, first.at <= end else {
                continue
            }
            let chosen = segment.rows.indices.filter { row in
                segment.rows[row].at > since && segment.rows[row].at <= end && isMeant(segment, row)
            }
            if !chosen.isEmpty { selection.rows.append((number, chosen.map { Int32($0) })) }
        }
        return selection
    }
}

/// One failure of the log.
public struct FailureRow {
    let segment: FailureSegment
    let row: Int

    /// Which error it is, as the history numbers them.
    public var key: Int { Int(segment.rows[row].key) }
    /// Whether it had happened a window or longer ago when it came: no rule counts it.
    public var isLate: Bool { segment.rows[row].isLate }
    /// An attribute of it.
    public func value(_ dimension: Dimension) -> String? { segment.value(dimension, at: row) }
    /// The failure as far as it is kept, and what it means: enough for a rule's conditions.
    public var failure: (event: PaymentEvent, meaning: Classification) { segment.failure(at: row) }
    /// When it was received.
    public var at: Timestamp { segment.rows[row].at }
}
