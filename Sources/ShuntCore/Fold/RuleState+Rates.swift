internal import ShuntSchema

// MARK: - Conditions on rates

extension RuleState {
    /// Judges a group's condition at a moment, and notes when it is to be judged again; says whether it holds.
    mutating func look(at position: Int, at: Timestamp, traffic: Traffic) -> Bool {
        let isHolding = reading(of: position, at: at, traffic: traffic).hold == nil
        if rates[position].isHolding, !isHolding { groups[position].alert?.quietFrom = at }
        rates[position].isHolding = isHolding
        rates[position].lookedAt = at
        noteDeadline(of: position, at: at)
        return isHolding
    }

    /// When a group's condition is to be judged again though nothing comes in.
    ///
    /// Attempts and failures leave their windows, so a share may rise or fall by itself. That is looked at from time to
    /// time while there are enough failures to matter; what comes in is judged at once.
    mutating func planLook(at position: Int, after at: Timestamp) {
        if rule.kind.isOfDoubts, planDoubtLook(at: position, after: at) { return }
        let counts = rates[position]
        let next = RateWindow.nextLook(after: at, windowMs: rule.windowMs)
        guard let alert = groups[position].alert, alert.phase != .inactive else {
            rates[position].nextLook = mayRise(position, at: at) ? next : nil
            return
        }
        if alert.phase == .pending {
            planPendingLook(at: position, alert, after: at, next: next)
            return
        }
        guard alert.phase == .firing else {
            rates[position].nextLook = nil
            return
        }
        let end = alert.quietFrom.advanced(byMs: holdMs(of: alert))
        if counts.isHolding {
            // Where successes are missed, only one of them ends it, and that comes in.
            if case .noSuccess = rule.kind, groups[position].window.isEmpty(at: at) {
                rates[position].nextLook = nil
            } else {
                rates[position].nextLook = next
            }
        } else {
            let isSoon = mayRise(position, at: at) && end > at
            rates[position].nextLook = isSoon ? next.map { min($0, end) } ?? end : end
        }
    }

    /// What is in doubt changes by events, and grows older by itself; says whether that is all there is to wait for.
    private mutating func planDoubtLook(at position: Int, after at: Timestamp) -> Bool {
        let rises = rates[position].doubts.risesAt
        guard let alert = groups[position].alert, alert.phase != .inactive else {
            rates[position].nextLook = rises
            return true
        }
        if alert.phase == .pending {
            // No part of a window makes a difference: without that, waiting for long would mean looking for long.
            planPendingLook(at: position, alert, after: at, next: nil)
            return true
        }
        guard alert.phase == .firing else { return false }
        let end = alert.quietFrom.advanced(byMs: holdMs(of: alert))
        rates[position].nextLook = rates[position].isHolding ? nil : rises.map { min($0, end) } ?? end
        return true
    }

    /// Whether a condition that doesn't hold may come to hold as time passes.
    private func mayRise(_ position: Int, at: Timestamp) -> Bool {
        switch rule.kind {
        case .share, .burnRate, .change: rates[position].failures.reaches(rule.threshold, at: at)
        case .noSuccess: groups[position].window.reaches(1, at: at)
        case .unusualRate, .inDoubtAge, .inDoubtTotal, .count, .consecutive, .newCode, .keyLimit, .watchdog: false
        }
    }

    /// Whether an alert that isn't held up by its condition any more has been so for long enough.
    func isOver(_ position: Int, at: Timestamp) -> Bool {
        guard let alert = groups[position].alert, !rates[position].isHolding else { return false }
        if alert.phase == .pending { return true }
        return alert.phase == .firing && at >= alert.quietFrom.advanced(byMs: holdMs(of: alert))
    }

    /// Whether nothing of a state at that time is overdue.
    func areLooksAfter(_ at: Timestamp) -> Bool {
        rates.allSatisfy { $0.nextLook.map { $0 > at } ?? true }
    }

    /// What the rule sees in a group at a moment. Changes nothing.
    func reading(of position: Int, at: Timestamp, traffic: Traffic) -> RateReading {
        switch rule.kind {
        case .share(let percent, let attempts):
            return shareReading(position, percent: percent, least: attempts, at: at, traffic: traffic)
        case .noSuccess(let attempts):
            return successReading(position, least: attempts, at: at, traffic: traffic)
        case .change(let percent):
            return changeReading(position, percent: percent, at: at)
        case .burnRate(let burn):
            return burnReading(position, burn: burn, at: at, traffic: traffic)
        case .unusualRate(let oneIn):
            return unusualReading(position, oneIn: oneIn, at: at)
        case .inDoubtAge, .inDoubtTotal:
            return RateReading(count: rates[position].doubts.count, hold: rates[position].doubts.hold)
        case .count, .consecutive, .newCode, .keyLimit, .watchdog:
            return RateReading(count: groups[position].window.count(at: at))
        }
    }

