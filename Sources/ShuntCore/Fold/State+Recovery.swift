internal import ShuntSchema

// MARK: - Time

extension State {
    /// The daemon takes up where it was.
    mutating func resumeSwitches(at: Timestamp) {
        switches.resume(lastAt: self.at, at: at)
        deadlineFloor = nextDeadline
    }

    /// Does what a switch does of its own accord. A timer that its machine isn't waiting for any more means nothing.
    mutating func handle(_ due: DueSwitch, effects: inout EffectList) {
        at = max(at, due.timer.at)
        guard let machine = switches.machine(of: due.key, in: due.scope), machine.awaits(due.timer) else { return }
        guard let definition = ruleSet.switchDefinition(due.key) else {
            // Nobody is told of it any more; should the switch come back, it takes up the settings it has then.
            switches.forget(due)
            return
        }
        switch due.timer.purpose {
        case .coolDown: recover(.coolDownEnds, machine, definition, effects: &effects)
        case .stepEnd:
            let limit = goodBelowPercent(of: definition)
            if machine.evidence?.verdict(definition.recovery, goodBelowPercent: limit) == .good {
                recover(.probeIsGood, machine, definition, effects: &effects)
            } else {
                switches.awaitDeadline(of: machine, definition.recovery)
            }
        case .deadline: recover(.probeIsUnknown, machine, definition, effects: &effects)
        case .overrideEnd:
            let result = switches.endOverride(definition, scope: due.scope, by: .overrideExpired, at: at)
            publish(result, of: definition, effects: &effects)
        }
    }

    private mutating func recover(
        _ input: SwitchInput,
        _ machine: SwitchMachine,
        _ definition: SwitchDefinition,
        effects: inout EffectList
    ) {
        let now = machine.circumstances(definition, at: at)
        guard case .move(let next) = machine.state.step(input, now) else { return }
        // The rule and the alert stay named throughout: they are why payers aren't on the normal route.
        let reason = SwitchReason(
            kind: "recovery",
            rule: machine.reason?.rule,
            alert: machine.reason?.alert,
            summary: machine.recoverySummary(input, to: next, definition)
        )
        step(input, definition, scope: machine.scope, reason: reason, effects: &effects)
    }
}

// MARK: - Probes

extension State {
    /// Lets the machines at which somebody tries the normal way hear of an event, and acts on what they make of it.
    mutating func hearProbes(
        _ event: PaymentEvent,
        meaning classification: Classification,
        effects: inout EffectList
    ) {
        let places = switches.tryingPlaces
        guard !places.isEmpty, let report = event.probeReport(meaning: classification, at: at) else { return }
        for (key, scope) in places {
            guard let definition = ruleSet.switchDefinition(key), isAbout(event, meaning: classification, key) else {
                continue
            }
            let verdict = switches.hear(
                report,
                from: event,
                meaning: classification,
                definition,
                scope: scope,
                goodBelowPercent: goodBelowPercent(of: definition),
                at: at
            )
            guard let verdict, verdict != .unknown, let machine = switches.machine(of: key, in: scope) else { continue }
            if verdict == .bad { recover(.probeIsBad, machine, definition, effects: &effects) }
            if verdict == .good, machine.mayGoOn { recover(.probeIsGood, machine, definition, effects: &effects) }
        }
    }

    /// Whether an event is of the payments that a switch decides for: one of the rules that trip it looks at such, what
    /// its conditions say of errors left aside.
    private func isAbout(_ event: PaymentEvent, meaning classification: Classification, _ key: String) -> Bool {
        let tripping = rules.lazy.map(\.rule).filter { $0.trip?.switchKey == key }
        return tripping.isEmpty
            || tripping.contains { rule in
                rule.match.allSatisfy { $0.dimension.isOfFailures || $0.holds(for: event, meaning: classification) }
            }
    }

    /// Notes, for switches with a limit, in which slices the payers are.
    mutating func sampleTraffic(_ event: PaymentEvent, meaning classification: Classification) {
        for definition in ruleSet.switches where definition.blastRadiusPercent < 100 {
            guard event.counts == nil, isAbout(event, meaning: classification, definition.key),
                let attempt = event.countingKey(for: .attempts, at: at)
            else { continue }
            let dimensions = Set(
                rules.lazy.map(\.rule).filter { $0.trip?.switchKey == definition.key }.flatMap { $0.trip?.scope ?? [] }
            )
            let scope = Scope(
                of: event,
                meaning: classification,
                in: event.environment,
                narrowedBy: dimensions.sorted { $0.rawValue < $1.rawValue }
            )
            switches.sample(
                TrafficSample.Attempt(key: attempt, attributes: scope.attributes),
                of: definition.key,
                environment: event.environment
            )
        }
    }

    /// The share of failures below which a probe is good, in per cent: half of what trips the switch.
    private func goodBelowPercent(of definition: SwitchDefinition) -> Int {
        let shares = rules.lazy.map(\.rule).filter { $0.trip?.switchKey == definition.key }.compactMap(\.tripShare)
        return shares.min().map { max(1, $0 / 2) } ?? definition.recovery.goodBelowPercent
    }
}

extension Rule {
    /// The share of failing attempts that a trip needs, in per cent; nil where it needs none.
    fileprivate var tripShare: Int? {
        if case .share(let percent, _) = kind { return percent }
        return require.share
    }
}
