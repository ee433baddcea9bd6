internal import ShuntSchema

/// The distinct attempts of a sliding window: those that were reported one by one, and those that counters stand for.
///
/// It keeps the most recent ones up to a capacity. Where there were more, it knows the attempts since a later moment
/// than the window's beginning, and `since` says which: a share is then one of a shorter stretch of time, and exact.
struct AttemptWindow: Sendable {
    /// How many attempts that were reported one by one are kept. Some 40 bytes each with their index, taken as they come.
    static let capacity = 16_384
    /// Counters within one of so many parts of the window are kept as one.
    private static let parts: Int64 = 60

    private(set) var named: DistinctWindow
    private(set) var counters: [Counter] = []

    /// Attempts that a counter stands for.
    struct Counter: Equatable, Sendable {
        /// When the last of them was received.
        var at: Timestamp
        var count: Int
    }

    /// - Parameter spanMs: the window's length in milliseconds.
    init(spanMs: Int64) {
        named = DistinctWindow(capacity: Self.capacity, spanMs: spanMs)
    }

    /// A window as it was read from a snapshot.
    init(named: DistinctWindow, counters: [Counter]) {
        self.named = named
        self.counters = counters
    }

    /// Notes an attempt; says whether it is new to the window.
    mutating func record(key: UInt64?, at: Timestamp) -> Bool {
        expireCounters(at: at)
        return named.record(key: key, at: at)
    }

    /// Notes so many attempts at once.
    mutating func add(_ count: Int, at: Timestamp) {
        expireCounters(at: at)
        let partMs = max(1, named.spanMs / Self.parts)
        if let last = counters.last, last.at.milliseconds / partMs == at.milliseconds / partMs {
            let sum = last.count.addingReportingOverflow(count)
            counters[counters.count - 1] = Counter(at: at, count: sum.overflow ? .max : sum.partialValue)
        } else {
            counters.append(Counter(at: at, count: count))
        }
    }

    /// The moment after which every attempt is known, at a time that isn't before what was noted last.
    func since(at: Timestamp) -> Timestamp {
        max(named.droppedAt, at.advanced(byMs: -named.spanMs))
    }

    /// How many attempts are younger than a moment.
    func count(after edge: Timestamp) -> Int {
        var count = named.count(after: edge)
        for counter in counters where counter.at > edge {
            let sum = count.addingReportingOverflow(counter.count)
            count = sum.overflow ? .max : sum.partialValue
        }
        return count
    }

    /// Whether nothing is within the window at that time.
    func isEmpty(at: Timestamp) -> Bool { count(after: at.advanced(byMs: -named.spanMs)) == 0 }

    private mutating func expireCounters(at: Timestamp) {
        let edge = at.advanced(byMs: -named.spanMs)
        guard let first = counters.first, first.at <= edge else { return }
        counters.removeAll { $0.at <= edge }
    }
}
