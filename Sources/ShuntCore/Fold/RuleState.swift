internal import ShuntSchema

/// What one rule has counted, group by group.
struct RuleState: Sendable {
    /// Stands for all groups beyond the limit: no attribute's value can be equal to it.
    static let overflowValue = "_other"

    /// How many environments get an overflow group of their own.
    static let overflowGroups = 64

    var rule: Rule
    private(set) var groups: [RuleGroup] = []
    /// The groups whose alert hasn't ended.
    private var open: Set<Int> = []
    /// For each alert that ends by itself, a time before which it surely doesn't: new failures only move its end
    /// further away, so it is reckoned anew when that time has come, not with every failure.
    private var floors: [Int: Timestamp] = [:]
    private var positions: [[String]: Int] = [:]
    private var free: [Int] = []
    var nextSweep = Timestamp(milliseconds: .min)

    init(rule: Rule) {
        self.rule = rule
    }

    /// Counts an event if it counts for the rule, and names its group if that holds at least the threshold then and
    /// something may follow from it.
    mutating func count(
        _ event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        maximumGroups: Int,
        switches: SwitchBank
    ) -> Int? {
        if rule.isEnded(by: event, meaning: classification, at: at) {
            startAnew(after: event, meaning: classification, at: at)
        }
        guard rule.verdict(on: event, meaning: classification, at: at) == .counted else { return nil }
        let position = position(of: event, meaning: classification, at: at, maximumGroups: maximumGroups)
        record(event, in: position, at: at)
        guard groups[position].window.reaches(rule.threshold, at: at) else { return nil }
        if groups[position].hasFired, groups[position].alert == nil { return nil }
        // Without a switch to hold back, a requirement holds back the alert.
        if rule.trip == nil, groups[position].alert == nil, missingRequirement(in: position, at: at) != nil {
            return nil
        }
        return isSettled(event, meaning: classification, in: position, switches: switches) ? nil : position
    }

    /// A success of a group: what failed before it is no run any more.
    private mutating func startAnew(after event: PaymentEvent, meaning classification: Classification, at: Timestamp) {
        let values = groupValues(of: event, meaning: classification)
        guard let position = positions[values] else { return }
        clear(position, at: at)
    }

    private mutating func clear(_ position: Int, at: Timestamp) {
        groups[position].window.clear()
        groups[position].installs?.clear()
        guard var alert = groups[position].alert else { return }
        alert.quietFrom = at
        setAlert(alert, of: position)
    }

    /// Notes that a group fired, where a rule fires once for each.
    mutating func noteFired(_ position: Int) {
        if rule.kind == .newCode { groups[position].hasFired = true }
    }

    /// The first of the rule's requirements that the group doesn't meet.
    func missingRequirement(in position: Int, at: Timestamp) -> SwitchHold? {
        if let installs = rule.require.installs, let window = groups[position].installs,
            !window.reaches(installs, at: at)
        {
            return .tooFewInstalls
        }
        return nil
    }

