public import ShuntSchema

/// All machines of all switches, and the version that grows with each of their transitions.
public struct SwitchBank: Sendable {
    /// How many machines there may be. A machine is made by a trip, so this bounds what hostile names can cost.
    /// The default environment as a whole has its own beyond it: names that fill the bank must not keep payers on a
    /// broken route.
    public static let maximumMachines = 1_000
    /// The version before any transition.
    public static let firstVersion: UInt64 = 1

    /// The version of the last transition or redefinition.
    public private(set) var version = Self.firstVersion
    /// The version that the switches' definitions were changed in last; every environment sees that.
    /// Where nothing ever moved, it is the version.
    public private(set) var definedVersion = Self.firstVersion
    private var machines: [SwitchMachine] = []
    private var positions: [MachineKey: Int] = [:]

    private struct MachineKey: Hashable {
        var key: String
        var scope: Scope
    }

    /// A bank in which every switch is normal everywhere.
    public init() {}

    /// A bank with these machines, as they were read from a snapshot.
    init(version: UInt64, definedVersion: UInt64, machines: [SwitchMachine]) {
        self.version = version
        self.definedVersion = definedVersion
        for machine in machines { insert(machine) }
    }

    /// Every machine that has ever moved, ordered by switch and scope.
    public var allMachines: [SwitchMachine] {
        machines.sorted { ($0.key, $0.scope) < ($1.key, $1.scope) }
    }

    /// The phase of a switch in exactly this scope.
    public func phase(of key: String, in scope: Scope) -> SwitchPhase {
        positions[MachineKey(key: key, scope: scope)].map { machines[$0].phase } ?? .normal
    }

    /// The version that degraded a switch in exactly this scope; nil when it is normal.
    func degradedVersion(of key: String, in scope: Scope) -> UInt64? {
        guard let position = positions[MachineKey(key: key, scope: scope)] else { return nil }
        return machines[position].phase == .degraded ? machines[position].version : nil
    }

    /// The machines of an environment that aren't normal.
    public func degradedMachines(of key: String, environment: String) -> [SwitchMachine] {
        allMachines.filter { $0.key == key && $0.scope.environment == environment && $0.phase != .normal }
    }

    /// Gives an input to a machine. The reason is made only if the machine moves.
    public mutating func apply(
        _ input: SwitchInput,
        to definition: SwitchDefinition,
        scope: Scope,
        at: Timestamp,
        reason makeReason: @autoclosure () -> SwitchReason
    ) -> Result<SwitchTransition, SwitchRefusal> {
        let machineKey = MachineKey(key: definition.key, scope: scope)
        let from = phase(of: definition.key, in: scope)
        switch from.step(input) {
        case .stay(let hold):
            return .failure(SwitchRefusal(hold: hold))
        case .move(let to):
            let hasPlace = machines.count < Self.maximumMachines || scope == .defaultEnvironment
            guard hasPlace || positions[machineKey] != nil else {
                return .failure(SwitchRefusal(hold: .tooManyScopes))
            }
            version += 1
            let reason = makeReason()
            let machine = SwitchMachine(
                key: definition.key,
                scope: scope,
                phase: to,
                since: at,
                version: version,
                reason: to == .normal ? nil : reason
            )
            if let position = positions[machineKey] {
                machines[position] = machine
            } else {
                insert(machine)
            }
            return .success(
                SwitchTransition(
                    key: definition.key,
                    scope: scope,
                    from: from,
                    to: to,
                    variant: definition.variant(in: to),
                    version: version,
                    at: at,
                    reason: reason
                )
            )
        }
    }

    /// Notes that switches were added, taken away or given other variants: every document is another one now.
    mutating func redefine() {
        version += 1
        definedVersion = version
    }

    /// The version of the last change that an environment can see.
    public func version(for environment: String) -> UInt64 {
        let moved = machines.lazy.filter { $0.scope.environment == environment }.map(\.version).max()
        return max(moved ?? Self.firstVersion, definedVersion)
    }

    private mutating func insert(_ machine: SwitchMachine) {
        positions[MachineKey(key: machine.key, scope: machine.scope)] = machines.count
        machines.append(machine)
    }
}

/// A switch that stayed as it was.
public struct SwitchRefusal: Error, Equatable, Sendable {
    /// Why.
    public var hold: SwitchHold
}
