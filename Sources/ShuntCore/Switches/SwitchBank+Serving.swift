public import ShuntSchema

/// What a switch serves in a slice.
public struct SwitchServing: Equatable, Sendable {
    /// The variant that payers get; while a share of them tries the normal one, that of the others.
    public var variant: String
    /// The share that gets it, 0 to 100.
    public var percent: Int64
    /// The override that decides, if one does.
    public var override: SwitchOverride?
}

extension SwitchBank {
    /// What a switch serves in a slice as a whole: by the most specific override that covers it, else by its own
    /// machine, else by the next wider one that isn't normal.
    public func serving(_ definition: SwitchDefinition, in scope: Scope) -> SwitchServing {
        let covering = machinesAround(scope, of: definition.key)
        if let override = covering.first(where: { $0.override != nil })?.override {
            return SwitchServing(variant: override.variant, percent: 100, override: override)
        }
        guard mode(of: definition, in: scope.environment) == .armed,
            let deciding = covering.first(where: { $0.phase != .normal })
        else {
            return SwitchServing(variant: definition.normalVariant, percent: 100)
        }
        let tried = definition.recovery.triedPercent(in: deciding.state) ?? 0
        return SwitchServing(variant: definition.degradedVariant, percent: Int64(100 - tried))
    }

    /// Whether payers of the slice are kept from the normal route, so that no failure on it says anything.
    func movesPayers(_ definition: SwitchDefinition, in scope: Scope) -> Bool {
        serving(definition, in: scope).variant != definition.normalVariant
    }

    /// The slices of an environment, or of all, whose payers a switch's machines and overrides keep from the normal route.
    /// Looks at each machine once, and at overrides, of which there are few.
    func movedScopes(_ definition: SwitchDefinition, environment: String?) -> [Scope] {
        let own = machines.filter {
            $0.key == definition.key && environment ?? $0.scope.environment == $0.scope.environment
        }
        let overridden = own.filter { $0.override != nil }
            .sorted { $0.scope.attributes.count > $1.scope.attributes.count }
        return own.filter { machine in
            let covering = overridden.first { machine.scope.lies(within: $0.scope) }?.override
            if let covering { return covering.variant != definition.normalVariant }
            return machine.phase != .normal && mode(of: definition, in: machine.scope.environment) == .armed
        }
        .map(\.scope)
    }

    /// The machine of the slice and those of wider ones, the most specific first.
    private func machinesAround(_ scope: Scope, of key: String) -> [SwitchMachine] {
        machines
            .filter { $0.key == key && scope.lies(within: $0.scope) }
            .sorted { left, right in
                let (leftCount, rightCount) = (left.scope.attributes.count, right.scope.attributes.count)
                return leftCount != rightCount ? leftCount > rightCount : left.scope < right.scope
            }
    }
}

// MARK: - Overrides and modes

extension SwitchBank {
    /// Lays a person's decision over a machine. It ends after at most `SwitchOverride.maximumMs`.
    mutating func override(
        _ definition: SwitchDefinition,
        scope: Scope,
        with override: SwitchOverride,
        at: Timestamp
    ) -> Result<SwitchTransition, SwitchRefusal> {
        guard [definition.normalVariant, definition.degradedVariant].contains(override.variant) else {
            return .failure(SwitchRefusal(hold: .unknownVariant))
        }
        let known = machine(of: definition.key, in: scope)
        if let hold = placeHold(known, scope) { return .failure(SwitchRefusal(hold: hold)) }
        var override = override
        let longest = at.advanced(byMs: SwitchOverride.maximumMs)
        override.endsAt = min(max(override.endsAt, at.advanced(byMs: 1000)), longest)
        let machine = known ?? SwitchMachine(key: definition.key, scope: scope, since: at)
        return .success(change(machine, definition, .overrideSet, at: at) { $0.override = override })
    }

    /// Takes a person's decision back, or ends it.
    mutating func endOverride(
        _ definition: SwitchDefinition,
        scope: Scope,
        by cause: SwitchCause,
        summary: String? = nil,
        at: Timestamp
    ) -> Result<SwitchTransition, SwitchRefusal> {
        guard let machine = machine(of: definition.key, in: scope), machine.override != nil else {
            return .failure(SwitchRefusal(hold: .notOverridden))
        }
        return .success(change(machine, definition, cause, summary: summary, at: at) { $0.override = nil })
    }

    private mutating func change(
        _ machine: SwitchMachine,
        _ definition: SwitchDefinition,
        _ cause: SwitchCause,
        summary: String? = nil,
        at: Timestamp,
        _ change: (inout SwitchMachine) -> Void
    ) -> SwitchTransition {
        var machine = machine
        let former = machine.override?.reason ?? ""
        change(&machine)
        version += 1
        machine.version = version
        store(machine)
        var transition = transition(
            of: machine,
            definition,
            from: machine.phase,
            by: cause,
            reason: SwitchReason(kind: "operator", summary: summary ?? machine.override?.reason ?? former)
        )
        transition.at = at
        return transition
    }

    /// Sets the mode that a person chose; every document shows it.
    mutating func setMode(_ mode: SwitchMode, of definition: SwitchDefinition) -> SwitchHold? {
        guard self.mode(of: definition) != mode else { return .alreadyInMode }
        modes[definition.key] = mode
        redefine()
        return nil
    }
}

// MARK: - Time

/// Something that a switch does of its own accord.
public struct DueSwitch: Equatable, Sendable {
    /// The switch.
    public var key: String
    /// The slice.
    public var scope: Scope
    /// When, and what.
    public var timer: SwitchTimer

    /// Something due.
    public init(key: String, scope: Scope, timer: SwitchTimer) {
        self.key = key
        self.scope = scope
        self.timer = timer
    }

    fileprivate func comes(before other: DueSwitch) -> Bool {
        guard timer.at == other.timer.at else { return timer.at < other.timer.at }
        return (key, scope) < (other.key, other.scope)
    }
}

extension SwitchBank {
    /// When the next switch does something of its own accord; nil when none will.
    public var nextDeadline: Timestamp? { nextDue?.timer.at }

    /// What a switch does next of its own accord; of equal times the first by switch and scope, an override's end last.
    public var nextDue: DueSwitch? {
        var next: DueSwitch?
        for machine in machines {
            let end = machine.override.map {
                SwitchTimer(at: $0.endsAt, purpose: .overrideEnd, version: machine.version)
            }
            for timer in [machine.timer, end].compactMap(\.self) {
                let due = DueSwitch(key: machine.key, scope: machine.scope, timer: timer)
                if next.map({ due.comes(before: $0) }) ?? true { next = due }
            }
        }
        return next
    }

    /// A step that must go on although its time is over: sets the timer to its deadline.
    mutating func awaitDeadline(of machine: SwitchMachine, _ policy: RecoveryPolicy) {
        var machine = machine
        machine.awaitDeadline(policy)
        store(machine)
    }

    /// Drops what is due, since nobody knows its switch any more.
    mutating func forget(_ due: DueSwitch) {
        guard var machine = machine(of: due.key, in: due.scope) else { return }
        if due.timer.purpose == .overrideEnd { machine.override = nil } else { machine.timer = nil }
        store(machine)
    }

    /// Nothing is due while the daemon is away, nor shortly after its start.
    mutating func resume(lastAt: Timestamp, at: Timestamp) {
        let grace = at.advanced(byMs: Self.graceMs)
        updateAll { $0.resume(lastAt: lastAt, at: at, grace: grace) }
    }
}
