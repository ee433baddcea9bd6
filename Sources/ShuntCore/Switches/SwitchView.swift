public import ShuntSchema

/// The part of the state that polls are answered from: small, and cheap to hand to other threads.
public struct SwitchView: Sendable {
    /// How long clients should wait between polls while all is well, in seconds.
    public static let calmPollSec: Int64 = 60
    /// How long while any switch isn't normal, in seconds.
    public static let alarmedPollSec: Int64 = 15

    /// Names the journal whose versions count up.
    public var epoch: String
    /// Since then a switch that never moved is normal.
    public var foundedAt: Timestamp
    /// The switches, in the order in which documents list them.
    public var definitions: [SwitchDefinition]
    /// The machines.
    public var bank: SwitchBank

    /// What apps of one environment are told. Any environment has one; where nothing ever moved, all is normal.
    public func document(environment: String) -> SwitchDocument {
        let statuses = definitions.map { status(of: $0, environment: environment) }
        let isCalm = statuses.allSatisfy { $0.state == .normal && $0.scopes.isEmpty }
        return SwitchDocument(
            epoch: epoch,
            version: bank.version(for: environment),
            environment: environment,
            pollAfterSec: isCalm ? Self.calmPollSec : Self.alarmedPollSec,
            switches: statuses
        )
    }

    /// The environments in which a switch has ever moved, in order.
    public var movedEnvironments: [String] {
        Set(bank.allMachines.map(\.scope.environment)).sorted()
    }

    private func status(of definition: SwitchDefinition, environment: String) -> SwitchStatus {
        let machines = bank.allMachines.filter {
            $0.key == definition.key && $0.scope.environment == environment
        }
        let whole = machines.first { $0.scope.attributes.isEmpty }
        let phase = whole?.phase ?? .normal
        return SwitchStatus(
            key: definition.key,
            state: phase,
            variant: definition.variant(in: phase),
            since: whole?.since ?? foundedAt,
            reason: whole?.reason,
            scopes: machines.filter { !$0.scope.attributes.isEmpty && $0.phase != .normal }.map { machine in
                ScopeStatus(
                    match: Dictionary(uniqueKeysWithValues: machine.scope.attributes.map { ($0.name, $0.value) }),
                    state: machine.phase,
                    variant: definition.variant(in: machine.phase),
                    percent: 100
                )
            }
        )
    }
}

extension State {
    /// The switches, to be read apart from everything else.
    public var switchView: SwitchView {
        SwitchView(epoch: epoch, foundedAt: foundedAt, definitions: ruleSet.switches, bank: switches)
    }

    /// What apps of one environment are told.
    public func document(environment: String) -> SwitchDocument {
        switchView.document(environment: environment)
    }
}
