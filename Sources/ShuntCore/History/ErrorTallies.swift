public import ShuntSchema

/// How often each error key of an environment failed within a window, and whom it hit.
public struct ErrorTallies: Sendable {
    /// One error key.
    public struct Row: Sendable {
        /// Its number in the history.
        public var number: Int
        /// Reports within the window.
        public var count: Int
        /// Distinct attempts among them; one that can't be told apart counts by itself.
        public var attempts = 0
        /// Distinct installs among those that name one.
        public var installs = 0
        /// What the attempts were worth, in minor units by currency (ISO 4217).
        public var amounts: [String: Int128] = [:]
        /// When it was first reported within the window.
        public var firstAt: Timestamp?

        /// The amounts, in the order of their currencies.
        public var orderedAmounts: [(currency: String, minor: Int128)] {
            amounts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    /// The error keys that failed, the most frequent first, equals by their names.
    public private(set) var rows: [Row]
    /// All attempts of the environment within the window; nil where only failures are reported.
    public private(set) var attempts: AttemptTally?
    /// The attempts by route, in the order of the routes; nil where payers' route isn't told.
    public private(set) var routes: [(route: String?, tally: AttemptTally)]
    /// What is counted was received after this; later than the window's beginning where the book doesn't reach as far.
    public private(set) var countedSince: Timestamp

    /// Counts what a book knows of an environment.
    ///
    /// Beyond what the newest failures reach back to, reports are counted by whole minutes or five minutes, and attempts,
    /// installs and money are of the newest failures alone.
    public init(_ book: HistoryBook, environment: String, windowMs: Int64, at: Timestamp) {
        let since = at.advanced(byMs: -windowMs)
        let isExact = book.failures.completeSince <= since
        countedSince = isExact ? since : book.failures.completeSince
        var found: [Int: Row] = [:]
        var known: Set<UInt64> = []
        book.failures.forEach(after: since, until: at) { segment, row in
            let kept = segment.rows[row]
            let number = Int(kept.key)
            guard !kept.isLate, book.errors.records[number].key.environment == environment else { return }
            var tally = found[number] ?? Row(number: number, count: 0)
            tally.count += 1
            tally.firstAt = tally.firstAt ?? kept.at
            if kept.install != 0, known.insert(Self.mark(kept.install, number, 1)).inserted { tally.installs += 1 }
            if kept.attempt == 0 || known.insert(Self.mark(kept.attempt, number, 2)).inserted {
                tally.attempts += 1
                if let minor = kept.amountMinor, let currency = segment.value(.amountCurrency, at: row) {
                    tally.amounts[currency, default: 0] += Int128(minor)
                }
            }
            found[number] = tally
        }
        if !isExact {
            for (number, record) in book.errors.records.enumerated() where record.key.environment == environment {
                let count = record.count(windowMs: windowMs, at: at)
                guard count > 0 else { continue }
                found[number, default: Row(number: number, count: 0)].count = max(count, found[number]?.count ?? 0)
            }
        }
        rows = found.values.sorted { left, right in
            left.count != right.count
                ? left.count > right.count
                : book.errors.records[left.number].key < book.errors.records[right.number].key
        }
        let slices = book.attempts.tallies(after: since, until: at) { $0.environment == environment }
        let all = slices.reduce(AttemptTally()) { $0 + $1.tally }
        // Where only failures are reported, every share would be 100 %.
        attempts = all.attempts > all.failed ? all : nil
        var byRoute: [String?: AttemptTally] = [:]
        for (slice, tally) in slices { byRoute[slice.route] = (byRoute[slice.route] ?? AttemptTally()) + tally }
        routes = byRoute.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { ($0.key, $0.value) }
    }

    /// Keeps one error's attempts from meeting another's, and attempts from meeting installs.
    private static func mark(_ identity: UInt64, _ number: Int, _ kind: UInt64) -> UInt64 {
        (identity ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15) &* 4 | kind
    }
}

extension ErrorHistory.Record {
    /// Reports within a window, by whole minutes up to an hour, by whole five minutes beyond.
    func count(windowMs: Int64, at: Timestamp) -> Int {
        windowMs <= 3_600_000
            ? minutes.sum(parts: max(1, windowMs / 60_000), until: at)
            : fiveMinutes.sum(parts: max(1, windowMs / 300_000), until: at)
    }
}

extension FailureLog {
    /// Goes through the failures received after one moment and until another, oldest first.
    func forEach(after since: Timestamp, until end: Timestamp, _ body: (FailureSegment, Int) -> Void) {
        for segment in segments {
            guard let last = segment.rows.last, last.at > since, let first = segment.rows.first, first.at <= end else {
                continue
            }
            for row in segment.rows.indices where segment.rows[row].at > since && segment.rows[row].at <= end {
                body(segment, row)
            }
        }
    }
}

extension FailureLog {
    /// How many reports of each of some errors fall into each of so many equal parts of a stretch of time.
    public func series(
        of numbers: [Int],
        from since: Timestamp,
        until end: Timestamp,
        points: Int
    ) -> [Int: [Int]] {
        var series = Dictionary(numbers.map { ($0, [Int](repeating: 0, count: points)) }) { first, _ in first }
        let span = max(1, end.milliseconds - since.milliseconds)
        forEach(after: since, until: end) { segment, row in
            let kept = segment.rows[row]
            guard !kept.isLate else { return }
            let part = (kept.at.milliseconds - since.milliseconds - 1) * Int64(points) / span
            series[Int(kept.key)]?[Int(min(part, Int64(points) - 1))] += 1
        }
        return series
    }
}
