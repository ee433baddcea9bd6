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
        if switches.phase(of: trip.switchKey, in: scope) == .normal,
            let missing = rules[number].missingRequirement(in: position, scope: scope, at: at, traffic: traffic)
        {
            alert.decision = .held(missing)
            return false
        }
        let result = switches.apply(
            .ruleTrips,
            to: definition,
            scope: scope,
            at: at,
            reason: SwitchReason(kind: "rule", rule: rule.id, alert: alert.id, summary: rule.summary(of: alert))
        )
        switch result {
        case .success(let transition):
            effects.append(.switchMoved(transition))
            alert.decision = .tripped(version: transition.version)
            return true
        case .failure(let refusal):
            let isDegraded = refusal.hold == .alreadyDegraded
            // An alert that tripped the switch keeps saying so while it stands.
            if isDegraded, case .tripped(let version) = alert.decision,
                let last = switches.degradedVersion(of: trip.switchKey, in: scope), last <= version
            {
                return true
            }
            alert.decision = .held(refusal.hold)
            return isDegraded
        }
    }
}

// MARK: - Commands of operators

extension State {
    mutating func obey(_ command: SwitchCommand, effects: inout EffectList) {
        guard let definition = ruleSet.switchDefinition(command.key) else { return }
        let reason = SwitchReason(kind: "operator", summary: "\(command.actor): \(command.reason)")
        switch command.action {
        case .trip:
            move(definition, .operatorTrips, scope: command.scope, reason: reason, effects: &effects)
        case .restore:
            for machine in switches.degradedMachines(of: command.key, environment: command.scope.environment)
            where machine.scope.lies(within: command.scope) {
                move(definition, .operatorRestores, scope: machine.scope, reason: reason, effects: &effects)
            }
        }
    }

    private mutating func move(
        _ definition: SwitchDefinition,
        _ input: SwitchInput,
        scope: Scope,
        reason: SwitchReason,
        effects: inout EffectList
    ) {
        let result = switches.apply(input, to: definition, scope: scope, at: at, reason: reason)
        guard case .success(let transition) = result else { return }
        effects.append(.switchMoved(transition))
        for number in rules.indices where rules[number].rule.trip?.switchKey == definition.key {
            let dimensions = rules[number].rule.groupDimensions
            if transition.to == .normal {
                // What failed before the restore must not trip again at once: a second trip needs new failures.
                rules[number].clearWindows(at: at) { $0.isCovered(by: scope, dimensions: dimensions) }
            }
            changeAlerts(
                rule: number,
                input: transition.to == .normal ? .switchRestored : .switchDegraded,
                where: { $0.isCovered(by: scope, dimensions: dimensions) },
                effects: &effects
            )
        }
        // Without its failures an alert may end earlier than it would have.
        deadlineFloor = nextDeadline
    }
}
