import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Law 6 for the money of an attempt: every pair of phase and input, as a table.
@Suite struct MoneyPhaseTests {
    /// A row an input; the columns are the phases in the order of their declaration. A cell is where it leads: `.` stays.
    ///
    /// open acc not may mov ovr paid npaid rev ref
    private static let table: [(MoneyInput, String)] = [
        (.attempted, /*              */ ".    .    .    .    .    .    .    .    .    ."),
        (.proceeded, /*              */ ".    .    .    .    .    .    .    .    .    ."),
        (.accepted, /*               */ "acc  .    acc  .    .    .    .    .    .    ."),
        (.refused, /*                */ "not  .    .    .    .    .    .    .    .    ."),
        (.unclear, /*                */ "may  may  may  .    .    .    .    .    .    ."),
        (.charged, /*                */ "mov  mov  mov  mov  .    .    .    ovr  .    ."),
        (.paid, /*                   */ "paid paid paid paid paid .    .    ovr  .    ."),
        (.paidAgain, /*              */ "ovr  ovr  ovr  ovr  ovr  .    ovr  ovr  ovr  ovr"),
        (.unpaid, /*                 */ "npd  npd  npd  npd  .    .    .    .    .    ."),
        (.reversed, /*               */ "rev  rev  rev  rev  rev  rev  rev  rev  .    ."),
        (.refunded, /*               */ "ref  ref  ref  ref  ref  ref  ref  ref  .    ."),
        (.undoUnclear, /*            */ "may  may  .    .    .    .    may  .    .    ."),
        (.declaredPaid, /*           */ "paid paid paid paid paid paid .    paid paid paid"),
        (.declaredNotPaid, /*        */ "npd  npd  npd  npd  npd  npd  npd  .    npd  npd"),
        (.declaredReversed, /*       */ "rev  rev  rev  rev  rev  rev  rev  rev  .    rev"),
        (.declaredRefunded, /*       */ "ref  ref  ref  ref  ref  ref  ref  ref  ref  ."),
        (.patienceEnded, /*          */ "not  .    .    .    .    .    .    .    .    ."),
        (.patienceEndedAfterToken, /**/ "may  .    .    .    .    .    .    .    .    ."),
        (.notificationMissed, /*     */ ".    may  .    .    .    .    .    .    .    ."),
    ]

    private static let names: [String: MoneyPhase] = [
        "open": .open, "acc": .accepted, "not": .notMoved, "may": .mayHaveMoved, "mov": .moved, "ovr": .overpaid,
        "paid": .paid, "npd": .notPaid, "rev": .reversed, "ref": .refunded,
    ]

    @Test(arguments: table)
    private func `every phase takes an input as its row says`(input: MoneyInput, cells: String) throws {
        let cells = cells.split(separator: " ")
        try #require(cells.count == MoneyPhase.allCases.count)
        for (phase, cell) in zip(MoneyPhase.allCases, cells) {
            let wanted = cell == "." ? phase : try #require(Self.names[String(cell)])
            #expect(phase.step(input).phase == wanted, "\(phase) + \(input)")
        }
    }

    @Test func `the table has every input once`() {
        #expect(Self.table.map(\.0) == MoneyInput.allCases)
    }

    private static let reasons: [Row<(MoneyPhase, MoneyInput, MoneyReason)>] = [
        Row("a refusal doesn't lift a doubt", (.mayHaveMoved, .refused, .doubtStands)),
        Row("nor does another acceptance", (.mayHaveMoved, .accepted, .doubtStands)),
        Row("a failure after the end is late", (.paid, .refused, .lateFailure)),
        Row("an unclear one too", (.paid, .unclear, .lateFailure)),
        Row("the same end twice is a repeat", (.paid, .paid, .repeated)),
        Row("a second payment is named", (.paid, .paidAgain, .paidTwice)),
        Row("so is one of what was given up", (.notPaid, .paid, .paidAfterAll)),
        Row("a person's word once more changes nothing", (.paid, .declaredPaid, .repeated)),
        Row("a query's answer says so", (.mayHaveMoved, .unpaid, .answered)),
        Row("nobody said how it ended", (.open, .patienceEndedAfterToken, .noOutcome)),
        Row("the notification is missing", (.accepted, .notificationMissed, .noNotification)),
        Row("a wait that is over is out of turn", (.paid, .notificationMissed, .outOfTurn)),
    ]

    @Test(arguments: reasons)
    private func `each step names its reason`(row: Row<(MoneyPhase, MoneyInput, MoneyReason)>) {
        #expect(row.value.0.step(row.value.1).reason == row.value.2)
    }

    @Test func `no event but a success, a reversal, a refund or a proven answer lifts a doubt`() {
        let lifting: [MoneyInput] = [
            .paid, .unpaid, .reversed, .refunded, .declaredPaid, .declaredNotPaid, .declaredReversed, .declaredRefunded,
        ]
        for phase in MoneyPhase.allCases where phase.isInDoubt {
            for input in MoneyInput.allCases where !phase.step(input).phase.isInDoubt {
                #expect(lifting.contains(input), "\(phase) + \(input)")
            }
        }
    }

    @Test func `only these three phases are in doubt, and each has advice`() {
        #expect(MoneyPhase.allCases.filter(\.isInDoubt) == [.mayHaveMoved, .moved, .overpaid])
        #expect(MoneyPhase.mayHaveMoved.advice == .queryFirst)
        #expect(MoneyPhase.moved.advice == .fulfilOrReverse)
        #expect(MoneyPhase.overpaid.advice == .reverse)
    }
}
