public import ShuntSchema

/// All machines of all switches, and the version that grows with each of their changes.
public struct SwitchBank: Sendable {
    /// How many machines there may be. A machine is made by a trip or an override, so this bounds what hostile names
    /// can cost. The default environment as a whole has its own beyond it: names that fill the bank must not keep
    /// payers on a broken route.
    public static let maximumMachines = 1_000
    /// The version before any transition.
    public static let firstVersion: UInt64 = 1
    /// For how long after a start nothing is due, in milliseconds.
    public static let graceMs: Int64 = 30_000

    /// The version of the last transition or redefinition.
    public internal(set) var version = Self.firstVersion
    /// The version that the switches' definitions or modes were changed in last; every environment sees that.
    /// Where nothing ever moved, it is the version.
    public private(set) var definedVersion = Self.firstVersion
    /// The modes that people chose, by switch; the others have the one of their definition.
    public internal(set) var modes: [String: SwitchMode] = [:]
    /// What of the payers each switch with a limit sees.
    var traffic: [TrafficKey: TrafficSample] = [:]
    private(set) var machines: [SwitchMachine] = []
    private var positions: [MachineKey: Int] = [:]
    private var tryingCount = 0

    private struct MachineKey: Hashable {
        var key: String
        var scope: Scope
    }

    /// A bank in which every switch is normal everywhere.
    public init() {}

    /// A bank with these machines, as they were read from a snapshot.
    init(
        version: UInt64,
        definedVersion: UInt64,
        modes: [String: SwitchMode],
        traffic: [TrafficKey: TrafficSample],
        machines: [SwitchMachine]
    ) {
        self.version = version
        self.definedVersion = definedVersion
        self.modes = modes
        self.traffic = traffic
        for machine in machines { store(machine) }
    }

    /// Every machine that has ever moved, ordered by switch and scope.
    public var allMachines: [SwitchMachine] {
        machines.sorted { ($0.key, $0.scope) < ($1.key, $1.scope) }
    }

    /// The machine of a switch in exactly this scope; nil where it never moved.
    public func machine(of key: String, in scope: Scope) -> SwitchMachine? {
        positions[MachineKey(key: key, scope: scope)].map { machines[$0] }
    }

    /// The phase of a switch in exactly this scope.
    public func phase(of key: String, in scope: Scope) -> SwitchPhase {
        machine(of: key, in: scope)?.phase ?? .normal
    }

    /// The version that began what a rule's trip can't change any more: its switch is degraded or locked in exactly
    /// this scope. Nil when it is normal or trying to be.
    func degradedVersion(of key: String, in scope: Scope) -> UInt64? {
        guard let machine = machine(of: key, in: scope) else { return nil }
        return machine.phase == .degraded || machine.phase == .locked ? machine.episodeVersion : nil
    }

    /// The machines of an environment that aren't normal.
    public func degradedMachines(of key: String, environment: String) -> [SwitchMachine] {
        allMachines.filter { $0.key == key && $0.scope.environment == environment && $0.phase != .normal }
    }

    /// Where somebody tries the normal way, ordered by switch and scope.
    var tryingPlaces: [(key: String, scope: Scope)] {
        guard tryingCount > 0 else { return [] }
        return machines.filter { $0.evidence != nil }.map { ($0.key, $0.scope) }.sorted { $0 < $1 }
    }

    /// What the switch's automation may do.
    public func mode(of definition: SwitchDefinition) -> SwitchMode {
        modes[definition.key] ?? definition.mode
    }

    /// What the switch's automation may do in an environment: in a drill it tries everything out and moves nobody.
    func mode(of definition: SwitchDefinition, in environment: String) -> SwitchMode {
        let mode = mode(of: definition)
        return mode == .armed && environment == PaymentEvent.drillEnvironment ? .dryRun : mode
    }

