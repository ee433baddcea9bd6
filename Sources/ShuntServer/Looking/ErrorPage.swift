internal import ShuntCore
internal import ShuntSchema

/// All that is known of a code.
struct ErrorPage: Sendable {
    /// One of the code's namespaces in one environment.
    struct Key: Sendable {
        let record: ErrorHistory.Record
        /// What failed within the window.
        let summary: FailureSummary
        var windowMs: Int64 = 0
        /// What the window's figures are of was received after this.
        var countedSince = Timestamp(milliseconds: 0)
        var lastWindow = 0
        var lastHour = 0
        var lastDay = 0
        var series: [Int] = []
        var sharePercent: Double?
        var breakdown: [Breakdown] = []
        var sampleSeqs: [UInt64] = []
        var samples: [Sample] = []
        /// The same error in each environment that has it, with its reports of the last day and in all.
        var environments: [(environment: String, lastDay: Int, total: UInt64)] = []
        var alerts: [ErrorFacts.AlertFacts] = []
        var switches: [ErrorFacts.SwitchFacts] = []
        var meaning: Classification?
        var explanation: Explanation?
        var findings: Findings?
        var conclusions: Conclusions?

        init(record: ErrorHistory.Record, summary: FailureSummary) {
            self.record = record
            self.summary = summary
        }
    }

    /// An attribute's most frequent values, now and before.
    struct Breakdown: Sendable {
        struct Value: Sendable {
            var value: String
            var count: Int
            var share: Double
            /// Its share of the failures before; nil where there were too few to say.
            var baselineShare: Double?
        }

        /// Fewer failures than this say nothing about what is usual.
        static let leastBefore = 5

        let dimension: Dimension
        let values: [Value]

        /// Nil where no failure has the attribute.
        init?(_ dimension: Dimension, now: FailureSelection, before: FailureSelection) {
            let values = now.values(of: dimension)
            guard !values.isEmpty else { return nil }
            let usual = Dictionary(before.values(of: dimension).map { ($0.value, $0.count) }) { first, _ in first }
            let (all, allBefore) = (now.count, before.count)
            self.dimension = dimension
            self.values = values.prefix(TriageDesk.maximumValues).map { value, count in
                Value(
                    value: value,
                    count: count,
                    share: Self.share(count, of: all),
                    baselineShare: allBefore >= Self.leastBefore ? Self.share(usual[value] ?? 0, of: allBefore) : nil
                )
            }
        }

        /// To a thousandth.
        private static func share(_ part: Int, of whole: Int) -> Double {
            whole > 0 ? Double(part * 1_000 / whole) / 1_000 : 0
        }
    }

    /// One event.
    struct Sample: Sendable {
        var seq: UInt64
        var at: Timestamp
        var event: PaymentEvent
    }

    let code: String
    let at: Timestamp
    var keys: [Key]

    /// How many attempts an environment had; nil where only failures are reported.
    static func attempts(
        of environment: String,
        in book: HistoryBook,
        after since: Timestamp,
        until at: Timestamp
    ) -> Int? {
        let slices = book.attempts.tallies(after: since, until: at) { $0.environment == environment }
        let all = slices.reduce(AttemptTally()) { $0 + $1.tally }
        return all.attempts > all.failed ? all.attempts : nil
    }
}
