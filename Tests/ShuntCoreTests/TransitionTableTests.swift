import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Law 6: every pair of phase and input is in its machine's table, and these are the tables.
@Suite struct TransitionTableTests {
    private static func now(
        atFlapLimit isAtFlapLimit: Bool = false,
        _ onUnknown: UnknownPolicy = .hold
    ) -> SwitchCircumstances {
        SwitchCircumstances(nextLevel: 3, isAtFlapLimit: isAtFlapLimit, rampSteps: 2, onUnknown: onUnknown)
    }

    private static let degraded = SwitchState.degraded(level: 2)
    private static let probing = SwitchState.probing(level: 2)
    private static let first = SwitchState.ramping(level: 2, step: 0)
    private static let last = SwitchState.ramping(level: 2, step: 1)
    private static let locked = SwitchState.locked(level: 2)

    /// Where nothing flaps, and a probe without evidence holds.
    private static let switchTable: [(SwitchState, SwitchInput, SwitchStep)] = [
        (.normal, .ruleTrips, .move(to: .degraded(level: 3))),
        (.normal, .operatorTrips, .move(to: .degraded(level: 3))),
        (.normal, .operatorRestores, .stay(.alreadyNormal)),
        (.normal, .disarmed, .stay(.alreadyNormal)),
        (.normal, .coolDownEnds, .stay(.outOfTurn)),
        (.normal, .probeIsGood, .stay(.outOfTurn)),
        (.normal, .probeIsBad, .stay(.outOfTurn)),
        (.normal, .probeIsUnknown, .stay(.outOfTurn)),
        (degraded, .ruleTrips, .stay(.alreadyDegraded)),
        (degraded, .operatorTrips, .stay(.alreadyDegraded)),
        (degraded, .operatorRestores, .move(to: .normal)),
        (degraded, .disarmed, .move(to: .normal)),
        (degraded, .coolDownEnds, .move(to: probing)),
        (degraded, .probeIsGood, .stay(.outOfTurn)),
        (degraded, .probeIsBad, .stay(.outOfTurn)),
        (degraded, .probeIsUnknown, .stay(.outOfTurn)),
        (probing, .ruleTrips, .move(to: .degraded(level: 3))),
        (probing, .operatorTrips, .move(to: degraded)),
        (probing, .operatorRestores, .move(to: .normal)),
        (probing, .disarmed, .move(to: .normal)),
        (probing, .coolDownEnds, .stay(.outOfTurn)),
        (probing, .probeIsGood, .move(to: first)),
        (probing, .probeIsBad, .move(to: .degraded(level: 3))),
        (probing, .probeIsUnknown, .move(to: degraded)),
        (first, .ruleTrips, .move(to: .degraded(level: 3))),
        (first, .operatorTrips, .move(to: degraded)),
        (first, .operatorRestores, .move(to: .normal)),
        (first, .disarmed, .move(to: .normal)),
        (first, .coolDownEnds, .stay(.outOfTurn)),
        (first, .probeIsGood, .move(to: last)),
        (first, .probeIsBad, .move(to: .degraded(level: 3))),
        (first, .probeIsUnknown, .move(to: degraded)),
        (locked, .ruleTrips, .stay(.locked)),
        (locked, .operatorTrips, .stay(.locked)),
        (locked, .operatorRestores, .move(to: .normal)),
        (locked, .disarmed, .move(to: .normal)),
        (locked, .coolDownEnds, .stay(.locked)),
        (locked, .probeIsGood, .stay(.locked)),
        (locked, .probeIsBad, .stay(.locked)),
        (locked, .probeIsUnknown, .stay(.locked)),
    ]

    private static let otherCircumstances: [Row<(SwitchState, SwitchInput, SwitchCircumstances, SwitchStep)>] = [
        Row("the last step of a ramp", (last, .probeIsGood, now(), .move(to: .normal))),
        Row("a trip too many", (.normal, .ruleTrips, now(atFlapLimit: true), .move(to: .locked(level: 3)))),
        Row("one while probing", (probing, .ruleTrips, now(atFlapLimit: true), .move(to: .locked(level: 3)))),
        Row("one while ramping", (last, .ruleTrips, now(atFlapLimit: true), .move(to: .locked(level: 3)))),
        Row("one while degraded", (degraded, .ruleTrips, now(atFlapLimit: true), .stay(.alreadyDegraded))),
        Row("a person's, never", (.normal, .operatorTrips, now(atFlapLimit: true), .move(to: .degraded(level: 3)))),
        Row("nor does a bad probe", (probing, .probeIsBad, now(atFlapLimit: true), .move(to: .degraded(level: 3)))),
        Row("no evidence, to be taken for good", (probing, .probeIsUnknown, now(.restore), .move(to: first))),
        Row("the same at the last step", (last, .probeIsUnknown, now(.restore), .move(to: .normal))),
        Row("no evidence, for bad", (probing, .probeIsUnknown, now(.degrade), .move(to: .degraded(level: 3)))),
    ]