    /// The attempts that a group's failures are compared with; nil where none are reported.
    func slice(of position: Int, at: Timestamp, traffic: Traffic) -> TrafficGroup? {
        guard let attemptsTable else { return nil }
        let isOther = groups[position].values.count > 1 && groups[position].values.last == Self.overflowValue
        guard !isOther else { return nil }
        let place = traffic.tables[attemptsTable].place(groups[position].payersHash) { arePayers($0, of: position) }
        guard let place, traffic.tables[attemptsTable].slices[place].group.isReporting(at: at) else { return nil }
        return traffic.tables[attemptsTable].slices[place].group
    }

    /// Whether attempts or successes are reported where a group's failures happen.
    func isReporting(_ position: Int, at: Timestamp, traffic: Traffic) -> Bool {
        slice(of: position, at: at, traffic: traffic) != nil
    }

    /// The failures and the attempts of a group since the moment from which both are fully known.
    func share(_ position: Int, of slice: TrafficGroup, at: Timestamp) -> (failures: Int, attempts: Int) {
        let counts = rates[position]
        let edge = max(slice.attempts.since(at: at), counts.failures.droppedAt, counts.clearedAt)
        let attempts = slice.attempts.count(after: edge)
        return (min(counts.failures.count(after: edge), attempts), attempts)
    }

    private func shareReading(
        _ position: Int,
        percent: Int,
        least: Int,
        at: Timestamp,
        traffic: Traffic
    ) -> RateReading {
        guard let slice = slice(of: position, at: at, traffic: traffic) else {
            return RateReading(count: rates[position].failures.count(at: at), hold: .noDenominator)
        }
        let (failures, attempts) = share(position, of: slice, at: at)
        var reading = RateReading(count: failures, attempts: attempts)
        if attempts < least {
            reading.hold = .tooFewAttempts
        } else if !Self.isShare(failures, of: attempts, atLeast: percent) {
            reading.hold = .shareTooLow
        }
        return reading
    }

    private func successReading(_ position: Int, least: Int, at: Timestamp, traffic: Traffic) -> RateReading {
        let alert = groups[position].alert
        guard let slice = slice(of: position, at: at, traffic: traffic), let succeededAt = slice.succeededAt,
            alert != nil || succeededAt > at.advanced(byMs: -TrafficGroup.memoryMs)
        else {
            // An alert that began while successes were reported isn't ended by their staying away.
            return RateReading(count: groups[position].window.count(at: at), hold: alert == nil ? .noDenominator : nil)
        }
        let edge = max(slice.attempts.since(at: at), rates[position].clearedAt)
        let attempts = slice.attempts.count(after: edge)
        var reading = RateReading(count: attempts)
        if succeededAt > at.advanced(byMs: -rule.windowMs) {
            reading.hold = .succeeded
        } else if let alert, succeededAt <= alert.startsAt {
            // Only a success ends it: that fewer try at night proves nothing.
            return reading
        } else if attempts < least {
            reading.hold = .tooFewAttempts
        }
        return reading
    }

    private func changeReading(_ position: Int, percent: Int, at: Timestamp) -> RateReading {
        let parts = Int(RateWindow.parts)
        let now = rates[position].ring?.sum(first: 0, count: parts, at: at) ?? 0
        let before = rates[position].ring?.sum(first: parts, count: parts, at: at) ?? 0
        var reading = RateReading(count: now, before: before)
        if now < rule.threshold {
            reading.hold = .tooFewFailures
        } else if at < max(startedAt, rates[position].clearedAt).advanced(byMs: 2 * rule.windowMs) {
            // The window before isn't wholly known.
            reading.hold = .noBaseline
        } else if now * 100 < before * (100 + percent) {
            reading.hold = .notIncreased
        }
        return reading
    }

    private func burnReading(_ position: Int, burn: BurnRate, at: Timestamp, traffic: Traffic) -> RateReading {
        guard let slice = slice(of: position, at: at, traffic: traffic) else {
            return RateReading(count: rates[position].failures.count(at: at), hold: .noDenominator)
        }
        let parts = Int(RateWindow.parts)
        let (failures, attempts) = share(position, of: slice, at: at)
        let longAttempts = slice.long?.sum(first: 0, count: parts, at: at) ?? 0
        let longFailures = rates[position].ring?.sum(first: 0, count: parts, at: at) ?? 0
        var reading = RateReading(count: failures, attempts: attempts)
        if attempts == 0 || longAttempts < burn.attempts {
            reading.hold = .tooFewAttempts
        } else if !burn.isReached(by: failures, of: attempts) || !burn.isReached(by: longFailures, of: longAttempts) {
            reading.hold = .burnTooSlow
        }
        return reading
    }

