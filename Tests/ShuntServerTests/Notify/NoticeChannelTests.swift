import ShuntCore
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// Which channels an alert goes to.
@Suite struct NoticeChannelTests {
    private static let rows: [Row<(named: [String], configured: [String], told: [String])>] = [
        Row("the one that is named", (["security"], ["oncall", "security"], ["security"])),
        Row("all, where none is named", ([], ["oncall", "security"], ["oncall", "security"])),
        Row("all, where nobody has that name", (["security"], ["oncall", "wall"], ["oncall", "wall"])),
        Row("those that are there", (["security", "oncall"], ["oncall", "wall"], ["oncall"])),
    ]

    @Test(arguments: rows)
    func `an alert is told to`(row: Row<(named: [String], configured: [String], told: [String])>) throws {
        var ruleSet = WriterParts.rules
        ruleSet.rules[1].alert.channels = row.value.named
        let maker = NoticeMaker(
            channels: row.value.configured.map { NoticeMaker.ChannelSummary(name: $0, kind: .webhook) },
            links: LinkTemplates()
        )
        var state = State()
        var told: [[String]] = []
        let at = Timestamp(milliseconds: 1_800_000_000_000)
        var event = PaymentEvent(error: ErrorReport(domain: "verify", code: "1"))
        event.environment = "watched"
        let inputs: [Input] = [.founded(epoch: "a"), .configured(ruleSet), .event(event), .event(event), .event(event)]
        for (number, input) in inputs.enumerated() {
            let entry = Entry(seq: UInt64(number + 1), at: at, input: input)
            let effects = state.apply(entry)
            told += maker.items(of: entry, effects: effects, in: state).map(\.channels)
        }
        #expect(told == [row.value.told])
    }
}
