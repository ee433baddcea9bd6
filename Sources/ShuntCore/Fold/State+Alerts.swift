internal import ShuntSchema

// MARK: - Conditions

extension State {
    /// The rule's condition holds: fires the alert if it isn't firing and needn't wait, and trips the switch if that isn't
    /// degraded. A trip is never waited for, and an alert that trips doesn't wait either.
    mutating func cross(rule number: Int, position: Int, scope: Scope, at: Timestamp, effects: inout EffectList) {
        let before = rules[number].groups[position].alert
        var alert = before ?? newAlert(rule: number, position: position, id: effects.nextName, at: at)
        if before?.phase == .pending { read(&alert, rule: number, position: position, at: at) }
        let versionBefore = alert.decision.version
        let isDegraded = decideTrip(
            rule: number,
            position: position,
            alert: &alert,
            scope: scope,
            at: at,
            effects: &effects
        )
        if alert.decision.version != versionBefore {
            // One that spoke already speaks otherwise now, or not at all.
            if versionBefore == nil { newSpeakers.append((number, position)) } else { isHidingStale = true }
        }
        let isFresh = !alert.phase.isFiring
        if isFresh {
            let isDecided = isDegraded || alert.decision.version != versionBefore
            hold(&alert, rule: number, position: position, isDecided: isDecided, at: at, effects: &effects)
        }
        if isDegraded, alert.phase.isFiring, alert.phase != alert.phase.step(.switchDegraded) {
            alert.phase = alert.phase.step(.switchDegraded)
            let untold: AlertChange.Untold? = isFresh ? .saidAlready : nil
            tell(.switchDegraded, &alert, rule: number, at: at, untold: untold, effects: &effects)
        }
        guard alert != before else { return }
        rules[number].setAlert(alert, of: position, at: at)
        if alert.phase.isFiring { rules[number].noteFired(position) }
        lowerFloor(to: rules[number].deadlineFloor(of: position))
    }

    /// The condition of an alert that doesn't fire holds: it fires if that has been so for long enough, or is decided
    /// already, else it waits.
    private mutating func hold(
        _ alert: inout Alert,
        rule number: Int,
        position: Int,
        isDecided: Bool,
        at: Timestamp,
        effects: inout EffectList
    ) {
        let policy = rules[number].rule.alert
        // A rate that fell and rose again between two looks didn't hold without a break.
        let isBroken = alert.holdingSince.map { alert.quietFrom > $0 } ?? true
        let since = isBroken ? at : alert.holdingSince ?? at
        guard isDecided || since.advanced(byMs: policy.forMs) <= at else {
            guard isBroken else { return }
            alert.holdingSince = since
            alert.phase = alert.phase.step(.pended)
            tell(.pended, &alert, rule: number, at: at, untold: .pending, effects: &effects)
            return
        }
        alert.phase = alert.phase.step(.crossed)
        alert.severity = policy.severity
        alert.holdingSince = nil
        alert.startsAt = at
        alert.quietFrom = at
        alert.remindFrom = at
        alert.escalateFrom = at
        if let end = rules[number].groups[position].lastEnd, !end.isPast(at: at) {
            alert.refires = min(end.refires + 1, Alert.maximumRefires)
        }
        tell(.crossed, &alert, rule: number, at: at, effects: &effects)
    }

    /// The count is on its way to the threshold.
    mutating func warn(rule number: Int, position: Int, at: Timestamp, effects: inout EffectList) {
        var alert = newAlert(rule: number, position: position, id: effects.nextName, at: at)
        alert.phase = alert.phase.step(.warned)
        alert.severity = min(.warning, alert.severity)
        tell(.warned, &alert, rule: number, at: at, effects: &effects)
        rules[number].setAlert(alert, of: position, at: at)
        lowerFloor(to: rules[number].deadlineFloor(of: position))
    }

