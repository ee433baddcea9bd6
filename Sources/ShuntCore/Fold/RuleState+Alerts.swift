internal import ShuntSchema

// MARK: - What alerts wait for

extension RuleState {
    /// When a group changes by itself if nothing more comes in: its condition, or what is told of its alert.
    func deadline(of position: Int) -> Timestamp? {
        let condition = conditionDeadline(of: position)
        guard let alert = groups[position].alert, let duty = duty(of: alert) else { return condition }
        return condition.map { min($0, duty.at) } ?? duty.at
    }

    /// When a group's condition changes an alert though nothing comes in.
    ///
    /// A firing alert ends when the count has been below R = `resolveBelow` for `holdFor`. It falls below R when the
    /// R-th most recent leaves the window, so this is exact and needs no ticking. Where the last record found fewer than
    /// R in the window, it had fallen before, and `quietFrom` knows when. A condition on rates is judged anew.
    func conditionDeadline(of position: Int) -> Timestamp? {
        if rule.kind.isOfRates { return rates[position].nextLook }
        if rule.kind == .watchdog { return nil }
        guard let alert = groups[position].alert else { return nil }
        switch alert.phase {
        case .inactive, .mitigated: return nil
        case .firing: return end(of: position, alert, below: rule.alert.resolveBelow)
        case .pending:
            guard let since = alert.holdingSince else {
                return rule.warnCount.map { end(of: position, alert, below: $0) } ?? alert.quietFrom
            }
            let fires = since.advanced(byMs: rule.alert.forMs)
            guard let last = groups[position].window.mostRecent(rule.threshold) else { return fires }
            return min(fires, last.advanced(byMs: rule.windowMs))
        }
    }

    /// When the count will have been below a limit for as long as the alert is held.
    private func end(of position: Int, _ alert: Alert, below limit: Int) -> Timestamp {
        var low = alert.quietFrom
        if let last = groups[position].window.mostRecent(limit) { low = max(low, last.advanced(byMs: rule.windowMs)) }
        return low.advanced(byMs: holdMs(of: alert))
    }

    /// For how long an alert's count must stay low: twice as long for each time that it fired again within an hour of
    /// its end, so that what flaps is told of a few times and then stays an alert.
    func holdMs(of alert: Alert) -> Int64 {
        let widest = max(rule.alert.holdForMs, Alert.widestHoldMs)
        let factor = Int64(1) << min(alert.refires, 16)
        let (widened, isTooMuch) = rule.alert.holdForMs.multipliedReportingOverflow(by: factor)
        return isTooMuch ? widest : min(widened, widest)
    }

    /// Whether a count that is below the threshold is worth a warning that nobody has had yet.
    func mayWarn(_ position: Int, at: Timestamp, traffic: Traffic) -> Bool {
        guard let least = rule.warnCount, groups[position].alert == nil, !groups[position].hasFired,
            groups[position].window.reaches(least, at: at)
        else { return false }
        if rule.kind == .consecutive, !isReporting(position, at: at, traffic: traffic) { return false }
        return rule.trip != nil || missingRequirement(in: position, scope: nil, at: at, traffic: traffic) == nil
    }

    /// When the condition of a pending alert is to be looked at: it must hold without a break, as far as that is looked
    /// at.
    mutating func planPendingLook(at position: Int, _ alert: Alert, after at: Timestamp, next: Timestamp?) {
        guard rates[position].isHolding, let since = alert.holdingSince else {
            rates[position].nextLook = at.later(byMs: 1)
            return
        }
        // At the end of time nothing is looked at any more.
        let fires = at.later(byMs: 1).map { max(since.advanced(byMs: rule.alert.forMs), $0) }
        rates[position].nextLook = [next, fires].compactMap(\.self).min()
    }

    // MARK: What is told

    /// Something to be told of an alert when its time comes.
    enum AlertDuty {
        /// An acknowledgement ends.
        case acknowledgementEnds
        /// Nobody has taken it upon themselves.
        case escalate
        /// Nobody was told for a while.
        case remind
    }

    /// What is to be told of an alert next, and when. While somebody looks after it, only that their time is over;
    /// nothing while it is hidden: when it isn't any more, that is told at once.
    func duty(of alert: Alert) -> (at: Timestamp, duty: AlertDuty)? {
        guard alert.phase.isFiring else { return nil }
        if let acknowledgement = alert.acknowledgement { return (acknowledgement.until, .acknowledgementEnds) }
        guard alert.hiding == nil else { return nil }
        var next: (at: Timestamp, duty: AlertDuty)?
        if let everyMs = rule.alert.renotifyEveryMs, let at = alert.remindFrom.later(byMs: everyMs) {
            next = (at, .remind)
        }
        if let afterMs = rule.alert.escalateAfterMs, alert.escalatedAt == nil,
            let at = alert.escalateFrom.later(byMs: afterMs)
        {
            // An escalation says all that a reminder would.
            if next.map({ at <= $0.at }) ?? true { next = (at, .escalate) }
        }
        return next
    }

    /// Whether nothing that is to be told of an alert is overdue in a state of that time.
    func areDutiesAfter(_ at: Timestamp) -> Bool {
        openPositions.allSatisfy { position in
            groups[position].alert.flatMap { duty(of: $0) }.map { $0.at > at } ?? true
        }
    }
}

// MARK: - What has happened

extension RuleState {
    /// Notes that a group fired, where a rule fires once for each.
    mutating func noteFired(_ position: Int) {
        if rule.kind == .newCode { groups[position].hasFired = true }
    }

    /// Whether one more failure above the threshold changes nothing. In an outage that is so for all but a few, and
    /// seeing it here spares each of them a copy of the rule and of the alert.
    func isSettled(_ position: Int, scope: Scope, switches: SwitchBank) -> Bool {
        switch groups[position].alert?.phase {
        case nil, .inactive: return false
        // Time alone makes it fire, unless it may trip a switch.
        case .pending: return rule.trip == nil && groups[position].alert?.holdingSince != nil
        case .firing: return rule.trip == nil
        case .mitigated:
            guard let key = rule.trip?.switchKey, let last = switches.degradedVersion(of: key, in: scope) else {
                return false
            }
            switch groups[position].alert?.decision {
            case .tripped(let version), .wouldHaveTripped(let version), .overridden(let version):
                return last <= version
            case .held(let hold): return hold == .alreadyDegraded || hold == .locked
            case .noSwitch, nil: return false
            }
        }
    }
}

extension Timestamp {
    /// So much later; nil at the end of time, where nothing is.
    fileprivate func later(byMs milliseconds: Int64) -> Timestamp? {
        let later = advanced(byMs: milliseconds)
        return later > self ? later : nil
    }
}
