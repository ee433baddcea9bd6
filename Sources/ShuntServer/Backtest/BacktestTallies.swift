internal import ShuntCore
internal import ShuntSchema

/// Counts the payments of each open alert's slice: how many were seen, how many failed, and what those were worth.
///
/// Alerts of one slice share what is remembered of its attempts, so that a hundred codes that fail side by side cost
/// a success no more than one does.
struct BacktestTallies {
    /// The payers of a rule's groups that differ only in what failed.
    fileprivate struct Slice {
        /// The last event of each attempt while any alert of the slice was open.
        var lastSeen: [UInt64: UInt64] = [:]
        /// Distinct attempts of that time.
        var attempts = 0
        /// The groups whose alert is open, in the order in which they fired.
        var groups: [[String]] = []
    }

    fileprivate struct Tally {
        let openedAt: UInt64
        let attemptsBefore: Int
        /// Attempts that were seen before the alert and again while it lasted.
        var again = 0
        /// The failed attempts, and whether their amount is known.
        var failed: [UInt64: Bool] = [:]
        var failedCount = 0
        var amounts: [String: Int128] = [:]
    }

    fileprivate struct RuleTallies {
        let rule: Rule
        /// The route that the rule's switch moves payers to.
        let otherRoute: String?
        let groupDimensions: [Dimension]
        let payerDimensions: [Dimension]
        /// Where the slice of some payers stands among `slices`.
        var places: [[String]: Int] = [:]
        var slices: [Slice] = []
        /// Those whose last alert ended, to be used anew.
        var free: [Int] = []
        var tallies: [[String]: Tally] = [:]
    }

    private var rules: [RuleTallies]
    private var eventNumber: UInt64 = 0

    init(_ ruleSet: RuleSet) {
        rules = ruleSet.rules.map { rule in
            RuleTallies(
                rule: rule,
                otherRoute: ruleSet.otherRoute(of: rule),
                groupDimensions: rule.groupDimensions,
                payerDimensions: rule.payerDimensions
            )
        }
    }

    /// Begins to count for an alert; the event that fired it is noted next.
    mutating func open(_ alert: Alert) {
        guard let number = rules.firstIndex(where: { $0.rule.id == alert.rule }) else { return }
        rules[number].open(alert.group, after: eventNumber)
    }

    /// Ends the count for an alert; nil when there was none.
    mutating func close(_ alert: Alert) -> BacktestPayments? {
        guard let number = rules.firstIndex(where: { $0.rule.id == alert.rule }) else { return nil }
        return rules[number].close(alert.group)
    }

    mutating func note(_ event: PaymentEvent, meaning classification: Classification, at: Timestamp) {
        eventNumber += 1
        for number in rules.indices where !rules[number].tallies.isEmpty {
            rules[number].note(event, meaning: classification, at: at, number: eventNumber)
        }
    }
}

extension BacktestTallies.RuleTallies {
    fileprivate mutating func open(_ group: [ScopeAttribute], after number: UInt64) {
        let values = group.map(\.value)
        let slice = sliceValues(of: group)
        tallies[values] = BacktestTallies.Tally(
            openedAt: number + 1,
            attemptsBefore: places[slice].map { slices[$0].attempts } ?? 0
        )
        slices[place(of: slice)].groups.append(values)
    }

    private mutating func place(of slice: [String]) -> Int {
        if let known = places[slice] { return known }
        let place = free.popLast() ?? slices.count
        if place == slices.count { slices.append(BacktestTallies.Slice()) }
        places[slice] = place
        return place
    }

    fileprivate mutating func close(_ group: [ScopeAttribute]) -> BacktestPayments? {
        let values = group.map(\.value)
        let slice = sliceValues(of: group)
        guard let tally = tallies.removeValue(forKey: values), let place = places[slice] else { return nil }
        let attempts = slices[place].attempts
        slices[place].groups.removeAll { $0 == values }
        if slices[place].groups.isEmpty {
            slices[place] = BacktestTallies.Slice()
            places[slice] = nil
            free.append(place)
        }
        let payments = BacktestPayments(
            failed: tally.failedCount,
            seen: attempts - tally.attemptsBefore + tally.again,
            amounts: tally.amounts.map { BacktestAmount(currency: $0.key, minor: $0.value) }
                .sorted { $0.currency < $1.currency }
        )
        // What is counted together beyond the limit of groups can't be told apart here, and a rule that watches
        // Shunt itself is of none; nor is one of what is in doubt.
        if rule.kind == .watchdog || rule.kind == .keyLimit || rule.kind.isOfDoubts { return nil }
        return values.dropFirst().contains(Rule.overflowValue) ? nil : payments
    }

    private func sliceValues(of group: [ScopeAttribute]) -> [String] {
        zip(groupDimensions, group).filter { $0.0.isOfPayers }.map(\.1.value)
    }

    fileprivate mutating func note(
        _ event: PaymentEvent,
        meaning classification: Classification,
        at: Timestamp,
        number: UInt64
    ) {
        guard rule.concernsPayer(of: event, meaning: classification, at: at, otherRoute: otherRoute) else { return }
        var values: [String] = []
        for dimension in payerDimensions {
            guard let value = dimension.value(in: event, meaning: classification) else { return }
            values.append(value)
        }
        guard let place = places[values] else { return }
        // One that stands for many is many attempts, none of which has a name.
        let attempt = event.counts == nil ? event.identity(among: .attempts, at: at) : nil
        see(attempt, times: event.counts?.count ?? 1, in: place, number: number)
        // A rule that misses successes counts every attempt.
        if case .noSuccess = rule.kind, event.outcome == .succeeded || event.outcome == .attempted { return }
        let verdict = rule.verdict(on: event, meaning: classification, at: at, otherRoute: otherRoute)
        guard verdict == .counted else { return }
        let group = groupDimensions.map { $0.value(in: event, meaning: classification) ?? "" }
        tallies[group]?.fail(attempt, amount: event.amount)
    }

    private mutating func see(_ attempt: UInt64?, times: Int64, in place: Int, number: UInt64) {
        guard let attempt else {
            let sum = slices[place].attempts.addingReportingOverflow(Int(clamping: times))
            slices[place].attempts = sum.overflow ? Int.max : sum.partialValue
            return
        }
        guard let previous = slices[place].lastSeen.updateValue(number, forKey: attempt) else {
            slices[place].attempts += 1
            return
        }
        for group in slices[place].groups.reversed() {
            guard let openedAt = tallies[group]?.openedAt, openedAt > previous else { return }
            tallies[group]?.again += 1
        }
    }
}

extension BacktestTallies.Tally {
    fileprivate mutating func fail(_ attempt: UInt64?, amount: Amount?) {
        let isCounted = attempt.flatMap { failed[$0] }
        if isCounted == nil { failedCount += 1 }
        if let attempt { failed[attempt] = (isCounted ?? false) || amount != nil }
        // An attempt that fails twice would be paid once.
        guard let amount, isCounted != true else { return }
        amounts[amount.currency, default: 0] += Int128(amount.minor)
    }
}