    /// The time of a pending alert has come: its condition has held for long enough, or doesn't hold any more, or its
    /// count has been low for so long that it isn't worth a warning.
    mutating func judgePending(rule number: Int, position: Int, at: Timestamp, effects: inout EffectList) {
        guard var alert = rules[number].groups[position].alert else { return }
        let rule = rules[number].rule
        guard alert.holdingSince != nil else {
            change(rule: number, position: position, input: .subsided, at: at, effects: &effects)
            return
        }
        if rules[number].groups[position].window.reaches(rule.threshold, at: at) {
            let scope = rules[number].scope(of: position)
            cross(rule: number, position: position, scope: scope, at: at, effects: &effects)
        } else if rule.warnCount == nil {
            change(rule: number, position: position, input: .subsided, at: at, effects: &effects)
        } else {
            alert.holdingSince = nil
            rules[number].setAlert(alert, of: position, at: at)
            lowerFloor(to: rules[number].deadlineFloor(of: position))
        }
    }

    private func newAlert(rule number: Int, position: Int, id: String, at: Timestamp) -> Alert {
        let rule = rules[number].rule
        let group = rules[number].groups[position]
        var alert = Alert(
            id: id,
            rule: rule.id,
            severity: rule.alert.severity,
            group: zip(rule.groupDimensions, group.values).map { ScopeAttribute(name: $0.rawValue, value: $1) },
            phase: .inactive,
            startsAt: at,
            quietFrom: at,
            count: 0,
            decision: .noSwitch,
            remindFrom: at,
            escalateFrom: at
        )
        read(&alert, rule: number, position: position, at: at)
        return alert
    }

    /// Notes in an alert what its rule sees now.
    private func read(_ alert: inout Alert, rule number: Int, position: Int, at: Timestamp) {
        let reading = rules[number].reading(of: position, at: at, traffic: traffic)
        alert.count = reading.count
        alert.attempts = reading.attempts
        alert.before = reading.before
    }
}

// MARK: - Changes

extension State {
    /// Gives an input to the open alerts of a rule, in the order of their groups.
    mutating func changeAlerts(
        rule number: Int,
        input: AlertInput,
        where isMeant: (RuleGroup) -> Bool,
        effects: inout EffectList
    ) {
        for position in rules[number].orderedOpen(where: isMeant) {
            change(rule: number, position: position, input: input, at: at, effects: &effects)
        }
    }

    mutating func change(
        rule number: Int,
        position: Int,
        input: AlertInput,
        at: Timestamp,
        effects: inout EffectList
    ) {
        guard var alert = rules[number].groups[position].alert else { return }
        let former = alert.phase
        let next = former.step(input)
        guard next != former else { return }
        if former == .mitigated, next == .firing { alert.quietFrom = at }
        alert.phase = next
        guard next == .inactive else {
            tell(input, &alert, rule: number, at: at, effects: &effects)
            rules[number].setAlert(alert, of: position, at: at)
            lowerFloor(to: rules[number].deadlineFloor(of: position))
            return
        }
        alert.endsAt = at
        alert.holdingSince = nil
        alert.hiding = nil
        // Whoever was told that it began is told that it ended, silence or not.
        let ended: AlertChange.Untold? = former.isFiring ? nil : .onlyWarned
        tell(input, &alert, rule: number, at: at, untold: alert.isTold ? ended : .neverTold, effects: &effects)
        if former.isFiring || alert.isTold { alertBook.noteEnded(alert) }
        if former.isFiring, input == .subsided {
            rules[number].groups[position].lastEnd = AlertEnd(at: at, refires: alert.refires)
        }
        let isWaitedFor = alertBook.silences.contains { $0.isUntilResolved && $0.hasHidden }
        if alert.decision.version != nil || isWaitedFor { isHidingStale = true }
        rules[number].setAlert(nil, of: position, at: at)
        lowerFloor(to: rules[number].deadlineFloor(of: position))
    }

    /// An alert's rule may wait for other times now: what is due by them is due now, not when nobody knew of it.
    mutating func attendRescheduled(effects: inout EffectList) {
        for number in rules.indices {
            for position in rules[number].orderedOpen() {
                attend(rule: number, position: position, at: at, until: at, effects: &effects)
            }
        }
    }

