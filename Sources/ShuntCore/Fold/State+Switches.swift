internal import ShuntSchema

// MARK: - Trips by rules

extension State {
    /// Trips the rule's switch if it can, notes the decision in the alert, and says whether payers are moved away.
    mutating func decideTrip(
        rule number: Int,
        position: Int,
        alert: inout Alert,
        scope: Scope,
        at: Timestamp,
        effects: inout EffectList
    ) -> Bool {
        let rule = rules[number].rule
        guard let trip = rule.trip else { return false }
        guard let definition = ruleSet.switchDefinition(trip.switchKey) else {
            alert.decision = .held(.unknownSwitch)
            return false
        }
        let last = switches.degradedVersion(of: trip.switchKey, in: scope)
        let machine = switches.machine(of: trip.switchKey, in: scope)
        if last == nil,
            let missing = rules[number].missingRequirement(in: position, scope: scope, at: at, traffic: traffic)
        {
            alert.decision = .held(missing)
            return switches.movesPayers(definition, in: scope)
        }
        let result = switches.apply(
            .ruleTrips,
            to: definition,
            scope: scope,
            at: at,
            reason: SwitchReason(kind: "rule", rule: rule.id, alert: alert.id, summary: rule.summary(of: alert))
        )
        let movesPayers = switches.movesPayers(definition, in: scope)
        switch result {
        case .success(var transition):
            alert.decision = decision(of: transition, definition)
            transition.evidence = evidence(
                of: transition,
                rule: number,
                position: position,
                alert: alert,
                before: machine,
                definition
            )
            effects.append(.switchMoved(transition))
            lowerFloor(to: switches.nextDeadline)
        case .failure(let refusal):
            // An alert that tripped the switch keeps saying so while it stands.
            let stands = last.flatMap { last in alert.decision.version.map { last <= $0 } } ?? false
            if !stands { alert.decision = .held(refusal.hold) }
        }
        return movesPayers
    }

    /// What a trip was decided by.
    private func evidence(
        of transition: SwitchTransition,
        rule number: Int,
        position: Int,
        alert: Alert,
        before machine: SwitchMachine?,
        _ definition: SwitchDefinition
    ) -> SwitchEvidence {
        let rule = rules[number]
        let (scope, at) = (transition.scope, transition.at)
        let own = rule.conditions(of: position, scope: scope, at: at, traffic: traffic)
        let ground = RuleGround(
            rule: rule.rule,
            otherRoute: rule.otherRoute,
            group: alert.group,
            since: rule.countedSince(position, at: at),
            count: rule.reading(of: position, at: at, traffic: traffic).count,
            decision: alert.decision
        )
        return evidence(
            .rule(ground),
            of: transition,
            conditions: own + switches.conditions(before: machine, definition, scope: scope, at: at)
        )
    }

    func evidence(
        _ ground: SwitchEvidence.Ground,
        of transition: SwitchTransition,
        conditions: [EvidenceCondition] = []
    ) -> SwitchEvidence {
        let level = switches.machine(of: transition.key, in: transition.scope)?.state.level
        return SwitchEvidence(ground, lastSeq: seq, level: level, conditions: conditions)
    }

    private func decision(of transition: SwitchTransition, _ definition: SwitchDefinition) -> TripDecision {
        // The machine runs on beneath an override, so that a person sees what it would do.
        if switches.serving(definition, in: transition.scope).override != nil {
            return .overridden(version: transition.version)
        }
        return switches.mode(of: definition, in: transition.scope.environment) == .dryRun
            ? .wouldHaveTripped(version: transition.version) : .tripped(version: transition.version)
    }
}

// MARK: - Commands of operators

extension State {
    mutating func obey(_ command: SwitchCommand, effects: inout EffectList) {
        lastRefusal = nil
        guard let definition = ruleSet.switchDefinition(command.key) else {
            lastRefusal = .unknownSwitch
            return
        }
        // Without who decided: apps, and so everybody, can read it. The audit has the name.
        let reason = SwitchReason(kind: "operator", summary: command.reason)
        switch command.action {
        case .trip:
            step(
                .operatorTrips,
                definition,
                scope: command.scope,
                reason: reason,
                ground: .command(command),
                effects: &effects
            )
        case .restore:
            let degraded = switches.degradedMachines(of: command.key, environment: command.scope.environment)
                .filter { $0.scope.lies(within: command.scope) }
            guard !degraded.isEmpty else {
                lastRefusal = .alreadyNormal
                return
            }
            stepAll(
                degraded,
                .operatorRestores,
                definition,
                reason: reason,
                ground: .command(command),
                effects: &effects
            )
            settleAlerts(of: definition, within: command.scope, effects: &effects)
        case .override(let variant, let forMs):
            let override = SwitchOverride(
                variant: variant,
                actor: command.actor,
                reason: command.reason,
                endsAt: at.advanced(byMs: forMs)
            )
            let result = switches.override(definition, scope: command.scope, with: override, at: at)
            publish(result, of: definition, ground: .command(command), effects: &effects)
        case .clear:
            let result = switches.endOverride(
                definition,
                scope: command.scope,
                by: .overrideCleared,
                summary: reason.summary,
                at: at
            )
            publish(result, of: definition, ground: .command(command), effects: &effects)
        case .mode(let mode):
            setMode(mode, of: definition, by: command, reason: reason, effects: &effects)
        }
    }

