internal import ShuntSchema

/// What one rule has counted, group by group.
struct RuleState: Sendable {
    /// Stands for all groups beyond the limit: no attribute's value can be equal to it.
    static let overflowValue = "_other"

    /// How many environments get an overflow group of their own.
    static let overflowGroups = 64

    var rule: Rule
    /// The route that a trip moves payers to: what happens to those who are on it already doesn't count.
    var otherRoute: String?
    /// The table of attempts that failures are compared with.
    var attemptsTable: Int?
    /// The table of attempts on the other route.
    var fallbackTable: Int?
    var groups: [RuleGroup] = []
    /// What groups keep besides, at the same places; empty where the rule looks at no rates.
    var rates: [RateCounts] = []
    /// The groups whose alert hasn't ended.
    private var open: Set<Int> = []
    /// Those of them whose alert tripped a switch: few, since scopes are.
    private(set) var trippedPositions: Set<Int> = []
    /// For each group that changes by itself, a time before which it surely doesn't: new failures only move an alert's
    /// end further away, so it is reckoned anew when that time has come, not with every failure.
    private var floors: [Int: Timestamp] = [:]
    private var positions: [[String]: Int] = [:]
    private var free: [Int] = []
    var nextSweep = Timestamp(milliseconds: .min)

    /// Since when the rule counts.
    let startedAt: Timestamp

    init(rule: Rule, startedAt: Timestamp) {
        self.rule = rule
        self.startedAt = startedAt
    }

    /// Whether groups keep what rates need.
    var keepsRates: Bool { rule.kind.isOfRates || rule.require.share != nil }

    /// What became of an event.
    struct Counted {
        /// The group where the rule's condition holds now, if something may follow from it.
        var crossed: Int?
        /// The group whose count is on its way to the threshold, so that a warning is due.
        var warned: Int?
        /// A time before which nothing that the event changed is due.
        var floor: Timestamp?
        /// Whether there was no room for a group of its own.
        var isOverflow = false
    }

    /// Counts an event if it counts for the rule.
    mutating func count(
        _ event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        maximumGroups: Int,
        switches: SwitchBank,
        traffic: Traffic
    ) -> Counted {
        var counted = Counted()
        if rule.isEnded(by: event, meaning: classification, at: at) {
            counted.floor = startAnew(after: event, meaning: classification, at: at)
        }
        let verdict = rule.verdict(on: event, meaning: classification, at: at, otherRoute: otherRoute)
        guard verdict == .counted else { return counted }
        let position = position(of: event, meaning: classification, at: at, maximumGroups: maximumGroups)
        record(event, in: position, at: at)
        counted.isOverflow = isOverflow(position)
        if rule.kind.isOfRates {
            let isHolding = look(at: position, at: at, traffic: traffic)
            counted.floor = floors[position]
            guard isHolding else { return counted }
        } else {
            if !groups[position].window.reaches(rule.threshold, at: at) {
                if mayWarn(position, at: at, traffic: traffic) { counted.warned = position }
                return counted
            }
            if rule.kind == .consecutive, !isReporting(position, at: at, traffic: traffic) { return counted }
        }
        let scope = scope(of: event, meaning: classification, in: position)
        if mayCross(position, scope: scope, at: at, switches: switches, traffic: traffic) { counted.crossed = position }
        return counted
    }

    /// Whether something may follow from a condition that holds.
    func mayCross(
        _ position: Int,
        scope: Scope,
        at: Timestamp,
        switches: SwitchBank,
        traffic: Traffic
    ) -> Bool {
        if groups[position].hasFired, groups[position].alert == nil { return false }
        // Without a switch to hold back, a requirement holds back the alert.
        if rule.trip == nil, groups[position].alert == nil,
            missingRequirement(in: position, scope: nil, at: at, traffic: traffic) != nil
        {
            return false
        }
        return !isSettled(position, scope: scope, switches: switches)
    }

    /// Whether a group stands for all those that there was no room for.
    func isOverflow(_ position: Int) -> Bool {
        groups[position].values.contains(Self.overflowValue)
    }

    /// Counts that an event found another rule's groups full.
    mutating func countOverflow(_ environment: String, at: Timestamp, switches: SwitchBank, traffic: Traffic) -> Int? {
        let position = positions[[environment]] ?? insert(emptyGroup([environment]))
        expire(position, at: at)
        groups[position].window.record(key: nil, at: at)
        guard groups[position].window.reaches(rule.threshold, at: at) else { return nil }
        let scope = Scope(environment: environment)
        return mayCross(position, scope: scope, at: at, switches: switches, traffic: traffic) ? position : nil
    }

    /// A success of a group: what failed before it is no run any more.
    private mutating func startAnew(
        after event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp
    ) -> Timestamp? {
        let values = groupValues(of: event, meaning: classification)
        guard let position = positions[values] else { return nil }
        clear(position, at: at)
        return floors[position]
    }

