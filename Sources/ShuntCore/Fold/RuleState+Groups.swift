internal import ShuntSchema

// MARK: - Groups

extension RuleState {
    /// The group of an event; nil while there is none.
    func find(
        _ event: PaymentEvent,
        meaning classification: Classification,
        groupings: inout Groupings
    ) -> Int? {
        guard let hash = groupings.hash(grouping, of: event, meaning: classification) else { return nil }
        return index.find(hash) { groupings.are(groups[$0].values, grouping, of: event, meaning: classification) }
    }

    /// A group for an event that has none yet.
    mutating func makeGroup(
        for event: PaymentEvent,
        meaning classification: Classification,
        _ groupings: Groupings,
        at: Timestamp,
        maximumGroups: Int
    ) -> Int {
        var values = groupings.values(grouping, of: event, meaning: classification)
        if groupCount >= maximumGroups { sweep(at: at) }
        if groupCount >= maximumGroups {
            // One a rule and environment, so that the rest of one environment can't trip another.
            // Made-up environments must not take the place of the one that payers are in.
            let isFull =
                groupCount - Self.overflowGroups >= maximumGroups
                && event.environment != PaymentEvent.defaultEnvironment
            let environment = isFull ? Self.overflowValue : event.environment
            values = [environment] + values.dropFirst().map { _ in Self.overflowValue }
            if let known = position(of: values) { return known }
        }
        return insert(emptyGroup(values), emptyRates(at: at))
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
        index.insert(position, hash: SliceHash(group.values).value)
        groups[position].payersHash = SliceHash(payerPlaces.lazy.map { group.values[$0] }).value
        note(group.alert, of: position)
        setFloor(of: position)
        return position
    }

    /// The place of the group with exactly these values.
    func position(of values: [String]) -> Int? {
        index.find(SliceHash(values).value) { groups[$0].values == values }
    }

    /// Whether these are a group's values that payers have.
    func arePayers(_ values: [String], of position: Int) -> Bool {
        for (number, place) in payerPlaces.enumerated() where groups[position].values[place] != values[number] {
            return false
        }
        return true
    }

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

    /// Drops groups that have nothing in their window and no alert. At most once a tenth of a window, so that a
    /// full table doesn't make every event pay for it.
    private mutating func sweep(at: Timestamp) {
        guard at >= nextSweep else { return }
        nextSweep = at.advanced(byMs: max(1, rule.windowMs / 10))
        for position in groups.indices where isForgettable(position, at: at) {
            index.remove(position, hash: SliceHash(groups[position].values).value)
            timed.remove(position)
            groups[position] = emptyGroup([])
            if keepsRates { rates[position] = RateCounts(rule: rule) }
            free.append(position)
        }
    }

    private func isForgettable(_ position: Int, at: Timestamp) -> Bool {
        let group = groups[position]
        guard !group.values.isEmpty, group.alert == nil, !group.hasFired, group.lastEnd?.isPast(at: at) ?? true,
            group.window.isEmpty(at: at)
        else { return false }
        guard keepsRates else { return true }
        return rates[position].isForgettable(at: at)
    }
}
