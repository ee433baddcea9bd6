internal import ShuntSchema

// MARK: - Commands about alerts

extension State {
    mutating func obey(_ command: AlertCommand, effects: inout EffectList) {
        switch command.action {
        case .acknowledge(let alert, let note, let forMs):
            lastAlertAnswer = acknowledge(alert, note: note, forMs: forMs, actor: command.actor, effects: &effects)
        case .silence(let request):
            lastAlertAnswer = silence(request, actor: command.actor, id: effects.nextName)
        case .expire(let id):
            guard let number = alertBook.silences.firstIndex(where: { $0.id == id }) else {
                lastAlertAnswer = .failure(.unknownSilence)
                return
            }
            alertBook.silences.remove(at: number)
            isHidingStale = true
            lastAlertAnswer = .success(id)
        }
    }

    /// A person looks after an alert. It stays open, and what has ended stays ended.
    private mutating func acknowledge(
        _ id: String,
        note: String,
        forMs: Int64,
        actor: String,
        effects: inout EffectList
    ) -> Result<String, AlertRefusal> {
        guard let (number, position) = place(ofAlert: id), var alert = rules[number].groups[position].alert else {
            return .failure(alertBook.ended.contains { $0.id == id } ? .alreadyResolved : .unknownAlert)
        }
        guard alert.phase.isFiring else { return .failure(.notFiring) }
        guard forMs > 0 else { return .failure(.endsInPast) }
        guard forMs <= Acknowledgement.maximumMs else { return .failure(.endsTooLate) }
        alert.acknowledgement = Acknowledgement(actor: actor, note: note, at: at, until: at.advanced(byMs: forMs))
        tell(.acknowledged, &alert, rule: number, at: at, effects: &effects)
        rules[number].setAlert(alert, of: position, at: at)
        lowerFloor(to: rules[number].deadlineFloor(of: position))
        return .success(id)
    }

    private mutating func silence(
        _ request: SilenceRequest,
        actor: String,
        id: String
    ) -> Result<String, AlertRefusal> {
        let end: Timestamp
        switch request.end {
        case .at(let time): end = time
        case .after(let milliseconds): end = at.advanced(byMs: milliseconds)
        }
        guard !request.matchers.isEmpty, request.matchers.count <= Silence.maximumMatchers else {
            return .failure(.noMatchers)
        }
        guard end > at else { return .failure(.endsInPast) }
        guard end <= at.advanced(byMs: Silence.maximumMs) else { return .failure(.endsTooLate) }
        guard alertBook.silences.count < Silence.maximumCount else { return .failure(.tooManySilences) }
        alertBook.silences.append(
            Silence(
                id: id,
                matchers: request.matchers,
                startsAt: at,
                endsAt: end,
                isUntilResolved: request.isUntilResolved,
                actor: actor,
                comment: request.comment
            )
        )
        isHidingStale = true
        lowerFloor(to: end)
        return .success(id)
    }

    /// Where an open alert is.
    private func place(ofAlert id: String) -> (rule: Int, position: Int)? {
        for number in rules.indices {
            for position in rules[number].openPositions where rules[number].groups[position].alert?.id == id {
                return (number, position)
            }
        }
        return nil
    }
}

// MARK: - Starts

extension State {
    /// How attempts ended meanwhile may not have been heard, so each is waited for anew.
    mutating func resumeWaits(at: Timestamp) {
        ledger.waitsFrom = max(ledger.waitsFrom, at)
        deadlineFloor = nextDeadline
    }

    /// The daemon takes up where it was. What fired fires on; the time while nobody listened isn't quiet, so what would
    /// have ended meanwhile is held anew; and nobody is told again before the grace is over.
    mutating func resumeAlerts(at: Timestamp) {
        let grace = at.advanced(byMs: SwitchBank.graceMs)
        for number in rules.indices {
            let policy = rules[number].rule.alert
            for position in rules[number].openPositions {
                guard var alert = rules[number].groups[position].alert, alert.phase.isFiring else { continue }
                if alert.phase == .firing { alert.quietFrom = max(alert.quietFrom, at) }
                if let everyMs = policy.renotifyEveryMs {
                    alert.remindFrom = max(alert.remindFrom, grace.advanced(byMs: -everyMs))
                }
                if let afterMs = policy.escalateAfterMs {
                    alert.escalateFrom = max(alert.escalateFrom, grace.advanced(byMs: -afterMs))
                }
                if let until = alert.acknowledgement?.until { alert.acknowledgement?.until = max(until, grace) }
                rules[number].setAlert(alert, of: position, at: at)
            }
        }
        for number in alertBook.silences.indices {
            alertBook.silences[number].endsAt = max(alertBook.silences[number].endsAt, grace)
        }
        deadlineFloor = nextDeadline
    }
}

// MARK: - Reading

extension State {
    /// An alert that is open, or one of the last that ended.
    public func alert(_ id: String) -> Alert? {
        if let (number, position) = place(ofAlert: id) { return rules[number].groups[position].alert }
        return alertBook.ended.first { $0.id == id }
    }

    /// The open alerts that a silence covers, whatever else hides them.
    public func alerts(coveredBy silence: Silence) -> [Alert] {
        openAlerts.filter(silence.covers)
    }
}