    private mutating func clear(_ position: Int, at: Timestamp) {
        groups[position].window.clear()
        groups[position].installs?.clear()
        groups[position].trusted = nil
        if keepsRates { rates[position].clear(at: at) }
        groups[position].alert?.quietFrom = at
        groups[position].alert?.holdingSince = nil
        noteDeadline(of: position, at: at)
    }

    /// The slice that a trip by this event moves: the event's, in the environment that its group counts for.
    func scope(of event: PaymentEvent, meaning classification: Classification, in position: Int) -> Scope {
        Scope(
            of: event,
            meaning: classification,
            in: groups[position].values.first ?? event.environment,
            narrowedBy: rule.trip?.scope ?? []
        )
    }

    /// The slice that a group's values name, where time alone makes the rule's condition hold.
    func scope(of position: Int) -> Scope {
        let values = groups[position].values
        let attributes = (rule.trip?.scope ?? []).compactMap { dimension -> ScopeAttribute? in
            guard dimension != .environment, let place = rule.groupDimensions.firstIndex(of: dimension) else {
                return nil
            }
            return ScopeAttribute(name: dimension.rawValue, value: values[place])
        }
        return Scope(environment: values.first ?? "", attributes: attributes)
    }

    // MARK: Groups

    /// The group of an event, made when there is none yet.
    private mutating func position(
        of event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        maximumGroups: Int
    ) -> Int {
        var values = groupValues(of: event, meaning: classification)
        if let known = positions[values] { return known }
        if positions.count >= maximumGroups { sweep(at: at) }
        if positions.count >= maximumGroups {
            // One a rule and environment, so that the rest of one environment can't trip another.
            // Made-up environments must not take the place of the one that payers are in.
            let isFull =
                positions.count - Self.overflowGroups >= maximumGroups
                && event.environment != PaymentEvent.defaultEnvironment
            let environment = isFull ? Self.overflowValue : event.environment
            values = [environment] + values.dropFirst().map { _ in Self.overflowValue }
            if let known = positions[values] { return known }
        }
        return insert(emptyGroup(values), emptyRates(at: at))
    }

    /// The values that name an event's group: the environment first, then those of `groupBy`.
    private func groupValues(of event: PaymentEvent, meaning classification: Classification) -> [String] {
        var values: [String] = []
        values.reserveCapacity(rule.groupBy.count + 1)
        values.append(event.environment)
        for dimension in rule.groupBy where dimension != .environment {
            values.append(dimension.value(in: event, meaning: classification) ?? "")
        }
        return values
    }

    /// Adds a group that isn't there yet.
    @discardableResult
    mutating func insert(_ group: RuleGroup, _ counts: RateCounts? = nil) -> Int {
        let position: Int
        if let reused = free.popLast() {
            position = reused
            groups[position] = group
            if keepsRates { rates[position] = counts ?? RateCounts(rule: rule) }
        } else {
            position = groups.count
            groups.append(group)
            if keepsRates { rates.append(counts ?? RateCounts(rule: rule)) }
        }
        positions[group.values] = position
        note(group.alert, of: position)
        floors[position] = deadline(of: position)
        return position
    }

    private mutating func expire(_ position: Int, at: Timestamp) {
        // What is dropped here is all that is known of when the count fell, and an alert's hold starts then.
        let isPending = groups[position].alert?.phase == .pending
        let limit = isPending ? rule.warnCount ?? rule.alert.resolveBelow : rule.alert.resolveBelow
        if let fellAt = groups[position].window.expire(at: at, watching: limit),
            let quietFrom = groups[position].alert?.quietFrom, !rule.kind.isOfRates
        {
            groups[position].alert?.quietFrom = max(quietFrom, fellAt)
        }
    }

    private mutating func record(_ event: PaymentEvent, in position: Int, at: Timestamp) {
        expire(position, at: at)
        let key = event.countingKey(for: rule.count, at: at)
        if rule.trip != nil {
            // All that is there came from trusted reporters so far.
            if event.trust == .public, groups[position].trusted == nil {
                groups[position].trusted = groups[position].window
            }
            if event.trust == .trusted { groups[position].trusted?.record(key: key, at: at) }
        }
        groups[position].window.record(
            key: key,
            owner: rule.maximumPerInstall == nil ? nil : event.ownerKey(),
            at: at,
            maximumPerOwner: rule.maximumPerInstall
        )
        groups[position].installs?.record(key: event.installKey(at: at), at: at)
        if keepsRates { recordRates(event, in: position, at: at) }
    }

    private mutating func recordRates(_ event: PaymentEvent, in position: Int, at: Timestamp) {
        if case .noSuccess = rule.kind { return }
        guard rates[position].failures.record(key: event.countingKey(for: .attempts, at: at), at: at) else { return }
        rates[position].ring?.add(1, at: at)
        rates[position].baseline?.add(at: at)
    }

    mutating func setAlert(_ alert: Alert?, of position: Int, at: Timestamp) {
        groups[position].alert = alert
        note(alert, of: position)
        noteDeadline(of: position, at: at)
    }

