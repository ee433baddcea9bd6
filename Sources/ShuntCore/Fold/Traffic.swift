internal import ShuntSchema

/// The attempts that shares are of: a table for each kind of slice that some rule looks at, shared by the rules that
/// look at the same.
struct Traffic: Sendable {
    var tables: [TrafficTable] = []
    private var dispatch = Dispatch()

    /// Tables for what rules need; those that existed go on.
    mutating func adopt(_ specs: [TrafficSpec]) {
        let former = tables
        tables = specs.map { spec in former.first { $0.spec == spec } ?? TrafficTable(spec: spec) }
        dispatch = Dispatch(specs.map(\.conditions))
    }

    /// Notes an event in every table that it belongs to.
    mutating func record(
        _ event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        maximumGroups: Int
    ) {
        guard !tables.isEmpty else { return }
        let key = event.counts == nil ? event.countingKey(for: .attempts, at: at) : nil
        dispatch.forEach(event, meaning: classification) { number in
            tables[number].record(event, meaning: classification, key: key, at: at, maximumGroups: maximumGroups)
        }
    }
}

/// Which attempts a table holds, and how it tells them apart.
struct TrafficSpec: Equatable, Sendable {
    /// The routes whose attempts are looked at.
    enum Route: Equatable, Sendable {
        case all
        /// All but this one: payers who were moved there say nothing about the route that they left.
        case except(String)
        /// This one alone, and how many of its attempts failed.
        case only(String)
    }

    var conditions: [Condition]
    var dimensions: [Dimension]
    var windowMs: Int64
    var route: Route
    /// A longer window, whose attempts are counted in parts.
    var longWindowMs: Int64?
}

extension Rule {
    /// The attempts that the rule compares failures with; nil where it doesn't.
    func attemptsSpec(otherRoute: String?) -> TrafficSpec? {
        guard kind.name.needsAttempts || require.share != nil else { return nil }
        var longWindowMs: Int64?
        if case .burnRate(let burn) = kind { longWindowMs = burn.longWindowMs }
        return TrafficSpec(
            conditions: payerConditions,
            dimensions: payerDimensions,
            windowMs: windowMs,
            route: trip == nil ? .all : otherRoute.map { .except($0) } ?? .all,
            longWindowMs: longWindowMs
        )
    }

    /// The attempts on the route that a trip would move payers to; nil where there is none.
    func fallbackSpec(otherRoute: String?) -> TrafficSpec? {
        guard let trip, let otherRoute else { return nil }
        let scope = trip.scope.filter { $0 != .environment }
        return TrafficSpec(
            conditions: [],
            dimensions: [.environment] + scope,
            windowMs: windowMs,
            route: .only(otherRoute),
            longWindowMs: nil
        )
    }
}

/// The attempts of one kind of slice, slice by slice.
struct TrafficTable: Sendable {
    let spec: TrafficSpec
    private(set) var groups: [[String]: TrafficGroup] = [:]
    private(set) var nextSweep = Timestamp(milliseconds: .min)

    init(spec: TrafficSpec) {
        self.spec = spec
    }

    /// A table as it was read from a snapshot.
    init(spec: TrafficSpec, groups: [[String]: TrafficGroup], nextSweep: Timestamp) {
        self.spec = spec
        self.groups = groups
        self.nextSweep = nextSweep
    }

    /// Notes an event if it belongs here.
    ///
    /// - Parameter key: what tells its attempt apart.
    mutating func record(
        _ event: PaymentEvent,
        meaning classification: Classification,
        key: UInt64?,
        at: Timestamp,
        maximumGroups: Int
    ) {
        switch spec.route {
        case .all: break
        case .except(let route): if event.route == route { return }
        case .only(let route): if event.route != route { return }
        }
        guard !Rule.isLate(event, at: at, windowMs: spec.windowMs) else { return }
        for condition in spec.conditions where !condition.holds(for: event, meaning: classification) { return }
        var values: [String] = []
        values.reserveCapacity(spec.dimensions.count)
        for dimension in spec.dimensions {
            guard let value = dimension.value(in: event, meaning: classification) else { return }
            values.append(value)
        }
        // One lookup for the slices that are known, which are nearly all.
        guard groups[values]?.record(event, meaning: classification, key: key, at: at) == nil else { return }
        if groups.count >= maximumGroups { sweep(at: at) }
        // Beyond the limit nothing is known of a slice's attempts, and a share of it is not judged.
        guard groups.count < maximumGroups else { return }
        var group = TrafficGroup(spec: spec)
        group.record(event, meaning: classification, key: key, at: at)
        groups[values] = group
    }

    private mutating func sweep(at: Timestamp) {
        guard at >= nextSweep else { return }
        nextSweep = at.advanced(byMs: max(1, spec.windowMs / 10))
        groups = groups.filter { !$1.isForgotten(at: at) }
    }

    /// The slices in the order of their values.
    var orderedGroups: [(values: [String], group: TrafficGroup)] {
        groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { ($0.key, $0.value) }
    }
}

/// The attempts of one slice.
struct TrafficGroup: Sendable {
    /// For so long after the last attempt or success that didn't fail, a slice counts as one that reports them. Where
    /// only failures are reported, every share would be 100 %.
    static let memoryMs: Int64 = 24 * 3_600_000

    var attempts: AttemptWindow
    /// The attempts that failed for a reason that counts; only of a table of one route.
    var failures: RecencyWindow?
    /// The attempts of a longer window, in parts.
    var long: BucketRing?
    /// When something other than a failure was last reported.
    var reportedAt: Timestamp?
    /// When a success was last reported.
    var succeededAt: Timestamp?

    init(spec: TrafficSpec) {
        attempts = AttemptWindow(spanMs: spec.windowMs)
        if case .only = spec.route {
            failures = RecencyWindow(capacity: AttemptWindow.capacity, spanMs: spec.windowMs)
        }
        long = spec.longWindowMs.map { BucketRing(parts: 60, partMs: $0 / 60) }
    }

    mutating func record(
        _ event: PaymentEvent,
        meaning classification: Classification,
        key: UInt64?,
        at: Timestamp
    ) {
        if let counts = event.counts {
            let count = Int(clamping: max(0, counts.count))
            guard count > 0 else { return }
            attempts.add(count, at: at)
            long?.add(count, at: at)
        } else {
            if attempts.record(key: key, at: at) { long?.add(1, at: at) }
            if event.isFailure(meaning: classification), classification.switchWeight != .none {
                failures?.record(key: key, at: at)
            }
        }
        switch event.outcome {
        case .succeeded:
            succeededAt = at
            reportedAt = at
        case .attempted: reportedAt = at
        case .failed, .cancelled: break
        }
    }

    /// Whether attempts or successes are reported here at all.
    func isReporting(at: Timestamp) -> Bool {
        reportedAt.map { $0 > at.advanced(byMs: -Self.memoryMs) } ?? false
    }

    func isForgotten(at: Timestamp) -> Bool {
        attempts.isEmpty(at: at) && !isReporting(at: at)
    }
}
