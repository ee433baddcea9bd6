import ShuntCore
import ShuntSchema
import Testing

/// Law 6: every pair of phase and input is in its machine's table, and these are the tables.
@Suite struct TransitionTableTests {
    private static let switchTable: [(SwitchPhase, SwitchInput, SwitchStep)] = [
        (.normal, .ruleTrips, .move(to: .degraded)),
        (.normal, .operatorTrips, .move(to: .degraded)),
        (.normal, .operatorRestores, .stay(.alreadyNormal)),
        (.degraded, .ruleTrips, .stay(.alreadyDegraded)),
        (.degraded, .operatorTrips, .stay(.alreadyDegraded)),
        (.degraded, .operatorRestores, .move(to: .normal)),
    ]

    private static let alertTable: [(AlertPhase, AlertInput, AlertPhase)] = [
        (.inactive, .crossed, .firing),
        (.inactive, .subsided, .inactive),
        (.inactive, .switchDegraded, .inactive),
        (.inactive, .switchRestored, .inactive),
        (.inactive, .ruleChanged, .inactive),
        (.firing, .crossed, .firing),
        (.firing, .subsided, .inactive),
        (.firing, .switchDegraded, .mitigated),
        (.firing, .switchRestored, .firing),
        (.firing, .ruleChanged, .inactive),
        (.mitigated, .crossed, .mitigated),
        (.mitigated, .subsided, .mitigated),
        (.mitigated, .switchDegraded, .mitigated),
        (.mitigated, .switchRestored, .firing),
        (.mitigated, .ruleChanged, .inactive),
    ]

    @Test(arguments: switchTable)
    func `a switch steps as its table says`(phase: SwitchPhase, input: SwitchInput, step: SwitchStep) {
        #expect(phase.step(input) == step)
    }

    @Test(arguments: alertTable)
    func `an alert steps as its table says`(phase: AlertPhase, input: AlertInput, next: AlertPhase) {
        #expect(phase.step(input) == next)
    }

    @Test func `the tables have every pair once`() {
        let switchPairs = SwitchPhase.allCases.flatMap { phase in SwitchInput.allCases.map { "\(phase) \($0)" } }
        #expect(Self.switchTable.map { "\($0.0) \($0.1)" }.sorted() == switchPairs.sorted())
        let alertPairs = AlertPhase.allCases.flatMap { phase in AlertInput.allCases.map { "\(phase) \($0)" } }
        #expect(Self.alertTable.map { "\($0.0) \($0.1)" }.sorted() == alertPairs.sorted())
    }
}
