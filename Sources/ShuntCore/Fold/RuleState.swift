internal import ShuntSchema

/// What one rule has counted, group by group.
struct RuleState: Sendable {
    /// Stands for all groups beyond the limit: no attribute's value can be equal to it.
    static let overflowValue = "_other"

    /// How many environments get an overflow group of their own.
    static let overflowGroups = 64

    var rule: Rule
    private(set) var groups: [RuleGroup] = []
    private(set) var firing: [Int] = []
    private var positions: [[String]: Int] = [:]
    private var free: [Int] = []
    var nextSweep = Timestamp(milliseconds: .min)

    init(rule: Rule) {
        self.rule = rule
    }

    /// The group of an event, made when there is none yet.
    mutating func position(of event: PaymentEvent, at: Timestamp, maximumGroups: Int) -> Int {
        var values: [String] = []
        let dimensions = rule.groupBy
        values.reserveCapacity(dimensions.count + 1)
        values.append(event.environment)
        for dimension in dimensions where dimension != .environment {
            values.append(dimension.value(in: event) ?? "")
        }
        if let known = positions[values] { return known }
        if positions.count >= maximumGroups { sweep(at: at) }
        if positions.count >= maximumGroups {
            // One a rule and environment, so that the rest of one environment can't trip another.
            let isFull = positions.count >= maximumGroups + Self.overflowGroups
            let environment = isFull ? Self.overflowValue : event.environment
            values = [environment] + values.dropFirst().map { _ in Self.overflowValue }
            if let known = positions[values] { return known }
        }
        return insert(RuleGroup(values: values, window: emptyWindow))
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
        if group.alert != nil { firing.append(position) }
        return position
    }

    mutating func record(_ key: UInt64?, in position: Int, at: Timestamp) {
        // What is dropped here is all that is known of when the count fell, and an alert's hold starts then.
        if let fellAt = groups[position].window.expire(at: at, watching: rule.alert.resolveBelow),
            let quietFrom = groups[position].alert?.quietFrom
        {
            groups[position].alert?.quietFrom = max(quietFrom, fellAt)
        }
        groups[position].window.record(key: key, at: at)
    }

    mutating func setAlert(_ alert: Alert?, of position: Int) {
        let had = groups[position].alert != nil
        groups[position].alert = alert
        switch (had, alert != nil) {
        case (false, true): firing.append(position)
        case (true, false): firing.removeAll { $0 == position }
        default: break
        }
    }

    /// Forgets what was counted in the environment, so that a switch that was just restored needs new failures.
    mutating func clearWindows(where isCovered: (RuleGroup) -> Bool) {
        for position in positions.values where isCovered(groups[position]) {
            groups[position].window.clear()
        }
    }

    /// The live groups in the order of their values: the one order that may reach an output.
    var orderedGroups: [RuleGroup] {
        positions.values.map { groups[$0] }.sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }

    /// The firing groups in the order of their values.
    var orderedFiring: [Int] {
        firing.sorted { groups[$0].values.lexicographicallyPrecedes(groups[$1].values) }
    }

    var groupCount: Int { positions.count }

    var emptyWindow: RecencyWindow {
        RecencyWindow(capacity: max(rule.threshold, rule.alert.resolveBelow), spanMs: rule.windowMs)
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

    /// Drops groups that have nothing in their window and no alert. At most once a tenth of a window, so that a
    /// full table doesn't make every event pay for it.
    private mutating func sweep(at: Timestamp) {
        guard at >= nextSweep else { return }
        nextSweep = at.advanced(byMs: max(1, rule.windowMs / 10))
        let quiet = positions.filter { groups[$0.value].alert == nil && groups[$0.value].window.isEmpty(at: at) }
        for (values, position) in quiet {
            positions[values] = nil
            groups[position] = RuleGroup(values: [], window: emptyWindow)
            free.append(position)
        }
    }
}

/// One group of a rule: the values that define it, what was counted, and its alert.
struct RuleGroup: Sendable {
    var values: [String]
    var window: RecencyWindow
    var alert: Alert?
}
