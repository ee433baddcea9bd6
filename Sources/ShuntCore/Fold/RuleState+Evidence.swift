internal import ShuntSchema

// MARK: - What a trip was decided by

extension RuleState {
    /// What the rule itself asks for and its requirements, as they stand in a group at a moment. Changes nothing.
    func conditions(of position: Int, scope: Scope, at: Timestamp, traffic: Traffic) -> [EvidenceCondition] {
        let reading = reading(of: position, at: at, traffic: traffic)
        let group = groups[position]
        return kindConditions(reading) + [
            installsCondition(group, at: at),
            shareCondition(position, at: at, traffic: traffic),
            trustCondition(group, count: reading.count, at: at),
            otherRouteCondition(scope, at: at, traffic: traffic),
        ]
    }

    /// When the oldest of what a group counts was seen last; nil where it counts nothing.
    func countedSince(_ position: Int, at: Timestamp) -> Timestamp? {
        guard !rule.countsInWindow else {
            let window = groups[position].window
            return window.mostRecent(window.count(at: at))
        }
        let counts = rates[position]
        let edge = max(counts.clearedAt, at.advanced(byMs: -rule.windowMs))
        return counts.failures.oldest(after: edge)
    }

    private func kindConditions(_ reading: RateReading) -> [EvidenceCondition] {
        let attempts = reading.attempts ?? 0
        return switch rule.kind {
        // Those about doubts never trip, so nobody asks for their evidence.
        case .count, .consecutive, .newCode, .inDoubtAge, .inDoubtTotal, .keyLimit, .watchdog:
            [EvidenceCondition(.count, reading.count, reaches: rule.threshold)]
        case .share(let percent, let least):
            [
                EvidenceCondition(.attempts, attempts, reaches: least),
                EvidenceCondition(.share, .holds, value: reading.count, of: attempts, limit: percent),
            ]
        case .noSuccess(let least):
            [EvidenceCondition(.attemptsWithoutSuccess, reading.count, reaches: least)]
        case .change(let percent):
            [
                EvidenceCondition(.count, reading.count, reaches: rule.threshold),
                EvidenceCondition(.increase, .holds, value: reading.count, of: reading.before, limit: percent),
            ]
        case .burnRate(let burn):
            [EvidenceCondition(.burnRate, .holds, value: reading.count, of: attempts, limit: burn.tenths)]
        case .unusualRate(let oneIn):
            [
                EvidenceCondition(.count, reading.count, reaches: rule.threshold),
                EvidenceCondition(.unusualRate, .holds, value: reading.count, limit: oneIn),
            ]
        }
    }

    private func installsCondition(_ group: RuleGroup, at: Timestamp) -> EvidenceCondition {
        guard let required = rule.require.installs, let installs = group.installs else {
            return EvidenceCondition(.installs, .notRequired)
        }
        return EvidenceCondition(.installs, installs.count(at: at), reaches: required)
    }

    private func shareCondition(_ position: Int, at: Timestamp, traffic: Traffic) -> EvidenceCondition {
        guard let percent = rule.require.share else { return EvidenceCondition(.share, .notRequired) }
        guard let slice = slice(of: position, at: at, traffic: traffic) else {
            return EvidenceCondition(.share, .noDenominator, limit: percent)
        }
        let (failures, attempts) = share(position, of: slice, at: at)
        let isKnown = attempts >= Requirements.leastAttempts
        return EvidenceCondition(
            .share,
            isKnown ? .holds : .tooFewAttempts,
            value: failures,
            of: attempts,
            limit: percent
        )
    }

    private func trustCondition(_ group: RuleGroup, count: Int, at: Timestamp) -> EvidenceCondition {
        let half = (rule.threshold + 1) / 2
        guard let trusted = group.trusted else {
            return EvidenceCondition(.trusted, .holds, value: count, limit: min(half, count))
        }
        let known = trusted.count(at: at)
        guard known < half, let required = rule.require.installs, let installs = group.installs else {
            return EvidenceCondition(.trusted, known, reaches: half)
        }
        return EvidenceCondition(.publicInstalls, installs.count(at: at), reaches: 2 * required)
    }

    private func otherRouteCondition(_ scope: Scope, at: Timestamp, traffic: Traffic) -> EvidenceCondition {
        let limit = rule.require.webShare
        guard let (failures, attempts) = otherRouteShare(scope, at: at, traffic: traffic) else {
            return EvidenceCondition(.otherRoute, fallbackTable == nil ? .notRequired : .noDenominator, limit: limit)
        }
        let isKnown = attempts >= Requirements.leastAttempts
        return EvidenceCondition(
            .otherRoute,
            isKnown ? .holds : .tooFewAttempts,
            value: failures,
            of: attempts,
            limit: limit
        )
    }
}

extension Rule {
    /// Whether what fires it is counted in its window; else it is in what is kept for rates, attempt by attempt.
    var countsInWindow: Bool { !kind.isOfRates || kind.name == .noSuccess }
}

extension SwitchBank {
    /// What the switch itself asks for before a rule trips it.
    ///
    /// - Parameters:
    ///   - machine: as it was before the trip; nil where it had never moved.
    ///   - scope: the slice, which is moved by now.
    func conditions(
        before machine: SwitchMachine?,
        _ definition: SwitchDefinition,
        scope: Scope,
        at: Timestamp
    ) -> [EvidenceCondition] {
        var blast = EvidenceCondition(.blastRadius, .notRequired)
        if definition.blastRadiusPercent < 100 {
            let percent = movedPercent(definition, adding: scope)
            let standing: EvidenceCondition.Standing = percent == nil ? .tooFewAttempts : .holds
            blast = EvidenceCondition(.blastRadius, standing, value: percent, limit: definition.blastRadiusPercent)
        }
        var dwell = EvidenceCondition(.normalMs, .notRequired)
        if let machine, machine.state == .normal, machine.canTripFrom > machine.since {
            dwell = EvidenceCondition(
                .normalMs,
                Int(clamping: at.milliseconds &- machine.since.milliseconds),
                reaches: Int(clamping: machine.canTripFrom.milliseconds &- machine.since.milliseconds)
            )
        }
        var trips = EvidenceCondition(.trips, .notRequired)
        if let lock = definition.flapLock {
            let count = (machine?.recentTrips(lock, at: at).count ?? 0) + 1
            trips = EvidenceCondition(.trips, count < lock.trips ? .holds : .fails, value: count, limit: lock.trips)
        }
        return [blast, dwell, trips]
    }
}
