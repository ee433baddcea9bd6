public import ShuntSchema

/// What to watch: which events, grouped how, how many within which window, and what to do then.
public struct Rule: Equatable, Sendable {
    /// The rule's identity; its windows and alerts are kept under it over restarts and reloads.
    public var id: String
    /// One sentence for a person.
    public var description: String
    /// What makes it fire.
    public var kind: RuleKind
    /// Which events it looks at.
    public var match: [Condition]
    /// The attributes that tell one group from another; the environment always does.
    public var groupBy: [Dimension]
    /// What is counted.
    public var count: Counting
    /// How many within the window fire the alert, or how many failures there must be at least; at least 1.
    public var threshold: Int
    /// At most so many of one install count within the window; nil for any number. Not where installs are counted.
    public var maximumPerInstall: Int?
    /// What must hold besides, each where it can be known.
    public var require: Requirements
    /// The length of the window, in milliseconds. An event exactly that old is out.
    public var windowMs: Int64
    /// How its alert behaves.
    public var alert: AlertPolicy
    /// The switch that it trips, if any.
    public var trip: Trip?

    /// No window is longer: ten years, in milliseconds.
    public static let longestWindowMs: Int64 = 3650 * 86_400_000

    /// A rule that counts.
    public init(
        id: String,
        description: String,
        kind: RuleKind = .count,
        match: [Condition] = [],
        groupBy: [Dimension],
        count: Counting,
        threshold: Int,
        maximumPerInstall: Int? = nil,
        require: Requirements = Requirements(),
        windowMs: Int64,
        alert: AlertPolicy,
        trip: Trip? = nil
    ) {
        self.id = id
        self.description = description
        self.kind = kind
        self.match = match
        self.groupBy = groupBy
        self.count = count
        self.threshold = threshold
        self.maximumPerInstall = maximumPerInstall
        self.require = require
        self.windowMs = windowMs
        self.alert = alert
        self.trip = trip
    }
}

/// What a rule counts within its window.
public enum Counting: String, CaseIterable, Hashable, Sendable {
    /// Every event.
    case events
    /// Distinct attempts: by `attemptId`, else `orderRef`, else install and minute, else each event for itself.
    case attempts
    /// Distinct installs; an event without one doesn't count.
    case installs
}

/// What must hold besides the count. For a rule that trips a switch it holds back the trip, and the alert says so; for
/// any other rule it holds back the alert.
public struct Requirements: Equatable, Sendable {
    /// So many distinct installs within the window; nil for none. An event without an install stands for one of its
    /// own, by its attempt.
    public var installs: Int?
    /// So many per cent of the attempts must have failed, judged where attempts are reported and there were
    /// `leastAttempts`; nil for any share.
    public var share: Int?
    /// Of the attempts on the other route at most so many per cent may have failed, judged from `leastAttempts` on.
    public var webShare: Int

    /// A share of fewer attempts says nothing.
    public static let leastAttempts = 20
    /// Where half of the attempts on the other route fail too, moving payers there helps nobody.
    public static let defaultWebShare = 50

    /// Requirements.
    public init(installs: Int? = nil, share: Int? = nil, webShare: Int = Self.defaultWebShare) {
        self.installs = installs
        self.share = share
        self.webShare = webShare
    }
}

/// How a rule's alert behaves.
public struct AlertPolicy: Equatable, Sendable {
    /// How loud it is.
    public var severity: Severity
    /// The alert may resolve once the count is below this; from 1 to the rule's threshold.
    public var resolveBelow: Int
    /// For how long the count must stay below it, in milliseconds.
    public var holdForMs: Int64