    private mutating func setMode(
        _ mode: SwitchMode,
        of definition: SwitchDefinition,
        by command: SwitchCommand,
        reason: SwitchReason,
        effects: inout EffectList
    ) {
        lastRefusal = switches.setMode(mode, of: definition)
        guard lastRefusal == nil else { return }
        let scope = command.scope
        let phase = switches.phase(of: definition.key, in: scope)
        var transition = SwitchTransition(
            key: definition.key,
            scope: scope,
            cause: .modeChanged,
            from: phase,
            to: phase,
            variant: switches.serving(definition, in: scope).variant,
            version: switches.version,
            at: at,
            reason: reason
        )
        transition.evidence = evidence(.command(command), of: transition)
        effects.append(.switchMoved(transition))
        if mode == .disarmed { disarm(definition, reason: reason, ground: .command(command), effects: &effects) }
        settleAlerts(of: definition, effects: &effects)
    }

    /// Takes back what the automation decided, so that nothing old comes into force when it is armed again.
    private mutating func disarm(
        _ definition: SwitchDefinition,
        reason: SwitchReason,
        ground: SwitchEvidence.Ground,
        effects: inout EffectList
    ) {
        let tripped = switches.allMachines.filter { $0.key == definition.key && $0.phase != .normal }
        stepAll(tripped, .disarmed, definition, reason: reason, ground: ground, effects: &effects)
    }

    /// Takes over other settings of the switches. A mode that a person chose stands until the file names another one.
    mutating func adoptSwitches(formerly: [SwitchDefinition], effects: inout EffectList) {
        for definition in formerly where ruleSet.switchDefinition(definition.key)?.mode != definition.mode {
            switches.modes[definition.key] = nil
        }
        for definition in ruleSet.switches {
            let at = at
            switches.updateAll { if $0.key == definition.key { $0.adopt(definition, at: at) } }
            if switches.mode(of: definition) == .disarmed {
                let reason = SwitchReason(kind: "operator", summary: "the rule files disarm it")
                disarm(definition, reason: reason, ground: .ruleFiles, effects: &effects)
            }
            if formerly.contains(where: { $0.key == definition.key && $0 != definition }) {
                settleAlerts(of: definition, effects: &effects)
            }
        }
    }
}

// MARK: - Steps

extension State {
    /// Gives an input to a machine, and does what follows from its step.
    mutating func step(
        _ input: SwitchInput,
        _ definition: SwitchDefinition,
        scope: Scope,
        reason: @autoclosure () -> SwitchReason,
        ground: SwitchEvidence.Ground,
        conditions: [EvidenceCondition] = [],
        effects: inout EffectList
    ) {
        let result = switches.apply(input, to: definition, scope: scope, at: at, reason: reason())
        publish(result, of: definition, ground: ground, conditions: conditions, effects: &effects)
    }

    /// Gives an input to many machines. The alerts are left to be settled once, after all of them.
    private mutating func stepAll(
        _ machines: [SwitchMachine],
        _ input: SwitchInput,
        _ definition: SwitchDefinition,
        reason: SwitchReason,
        ground: SwitchEvidence.Ground,
        effects: inout EffectList
    ) {
        for machine in machines {
            let result = switches.apply(input, to: definition, scope: machine.scope, at: at, reason: reason)
            publish(result, of: definition, ground: ground, settlesAlerts: false, effects: &effects)
        }
    }

    mutating func publish(
        _ result: Result<SwitchTransition, SwitchRefusal>,
        of definition: SwitchDefinition,
        ground: SwitchEvidence.Ground,
        conditions: [EvidenceCondition] = [],
        settlesAlerts: Bool = true,
        effects: inout EffectList
    ) {
        var transition: SwitchTransition
        switch result {
        case .failure(let refusal):
            lastRefusal = refusal.hold
            return
        case .success(let success): transition = success
        }
        transition.evidence = evidence(ground, of: transition, conditions: conditions)
        effects.append(.switchMoved(transition))
        if transition.from != transition.to, transition.to == .normal || transition.to == .probing {
            // What failed before must not trip again: a trip needs failures of those who are let back now.
            for number in rules.indices where rules[number].rule.trip?.switchKey == definition.key {
                let dimensions = rules[number].rule.groupDimensions
                rules[number].clearWindows(at: at) { $0.isCovered(by: transition.scope, dimensions: dimensions) }
            }
        }
        if settlesAlerts { settleAlerts(of: definition, within: transition.scope, effects: &effects) }
    }

    /// Tells the alerts of the rules that trip a switch whether their payers are moved away now.
    private mutating func settleAlerts(
        of definition: SwitchDefinition,
        within scope: Scope? = nil,
        effects: inout EffectList
    ) {
        let moved = switches.movedScopes(definition, environment: scope?.environment)
        for number in rules.indices where rules[number].rule.trip?.switchKey == definition.key {
            let dimensions = rules[number].rule.groupDimensions
            for isMoved in [true, false] {
                changeAlerts(
                    rule: number,
                    input: isMoved ? .switchDegraded : .switchRestored,
                    where: { group in
                        scope.map { group.isCovered(by: $0, dimensions: dimensions) } ?? true
                            && moved.contains { group.isCovered(by: $0, dimensions: dimensions) } == isMoved
                    },
                    effects: &effects
                )
            }
        }
        // Without its failures an alert may end earlier than it would have.
        deadlineFloor = nextDeadline
    }
}
