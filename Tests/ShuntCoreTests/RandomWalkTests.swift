import ShuntCore
import ShuntSchema
import Testing

/// What holds after every entry, whatever comes in.
@Suite struct RandomWalkTests {
    private static let environments = ["production", "sandbox", "test", "_other"]

    /// What leaves an alert in the phase in which it is.
    private static let tellings: Set<AlertInput> = [
        .pended, .reminded, .escalated, .acknowledged, .unacknowledged, .unsilenced, .uninhibited,
    ]

    private static func versions(_ state: State) -> [UInt64] {
        environments.map { state.document(environment: $0).version }
    }

    /// Where each switch stands in each slice.
    private static func phases(_ state: State) -> [String: SwitchPhase] {
        let machines = state.switches.allMachines.map { ("\($0.key) [\($0.scope.text)]", $0.phase) }
        return Dictionary(machines) { first, _ in first }
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13, 21, 34] as [UInt64])
    func `versions only grow, each by a transition that is told or by other switches`(seed: UInt64) {
        var state = State()
        var told: UInt64 = SwitchBank.firstVersion
        for entry in RandomJournal.entries(seed: seed, count: 2000) {
            let before = (bank: state.switches.version, documents: Self.versions(state))
            let moves = state.apply(entry).moves
            let after = (bank: state.switches.version, documents: Self.versions(state))
            let grown = after.bank - before.bank
            if entry.input.kind == .configured, grown == 1 {
                // Other switches: every document is another one, and no switch moved.
                told += 1
                #expect(moves.isEmpty && after.documents.allSatisfy { $0 == after.bank }, "entry \(entry.seq)")
                continue
            }
            if grown != UInt64(moves.count) { Issue.record("entry \(entry.seq): \(grown) versions, \(moves)") }
            for move in moves {
                if move.version != told + 1 { Issue.record("entry \(entry.seq): \(move.version) after \(told)") }
                told = move.version
            }
            for (number, environment) in Self.environments.enumerated() {
                let mine = moves.filter { $0.scope.environment == environment }.map(\.version).max()
                if after.documents[number] != mine ?? before.documents[number] {
                    Issue.record("entry \(entry.seq): \(environment) shows \(after.documents[number])")
                }
            }
        }
        #expect(told > 10)
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13, 21, 34] as [UInt64])
    func `only a person's restore leads out of degraded`(seed: UInt64) {
        var state = State()
        var restores = 0
        for entry in RandomJournal.entries(seed: seed, count: 2000) {
            let before = Self.phases(state)
            _ = state.apply(entry)
            let after = Self.phases(state)
            let left = before.filter { $0.value == .degraded && after[$0.key] != .degraded }
            guard !left.isEmpty else { continue }
            restores += 1
            guard case .command(let command) = entry.input, command.action == .restore,
                left.keys.allSatisfy({ $0.hasPrefix("\(command.key) [\(command.scope.environment)") })
            else {
                Issue.record("entry \(entry.seq), \(entry.input.kind), moved \(left)")
                continue
            }
        }
        #expect(restores > 3)
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
    func `effects have unique identities, in order, and each alert lives once`(seed: UInt64) {
        let effects = Fold(RandomJournal.entries(seed: seed, count: 4000)).effects
        let ids = effects.map { ($0.id.seq, $0.id.index) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        for (id, next) in zip(ids, ids.dropFirst()) {
            if next.1 != (next.0 == id.0 ? id.1 + 1 : 0) { Issue.record("\(next) after \(id)") }
        }
        var phases: [String: AlertPhase] = [:]
        for change in effects.alertChanges {
            let before = phases[change.alert.id] ?? .inactive
            let isSame = change.alert.phase == before && !Self.tellings.contains(change.input)
            if isSame || before.step(change.input) != change.alert.phase {
                Issue.record("\(change.alert.id): \(change.input) from \(before) to \(change.alert.phase)")
            }
            if change.input == .crossed, before.isFiring {
                Issue.record("\(change.alert.id) fired twice")
            }
            if (change.alert.endsAt != nil) != (change.alert.phase == .inactive) {
                Issue.record(
                    "\(change.alert.id): \(change.alert.phase), ends at \(String(describing: change.alert.endsAt))"
                )
            }
            phases[change.alert.id] = change.alert.phase
        }
        #expect(phases.values.contains(.inactive))
    }

    @Test(arguments: [1, 2, 3, 5] as [UInt64])
    func `a mitigated alert's rule trips a switch that is degraded somewhere in its environment`(seed: UInt64) {
        var state = State()
        for entry in RandomJournal.entries(seed: seed, count: 2000) {
            _ = state.apply(entry)
            for alert in state.openAlerts where alert.phase == .mitigated {
                let rule = state.ruleSet.rules.first { $0.id == alert.rule }
                let environment = alert.group.first?.value ?? ""
                let degraded = rule?.trip.map {
                    state.switches.degradedMachines(of: $0.switchKey, environment: environment)
                }
                if degraded?.isEmpty ?? true { Issue.record("entry \(entry.seq): \(alert)") }
            }
        }
    }

    /// Law 4 from the outside: groups counted by the state equal a recount of the entries, times that go back too.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64], Counting.allCases)
    func `a state's counts equal a naive recount of its entries`(seed: UInt64, counting: Counting) {
        var rule = RandomJournal.ruleSets[0].rules[0]
        rule.groupBy = [.errorCode]
        rule.trip = nil
        rule.count = counting
        var state = State()
        _ = state.apply(
            Entry(seq: 1, at: Timestamp(milliseconds: 0), input: .configured(RuleSet(rules: [rule], switches: [])))
        )
        var seen: [(group: [String], key: String, at: Int64)] = []
        var nowMs: Int64 = 0
        for entry in RandomJournal.entries(seed: seed, count: 700) {
            guard case .event(let event) = entry.input else { continue }
            _ = state.apply(entry)
            nowMs = max(nowMs, entry.at.milliseconds)
            let isLate = event.occurredAt.map { $0.milliseconds <= nowMs - rule.windowMs } ?? false
            let code = event.error?.code ?? ""
            if event.outcome == .failed, event.counts == nil, !isLate {
                let key: String? =
                    switch counting {
                    case .events: "\(entry.seq)"
                    case .installs: event.installId
                    case .attempts:
                        event.attemptId ?? event.orderRef
                            ?? event.installId.map { "\($0) \(nowMs / 60_000)" } ?? "\(entry.seq)"
                    }
                if let key { seen.append(([event.environment, code], key, nowMs)) }
            }
            for group in [[event.environment, code], ["production", "0"]] {
                let keys = Set(seen.filter { $0.group == group && $0.at > nowMs - rule.windowMs }.map(\.key))
                let count = state.count(rule: rule.id, group: group)
                if count != min(keys.count, rule.threshold) {
                    Issue.record("entry \(entry.seq): \(group) is \(count), recounted \(keys.count)")
                }
            }
        }
        #expect(seen.count > 200)
    }
}
