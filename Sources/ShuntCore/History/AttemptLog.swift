public import ShuntSchema

/// The newest reports of attempts, failed or not: what failures are a share of.
public struct AttemptLog: Sendable {
    /// How many reports are kept at most, 32 bytes each.
    public static let defaultCapacity = 524_288
    /// How many slices are told apart; reports of further ones are in none.
    static let maximumSlices = 4_096

    /// What attempts are told apart by.
    public struct Slice: Hashable, Sendable {
        /// Where payers are.
        public var environment: String
        /// The route that they were on.
        public var route: String?
        /// The app's version.
        public var appVersion: String?
    }

    private struct Row: Sendable {
        var at: Timestamp
        var attempt: UInt64
        var slice: Int32
        var count: UInt32
        var outcome: UInt8
        /// A later report of the same attempt says how it ended.
        var isSuperseded = false
    }

    private let capacity: Int
    private var rows: [Row] = []
    private var head = 0
    /// The place of each attempt's last report, so that nobody has to look for it among all of them.
    private var places: [UInt64: Int32] = [:]
    private var numbers: [Slice: Int32] = [:]
    private var slices: [Slice] = []
    /// All reports that were received after this are here.
    public private(set) var completeSince: Timestamp

    /// An empty log of all that is received after a moment.
    public init(completeSince: Timestamp, capacity: Int = Self.defaultCapacity) {
        self.completeSince = completeSince
        self.capacity = max(1, capacity)
    }

    mutating func append(_ event: PaymentEvent, isFailure: Bool, attempt: UInt64, at: Timestamp) {
        let slice = Slice(environment: event.environment, route: event.route, appVersion: event.app?.version)
        guard let number = numbers[slice] ?? insert(slice) else { return }
        var outcome: UInt8 = isFailure ? 1 : event.outcome == .succeeded ? 2 : 0
        let place = rows.count < capacity ? rows.count : head
        if attempt != 0 {
            // An attempt's last word counts, and no failure takes a success back.
            if let before = places[attempt].map({ Int($0) }) {
                outcome = max(outcome, rows[before].outcome)
                rows[before].isSuperseded = true
            }
            places[attempt] = Int32(place)
        }
        let count = event.counts.map { UInt32(clamping: $0.count) } ?? 1
        let row = Row(at: at, attempt: attempt, slice: number, count: count, outcome: outcome)
        if rows.count < capacity {
            rows.append(row)
        } else {
            let oldest = rows[head]
            completeSince = max(completeSince, oldest.at)
            if oldest.attempt != attempt, places[oldest.attempt] == Int32(head) { places[oldest.attempt] = nil }
            rows[head] = row
            head = (head + 1) % capacity
        }
    }

    private mutating func insert(_ slice: Slice) -> Int32? {
        guard slices.count < Self.maximumSlices else { return nil }
        let number = Int32(slices.count)
        numbers[slice] = number
        slices.append(slice)
        return number
    }

    /// Distinct attempts of each slice within a stretch of time, each where its last report was, in the order in which
    /// slices came up. An attempt that was reported again after the stretch isn't counted in it.
    public func tallies(
        after since: Timestamp,
        until end: Timestamp,
        where isMeant: (Slice) -> Bool
    ) -> [(slice: Slice, tally: AttemptTally)] {
        var tallies = [AttemptTally](repeating: AttemptTally(), count: slices.count)
        let meant = slices.map(isMeant)
        for offset in stride(from: rows.count - 1, through: 0, by: -1) {
            let place = head + offset
            let row = rows[place < rows.count ? place : place - rows.count]
            if row.at <= since { break }
            guard !row.isSuperseded, row.at <= end, meant[Int(row.slice)] else { continue }
            tallies[Int(row.slice)].add(row.outcome, Int(row.count))
        }
        return zip(slices, tallies).filter { $0.1.attempts > 0 }.map { ($0.0, $0.1) }
    }
}

/// How attempts ended.
public struct AttemptTally: Equatable, Sendable {
    /// All of them.
    public var attempts = 0
    /// Those that failed, and weren't repeated with success.
    public var failed = 0
    /// Those that succeeded.
    public var succeeded = 0

    /// Of no attempts.
    public init() {}

    fileprivate mutating func add(_ outcome: UInt8, _ count: Int = 1) {
        attempts += count
        if outcome == 1 { failed += count }
        if outcome == 2 { succeeded += count }
    }

    /// Both together.
    public static func + (left: AttemptTally, right: AttemptTally) -> AttemptTally {
        var sum = left
        sum.attempts += right.attempts
        sum.failed += right.failed
        sum.succeeded += right.succeeded
        return sum
    }
}
