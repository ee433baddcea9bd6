public import ShuntSchema

/// What has happened, as people ask for it: a read model of the journal that folds the same entries as ``State``.
///
/// Nothing decides by it. So it may be a moment behind, is bounded by what it drops, and says from when on it is complete.
public struct HistoryBook: Sendable {
    /// Every error key.
    public private(set) var errors: ErrorHistory
    /// The newest failures.
    public private(set) var failures: FailureLog
    /// The newest attempts.
    public private(set) var attempts: AttemptLog
    /// The successes of each route, by the minute.
    public private(set) var routes = RouteHistory()
    /// The last entry that it knows.
    public private(set) var seq: UInt64 = 0
    /// When that was received.
    public private(set) var at = Timestamp(milliseconds: 0)
    /// The rules in force.
    public private(set) var ruleSet: RuleSet
    /// What error codes mean.
    public private(set) var catalogue: Catalogue
    /// The last entry that is in the errors' totals already, from what was kept.
    private let countedThrough: UInt64

    /// A book of all that follows an entry.
    ///
    /// - Parameters:
    ///   - ruleSet: what is in force: failures that are read back are classified by it.
    ///   - errors: totals that were kept.
    ///   - countedThrough: the last entry that is in them.
    ///   - completeSince: the time of the entry that the book begins after.
    public init(
        ruleSet: RuleSet,
        errors: ErrorHistory,
        countedThrough: UInt64 = 0,
        completeSince: Timestamp,
        failures: Int = FailureLog.defaultCapacity,
        attempts: Int = AttemptLog.defaultCapacity
    ) {
        self.errors = errors
        self.countedThrough = countedThrough
        self.failures = FailureLog(completeSince: completeSince, capacity: failures)
        self.attempts = AttemptLog(completeSince: completeSince, capacity: attempts)
        self.ruleSet = ruleSet
        catalogue = ruleSet.catalogue.built()
    }

    /// Folds an entry in; one that it knows already changes nothing.
    ///
    /// - Returns: the number of the error, for an event that failed.
    @discardableResult
    public mutating func apply(_ entry: Entry) -> Int? {
        guard entry.seq > seq else { return nil }
        seq = entry.seq
        at = max(at, entry.at)
        switch entry.input {
        case .configured(let ruleSet):
            self.ruleSet = ruleSet
            catalogue = ruleSet.catalogue.built()
            return nil
        case .event(let event): return note(event)
        case .founded, .command, .alertCommand, .settle, .started, .tick: return nil
        }
    }

    private mutating func note(_ reported: PaymentEvent) -> Int? {
        let meaning = catalogue.classify(reported)
        var event = reported
        if let environment = reported.environmentApart(meaning: meaning) { event.environment = environment }
        let isFailure = event.isFailure(meaning: meaning)
        let isLate = Rule.isLate(event, at: at, windowMs: ruleSet.longestWindowMs)
        let attempt = event.counts == nil ? event.countingKey(for: .attempts, at: at) ?? 0 : 0
        if !isLate {
            attempts.append(event, isFailure: isFailure, attempt: attempt, at: at)
            routes.note(event, at: at)
        }
        guard isFailure, event.counts == nil, let error = event.error else { return nil }
        let key = errors.count(
            ErrorHistory.Key(environment: event.environment, domain: error.domain, code: error.code),
            meaning: meaning,
            stage: event.stage,
            at: at,
            isCounted: seq > countedThrough,
            isRecent: !isLate
        )
        let row = FailureSegment.Row(
            seq: seq,
            at: at,
            key: key,
            isLate: isLate,
            attempt: attempt,
            install: event.ownerKey() ?? 0,
            amountMinor: event.amount?.minor,
            durationMs: event.durationMs,
            bodyBytes: event.bodyBytes
        )
        failures.append(row, event, meaning: meaning)
        return Int(key)
    }
}