    private mutating func note(_ alert: Alert?, of position: Int) {
        if alert == nil { open.remove(position) } else { open.insert(position) }
        let hasTripped = alert?.decision.version != nil
        if hasTripped { trippedPositions.insert(position) } else { trippedPositions.remove(position) }
    }

    /// Forgets what the groups have counted, so that a switch that was just restored needs new failures.
    mutating func clearWindows(at: Timestamp, where isCovered: (RuleGroup) -> Bool) {
        for position in positions.values where isCovered(groups[position]) { clear(position, at: at) }
    }

    /// The places of the live groups in the order of their values.
    var orderedPositions: [Int] { positions.values.sorted { isOrdered($0, before: $1) } }

    /// The places of the groups whose alert hasn't ended, in no order.
    var openPositions: Set<Int> { open }

    /// The groups whose alert hasn't ended and that are meant, in the order of their values.
    func orderedOpen(where isMeant: (RuleGroup) -> Bool = { _ in true }) -> [Int] {
        open.filter { isMeant(groups[$0]) }.sorted { isOrdered($0, before: $1) }
    }

    /// The one order of groups that may reach an output.
    func isOrdered(_ position: Int, before other: Int) -> Bool {
        groups[position].values.lexicographicallyPrecedes(groups[other].values)
    }

    /// The place of the group with exactly these values.
    func position(of values: [String]) -> Int? { positions[values] }

    /// The count of a group, up to the threshold.
    func count(of values: [String], at: Timestamp) -> Int {
        positions[values].map { groups[$0].window.count(at: at) } ?? 0
    }

    var groupCount: Int { positions.count }

    /// How many groups have an alert that fires.
    var firingCount: Int { open.count { groups[$0].alert?.phase.isFiring ?? false } }

    /// A group that has counted nothing.
    func emptyGroup(_ values: [String]) -> RuleGroup {
        RuleGroup(
            values: values,
            window: RecencyWindow(capacity: max(rule.threshold, rule.alert.resolveBelow), spanMs: rule.windowMs),
            installs: rule.require.installs.map { RecencyWindow(capacity: max(1, 2 * $0), spanMs: rule.windowMs) }
        )
    }

    private func emptyRates(at: Timestamp) -> RateCounts? {
        guard keepsRates else { return nil }
        var counts = RateCounts(rule: rule)
        if case .unusualRate = rule.kind { counts.baseline = HourlyBaseline(from: at) }
        return counts
    }

    // MARK: Deadlines

    /// The earliest time at which a group changes by itself; nil when none does.
    var nextDeadline: Timestamp? {
        var next: Timestamp?
        for (position, floor) in floors where next.map({ floor < $0 }) ?? true {
            guard let deadline = deadline(of: position) else { continue }
            next = next.map { min($0, deadline) } ?? deadline
        }
        return next
    }

    /// The groups that change by themselves by that time, in no order.
    ///
    /// - Parameter floor: is lowered to a time before which none of the others does.
    mutating func dueGroups(until end: Timestamp, floor: inout Timestamp?) -> [(at: Timestamp, position: Int)] {
        var due: [(at: Timestamp, position: Int)] = []
        for index in floors.indices {
            let position = floors[index].key
            if floors[index].value <= end, let deadline = deadline(of: position) { floors.values[index] = deadline }
            let known = floors[index].value
            if known <= end { due.append((known, position)) } else { floor = floor.map { min($0, known) } ?? known }
        }
        return due
    }

    /// A time before which no group surely changes by itself; nil when none does.
    var deadlineFloor: Timestamp? { floors.values.min() }

    /// A time before which the group surely doesn't change by itself; nil when it never does.
    func deadlineFloor(of position: Int) -> Timestamp? { floors[position] }

    /// Reckons anew when a group changes by itself, from what is known at a moment.
    mutating func noteDeadline(of position: Int, at: Timestamp) {
        if rule.kind.isOfRates { planLook(at: position, after: at) }
        floors[position] = deadline(of: position)
    }

    /// Takes over the rule's new form, which counts alike.
    mutating func adopt(_ rule: Rule, at: Timestamp) {
        self.rule = rule
        for position in open { noteDeadline(of: position, at: at) }
    }

    /// Drops groups that have nothing in their window and no alert. At most once a tenth of a window, so that a
    /// full table doesn't make every event pay for it.
    private mutating func sweep(at: Timestamp) {
        guard at >= nextSweep else { return }
        nextSweep = at.advanced(byMs: max(1, rule.windowMs / 10))
        for (values, position) in positions.filter({ isForgettable($0.value, at: at) }) {
            positions[values] = nil
            groups[position] = emptyGroup([])
            if keepsRates { rates[position] = RateCounts(rule: rule) }
            floors[position] = nil
            free.append(position)
        }
    }

    private func isForgettable(_ position: Int, at: Timestamp) -> Bool {
        let group = groups[position]
        guard group.alert == nil, !group.hasFired, group.lastEnd?.isPast(at: at) ?? true, group.window.isEmpty(at: at)
        else { return false }
        guard keepsRates else { return true }
        return rates[position].isForgettable(at: at)
    }
}
