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
    var open: Set<Int> = []
    /// Those of them whose alert tripped a switch: few, since scopes are.
    private(set) var trippedPositions: Set<Int> = []
    /// The groups that change by themselves. A time before which each surely doesn't is its floor: new failures only move
    /// an alert's end further away, so it is reckoned anew when that time has come, not with every failure.
    var timed: Set<Int> = []
    var index = KeyIndex()
    var free: [Int] = []
    /// The number of the list of attributes that tell its groups apart.
    var grouping = 0
    /// Where among a group's values those stand that payers have.
    private(set) var payerPlaces: [Int]
    var nextSweep = Timestamp(milliseconds: .min)

    /// Since when the rule counts.
    let startedAt: Timestamp

    init(rule: Rule, startedAt: Timestamp) {
        self.rule = rule
        self.startedAt = startedAt
        payerPlaces = Self.payerPlaces(of: rule)
    }

    private static func payerPlaces(of rule: Rule) -> [Int] {
        let dimensions = rule.groupDimensions
        return dimensions.indices.filter { dimensions[$0].isOfPayers }
    }

    /// Whether groups keep what rates need.
    var keepsRates: Bool { rule.kind.isOfRates || rule.require.share != nil }

    /// What became of an event.
    struct Counted {
        /// The group that it was counted in, if it was and the rule's condition may hold there now.
        var position: Int?
        /// The group that it was counted in, if the count is below the threshold and may be worth a warning.
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
        identities: EventIdentities,
        groupings: inout Groupings,
        at: Timestamp,
        maximumGroups: Int
    ) -> Counted {
        var counted = Counted()
        if rule.isEnded(by: event, meaning: classification, at: at) {
            counted.floor = startAnew(after: event, meaning: classification, groupings: &groupings, at: at)
        }
        let verdict = rule.verdict(on: event, meaning: classification, at: at, otherRoute: otherRoute)
        guard verdict == .counted else { return counted }
        let known = find(event, meaning: classification, groupings: &groupings)
        let position =
            known ?? makeGroup(for: event, meaning: classification, groupings, at: at, maximumGroups: maximumGroups)
        record(event, identities, in: position, at: at)
        counted.isOverflow = groups[position].isOverflow
        if rule.kind.isOfRates || groups[position].window.reaches(rule.threshold, at: at) {
            counted.position = position
        } else if rule.warnCount != nil {
            counted.warned = position
        }
        return counted
    }

    /// Whether the rule's condition holds in a group that an event was counted in, and something may follow from it.
    mutating func judge(
        _ position: Int,
        after event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        switches: SwitchBank,
        traffic: Traffic
    ) -> Bool {
        if rule.kind.isOfRates {
            guard look(at: position, at: at, traffic: traffic) else { return false }
        } else if rule.kind == .consecutive {
            guard isReporting(position, at: at, traffic: traffic) else { return false }
        }
        let scope = scope(of: event, meaning: classification, in: position)
        return mayCross(position, scope: scope, at: at, switches: switches, traffic: traffic)
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

    /// Counts that an event found another rule's groups full.
    mutating func countOverflow(_ environment: String, at: Timestamp, switches: SwitchBank, traffic: Traffic) -> Int? {
        let position = position(of: [environment]) ?? insert(emptyGroup([environment]))
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
        groupings: inout Groupings,
        at: Timestamp
    ) -> Timestamp? {
        guard let position = find(event, meaning: classification, groupings: &groupings) else { return nil }
        clear(position, at: at)
        return groups[position].floor
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

    private mutating func record(
        _ event: PaymentEvent,
        _ identities: EventIdentities,
        in position: Int,
        at: Timestamp
    ) {
        expire(position, at: at)
        let key = identities.key(for: rule.count)
        if rule.trip != nil {
            // All that is there came from trusted reporters so far.
            if event.trust == .public, groups[position].trusted == nil {
                groups[position].trusted = groups[position].window
            }
            if event.trust == .trusted { groups[position].trusted?.record(key: key, at: at) }
        }
        groups[position].window.record(
            key: key,
            owner: rule.maximumPerInstall == nil ? nil : identities.install,
            at: at,
            maximumPerOwner: rule.maximumPerInstall
        )
        groups[position].installs?.record(key: identities.owner, at: at)
        if keepsRates { recordRates(identities, in: position, at: at) }
    }

    private mutating func recordRates(_ identities: EventIdentities, in position: Int, at: Timestamp) {
        if case .noSuccess = rule.kind { return }
        guard rates[position].failures.record(key: identities.attempt, at: at) else { return }
        rates[position].ring?.add(1, at: at)
        rates[position].baseline?.add(at: at)
    }

    mutating func setAlert(_ alert: Alert?, of position: Int, at: Timestamp) {
        groups[position].alert = alert
        note(alert, of: position)
        noteDeadline(of: position, at: at)
    }

    mutating func note(_ alert: Alert?, of position: Int) {
        if alert == nil { open.remove(position) } else { open.insert(position) }
        let hasTripped = alert?.decision.version != nil
        if hasTripped { trippedPositions.insert(position) } else { trippedPositions.remove(position) }
    }

    /// Forgets what the groups have counted, so that a switch that was just restored needs new failures.
    mutating func clearWindows(at: Timestamp, where isCovered: (RuleGroup) -> Bool) {
        for position in groups.indices where !groups[position].values.isEmpty && isCovered(groups[position]) {
            clear(position, at: at)
        }
    }

    /// The places of the live groups in the order of their values.
    var orderedPositions: [Int] {
        groups.indices.filter { !groups[$0].values.isEmpty }.sorted { isOrdered($0, before: $1) }
    }

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

    /// The count of a group, up to the threshold.
    func count(of values: [String], at: Timestamp) -> Int {
        position(of: values).map { groups[$0].window.count(at: at) } ?? 0
    }

    var groupCount: Int { index.count }

    /// How many groups have an alert that fires.
    var firingCount: Int { open.count { groups[$0].alert?.phase.isFiring ?? false } }

    // MARK: Deadlines

    /// The earliest time at which a group changes by itself; nil when none does.
    var nextDeadline: Timestamp? {
        var next: Timestamp?
        for position in timed {
            guard let floor = groups[position].floor, next.map({ floor < $0 }) ?? true,
                let deadline = deadline(of: position)
            else { continue }
            next = next.map { min($0, deadline) } ?? deadline
        }
        return next
    }

    /// The groups that change by themselves by that time, in no order.
    ///
    /// - Parameter floor: is lowered to a time before which none of the others does.
    mutating func dueGroups(until end: Timestamp, floor: inout Timestamp?) -> [(at: Timestamp, position: Int)] {
        var due: [(at: Timestamp, position: Int)] = []
        for position in timed {
            guard var known = groups[position].floor else { continue }
            if known <= end, let deadline = deadline(of: position) {
                groups[position].floor = deadline
                known = deadline
            }
            if known <= end { due.append((known, position)) } else { floor = floor.map { min($0, known) } ?? known }
        }
        return due
    }

    /// A time before which no group surely changes by itself; nil when none does.
    var deadlineFloor: Timestamp? { timed.lazy.compactMap { groups[$0].floor }.min() }

    /// A time before which the group surely doesn't change by itself; nil when it never does.
    func deadlineFloor(of position: Int) -> Timestamp? { groups[position].floor }

    /// Reckons anew when a group changes by itself, from what is known at a moment.
    mutating func noteDeadline(of position: Int, at: Timestamp) {
        if rule.kind.isOfRates { planLook(at: position, after: at) }
        setFloor(of: position)
    }

    mutating func setFloor(of position: Int) {
        let floor = deadline(of: position)
        if (floor != nil) != (groups[position].floor != nil) {
            if floor != nil { timed.insert(position) } else { timed.remove(position) }
        }
        groups[position].floor = floor
    }

    /// Takes over the rule's new form, which counts alike.
    mutating func adopt(_ rule: Rule, at: Timestamp) {
        self.rule = rule
        payerPlaces = Self.payerPlaces(of: rule)
        for position in open { noteDeadline(of: position, at: at) }
    }

}
