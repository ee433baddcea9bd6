internal import ShuntSchema

extension AttemptLedger {
    /// Notes what an event tells of its attempt, and says what was found by it.
    mutating func observe(
        _ event: PaymentEvent,
        meaning classification: Classification,
        seq: UInt64,
        at: Timestamp
    ) -> [Finding] {
        guard event.attemptId != nil || event.orderRef != nil,
            var input = MoneyInput(event, meaning: classification)
        else { return [] }
        let place = paidPlace(for: event, input) ?? place(for: event, at: at)
        var found: [Finding] = []
        records[place].lastAt = at
        records[place].seqs.append(seq)
        if event.stage.isAfterToken, input != .refused { records[place].isTokenSent = true }
        if input == .refused { records[place].isRisk = classification.failureClass == .risk }
        if let amount = event.amount, compare(amount, of: event, at: place) { found.append(.amountMinorUnit) }
        if input == .paid { input = success(event, at: place) }
        let before = records[place].phase
        let step = before.step(input)
        let name = AttemptWords(attempt: event.attemptId, order: event.orderRef)
        move(place, to: step, stage: event.stage, name: name, at: at)
        if step.phase.isInDoubt, step.phase != before, records[place].words >= 0 {
            words[Int(records[place].words)].domain = event.error?.domain ?? ""
            words[Int(records[place].words)].code = event.error?.code ?? ""
        }
        switch step.reason {
        case .paidTwice: found.append(.paidTwice)
        case .paidAfterAll: found.append(.paidAfterAll)
        default: break
        }
        if input == .attempted, step.phase == .open, !records[place].isAwaited { wait(for: place, from: at) }
        return found.filter { note($0, of: place) }
    }

    /// Notes a finding; false if it was made of the attempt before.
    private mutating func note(_ finding: Finding, of place: Int) -> Bool {
        guard records[place].findings.insert(finding) else { return false }
        if let number = Finding.allCases.firstIndex(of: finding) { findings[number] += 1 }
        return true
    }

    /// The attempt of an order that an event without an attempt's name is about because it was paid.
    private func paidPlace(for event: PaymentEvent, _ input: MoneyInput) -> Int? {
        guard event.attemptId == nil, let orderRef = event.orderRef else { return nil }
        switch input {
        case .paid, .reversed, .refunded, .undoUnclear: break
        default: return nil
        }
        let all = places(ofOrder: Self.key(order: orderRef, environment: event.environment))
        let overpaid = input == .paid ? nil : all.first { records[$0].phase == .overpaid }
        return overpaid ?? all.first { records[$0].phase == .paid }
    }

    // MARK: Second successes

    /// What a success is: the attempt's, or a second one of its order or of the attempt itself.
    private mutating func success(_ event: PaymentEvent, at place: Int) -> MoneyInput {
        guard event.stage.isOfCharge else { return .paid }
        var input = MoneyInput.paid
        if let reference = event.pspReference {
            let (reporter, payment) = Self.reference(reference, of: event)
            if records[place].reference == 0 {
                records[place].reporter = reporter
                records[place].reference = payment
            } else if records[place].phase == .paid, records[place].reporter == reporter,
                records[place].reference != payment
            {
                // Only reports of one kind are compared: an app and a notification may call one payment by two names.
                input = .paidAgain
            }
        }
        let isFirst = records[place].phase != .paid && records[place].phase != .overpaid
        if isFirst, event.attemptId != nil, hasPaidSibling(place) { input = .paidAgain }
        return input
    }

    private static func reference(_ reference: String, of event: PaymentEvent) -> (reporter: UInt64, payment: UInt64) {
        var reporter = StableHash()
        reporter.combine(event.source)
        reporter.combine(event.psp ?? "")
        reporter.combine(event.stage.rawValue)
        var payment = StableHash()
        payment.combine(reference)
        return (reporter.value, max(1, payment.value))
    }

    /// Whether another attempt of the order was paid. Two of different amounts are parts of one payment.
    private func hasPaidSibling(_ place: Int) -> Bool {
        let order = records[place].order
        guard order != 0, records[place].before >= 0 || self.place(order: order) != place else { return false }
        let amount = records[place].amount
        return places(ofOrder: order).contains { other in
            guard other != place, records[other].phase == .paid else { return false }
            guard let amount, let theirs = records[other].amount else { return true }
            return amount == theirs
        }
    }

    // MARK: Amounts

    /// Whether an amount differs from what was reported before by a factor that only mistaken decimals explain.
    private mutating func compare(_ amount: Amount, of event: PaymentEvent, at place: Int) -> Bool {
        // Part of the money may go back: a tenth of it is no mistake.
        guard event.stage != .refund, let small = SmallAmount(amount) else { return false }
        if let first = records[place].amount { return amount.isShifted(from: first.amount) }
        note(small, of: place)
        let before = records[place].before
        guard before >= 0, let former = records[Int(before)].amount else { return false }
        return amount.isShifted(from: former.amount)
    }

    // MARK: Time

    /// When the next attempt has been waited for in vain; nil while none is waited for.
    func nextDeadline(_ policy: PaymentPolicy) -> Timestamp? {
        let end = deadline(patient, policy.patienceMs)
        guard let answer = deadline(notified, policy.queryAfterMs) else { return end }
        return end.map { min($0, answer) } ?? answer
    }

    private func deadline(_ list: LinkedList, _ waitMs: Int64) -> Timestamp? {
        guard list.oldest >= 0 else { return nil }
        return max(records[Int(list.oldest)].since, waitsFrom).advanced(byMs: waitMs)
    }

    /// Ends the wait for the attempt that has been waited for longest, if its time has come by then.
    mutating func endWait(
        until end: Timestamp,
        _ policy: PaymentPolicy
    ) -> (at: Timestamp, place: Int, found: Finding?)? {
        guard let at = nextDeadline(policy), at <= end else { return nil }
        let isNotified = deadline(notified, policy.queryAfterMs) == at
        let place = Int(isNotified ? notified.oldest : patient.oldest)
        let input: MoneyInput =
            isNotified
            ? .notificationMissed : records[place].isTokenSent ? .patienceEndedAfterToken : .patienceEnded
        let step = records[place].phase.step(input)
        move(place, to: step, stage: records[place].stage, name: AttemptWords(), at: at)
        let isFound = !isNotified && note(.noOutcome, of: place)
        return (at, place, isFound ? .noOutcome : nil)
    }

    // MARK: People

    /// A person says how an attempt ended.
    mutating func settle(_ command: SettleCommand, seq: UInt64, at: Timestamp) -> SettleRefusal? {
        guard let place = place(of: command.attempt, environment: command.environment) else { return .unknownAttempt }
        let step = records[place].phase.step(command.result.declaration)
        guard step.reason == .person else { return .alreadySettled }
        records[place].lastAt = at
        records[place].seqs.append(seq)
        let name = AttemptWords(attempt: command.attempt)
        move(place, to: step, stage: records[place].stage, name: name, at: at)
        return nil
    }

    /// The attempt of that name; where no attempt has it, the last attempt of the order of that name.
    func place(of name: String, environment: String) -> Int? {
        place(attempt: Self.key(attempt: name, environment: environment))
            ?? place(order: Self.key(order: name, environment: environment))
    }
}
