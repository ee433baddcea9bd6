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
            let limit = watch(of: due.key)?.goodBelowPercent ?? definition.recovery.goodBelowPercent
            if machine.evidence?.verdict(definition.recovery, goodBelowPercent: limit) == .good {
                recover(.probeIsGood, machine, definition, effects: &effects)
            } else {
                switches.awaitDeadline(of: machine, definition.recovery)
            }
        case .deadline: recover(.probeIsUnknown, machine, definition, effects: &effects)
        case .overrideEnd:
            let result = switches.endOverride(definition, scope: due.scope, by: .overrideExpired, at: at)
            publish(result, of: definition, ground: .timer(due.timer), effects: &effects)
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
        step(
            input,
            definition,
            scope: machine.scope,
            reason: reason,
            ground: ground(of: input, machine, definition),
            conditions: conditions(of: input, machine, definition),
            effects: &effects
        )
    }

    private func ground(
        of input: SwitchInput,
        _ machine: SwitchMachine,
        _ definition: SwitchDefinition
    ) -> SwitchEvidence.Ground {
        if input == .coolDownEnds, let timer = machine.timer { return .timer(timer) }
        return .probe(ProbeGround(machine: machine, definition: definition, version: switches.version))
    }

    /// What a verdict was made of.
    private func conditions(
        of input: SwitchInput,
        _ machine: SwitchMachine,
        _ definition: SwitchDefinition
    ) -> [EvidenceCondition] {
        guard let evidence = machine.evidence else { return [] }
        let policy = definition.recovery
        let limit = watch(of: definition.key)?.goodBelowPercent ?? policy.goodBelowPercent
        let conditions = evidence.conditions(policy, goodBelowPercent: limit)
        guard input == .probeIsUnknown else { return conditions }
        let count = machine.unknowns + 1
        return conditions + [
            EvidenceCondition(
                .unknowns,
                count < policy.askAfter ? .holds : .fails,
                value: count,
                limit: policy.askAfter
            )
        ]
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
            guard let definition = ruleSet.switchDefinition(key), let watch = watch(of: key),
                watch.isAbout(event, meaning: classification)
            else { continue }
            let verdict = switches.hear(
                report,
                from: event,
                meaning: classification,
                definition,
                scope: scope,
                goodBelowPercent: watch.goodBelowPercent,
                at: at
            )
            guard let verdict, verdict != .unknown, let machine = switches.machine(of: key, in: scope) else { continue }
            if verdict == .bad { recover(.probeIsBad, machine, definition, effects: &effects) }
            if verdict == .good, machine.mayGoOn { recover(.probeIsGood, machine, definition, effects: &effects) }
        }
    }

    /// Notes, for switches with a limit, in which slices the payers are.
    mutating func sampleTraffic(_ event: PaymentEvent, meaning classification: Classification) {
        guard hasLimits, event.counts == nil else { return }
        for (definition, watch) in zip(ruleSet.switches, watches) where watch.isLimited {
            guard watch.isAbout(event, meaning: classification),
                let attempt = event.countingKey(for: .attempts, at: at)
            else { continue }
            switches.sample(
                TrafficSample.Attempt(key: attempt, attributes: watch.slice(of: event, meaning: classification)),
                of: definition.key,
                environment: event.environment
            )
        }
    }

    /// What the rules say of a switch's payers.
    private func watch(of key: String) -> SwitchWatch? {
        ruleSet.switches.firstIndex { $0.key == key }.map { watches[$0] }
    }
}