    /// Gives an input to a machine. The reason is made only if the machine moves.
    public mutating func apply(
        _ input: SwitchInput,
        to definition: SwitchDefinition,
        scope: Scope,
        at: Timestamp,
        reason makeReason: @autoclosure () -> SwitchReason
    ) -> Result<SwitchTransition, SwitchRefusal> {
        let known = machine(of: definition.key, in: scope)
        var machine = known ?? SwitchMachine(key: definition.key, scope: scope, since: at)
        let from = machine.phase
        switch machine.state.step(input, machine.circumstances(definition, at: at)) {
        case .stay(let hold):
            return .failure(SwitchRefusal(hold: hold))
        case .move(let to):
            if let hold = hold(of: input, machine, definition, at: at) ?? placeHold(known, scope) {
                return .failure(SwitchRefusal(hold: hold))
            }
            version += 1
            let reason = makeReason()
            machine.move(to: to, by: input, definition, at: at, version: version, reason: reason)
            store(machine)
            let asks = input == .probeIsUnknown && machine.isAskingPerson(definition)
            let cause = asks ? .askPerson : SwitchCause(input)
            return .success(transition(of: machine, definition, from: from, by: cause, reason: reason))
        }
    }

    /// What holds back a step that the table allows.
    private func hold(
        of input: SwitchInput,
        _ machine: SwitchMachine,
        _ definition: SwitchDefinition,
        at: Timestamp
    ) -> SwitchHold? {
        guard input == .ruleTrips || input == .operatorTrips else { return nil }
        if mode(of: definition) == .disarmed { return .disarmed }
        guard input == .ruleTrips, machine.state == .normal else { return nil }
        if at < machine.canTripFrom { return .minimumDwell }
        return isWithinBlastRadius(definition, adding: machine.scope) ? nil : .blastRadius
    }

    func placeHold(_ known: SwitchMachine?, _ scope: Scope) -> SwitchHold? {
        let hasPlace = known != nil || machines.count < Self.maximumMachines || scope == .defaultEnvironment
        return hasPlace ? nil : .tooManyScopes
    }

    func transition(
        of machine: SwitchMachine,
        _ definition: SwitchDefinition,
        from: SwitchPhase,
        by cause: SwitchCause,
        reason: SwitchReason
    ) -> SwitchTransition {
        SwitchTransition(
            key: machine.key,
            scope: machine.scope,
            cause: cause,
            from: from,
            to: machine.phase,
            variant: serving(definition, in: machine.scope).variant,
            version: version,
            at: machine.since,
            reason: reason
        )
    }

    /// Notes that switches were added, taken away or set otherwise: every document is another one now.
    mutating func redefine() {
        version += 1
        definedVersion = version
    }

    /// The version of the last change that an environment can see.
    public func version(for environment: String) -> UInt64 {
        let moved = machines.lazy.filter { $0.scope.environment == environment }.map(\.version).max()
        return max(moved ?? Self.firstVersion, definedVersion)
    }

    /// Puts a machine in the place of its former self.
    mutating func store(_ machine: SwitchMachine) {
        let key = MachineKey(key: machine.key, scope: machine.scope)
        if machine.evidence != nil { tryingCount += 1 }
        if let position = positions[key] {
            if machines[position].evidence != nil { tryingCount -= 1 }
            machines[position] = machine
        } else {
            positions[key] = machines.count
            machines.append(machine)
        }
    }

    /// Notes a report with the machine of a scope if it is one of those who try, and says what the evidence amounts to
    /// then. In its place, since the evidence is large.
    mutating func hear(
        _ report: ProbeReport,
        from event: PaymentEvent,
        meaning classification: Classification,
        _ definition: SwitchDefinition,
        scope: Scope,
        goodBelowPercent: Int,
        at: Timestamp
    ) -> ProbeVerdict? {
        guard let position = positions[MachineKey(key: definition.key, scope: scope)],
            machines[position].hears(event, meaning: classification, definition, newest: version, at: at)
        else { return nil }
        machines[position].evidence?
            .record(
                attempt: report.attempt,
                install: report.install,
                isFailure: report.isFailure,
                isTrusted: report.isTrusted
            )
        return machines[position].evidence?.verdict(definition.recovery, goodBelowPercent: goodBelowPercent)
    }

    /// Changes each machine in its place.
    mutating func updateAll(_ change: (inout SwitchMachine) -> Void) {
        for position in machines.indices {
            var machine = machines[position]
            change(&machine)
            store(machine)
        }
    }
}
