import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// One group through all steps: durable, folded, published, answered, or none of it.
@Suite struct WriterTests {
    private let parts: WriterParts

    init() throws {
        parts = try WriterParts()
    }

    private func failures(_ count: Int, from first: Int = 0, environment: String = "production") -> [PaymentEvent] {
        (first..<first + count).map { .failure(id: "\(environment)-\($0)", environment: environment) }
    }

    private func expectWritable(
        _ writer: borrowing Writer,
        _ expected: Bool,
        at location: SourceLocation = #_sourceLocation
    ) {
        let isWritable = writer.isWritable
        #expect(isWritable == expected, sourceLocation: location)
    }

    private func expectNoDeadline(_ writer: inout Writer, at location: SourceLocation = #_sourceLocation) {
        let milliseconds = writer.millisecondsToDeadline()
        #expect(milliseconds == nil, sourceLocation: location)
    }

    @Test func `each submission of a group gets its own verdict`() throws {
        var writer = try parts.writer()
        let results = Results()
        let old = PaymentEvent.failure(id: "old", occurredAt: Timestamp(milliseconds: 1_000_000))
        writer.process([
            results.submission(failures(2)),
            results.submission(failures(3)),
            results.submission([old, .failure(), .failure()]),
            results.submission(failures(1)),
        ])
        #expect(results.successes.map(\.accepted) == [2, 1, 3, 0])
        #expect(results.successes.map(\.duplicates) == [0, 2, 0, 1])
        #expect(results.successes.map(\.late) == [0, 0, 1, 0])
        let values = parts.metrics.snapshot
        #expect(values.duplicates == 3)
        #expect(values.late == 1)
        #expect(values.events.values.reduce(0, +) == 6)
        #expect(values.commit.count == 1)
    }

    @Test func `a transition is reported to the submission whose event crossed`() throws {
        var writer = try parts.writer()
        let results = Results()
        writer.process([
            results.submission(failures(2)),
            results.submission(failures(1, from: 2)),
            results.submission(failures(5, from: 3)),
            results.submission(failures(3, environment: "sandbox")),
        ])
        let transitions = results.successes.map { $0.transitions.map(\.scope.environment) }
        #expect(transitions == [[], ["production"], [], ["sandbox"]])
        #expect(parts.board.document(environment: "production")?.version == 2)
        #expect(parts.board.document(environment: "sandbox")?.version == 3)
        #expect(parts.metrics.snapshot.detection.count == 2)
    }

    @Test func `what is answered is published already`() throws {
        var writer = try parts.writer()
        let board = parts.board
        let results = Results()
        var submission = results.submission(failures(3))
        let reply = submission.reply
        submission.reply = { result in
            #expect(board.document(environment: "production")?.document.switches.first?.variant == "web")
            return reply(result)
        }
        writer.process([submission])
        #expect(results.successes.first?.transitions.count == 1)
    }

    @Test func `a command moves a switch, and one that moves nothing says so`() throws {
        var writer = try parts.writer()
        let results = Results()
        let scope = Scope(environment: "production")
        let trip = SwitchCommand(action: .trip, key: "apple-pay", scope: scope, actor: "a", reason: "r")
        writer.process([results.submission(.command(trip)), results.submission(.command(trip))])
        #expect(results.successes.map(\.transitions.count) == [1, 0])
    }

    @Test func `a group that can't be written changes nothing, and the same group is taken later`() throws {
        var writer = try parts.writer()
        let results = Results()
        writer.process([results.submission(failures(2))])
        let refusal = try parts.refuseInserts()
        let group = [results.submission(failures(1, from: 1)), results.submission(failures(3, from: 2))]
        writer.process(group)
        expectWritable(writer, false)
        #expect(results.all.suffix(2).allSatisfy { (try? $0.get()) == nil })
        #expect(parts.board.document(environment: "production")?.version == 1)
        #expect(parts.metrics.snapshot.failedCommits == 1)
        #expect(parts.metrics.snapshot.events.values.reduce(0, +) == 2)

        try refusal.execute("DROP TRIGGER refusal")
        writer.process(group)
        expectWritable(writer, true)
        #expect(results.successes.suffix(2).map(\.accepted) == [0, 3])
        #expect(results.successes.suffix(2).map(\.duplicates) == [1, 0])
        #expect(parts.board.document(environment: "production")?.version == 2)
        #expect(try parts.numbers() == (1...7).map { $0 })
        try parts.expectReplayEquals(writer)
    }

    @Test func `after a failure it tries by itself until it can write, though nothing comes in`() throws {
        var writer = try parts.writer()
        let refusal = try parts.refuseInserts()
        writer.process([Results().submission(failures(1))])
        expectWritable(writer, false)
        let isDueAtOnce = writer.isDue()
        #expect(!isDueAtOnce)
        try refusal.execute("DROP TRIGGER refusal")
        let isDue = parts.waitUntilDue(&writer)
        #expect(isDue)
        writer.process([])
        expectWritable(writer, true)
        let isDueAgain = writer.isDue()
        #expect(!isDueAgain)
        try parts.expectReplayEquals(writer)
    }

    @Test func `a deadline with no traffic is journaled as a tick, and nothing is due before it`() throws {
        var writer = try parts.writer()
        expectNoDeadline(&writer)
        writer.process([Results().submission(failures(3, environment: "watched"))])
        let isDueAtOnce = writer.isDue()
        #expect(!isDueAtOnce)
        #expect(parts.metrics.snapshot.openAlerts == [Metrics.AlertLabels(rule: "watch", phase: .firing): 1])
        let isDue = parts.waitUntilDue(&writer)
        #expect(isDue)
        writer.process([])
        #expect(parts.metrics.snapshot.openAlerts.isEmpty)
        expectNoDeadline(&writer)
        #expect(try parts.inputs().last == .tick)
        try parts.expectReplayEquals(writer)
    }

    @Test func `the last snapshot leaves nothing to fold`() throws {
        var writer = try parts.writer()
        writer.process([Results().submission(failures(5))])
        writer.finish()
        let recovery = try parts.recover()
        #expect(recovery.folded == 0)
        #expect(recovery.journal.lastSeq == 7)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random groups are counted once each, whatever fails in between`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var writer = try parts.writer()
        var taken: Set<String> = []
        var accepted = 0
        for _ in 0..<40 {
            let results = Results()
            let refusal = random.oneIn(4) ? try parts.refuseInserts() : nil
            let group = (0..<(1 + random.below(4))).map { _ in
                (0..<random.below(8)).map { _ in PaymentEvent.failure(id: "\(random.below(300))") }
            }
            let isEmpty = group.allSatisfy(\.isEmpty)
            writer.process(group.map { results.submission($0) })
            if let refusal {
                try refusal.execute("DROP TRIGGER refusal")
                if results.successes.isEmpty { continue }
                // Nothing was to be inserted: all were repeats.
                #expect(isEmpty || results.successes.allSatisfy { $0.accepted == 0 })
            }
            accepted += results.successes.reduce(0) { $0 + $1.accepted }
            for event in group.joined() { taken.insert(event.eventId ?? "") }
            try #require(accepted == taken.count)
        }
        #expect(try parts.numbers() == (1...UInt64(2 + accepted)).map { $0 })
        try parts.expectReplayEquals(writer)
    }
}