    /// For how long the condition must hold without a break before the alert fires, in milliseconds. A trip doesn't wait.
    public var forMs: Int64
    /// A count of so many per cent of the threshold is worth a warning; nil for none.
    public var warnAtPercent: Int?
    /// How long people may hear nothing of an alert that fires and that nobody looks after, in milliseconds; nil for
    /// any time.
    public var renotifyEveryMs: Int64?
    /// The channels that are told; empty for all that are configured.
    public var channels: [String]
    /// How long nobody may look after it before others are told, in milliseconds; nil for any time.
    public var escalateAfterMs: Int64?
    /// The channels that are told then too.
    public var escalateTo: [String]

    /// A policy.
    public init(
        severity: Severity,
        resolveBelow: Int,
        holdForMs: Int64,
        forMs: Int64 = 0,
        warnAtPercent: Int? = nil,
        renotifyEveryMs: Int64? = nil,
        channels: [String] = [],
        escalateAfterMs: Int64? = nil,
        escalateTo: [String] = []
    ) {
        self.severity = severity
        self.resolveBelow = resolveBelow
        self.holdForMs = holdForMs
        self.forMs = forMs
        self.warnAtPercent = warnAtPercent
        self.renotifyEveryMs = renotifyEveryMs
        self.channels = channels
        self.escalateAfterMs = escalateAfterMs
        self.escalateTo = escalateTo
    }

    /// The shortest time between two reminders, and before an escalation, in milliseconds.
    public static let shortestRenotifyMs: Int64 = 60_000
}

/// How loud an alert is.
public enum Severity: String, CaseIterable, Hashable, Comparable, Sendable {
    /// For the record.
    case info
    /// Look at it today.
    case warning
    /// Wake somebody.
    case critical

    /// Orders by loudness.
    public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .critical: 2
        }
    }
}

/// What a rule does to a switch.
public struct Trip: Equatable, Sendable {
    /// The switch.
    public var switchKey: String
    /// The attributes whose values define the slice that is degraded; the environment always does.
    public var scope: [Dimension]

    /// A trip.
    public init(switchKey: String, scope: [Dimension] = []) {
        self.switchKey = switchKey
        self.scope = scope
    }
}

/// Why a rule did or didn't count an event.
public enum CountVerdict: String, CaseIterable, Sendable {
    /// It counts.
    case counted
    /// It isn't a failure.
    case notAFailure
    /// The payer was on the other route already.
    case otherRoute
    /// It happened longer ago than the window when it arrived.
    case late
    /// A condition of the rule doesn't hold.
    case unmatched
    /// It lacks an attribute that the rule groups by.
    case noGroup
    /// The rule counts installs and the event names none.
    case noInstall
    /// The rule trips a switch, and the failure is one that never counts towards a trip: the payer's, the issuer's, a
    /// risk refusal, a cancel.
    case weightless
}

extension Rule {
    /// The count that is worth a warning; nil where none is.
    public var warnCount: Int? {
        alert.warnAtPercent.map { max(1, (threshold * $0 + 99) / 100) }
    }

    /// The attributes of a group's key: the environment first, then `groupBy`.
    public var groupDimensions: [Dimension] {
        [.environment] + groupBy.filter { $0 != .environment }
    }

    /// Decides whether an event, received at the given time and classified so, counts for the rule.
    ///
    /// - Parameter otherRoute: the variant of the rule's switch that payers are moved to.
    public func verdict(
        on event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        otherRoute: String?
    ) -> CountVerdict {
        if kind == .watchdog || kind == .keyLimit || kind.isOfDoubts { return .notAFailure }
        if case .noSuccess = kind { return attemptVerdict(on: event, meaning: classification, at: at) }
        guard event.counts == nil, event.isFailure(meaning: classification) || namesOutcome else {
            return .notAFailure
        }
        if trip != nil, let otherRoute, event.route == otherRoute { return .otherRoute }
        for condition in match where !condition.holds(for: event, meaning: classification) { return .unmatched }
        if trip != nil, classification.switchWeight == .none { return .weightless }
        for dimension in groupBy where dimension.value(in: event, meaning: classification) == nil { return .noGroup }
        if count == .installs && event.installId == nil { return .noInstall }
        if event.isLate(at: at, windowMs: windowMs) { return .late }
        return .counted
    }

