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
        let machines = bank.allMachines.filter { $0.scope.environment == environment }
        let statuses = definitions.map { definition in
            status(of: definition, environment: environment, machines.filter { $0.key == definition.key })
        }
        let isCalm = statuses.allSatisfy { $0.state == .normal && $0.scopes.isEmpty && $0.override == nil }
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

    private func status(
        of definition: SwitchDefinition,
        environment: String,
        _ machines: [SwitchMachine]
    ) -> SwitchStatus {
        let whole = machines.first { $0.scope.attributes.isEmpty }
        let mode = bank.mode(of: definition)
        let serving = bank.serving(definition, in: Scope(environment: environment))
        let isTrying = serving.override == nil && whole?.evidence != nil && mode == .armed
        return SwitchStatus(
            key: definition.key,
            state: whole?.phase ?? .normal,
            mode: mode == .armed ? nil : mode,
            variant: serving.variant,
            percent: isTrying ? serving.percent : nil,
            salt: isTrying ? whole?.salt : nil,
            normalVariant: isTrying ? definition.normalVariant : nil,
            since: whole?.since ?? foundedAt,
            reason: whole?.reason,
            override: serving.override?.status,
            scopes: machines.filter(\.isShownAsSlice).map { slice(of: definition, $0) }
        )
    }

    /// A narrower slice as clients see it. What an override of a wider one decides is spelled out, so that a client
    /// which only takes the most specific slice's variant is right too.
    private func slice(of definition: SwitchDefinition, _ machine: SwitchMachine) -> ScopeStatus {
        let serving = bank.serving(definition, in: machine.scope)
        return ScopeStatus(
            match: Dictionary(uniqueKeysWithValues: machine.scope.attributes.map { ($0.name, $0.value) }),
            state: machine.phase,
            variant: serving.variant,
            percent: machine.phase == .normal ? 100 : serving.percent,
            salt: serving.percent < 100 && machine.phase != .normal ? machine.salt : nil,
            override: serving.override?.status
        )
    }
}

extension SwitchMachine {
    /// Whether documents list it among the narrower slices.
    fileprivate var isShownAsSlice: Bool {
        !scope.attributes.isEmpty && (phase != .normal || override != nil)
    }
}

extension SwitchOverride {
    fileprivate var status: OverrideStatus {
        OverrideStatus(variant: variant, summary: reason, endsAt: endsAt)
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
