internal import ShuntSchema

/// The attempts that shares are of: a table for each kind of slice that some rule looks at, shared by the rules that
/// look at the same.
struct Traffic: Sendable {
    private(set) var tables: [TrafficTable] = []
    private var dispatch = Dispatch()

    /// Tables for what rules need; those that existed go on.
    mutating func adopt(_ specs: [TrafficSpec], _ groupings: inout Groupings) {
        let former = tables
        tables = specs.map { spec in former.first { $0.spec == spec } ?? TrafficTable(spec: spec) }
        for number in tables.indices { tables[number].grouping = groupings.number(of: specs[number].dimensions) }
        dispatch = Dispatch(specs.map(\.conditions))
    }

    /// Tables as they were read from a snapshot, of the same specs in the same order.
    mutating func restore(_ tables: [TrafficTable]) {
        for number in tables.indices {
            let grouping = self.tables[number].grouping
            self.tables[number] = tables[number]
            self.tables[number].grouping = grouping
        }
    }

    /// Notes an event in every table that it belongs to.
    mutating func record(
        _ event: PaymentEvent,
        meaning classification: Classification,
        attempt: UInt64?,
        groupings: inout Groupings,
        at: Timestamp,
        maximumGroups: Int
    ) {
        guard !tables.isEmpty else { return }
        let key = event.counts == nil ? attempt : nil
        var found = dispatch.lists(for: event, meaning: classification)
        while let number = found.popFirst() {
            tables[number].record(
                event,
                meaning: classification,
                key: key,
                groupings: &groupings,
                at: at,
                maximumGroups: maximumGroups
            )
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
    /// Whether attempts are counted at all; else all that is known is whether any are reported.
    var countsAttempts = true
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
            longWindowMs: longWindowMs,
            countsAttempts: kind != .consecutive || require.share != nil
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
    /// The number of the list of attributes that tell its slices apart.
    var grouping = 0
    private(set) var slices: [Slice] = []
    private(set) var nextSweep = Timestamp(milliseconds: .min)
    private var index = KeyIndex()

    /// The attempts of a slice, and the values that define it.
    struct Slice: Sendable {
        var values: [String]
        var group: TrafficGroup
    }

    init(spec: TrafficSpec) {
        self.spec = spec
    }

    /// A table as it was read from a snapshot.
    init(spec: TrafficSpec, slices: [Slice], nextSweep: Timestamp) {
        self.spec = spec
        self.nextSweep = nextSweep
        hold(slices)
    }

    private mutating func hold(_ slices: [Slice]) {
        self.slices = slices
        index = KeyIndex(capacity: slices.count)
        for (place, slice) in slices.enumerated() { index.insert(place, hash: SliceHash(slice.values).value) }
    }

    /// Where the slice with a hash stands whose values are these; nil where it has none.
    func place(_ hash: UInt64, where areMeant: ([String]) -> Bool) -> Int? {
        index.find(hash) { areMeant(slices[$0].values) }
    }

    /// Notes an event if it belongs here.
    ///
    /// - Parameter key: what tells its attempt apart.
    mutating func record(
        _ event: PaymentEvent,
        meaning classification: Classification,
        key: UInt64?,
        groupings: inout Groupings,
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
        guard let hash = groupings.hash(grouping, of: event, meaning: classification) else { return }
        let known = place(hash) { groupings.are($0, grouping, of: event, meaning: classification) }
        if let known {
            slices[known].group.record(event, meaning: classification, key: key, spec, at: at)
            return
        }
        if slices.count >= maximumGroups { sweep(at: at) }
        // Beyond the limit nothing is known of a slice's attempts, and a share of it is not judged.
        guard slices.count < maximumGroups else { return }
        var group = TrafficGroup(spec: spec)
        group.record(event, meaning: classification, key: key, spec, at: at)
        index.insert(slices.count, hash: hash)
        slices.append(Slice(values: groupings.values(grouping, of: event, meaning: classification), group: group))
    }

    private mutating func sweep(at: Timestamp) {
        guard at >= nextSweep else { return }
        nextSweep = at.advanced(byMs: max(1, spec.windowMs / 10))
        hold(slices.filter { !$0.group.isForgotten(at: at) })
    }

    /// The slices in the order of their values.
    var orderedSlices: [Slice] {
        slices.sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }
}

/// The attempts of one slice.
struct TrafficGroup: Sendable {
    /// For so long after the last attempt or success that didn't fail, a slice counts as one that reports them. Where
    /// only failures are reported, every share would be 100 %.
    static let memoryMs: Int64 = 24 * 3_600_000

    var attempts: AttemptWindow
    /// The attempts that failed for a reason that counts; only of a table of one route.
    var failures: DistinctWindow?
    /// The attempts of a longer window, in parts.
    var long: BucketRing?
    /// When something other than a failure was last reported.
    var reportedAt: Timestamp?
    /// When a success was last reported.
    var succeededAt: Timestamp?

    init(spec: TrafficSpec) {
        attempts = AttemptWindow(spanMs: spec.windowMs)
        if case .only = spec.route {
            failures = DistinctWindow(capacity: AttemptWindow.capacity, spanMs: spec.windowMs)
        }
        long = spec.longWindowMs.map { BucketRing(parts: 60, partMs: $0 / 60) }
    }

    mutating func record(
        _ event: PaymentEvent,
        meaning classification: Classification,
        key: UInt64?,
        _ spec: TrafficSpec,
        at: Timestamp
    ) {
        if spec.countsAttempts { count(event, meaning: classification, key: key, at: at) }
        switch event.outcome {
        case .succeeded:
            succeededAt = at
            reportedAt = at
        case .attempted: reportedAt = at
        case .failed, .cancelled: break
        }
    }

    private mutating func count(
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
    }

    /// Whether attempts or successes are reported here at all.
    func isReporting(at: Timestamp) -> Bool {
        reportedAt.map { $0 > at.advanced(byMs: -Self.memoryMs) } ?? false
    }

    func isForgotten(at: Timestamp) -> Bool {
        attempts.isEmpty(at: at) && !isReporting(at: at)
    }
}
