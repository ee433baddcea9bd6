public import ShuntSchema

/// Every error key that was ever seen: since when, how often, and how often lately.
public struct ErrorHistory: Sendable {
    /// What tells errors apart.
    public struct Key: Hashable, Comparable, Sendable {
        /// Where payers are.
        public var environment: String
        /// The code's namespace.
        public var domain: String
        /// The code.
        public var code: String

        /// Names an error.
        public init(environment: String, domain: String, code: String) {
            self.environment = environment
            self.domain = domain
            self.code = code
        }

        /// By environment, domain, code.
        public static func < (left: Key, right: Key) -> Bool {
            (left.environment, left.domain, left.code) < (right.environment, right.domain, right.code)
        }
    }

    /// What is known of one.
    public struct Record: Sendable {
        /// Which error.
        public let key: Key
        /// When it was first received.
        public internal(set) var firstAt: Timestamp
        /// When it was last received.
        public internal(set) var lastAt: Timestamp
        /// How many reports there were.
        public internal(set) var total: UInt64
        /// What the last one meant.
        public internal(set) var failureClass: FailureClass
        /// The stage of the last one.
        public internal(set) var stage: Stage
        var minutes = SparseCounts(partMs: 60_000, kept: 90)
        var fiveMinutes = SparseCounts(partMs: 300_000, kept: 300)

        init(key: Key, at: Timestamp) {
            self.key = key
            firstAt = at
            lastAt = at
            total = 0
            failureClass = .unknown
            stage = .unknown
        }

        /// Reports in the last hour, by whole minutes.
        public func lastHour(at: Timestamp) -> Int { minutes.sum(parts: 60, until: at) }
        /// Reports in the last 24 hours, by whole five minutes.
        public func lastDay(at: Timestamp) -> Int { fiveMinutes.sum(parts: 288, until: at) }
        /// Reports in each of the last 60 minutes, oldest first.
        public func minuteSeries(at: Timestamp) -> [Int] { minutes.series(points: 60, until: at) }
        /// Reports in each of the last 288 times five minutes, oldest first.
        public func daySeries(at: Timestamp) -> [Int] { fiveMinutes.series(points: 288, until: at) }
    }

    /// The code of what had no room.
    public static let overflowCode = "_other"

    private let maximumKeys: Int
    private var numbers: [Key: Int32] = [:]
    /// The records, by their numbers.
    public private(set) var records: [Record] = []

    /// An empty history.
    ///
    /// - Parameter maximumKeys: how many errors are kept apart; those beyond are counted as ``overflowCode`` of their
    ///   environment, and of one environment more than that many have.
    public init(maximumKeys: Int) {
        self.maximumKeys = max(1, maximumKeys)
    }

    /// The number of an error; nil for one that was never seen.
    public func number(of key: Key) -> Int? { numbers[key].map { Int($0) } }

    /// Counts a report, and says the error's number.
    mutating func count(
        _ key: Key,
        meaning classification: Classification,
        stage: Stage,
        at: Timestamp,
        isCounted: Bool,
        isRecent: Bool
    ) -> Int32 {
        let number = place(for: key, at: at)
        let place = Int(number)
        // What the index had counted before a restart is in the totals, and missing in the minutes only.
        if isCounted {
            records[place].total += 1
            records[place].lastAt = max(records[place].lastAt, at)
            records[place].fiveMinutes.add(at: at)
        }
        if isRecent { records[place].minutes.add(at: at) }
        records[place].failureClass = classification.failureClass
        records[place].stage = stage
        return number
    }

    private mutating func place(for key: Key, at: Timestamp) -> Int32 {
        if let known = numbers[key] { return known }
        var key = key
        if records.count >= maximumKeys {
            key = Key(environment: PaymentEvent.defaultEnvironment, domain: "", code: Self.overflowCode)
            if let known = numbers[key] { return known }
        }
        let number = Int32(records.count)
        numbers[key] = number
        records.append(Record(key: key, at: at))
        return number
    }

    /// Takes a record back from where it was kept.
    public mutating func restore(
        _ key: Key,
        firstAt: Timestamp,
        lastAt: Timestamp,
        total: UInt64,
        failureClass: FailureClass,
        stage: Stage
    ) {
        let number = Int(place(for: key, at: firstAt))
        records[number].firstAt = min(records[number].firstAt, firstAt)
        records[number].lastAt = lastAt
        records[number].total = total
        records[number].failureClass = failureClass
        records[number].stage = stage
    }

    /// Takes the count of five minutes back; for each error they come in order.
    ///
    /// - Parameter part: the number of the five minutes, from the beginning of 1970.
    public mutating func restore(_ key: Key, part: Int64, count: UInt32) {
        guard let number = numbers[key] else { return }
        records[Int(number)].fiveMinutes.restore(SparseCounts.Part(number: part, count: count))
    }

    /// The counts of five minutes of an error from a part on, in order: what is to be kept.
    public func fiveMinutes(of number: Int, from part: Int64) -> [(part: Int64, count: UInt32)] {
        records[number].fiveMinutes.parts(from: part).map { ($0.number, $0.count) }
    }
}