    private func unusualReading(_ position: Int, oneIn: Int, at: Timestamp) -> RateReading {
        let counts = rates[position]
        guard let ring = counts.ring, var baseline = counts.baseline else {
            return RateReading(count: 0, hold: .noBaseline)
        }
        var reading = RateReading(count: ring.sum(first: 0, count: 60, at: at))
        guard reading.count >= rule.threshold else {
            reading.hold = .tooFewFailures
            return reading
        }
        baseline.advance(to: at)
        reading.hold = .notUnusual
        for minutes in [5, 15, 60] {
            let count = ring.sum(first: 0, count: minutes, at: at)
            guard count >= rule.threshold else { continue }
            guard let chance = baseline.chance(of: count, windowMs: Int64(minutes) * 60_000, at: at) else {
                reading.hold = .noBaseline
                return reading
            }
            if chance * Double(oneIn) <= 1 {
                reading.count = count
                reading.hold = nil
                return reading
            }
        }
        return reading
    }

    private static func isShare(_ failures: Int, of attempts: Int, atLeast percent: Int) -> Bool {
        let (wanted, isBig) = attempts.multipliedReportingOverflow(by: percent)
        return !isBig && failures * 100 >= wanted
    }
}

// MARK: - Requirements

extension RuleState {
    /// The first of the rule's requirements that a group doesn't meet.
    ///
    /// - Parameter scope: the slice that a trip would move; nil for a rule that trips nothing.
    func missingRequirement(in position: Int, scope: Scope?, at: Timestamp, traffic: Traffic) -> SwitchHold? {
        if let installs = rule.require.installs, let window = groups[position].installs,
            !window.reaches(installs, at: at)
        {
            return .tooFewInstalls
        }
        if !isTrusted(position, at: at) { return .untrusted }
        if let percent = rule.require.share, let slice = slice(of: position, at: at, traffic: traffic) {
            let (failures, attempts) = share(position, of: slice, at: at)
            if attempts >= Requirements.leastAttempts, !Self.isShare(failures, of: attempts, atLeast: percent) {
                return .shareTooLow
            }
        }
        if let scope, isOtherRouteBad(scope, at: at, traffic: traffic) { return .bothRoutesBad }
        return nil
    }

    /// Whether trusted reporters supply half of the threshold, or twice as many installs as are required.
    ///
    /// What comes through a token that is inside an app can be made up by anybody who takes the app apart.
    private func isTrusted(_ position: Int, at: Timestamp) -> Bool {
        let group = groups[position]
        guard rule.trip != nil, let trusted = group.trusted, !trusted.reaches((rule.threshold + 1) / 2, at: at) else {
            return true
        }
        guard let required = rule.require.installs, let installs = group.installs else { return false }
        return installs.reaches(2 * required, at: at)
    }

    /// Whether so many attempts fail on the other route that moving payers there helps nobody.
    private func isOtherRouteBad(_ scope: Scope, at: Timestamp, traffic: Traffic) -> Bool {
        guard let (failures, attempts) = otherRouteShare(scope, at: at, traffic: traffic),
            attempts >= Requirements.leastAttempts
        else { return false }
        let (most, isBig) = attempts.multipliedReportingOverflow(by: rule.require.webShare)
        return !isBig && failures * 100 > most
    }

    /// The failures and the attempts of the slice on the other route; nil where there is none, or nobody is on it.
    func otherRouteShare(_ scope: Scope, at: Timestamp, traffic: Traffic) -> (failures: Int, attempts: Int)? {
        guard let fallbackTable else { return nil }
        let table = traffic.tables[fallbackTable]
        let values = table.spec.dimensions.map { dimension in
            dimension == .environment
                ? scope.environment : scope.attributes.first { $0.name == dimension.rawValue }?.value ?? ""
        }
        guard let place = table.place(SliceHash(values).value, where: { $0 == values }) else { return nil }
        let group = table.slices[place].group
        guard let failures = group.failures else { return nil }
        let edge = max(group.attempts.since(at: at), failures.droppedAt)
        return (failures.count(after: edge), group.attempts.count(after: edge))
    }
}