    /// Tells again of an alert, or that nobody looks after it any more, if it is time.
    ///
    /// - Parameter end: the time of the entry. Of all the reminders that nobody was there to send, one is sent.
    mutating func remind(
        rule number: Int,
        position: Int,
        at: Timestamp,
        until end: Timestamp,
        effects: inout EffectList
    ) {
        guard var alert = rules[number].groups[position].alert, let duty = rules[number].duty(of: alert), duty.at <= at
        else { return }
        let input: AlertInput
        switch duty.duty {
        case .acknowledgementEnds:
            alert.acknowledgement = nil
            alert.escalateFrom = at
            input = .unacknowledged
        case .escalate:
            alert.escalatedAt = at
            input = .escalated
        case .remind: input = .reminded
        }
        tell(input, &alert, rule: number, at: at, effects: &effects)
        if let everyMs = rules[number].rule.alert.renotifyEveryMs, at.advanced(byMs: everyMs) <= end {
            alert.remindFrom = end
        }
        rules[number].setAlert(alert, of: position, at: at)
        lowerFloor(to: rules[number].deadlineFloor(of: position))
    }

    /// The one way by which a change of an alert goes out.
    ///
    /// - Parameter untold: why nobody is told, where that is certain; else it is found out.
    mutating func tell(
        _ input: AlertInput,
        _ alert: inout Alert,
        rule number: Int,
        at: Timestamp,
        untold given: AlertChange.Untold? = nil,
        effects: inout EffectList
    ) {
        var untold = given
        if alert.phase != .inactive, given != .pending {
            let hiding = hiding(of: alert, rule: number)
            if hiding != alert.hiding, alert.decision.version != nil { isHidingStale = true }
            alert.hiding = hiding
            untold = given ?? alert.hiding.map { AlertChange.Untold($0) } ?? reasonOfPerson(input, alert)
        }
        if untold == nil {
            alert.isTold = true
            alert.remindFrom = at
        }
        let policy = rules[number].rule.alert
        var channels = policy.channels
        if alert.escalatedAt != nil, !channels.isEmpty {
            channels += policy.escalateTo.filter { !channels.contains($0) }
        }
        effects.append(
            .alertChanged(AlertChange(input: input, at: at, alert: alert, channels: channels, untold: untold))
        )
    }

    /// Why nobody is told though nothing hides the alert: somebody knows.
    private func reasonOfPerson(_ input: AlertInput, _ alert: Alert) -> AlertChange.Untold? {
        guard alert.acknowledgement != nil else { return nil }
        switch input {
        case .acknowledged, .reminded, .escalated, .unsilenced, .uninhibited: return .acknowledged
        case .warned, .pended, .crossed, .unacknowledged, .subsided, .switchDegraded, .switchRestored, .ruleChanged:
            return nil
        }
    }
}

// MARK: - What hides alerts

extension State {
    /// Why nobody is to be told of an alert: a silence covers it, or another alert speaks for it.
    private mutating func hiding(of alert: Alert, rule number: Int) -> AlertHiding? {
        if let silence = alertBook.silence(covering: alert) {
            alertBook.noteHidden(alert)
            return .silenced(by: silence.id)
        }
        return speaker(for: alert, rule: number).map { .inhibited(by: $0) }
    }

    /// The alert that says all there is to say about another one's trouble.
    ///
    /// It tripped a switch for a slice that the other one's payers surely lie in; the other one's rule trips that switch
    /// too, or it is about the same error; and it is as loud at least. Nobody is asked to hear the same twice. One that
    /// isn't told itself speaks for nobody. Of several the one that tripped first.
    private func speaker(for alert: Alert, rule number: Int) -> String? {
        guard alert.phase.isFiring else { return nil }
        let rule = rules[number].rule
        var first: (version: UInt64, id: String)?
        for other in rules.indices {
            guard let trip = rules[other].rule.trip else { continue }
            let environment = alert.group.first?.value
            for position in rules[other].trippedPositions {
                guard rules[other].groups[position].values.first == environment,
                    let speaker = rules[other].groups[position].alert, speaker.id != alert.id,
                    let version = speaker.decision.version, speaker.hiding == nil, speaker.isTold,
                    speaker.severity >= alert.severity, version < alert.decision.version ?? .max,
                    version < first?.version ?? .max,
                    trip.switchKey == rule.trip?.switchKey || speaker.isAboutErrorOf(alert),
                    alert.liesSurely(within: rules[other].scope(of: position))
                else { continue }
                first = (version, speaker.id)
            }
        }
        return first?.id
    }

