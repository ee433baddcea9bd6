internal import ShuntSchema

// MARK: - Attempts

extension State {
    /// Notes what an event tells of its attempt's money.
    mutating func noteMoney(
        _ event: PaymentEvent,
        meaning classification: Classification,
        effects: inout EffectList
    ) {
        let found = ledger.observe(event, meaning: classification, seq: effects.seq, at: at)
        lowerFloor(to: ledger.nextDeadline(ruleSet.payments))
        for finding in found { count(finding, like: event, at: at, effects: &effects) }
        judgeDoubts(at: at, effects: &effects)
    }

    /// A person says how an attempt ended.
    mutating func obey(_ command: SettleCommand, effects: inout EffectList) {
        lastSettleRefusal = ledger.settle(command, seq: effects.seq, at: at)
        judgeDoubts(at: at, effects: &effects)
    }

    /// Nobody said how attempts ended for as long as they are waited for.
    ///
    /// Ends one after the other until something else is due, so that many that end at different moments needn't have
    /// everything looked through for each.
    mutating func endWaits(until end: Timestamp, effects: inout EffectList) {
        deadlineFloor = floorOfOtherDeadlines
        let first = ledger.nextDeadline(ruleSet.payments)
        while let next = ledger.nextDeadline(ruleSet.payments), next <= end,
            next == first || deadlineFloor.map({ next < $0 }) ?? true
        {
            guard let ended = ledger.endWait(until: end, ruleSet.payments) else { return }
            if let finding = ended.found {
                count(finding, like: event(ofAttempt: ended.place), at: ended.at, effects: &effects)
            }
            judgeDoubts(at: ended.at, effects: &effects)
        }
    }

    /// What is known of an attempt as an event, for those who count findings.
    private func event(ofAttempt place: Int) -> PaymentEvent {
        let view = ledger.view(place)
        var event = PaymentEvent(outcome: .attempted)
        event.environment = view.environment
        event.stage = view.stage
        event.attemptId = view.id.isEmpty ? nil : view.id
        event.orderRef = view.orderRef
        event.amount = view.amount
        return event
    }

    /// Has a finding counted by the rules that ask for findings.
    private mutating func count(
        _ finding: Finding,
        like event: PaymentEvent,
        at: Timestamp,
        effects: inout EffectList
    ) {
        guard !findingRules.isEmpty else { return }
        let event = finding.event(like: event)
        let meaning = finding.meaning
        let identities = EventIdentities(of: event, at: at)
        groupings.turn()
        var isOverflow = false
        for number in findingRules {
            isOverflow =
                count(event, meaning: meaning, identities, rule: number, at: at, effects: &effects) || isOverflow
        }
        if isOverflow { noteOverflow(at: at, effects: &effects) }
    }
}

// MARK: - Rules about doubts

extension State {
    /// Looks at the rules about what is in doubt, where that has changed.
    mutating func judgeDoubts(at: Timestamp, effects: inout EffectList) {
        guard ledger.isChanged else { return }
        for book in ledger.books.indices where ledger.books[book].isChanged {
            ledger.books[book].isChanged = false
            for number in doubtRules { judge(rule: number, book: book, at: at, effects: &effects) }
        }
    }

    /// Looks at all of them: rules have changed.
    mutating func judgeAllDoubts(effects: inout EffectList) {
        for book in ledger.books.indices where ledger.books[book].listed.count + ledger.books[book].unlisted > 0 {
            ledger.books[book].isChanged = true
        }
        judgeDoubts(at: at, effects: &effects)
    }

    private mutating func judge(rule number: Int, book: Int, at: Timestamp, effects: inout EffectList) {
        let environment = ledger.books[book].environment
        var position = rules[number].position(of: [environment])
        if position == nil, rules[number].rule.isAbout(environment: environment) {
            position = rules[number].insert(rules[number].emptyGroup([environment]))
        }
        guard let position else { return }
        judge(rule: number, position: position, at: at, effects: &effects)
        lowerFloor(to: rules[number].deadlineFloor(of: position))
    }

    /// Tells a group of such a rule what is in doubt now.
    mutating func readDoubts(rule number: Int, position: Int, at: Timestamp) {
        guard let environment = rules[number].groups[position].values.first,
            let book = ledger.number(ofBook: environment)
        else { return }
        rules[number].rates[position].doubts = ledger.reading(of: rules[number].rule, book: book, at: at)
    }

    /// The same for all groups, after they were read from a snapshot.
    mutating func readAllDoubts() {
        for number in doubtRules {
            for position in rules[number].orderedPositions {
                readDoubts(rule: number, position: position, at: at)
                rules[number].setFloor(of: position)
            }
        }
    }
}

extension Rule {
    /// Whether a rule about what is in doubt looks at an environment.
    fileprivate func isAbout(environment: String) -> Bool {
        var event = PaymentEvent(outcome: .attempted)
        event.environment = environment
        let meaning = Finding.noOutcome.meaning
        return match.allSatisfy { $0.dimension != .environment || $0.holds(for: event, meaning: meaning) }
    }
}

/// What a rule about doubts sees in an environment.
struct DoubtReading: Equatable, Sendable {
    /// How many attempts: those old enough, up to the threshold, or all.
    var count: Int
    /// Why the condition doesn't hold; nil where it does.
    var hold: RateHold?
    /// When the condition comes to hold by itself; nil where it doesn't.
    var risesAt: Timestamp?
}

extension AttemptLedger {
    fileprivate func reading(of rule: Rule, book: Int, at: Timestamp) -> DoubtReading {
        let listed = books[book].listed
        switch rule.kind {
        case .inDoubtAge(let ageMs):
            var reading = DoubtReading(count: 0, hold: .doubtTooYoung)
            var next = listed.oldest
            var walked = 0
            while next >= 0, walked < rule.threshold {
                let old = records[Int(next)].since.advanced(byMs: ageMs)
                walked += 1
                if old <= at { reading.count += 1 } else if walked == rule.threshold { reading.risesAt = old }
                next = links[Int(next)].newer
            }
            if reading.count == rule.threshold { reading.hold = nil }
            return reading
        case .inDoubtTotal(let minor, let currency):
            var reading = DoubtReading(count: listed.count + books[book].unlisted, hold: .doubtTooSmall)
            let total = books[book].totals.first { SmallAmount.text($0.currency) == currency }
            if let total, total.minor >= Int128(minor) { reading.hold = nil }
            return reading
        default: return DoubtReading(count: 0, hold: .doubtTooSmall)
        }
    }
}