    /// Whether one more failure above the threshold changes nothing. In an outage that is so for all but a few, and
    /// seeing it here spares each of them a copy of the rule and of the alert.
    private func isSettled(
        _ event: PaymentEvent,
        meaning classification: Classification,
        in position: Int,
        switches: SwitchBank
    ) -> Bool {
        switch groups[position].alert?.phase {
        case nil, .inactive: return false
        case .firing: return rule.trip == nil
        case .mitigated:
            guard let key = rule.trip?.switchKey,
                let last = switches.degradedVersion(
                    of: key,
                    in: scope(of: event, meaning: classification, in: position)
                )
            else { return false }
            switch groups[position].alert?.decision {
            case .tripped(let version): return last <= version
            case .held(let hold): return hold == .alreadyDegraded
            case .noSwitch, nil: return false
            }
        }
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
        return insert(emptyGroup(values))
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

    @discardableResult
    mutating func insert(_ group: RuleGroup) -> Int {
        let position: Int
        if let reused = free.popLast() {
            position = reused
            groups[position] = group
        } else {
            position = groups.count
            groups.append(group)
        }
        positions[group.values] = position
        if group.alert != nil { setAlert(group.alert, of: position) }
        return position
    }

    private mutating func record(_ event: PaymentEvent, in position: Int, at: Timestamp) {
        // What is dropped here is all that is known of when the count fell, and an alert's hold starts then.
        if let fellAt = groups[position].window.expire(at: at, watching: rule.alert.resolveBelow),
            let quietFrom = groups[position].alert?.quietFrom
        {
            groups[position].alert?.quietFrom = max(quietFrom, fellAt)
        }
        groups[position].window.record(
            key: event.countingKey(for: rule.count, at: at),
            owner: rule.maximumPerInstall == nil ? nil : event.ownerKey(),
            at: at,
            maximumPerOwner: rule.maximumPerInstall
        )
        groups[position].installs?.record(key: event.installKey(at: at), at: at)
    }

    mutating func setAlert(_ alert: Alert?, of position: Int) {
        groups[position].alert = alert
        if alert == nil { open.remove(position) } else { open.insert(position) }
        floors[position] = deadline(of: position)
    }

    /// Forgets what the groups have counted, so that a switch that was just restored needs new failures.
    mutating func clearWindows(at: Timestamp, where isCovered: (RuleGroup) -> Bool) {
        for position in positions.values where isCovered(groups[position]) { clear(position, at: at) }
    }

    /// The live groups in the order of their values.
    var orderedGroups: [RuleGroup] {
        positions.values.sorted { isOrdered($0, before: $1) }.map { groups[$0] }
    }

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

    /// A group that has counted nothing.
    func emptyGroup(_ values: [String]) -> RuleGroup {
        RuleGroup(
            values: values,
            window: RecencyWindow(capacity: max(rule.threshold, rule.alert.resolveBelow), spanMs: rule.windowMs),
            installs: rule.require.installs.map { RecencyWindow(capacity: max(1, $0), spanMs: rule.windowMs) }
        )
    }

    /// When a firing alert ends if nothing more happens: the count has been below R = `resolveBelow` for `holdFor`.
    ///
    /// It falls below R when the R-th most recent leaves the window, so this is exact and needs no ticking. Where the
    /// last record found fewer than R in the window, it had fallen before, and `quietFrom` knows when.
    func deadline(of position: Int) -> Timestamp? {
        guard let alert = groups[position].alert, alert.phase == .firing else { return nil }
        var low = alert.quietFrom
        if let last = groups[position].window.mostRecent(rule.alert.resolveBelow) {
            low = max(low, last.advanced(byMs: rule.windowMs))
        }
        return low.advanced(byMs: rule.alert.holdForMs)
    }

    /// The earliest end of an alert; nil when none ends by itself.
    var nextDeadline: Timestamp? {
        var next: Timestamp?
        for (position, floor) in floors where next.map({ floor < $0 }) ?? true {
            guard let deadline = deadline(of: position) else { continue }
            next = next.map { min($0, deadline) } ?? deadline
        }
        return next
    }

    /// The alerts that end by that time, in no order.
    ///
    /// - Parameter floor: is lowered to a time before which none of the others ends.
    mutating func dueAlerts(until end: Timestamp, floor: inout Timestamp?) -> [(at: Timestamp, position: Int)] {
        var due: [(at: Timestamp, position: Int)] = []
        for index in floors.indices {
            let position = floors[index].key
            if floors[index].value <= end, let deadline = deadline(of: position) { floors.values[index] = deadline }
            let known = floors[index].value
            if known <= end { due.append((known, position)) } else { floor = floor.map { min($0, known) } ?? known }
        }
        return due
    }

    /// A time before which no alert surely ends; nil when none ends by itself.
    var deadlineFloor: Timestamp? { floors.values.min() }

    /// A time before which the group's alert surely doesn't end; nil when it doesn't end by itself.
    func deadlineFloor(of position: Int) -> Timestamp? { floors[position] }

    /// Takes over the rule's new form, which counts alike.
    mutating func adopt(_ rule: Rule) {
        self.rule = rule
        for position in open { floors[position] = deadline(of: position) }
    }

    /// Drops groups that have nothing in their window and no alert. At most once a tenth of a window, so that a
    /// full table doesn't make every event pay for it.
    private mutating func sweep(at: Timestamp) {
        guard at >= nextSweep else { return }
        nextSweep = at.advanced(byMs: max(1, rule.windowMs / 10))
        let quiet = positions.filter { _, position in
            let group = groups[position]
            return group.alert == nil && !group.hasFired && group.window.isEmpty(at: at)
        }
        for (values, position) in quiet {
            positions[values] = nil
            groups[position] = emptyGroup([])
            free.append(position)
        }
    }
}

/// One group of a rule: the values that define it, what was counted, and its alert.
struct RuleGroup: Sendable {
    var values: [String]
    /// What the rule counts.
    var window: RecencyWindow
    /// Distinct installs, where the rule requires some.
    var installs: RecencyWindow?
    /// Whether it fired before, where a rule fires once for each group.
    var hasFired = false
    var alert: Alert?
}