    private static let alertTable: [(AlertPhase, AlertInput, AlertPhase)] = [
        (.inactive, .warned, .pending),
        (.inactive, .pended, .pending),
        (.inactive, .crossed, .firing),
        (.inactive, .reminded, .inactive),
        (.inactive, .escalated, .inactive),
        (.inactive, .acknowledged, .inactive),
        (.inactive, .unacknowledged, .inactive),
        (.inactive, .unsilenced, .inactive),
        (.inactive, .uninhibited, .inactive),
        (.inactive, .subsided, .inactive),
        (.inactive, .switchDegraded, .inactive),
        (.inactive, .switchRestored, .inactive),
        (.inactive, .ruleChanged, .inactive),
        (.pending, .warned, .pending),
        (.pending, .pended, .pending),
        (.pending, .crossed, .firing),
        (.pending, .reminded, .pending),
        (.pending, .escalated, .pending),
        (.pending, .acknowledged, .pending),
        (.pending, .unacknowledged, .pending),
        (.pending, .unsilenced, .pending),
        (.pending, .uninhibited, .pending),
        (.pending, .subsided, .inactive),
        (.pending, .switchDegraded, .pending),
        (.pending, .switchRestored, .pending),
        (.pending, .ruleChanged, .inactive),
        (.firing, .warned, .firing),
        (.firing, .pended, .firing),
        (.firing, .crossed, .firing),
        (.firing, .reminded, .firing),
        (.firing, .escalated, .firing),
        (.firing, .acknowledged, .firing),
        (.firing, .unacknowledged, .firing),
        (.firing, .unsilenced, .firing),
        (.firing, .uninhibited, .firing),
        (.firing, .subsided, .inactive),
        (.firing, .switchDegraded, .mitigated),
        (.firing, .switchRestored, .firing),
        (.firing, .ruleChanged, .inactive),
        (.mitigated, .warned, .mitigated),
        (.mitigated, .pended, .mitigated),
        (.mitigated, .crossed, .mitigated),
        (.mitigated, .reminded, .mitigated),
        (.mitigated, .escalated, .mitigated),
        (.mitigated, .acknowledged, .mitigated),
        (.mitigated, .unacknowledged, .mitigated),
        (.mitigated, .unsilenced, .mitigated),
        (.mitigated, .uninhibited, .mitigated),
        (.mitigated, .subsided, .mitigated),
        (.mitigated, .switchDegraded, .mitigated),
        (.mitigated, .switchRestored, .firing),
        (.mitigated, .ruleChanged, .inactive),
    ]

    @Test(arguments: switchTable)
    func `a switch steps as its table says`(state: SwitchState, input: SwitchInput, step: SwitchStep) {
        #expect(state.step(input, Self.now()) == step)
    }

    @Test(arguments: otherCircumstances)
    private func `and in other circumstances as they say`(
        row: Row<(SwitchState, SwitchInput, SwitchCircumstances, SwitchStep)>
    ) {
        let (state, input, now, step) = row.value
        #expect(state.step(input, now) == step)
    }

    @Test(arguments: UnknownPolicy.allCases, [false, true])
    func `whatever the circumstances, locked is left by a person only`(onUnknown: UnknownPolicy, isFlapping: Bool) {
        for input in SwitchInput.allCases where input != .operatorRestores && input != .disarmed {
            let step = Self.locked.step(input, Self.now(atFlapLimit: isFlapping, onUnknown))
            #expect(step == .stay(.locked), "\(input)")
        }
    }

    @Test(arguments: alertTable)
    func `an alert steps as its table says`(phase: AlertPhase, input: AlertInput, next: AlertPhase) {
        #expect(phase.step(input) == next)
    }

    @Test func `the tables have every pair once`() {
        let switchPairs = SwitchPhase.allCases.flatMap { phase in SwitchInput.allCases.map { "\(phase) \($0)" } }
        #expect(Self.switchTable.map { "\($0.0.phase) \($0.1)" }.sorted() == switchPairs.sorted())
        let alertPairs = AlertPhase.allCases.flatMap { phase in AlertInput.allCases.map { "\(phase) \($0)" } }
        #expect(Self.alertTable.map { "\($0.0) \($0.1)" }.sorted() == alertPairs.sorted())
    }
}
