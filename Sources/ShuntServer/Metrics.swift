internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// What `/metrics` tells. Everything is counted under one lock that is held for a few additions.
final class Metrics: Sendable {
    /// How many (domain, code) pairs get a series of their own; the rest are counted as `_other`.
    static let maximumErrorSeries = 500

    struct Values {
        var events: [EventLabels: UInt64] = [:]
        var errors: [ErrorLabels: UInt64] = [:]
        var rejected: [String: UInt64] = [:]
        var duplicates: UInt64 = 0
        var late: UInt64 = 0
        var unknownFields: UInt64 = 0
        var polls: [Int: UInt64] = [:]
        var refusals: [AccessControl.Refusal: UInt64] = [:]
        var streamsEnded: [HTTPParkedEnd: UInt64] = [:]
        var transitions: [TransitionLabels: UInt64] = [:]
        var openAlerts: [AlertLabels: Int] = [:]
        /// The open alerts that say that something is wrong.
        var troubles = 0
        var failedCommits: UInt64 = 0
        var notifications: [NotificationLabels: UInt64] = [:]
        var templateFailures: [String: UInt64] = [:]
        var notification = Histogram(bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
        var ingest = Histogram(bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])
        var commit = Histogram(bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])
        var detection = Histogram(bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])
        var lastSeq: UInt64 = 0
    }

    struct EventLabels: Hashable {
        var failureClass: FailureClass
        var outcome: Outcome
        var source: String
    }

    struct ErrorLabels: Hashable {
        var domain: String
        var code: String
    }

    struct TransitionLabels: Hashable {
        var key: String
        var from: SwitchPhase
        var to: SwitchPhase
        var reason: String
    }

    struct AlertLabels: Hashable {
        var rule: String
        var phase: AlertPhase
    }

    struct NotificationLabels: Hashable {
        var channel: String
        var outcome: String
    }

    private let values = Mutex(Values())

    /// Everything counted so far.
    var snapshot: Values { values.withLock { $0 } }

    func add(_ tally: EventTally, lastSeq: UInt64) {
        values.withLock { values in
            for (labels, count) in tally.events { values.events[labels, default: 0] += count }
            for (labels, count) in tally.errors {
                let isKnown = values.errors[labels] != nil || values.errors.count < Self.maximumErrorSeries
                let other = ErrorLabels(domain: "_other", code: "_other")
                values.errors[isKnown ? labels : other, default: 0] += count
            }
            values.duplicates += UInt64(tally.duplicates)
            values.late += UInt64(tally.late)
            values.lastSeq = lastSeq
        }
    }

    func rejected(_ reasons: [String: Int], unknownFields: Int) {
        guard !reasons.isEmpty || unknownFields > 0 else { return }
        values.withLock { values in
            for (reason, count) in reasons { values.rejected[reason, default: 0] += UInt64(count) }
            values.unknownFields += UInt64(unknownFields)
        }
    }

    func refused(_ refusal: AccessControl.Refusal) {
        values.withLock { $0.refusals[refusal, default: 0] += 1 }
    }

    func polled(status: Int, count: Int = 1) {
        guard count > 0 else { return }
        values.withLock { $0.polls[status, default: 0] += UInt64(count) }
    }

    func streamEnded(_ reason: HTTPParkedEnd) {
        values.withLock { $0.streamsEnded[reason, default: 0] += 1 }
    }

    func moved(_ transition: SwitchTransition) {
        let labels = TransitionLabels(
            key: transition.key,
            from: transition.from,
            to: transition.to,
            reason: transition.reason.kind
        )
        values.withLock { $0.transitions[labels, default: 0] += 1 }
    }

    func setAlerts(of state: State) {
        var open: [AlertLabels: Int] = [:]
        for alert in state.openAlerts { open[AlertLabels(rule: alert.rule, phase: alert.phase), default: 0] += 1 }
        let troubles = state.troubleCount
        values.withLock { values in
            values.openAlerts = open
            values.troubles = troubles
        }
    }

    /// Counts one try to deliver a notice.
    func notified(_ report: DeliveryReport, channel: String) {
        let labels = NotificationLabels(channel: channel, outcome: report.verdict.name)
        values.withLock { values in
            values.notifications[labels, default: 0] += 1
            if report.templateFailure != nil { values.templateFailures[channel, default: 0] += 1 }
            values.notification.observe(nanoseconds: report.durationMs * 1_000_000)
        }
    }

    func commitFailed() {
        values.withLock { $0.failedCommits += 1 }
    }

    func committed(inNs nanoseconds: Int64) {
        values.withLock { $0.commit.observe(nanoseconds: nanoseconds) }
    }

    func ingested(inNs nanoseconds: Int64) {
        values.withLock { $0.ingest.observe(nanoseconds: nanoseconds) }
    }

    func detected(afterNs nanoseconds: Int64) {
        values.withLock { $0.detection.observe(nanoseconds: nanoseconds) }
    }
}

/// A Prometheus histogram: counts by upper bound, in seconds.
struct Histogram {
    let bounds: [Double]
    private(set) var counts: [UInt64]
    private(set) var sum: Double = 0
    private(set) var count: UInt64 = 0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = [UInt64](repeating: 0, count: bounds.count)
    }

    mutating func observe(nanoseconds: Int64) {
        let seconds = Double(nanoseconds) / 1e9
        sum += seconds
        count += 1
        if let place = bounds.firstIndex(where: { seconds <= $0 }) { counts[place] += 1 }
    }
}

/// What one group of submissions adds to the metrics, gathered without the lock.
struct EventTally {
    /// Sources with a series of their own; a source is a free text, so the rest are counted as `other`.
    private static let knownSources: Set<String> = ["ios", "android", "web", "backend", "shunt"]

    private(set) var events: [Metrics.EventLabels: UInt64] = [:]
    private(set) var errors: [Metrics.ErrorLabels: UInt64] = [:]
    private(set) var duplicates = 0
    private(set) var late = 0

    mutating func count(_ event: PaymentEvent, meaning failureClass: FailureClass) {
        let source = Self.knownSources.contains(event.source) ? event.source : "other"
        let weight = UInt64(event.counts?.count ?? 1)
        events[Metrics.EventLabels(failureClass: failureClass, outcome: event.outcome, source: source), default: 0] +=
            weight
        if let error = event.error {
            errors[Metrics.ErrorLabels(domain: error.domain, code: error.code), default: 0] += 1
        }
    }

    mutating func count(_ result: WorkResult) {
        duplicates += result.duplicates
        late += result.late
    }
}
