internal import ShuntCore
internal import ShuntSchema

/// What the index doesn't have in its files yet.
struct PendingIndex: Sendable {
    /// The last entry that is in the files.
    private(set) var through: UInt64
    private var postings: [EventPosting] = []
    /// The error keys that came up.
    private var errors: Set<Int> = []
    private var first: UInt64?
    private var last: UInt64 = 0
    private var entries = 0
    private var day: Int64
    /// The first entry of the next day, which the run that is due must be written before.
    private var isDayOver = false
    /// The five minutes in which the first entry came.
    private var part: Int64?
    /// The day whose file has all error keys.
    private var wholeDay: Int64?

    /// What goes into the files together.
    struct Run: Sendable {
        var day: Int64
        var postings: [EventPosting]
        var first: UInt64
        var last: UInt64
        /// The error keys that came up; nil for all there are, in a day's first run.
        var errors: [Int]?
        /// The first five minutes whose counts may have changed.
        var part: Int64
    }

    init(through: UInt64, at: Timestamp) {
        self.through = through
        day = at.dayNumber
    }

    /// Notes an entry and, if it is a failure, its error's number.
    mutating func add(_ entry: Entry, error: Int?) {
        guard entry.seq > through, entry.seq > last else { return }
        guard case .event(let event) = entry.input else { return }
        if first == nil {
            first = entry.seq
            day = entry.at.dayNumber
            part = entry.at.milliseconds / 300_000
        }
        // A run that reaches into the next day is kept with the day that it began in; it's written soon after.
        if entry.at.dayNumber != day { isDayOver = true }
        last = entry.seq
        entries += 1
        for term in EventTerm.terms(of: event) { postings.append(EventPosting(term: term, seq: entry.seq)) }
        if let error { errors.insert(error) }
    }

    /// The run that is due, if one is; it stays until it is finished.
    func takeRun(entries limit: Int) -> Run? {
        guard let first, let part, entries >= limit || isDayOver else { return nil }
        return Run(
            day: day,
            postings: postings,
            first: first,
            last: last,
            errors: wholeDay == day ? errors.sorted() : nil,
            part: part
        )
    }

    /// Lets go of what is in the files now.
    mutating func finish(_ run: Run) {
        through = run.last
        wholeDay = run.day
        postings = []
        errors = []
        first = nil
        part = nil
        entries = 0
        isDayOver = false
    }

    /// The entries with a term that come before one, newest first.
    func find(_ term: EventTerm, before seq: UInt64, limit: Int) -> [UInt64] {
        var found: [UInt64] = []
        for posting in postings.reversed() where posting.term == term && posting.seq < seq {
            found.append(posting.seq)
            if found.count >= limit { break }
        }
        return found
    }
}
