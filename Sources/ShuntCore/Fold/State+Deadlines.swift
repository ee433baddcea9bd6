public import ShuntSchema

extension State {
    /// Whether something is due at that time, so that a tick then is worth an entry.
    ///
    /// Sharpens `deadlineFloor` on the way, which is no part of what the state says.
    public mutating func isDue(at: Timestamp) -> Bool {
        !findDue(until: at).isEmpty
    }

    /// When something will be due even if nothing more comes in; nil when nothing will.
    public var nextDeadline: Timestamp? {
        let rules = rules.lazy.compactMap(\.nextDeadline).min()
        let attempts = ledger.nextDeadline(ruleSet.payments)
        return [rules, switches.nextDeadline, alertBook.nextEnd, attempts].compactMap(\.self).min()
    }

    /// Something whose time has come.
    struct Due {
        var at: Timestamp
        var duty: Duty
    }

    /// What there is to do.
    enum Duty {
        /// A rule's group: its alert may fire, end or be told of again, or its condition is to be judged anew.
        case group(rule: Int, position: Int)
        /// A silence ends.
        case silences
        /// An attempt has been waited for in vain.
        case attempts
        /// A switch does something of its own accord.
        case machine(DueSwitch)
    }

    /// Everything that is due by that time, earliest first; ties in the order of rules and groups, then silences,
    /// attempts and switches. Of the switches only the next one, since what it does may change what the others wait for.
    ///
    /// Sharpens the floors on the way. What is done about one of them may change the others: each is looked at again
    /// when its turn comes.
    mutating func findDue(until end: Timestamp) -> [Due] {
        guard let deadlineFloor, deadlineFloor <= end else { return [] }
        var due: [(at: Timestamp, rule: Int, position: Int)] = []
        var floor: Timestamp?
        for number in rules.indices {
            due += rules[number].dueGroups(until: end, floor: &floor).map { ($0.at, number, $0.position) }
        }
        due.sort { left, right in
            guard (left.at, left.rule) == (right.at, right.rule) else {
                return (left.at, left.rule) < (right.at, right.rule)
            }
            return rules[left.rule].isOrdered(left.position, before: right.position)
        }
        var all = due.map { Due(at: $0.at, duty: .group(rule: $0.rule, position: $0.position)) }
        func place(_ duty: Duty, at: Timestamp) {
            floor = floor.map { min($0, at) } ?? at
            guard at <= end else { return }
            all.insert(Due(at: at, duty: duty), at: all.firstIndex { $0.at > at } ?? all.endIndex)
        }
        if let end = alertBook.nextEnd { place(.silences, at: end) }
        if let end = ledger.nextDeadline(ruleSet.payments) { place(.attempts, at: end) }
        if let next = switches.nextDue { place(.machine(next), at: next.timer.at) }
        self.deadlineFloor = all.first?.at ?? floor
        return all
    }

    /// Does what is due by a time, each thing at its own time and in order.
    mutating func perform(_ due: [Due], until end: Timestamp, effects: inout EffectList) {
        var due = due
        while let moment = due.first?.at {
            for next in due.prefix(while: { $0.at == moment }) {
                switch next.duty {
                case .group(let rule, let position):
                    attend(rule: rule, position: position, at: moment, until: end, effects: &effects)
                case .silences: endSilences(at: moment)
                case .attempts: endWaits(until: end, effects: &effects)
                case .machine(let due): handle(due, effects: &effects)
                }
                settleAlertHiding(at: moment, effects: &effects)
            }
            deadlineFloor = floorOfDeadlines
            due = findDue(until: end)
        }
    }

    /// A time before which nothing is surely due.
    private var floorOfDeadlines: Timestamp? {
        let attempts = ledger.nextDeadline(ruleSet.payments)
        return [floorOfOtherDeadlines, attempts].compactMap(\.self).min()
    }

    /// The same, but for attempts that are waited for.
    var floorOfOtherDeadlines: Timestamp? {
        let rules = rules.lazy.compactMap(\.deadlineFloor).min()
        return [rules, switches.nextDeadline, alertBook.nextEnd].compactMap(\.self).min()
    }

    /// A group's time has come.
    ///
    /// - Parameter end: the time of the entry; later than `at` where nobody looked in time.
    mutating func attend(
        rule number: Int,
        position: Int,
        at: Timestamp,
        until end: Timestamp,
        effects: inout EffectList
    ) {
        // What was done a moment ago may have put it off.
        guard let deadline = rules[number].deadline(of: position), deadline <= at else { return }
        if let deadline = rules[number].conditionDeadline(of: position), deadline <= at {
            if rules[number].rule.kind.isOfRates {
                judge(rule: number, position: position, at: at, effects: &effects)
            } else if rules[number].groups[position].alert?.phase == .pending {
                judgePending(rule: number, position: position, at: at, effects: &effects)
            } else {
                change(rule: number, position: position, input: .subsided, at: at, effects: &effects)
            }
        }
        // After that: nobody is reminded of what ends in the same moment.
        remind(rule: number, position: position, at: at, until: end, effects: &effects)
    }

    /// Looks at a condition on rates though nothing came in.
    mutating func judge(rule number: Int, position: Int, at: Timestamp, effects: inout EffectList) {
        if rules[number].rule.kind.isOfDoubts { readDoubts(rule: number, position: position, at: at) }
        if rules[number].look(at: position, at: at, traffic: traffic) {
            let scope = rules[number].scope(of: position)
            guard !rules[number].groups[position].isOverflow,
                rules[number].mayCross(position, scope: scope, at: at, switches: switches, traffic: traffic)
                    || rules[number].groups[position].alert?.phase == .pending
            else { return }
            cross(rule: number, position: position, scope: scope, at: at, effects: &effects)
        } else if rules[number].isOver(position, at: at) {
            change(rule: number, position: position, input: .subsided, at: at, effects: &effects)
        }
    }

    mutating func lowerFloor(to floor: Timestamp?) {
        guard let floor else { return }
        deadlineFloor = deadlineFloor.map { min($0, floor) } ?? floor
    }
}