    /// A rule that misses successes looks at every attempt, however it ended.
    private func attemptVerdict(
        on event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp
    ) -> CountVerdict {
        for condition in match where !condition.holds(for: event, meaning: classification) { return .unmatched }
        for dimension in groupBy where dimension.value(in: event, meaning: classification) == nil { return .noGroup }
        return Self.isLate(event, at: at, windowMs: windowMs) ? .late : .counted
    }

    /// Whether an event, or the last of those that a counter stands for, had happened a window ago.
    static func isLate(_ event: PaymentEvent, at: Timestamp, windowMs: Int64) -> Bool {
        PaymentEvent.isLate(event.counts?.to ?? event.occurredAt, at: at, windowMs: windowMs)
    }

    /// The conditions without which an event doesn't concern the rule at all: a rule that looks at successes too wants
    /// those on payers alone.
    var relevantConditions: [Condition] {
        switch kind {
        case .consecutive, .noSuccess: payerConditions
        case .count, .newCode, .share, .change, .burnRate, .unusualRate, .inDoubtAge, .inDoubtTotal, .keyLimit,
            .watchdog:
            match
        }
    }

    /// Whether the rule counts findings: it names their domain.
    var asksForFindings: Bool {
        match.contains {
            guard $0.dimension == .errorDomain, case .oneOf(let domains) = $0.test else { return false }
            return domains.contains(Finding.domain)
        }
    }

    /// The conditions on payers: what can be asked of an attempt that hasn't failed.
    var payerConditions: [Condition] { match.filter(\.dimension.isOfPayers) }

    /// The attributes of a group's key that payers have.
    public var payerDimensions: [Dimension] { groupDimensions.filter(\.isOfPayers) }

    /// Whether the rule itself says which outcomes it looks at; else it looks at failures.
    private var namesOutcome: Bool {
        match.contains { $0.dimension == .outcome }
    }

    /// Whether a payment's success is one of the rule's own group: what conditions say of errors is left aside.
    func isEnded(by event: PaymentEvent, meaning classification: Classification, at: Timestamp) -> Bool {
        guard kind == .consecutive, event.outcome == .succeeded, !Self.isLate(event, at: at, windowMs: windowMs)
        else { return false }
        return match.allSatisfy {
            !$0.dimension.isOfPayers || $0.holds(for: event, meaning: classification)
        }
    }

    /// Whether a rule can take over what a former one of the same name has counted: it counts the same things in the
    /// same windows, and nothing is in there that mustn't count towards its trip.
    func canTakeOver(from other: Rule) -> Bool {
        kind == other.kind && match == other.match && groupBy == other.groupBy && count == other.count
            && windowMs == other.windowMs && threshold == other.threshold
            && maximumPerInstall == other.maximumPerInstall && require == other.require
            && (trip == nil || other.trip != nil)
            && alert.resolveBelow == other.alert.resolveBelow
    }
}

extension PaymentEvent {
    /// Whether it reports a failure: it failed, or it was cancelled by something other than the payer.
    func isFailure(meaning classification: Classification) -> Bool {
        switch outcome {
        case .failed: true
        case .cancelled: classification.failureClass != .user
        case .succeeded, .attempted: false
        }
    }

    /// Whether it had happened at least one window ago when it was received: an offline queue being flushed.
    public func isLate(at received: Timestamp, windowMs: Int64) -> Bool {
        Self.isLate(occurredAt, at: received, windowMs: windowMs)
    }

    /// Whether what happened then, if anybody says when, was at least one window old when it was received.
    public static func isLate(_ occurredAt: Timestamp?, at received: Timestamp, windowMs: Int64) -> Bool {
        guard let occurredAt else { return false }
        return occurredAt <= received.advanced(byMs: -windowMs)
    }
}
