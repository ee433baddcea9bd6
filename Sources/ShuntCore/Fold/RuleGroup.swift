internal import ShuntSchema

/// One group of a rule: the values that define it, what was counted, and its alert.
struct RuleGroup: Sendable {
    /// Empty for one that is free to be used anew.
    var values: [String]
    /// A hash of the values that payers have; finds the attempts that its failures are compared with.
    var payersHash: UInt64 = 0
    /// A time before which it surely doesn't change by itself; nil while it never does.
    var floor: Timestamp?
    /// What the rule counts.
    var window: RecencyWindow
    /// Distinct installs, where the rule requires some.
    var installs: RecencyWindow?
    /// Of what the window holds, what a trusted reporter said; nil where nothing came from any other.
    var trusted: RecencyWindow?
    /// Whether it fired before, where a rule fires once for each group.
    var hasFired = false
    var alert: Alert?
    /// Its last alert that fired, if that ended so shortly ago that another one would be the same trouble again.
    var lastEnd: AlertEnd?

    /// Whether it stands for all those that there was no room for.
    var isOverflow: Bool { values.contains(RuleState.overflowValue) }
}

/// What is remembered of an alert that ended, so that flapping is seen.
struct AlertEnd: Equatable, Sendable {
    var at: Timestamp
    var refires: Int

    /// Whether an alert that fires now is another matter.
    func isPast(at: Timestamp) -> Bool { at >= self.at.advanced(byMs: Alert.refireWithinMs) }
}

/// What a group of a rule that looks at rates keeps besides.
struct RateCounts: Sendable {
    /// The distinct attempts that failed, many more than a threshold.
    var failures: DistinctWindow
    /// Failures over a longer time, in parts.
    var ring: BucketRing?
    /// How often they come at this hour.
    var baseline: HourlyBaseline?
    /// Nothing before this counts any more: a switch was restored then, or a run of failures ended.
    var clearedAt = Timestamp(milliseconds: .min)
    /// Whether the condition held when it was last judged.
    var isHolding = false
    /// When it was last judged.
    var lookedAt = Timestamp(milliseconds: .min)
    /// What is in doubt, for a rule that looks at that. Derived.
    var doubts = DoubtReading(count: 0)
    /// When it is to be judged again even if nothing comes in.
    var nextLook: Timestamp?

    init(rule: Rule) {
        failures = DistinctWindow(capacity: Self.capacity(of: rule.kind), spanMs: rule.windowMs)
        switch rule.kind {
        case .change:
            let parts = Int(RateWindow.parts)
            ring = BucketRing(parts: 2 * parts + 1, partMs: rule.windowMs / RateWindow.parts)
        case .burnRate(let burn):
            ring = BucketRing(parts: Int(RateWindow.parts), partMs: burn.longWindowMs / RateWindow.parts)
        case .unusualRate:
            ring = BucketRing(parts: 60, partMs: 60_000)
        case .count, .consecutive, .newCode, .share, .noSuccess, .inDoubtAge, .inDoubtTotal, .keyLimit, .watchdog: break
        }
    }

    private static func capacity(of kind: RuleKind) -> Int {
        switch kind {
        // These only ask whether an attempt is known already.
        case .change, .unusualRate: 1024
        case .noSuccess, .inDoubtAge, .inDoubtTotal, .keyLimit, .watchdog: 1
        case .count, .consecutive, .newCode, .share, .burnRate: AttemptWindow.capacity
        }
    }

    /// How long a group that has learnt what is normal is kept without failures.
    static let baselineMemoryMs: Int64 = 15 * 24 * HourlyBaseline.hourMs

    func isForgettable(at: Timestamp) -> Bool {
        guard failures.isEmpty(at: at) else { return false }
        if baseline != nil { return lookedAt < at.advanced(byMs: -Self.baselineMemoryMs) }
        guard let ring else { return true }
        return ring.sum(first: 0, count: ring.counts.count, at: at) == 0
    }

    /// Forgets what was counted, but not what is normal at which hour.
    mutating func clear(at: Timestamp) {
        failures.clear()
        ring?.clear()
        clearedAt = at
        isHolding = false
    }
}

/// How finely rates are reckoned.
enum RateWindow {
    /// Parts of a window: where only time passes, a rate is judged anew at the end of each.
    static let parts: Int64 = 60

    /// The next end of a part after a moment; nil at the end of time.
    static func nextLook(after at: Timestamp, windowMs: Int64) -> Timestamp? {
        let partMs = max(1000, windowMs / parts)
        let begunMs = at.milliseconds % partMs
        let next = at.advanced(byMs: partMs - begunMs - (begunMs < 0 ? partMs : 0))
        return next > at ? next : nil
    }
}