    /// Looks again at what hides each open alert, where that may have changed. One that was hidden, still fires and isn't
    /// hidden any more is told at once: nothing that fires goes quiet.
    mutating func settleAlertHiding(at: Timestamp, effects: inout EffectList) {
        let speaking = newSpeakers
        if !speaking.isEmpty { newSpeakers = [] }
        guard isHidingStale else {
            for place in speaking { speak(rule: place.rule, position: place.position, at: at) }
            return
        }
        isHidingStale = false
        endResolvedSilences()
        // The speakers first, oldest first, since the others depend on whether they are hidden.
        var places: [(version: UInt64, rule: Int, position: Int)] = []
        for number in rules.indices {
            for position in rules[number].orderedOpen() {
                let version = rules[number].groups[position].alert?.decision.version
                places.append((version ?? .max, number, position))
            }
        }
        let speakers = places.filter { $0.version < .max }.sorted { $0.version < $1.version }
        for place in speakers + places.filter({ $0.version == .max }) {
            settle(rule: place.rule, position: place.position, at: at, effects: &effects)
        }
    }

    /// An alert that tripped a switch just now speaks for others from here on. They only fall silent, so no order shows.
    private mutating func speak(rule number: Int, position: Int, at: Timestamp) {
        let environment = rules[number].groups[position].values.first
        for other in rules.indices {
            for place in rules[other].openPositions where rules[other].groups[place].values.first == environment {
                guard var alert = rules[other].groups[place].alert, alert.hiding == nil,
                    let hiding = hiding(of: alert, rule: other)
                else { continue }
                alert.hiding = hiding
                rules[other].setAlert(alert, of: place, at: at)
            }
        }
    }

    private mutating func settle(rule number: Int, position: Int, at: Timestamp, effects: inout EffectList) {
        guard var alert = rules[number].groups[position].alert else { return }
        let former = alert.hiding
        let hiding = hiding(of: alert, rule: number)
        guard hiding != former else { return }
        alert.hiding = hiding
        if hiding == nil, let former, alert.phase.isFiring {
            alert.escalateFrom = at
            let input: AlertInput = if case .silenced = former { .unsilenced } else { .uninhibited }
            tell(input, &alert, rule: number, at: at, effects: &effects)
        }
        rules[number].setAlert(alert, of: position, at: at)
        lowerFloor(to: rules[number].deadlineFloor(of: position))
    }

    /// A silence that holds until what it hid is over has no more to hide.
    private mutating func endResolvedSilences() {
        guard alertBook.silences.contains(where: { $0.isUntilResolved && $0.hasHidden }) else { return }
        let open = openAlerts
        alertBook.silences.removeAll { silence in
            silence.isUntilResolved && silence.hasHidden && !open.contains(where: silence.covers)
        }
    }

    /// The time of silences is over.
    mutating func endSilences(at: Timestamp) {
        alertBook.silences.removeAll { $0.endsAt <= at }
        isHidingStale = true
    }
}

extension Alert {
    /// Whether both name the same error.
    fileprivate func isAboutErrorOf(_ other: Alert) -> Bool {
        let names = [Dimension.errorDomain.rawValue, Dimension.errorCode.rawValue]
        return names.allSatisfy { name in
            let own = group.first { $0.name == name }
            return own != nil && own == other.group.first { $0.name == name }
        }
    }

    /// Whether all its payers lie within a scope: its group says so.
    fileprivate func liesSurely(within scope: Scope) -> Bool {
        group.first?.value == scope.environment && scope.attributes.allSatisfy(group.contains)
    }
}
