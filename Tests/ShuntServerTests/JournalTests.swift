import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// What is appended, numbered and recognised.
@Suite struct JournalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func journal() throws -> Journal { Journal(folder: try folder.folder()) }

    @Test func `numbers follow one another over inputs, groups and days`() throws {
        var journal = try journal()
        #expect(journal.lastSeq == 0)
        #expect(try journal.write(.founded(epoch: "e"), at: Moment.noon) == 1)
        #expect(try journal.write([.failure(id: "a"), .failure(id: "b")], at: Moment.noon) == [2, 3])
        #expect(try journal.write(.tick, at: Moment.lastSecond) == 4)
        #expect(try journal.write([.failure(id: "c")], at: Moment.nextDay) == [5])
        #expect(journal.lastSeq == 5)
        #expect(try readNumbers(folder) == [1, 2, 3, 4, 5])
        #expect(folder.exists(Moment.fileName) && folder.exists(Moment.nextFileName))
    }

    @Test func `a repeat takes no number, so none is missing`() throws {
        var journal = try journal()
        #expect(
            try journal.write([.failure(id: "a"), .failure(id: "a"), .failure(id: "b")], at: Moment.noon) == [
                1, nil, 2,
            ]
        )
        #expect(try journal.write([.failure(id: "b"), .failure(id: "c")], at: Moment.noon) == [nil, 3])
        #expect(try readNumbers(folder) == [1, 2, 3])
    }

    @Test func `the same id counts once in a group, though its times differ`() throws {
        var journal = try journal()
        let group = [
            PaymentEvent.failure(id: "a", occurredAt: Moment.noon), .failure(id: "a"),
            .failure(id: "a", occurredAt: Moment.midnight),
        ]
        #expect(try journal.write(group, at: Moment.noon) == [1, nil, nil])
    }

    @Test func `events without an identity are never repeats`() throws {
        var journal = try journal()
        #expect(try journal.write([.failure(), .failure()], at: Moment.noon) == [1, 2])
        #expect(try journal.write([.failure()], at: Moment.noon) == [3])
    }

    @Test(arguments: [
        Row("with a time", Optional(Moment.noon.advanced(byMs: -1000))),
        Row("without a time", nil),
        Row("with a time of tomorrow", Optional(Moment.nextDay.advanced(byMs: 5))),
        Row("with a time of last year", Optional(Moment.noon.advanced(byMs: -400 * 86_400_000))),
    ])
    func `a repeat is found after a restart`(row: Row<Timestamp?>) throws {
        let event = PaymentEvent.failure(id: "a", occurredAt: row.value)
        var first = try journal()
        #expect(try first.write([event], at: Moment.noon) == [1])
        var second = try Journal(continuing: try folder.folder())
        #expect(try second.write([event], at: Moment.noon) == [nil])
        #expect(second.lastSeq == 1)
    }

    @Test(arguments: [
        Row("before midnight", Optional(Moment.lastSecond)),
        Row("after midnight by its own clock", Optional(Moment.nextDay.advanced(byMs: 5))),
        Row("without a time", nil),
    ])
    func `a repeat is found on the next day, by memory and by yesterday's index`(row: Row<Timestamp?>) throws {
        let event = PaymentEvent.failure(id: "a", occurredAt: row.value)
        var first = try journal()
        #expect(try first.write([event], at: Moment.lastSecond) == [1])
        #expect(try first.write([event], at: Moment.nextDay) == [nil])

        // Without the memory: only the index is left.
        var second = Journal(folder: try folder.folder())
        second.resume(after: 1)
        #expect(try second.write([event], at: Moment.nextDay.advanced(byMs: 10)) == [nil])
        #expect(
            try second.write([.failure(id: "b", occurredAt: row.value)], at: Moment.nextDay.advanced(byMs: 11)) == [2]
        )
    }

    @Test func `a repeat is found in the same day's index when memory has forgotten it`() throws {
        var first = try journal()
        let event = PaymentEvent.failure(id: "a", occurredAt: Moment.noon)
        #expect(try first.write([event, .failure(id: "b")], at: Moment.noon) == [1, 2])
        var second = try journal()
        second.resume(after: 2)
        #expect(try second.write([event, .failure(id: "b"), .failure(id: "c")], at: Moment.noon) == [nil, nil, 3])
    }

    @Test func `an event of the day before yesterday is known no more, once memory has forgotten it`() throws {
        var first = try journal()
        let event = PaymentEvent.failure(id: "a", occurredAt: Moment.noon)
        #expect(try first.write([event], at: Moment.noon) == [1])
        var later = try journal()
        later.resume(after: 1)
        let inTwoDays = Moment.noon.advanced(byMs: 2 * 86_400_000)
        #expect(try later.write([event], at: inTwoDays) == [2])
    }

    @Test func `an abandoned group leaves nothing behind, and its retry is taken`() throws {
        var journal = try journal()
        _ = try journal.write([.failure(id: "kept")], at: Moment.noon)
        try journal.beginGroup(at: Moment.noon)
        for id in ["a", "b"] {
            let event = PreparedEvent(.failure(id: id))
            #expect(try journal.append(event, flags: [], at: Moment.noon) != nil)
        }
        _ = try journal.append(.tick, at: Moment.noon)
        journal.abandonGroup()
        #expect(journal.lastSeq == 1)
        #expect(try readNumbers(folder) == [1])
        #expect(
            try journal.write([.failure(id: "a"), .failure(id: "kept"), .failure(id: "b")], at: Moment.noon) == [
                2, nil, 3,
            ]
        )
        #expect(try readNumbers(folder) == [1, 2, 3])
    }

    @Test func `an abandoned group doesn't make earlier events new again`() throws {
        var journal = try journal()
        _ = try journal.write([.failure(id: "a")], at: Moment.noon)
        try journal.beginGroup(at: Moment.noon)
        let event = PreparedEvent(.failure(id: "a"))
        #expect(try journal.append(event, flags: [], at: Moment.noon) == nil)
        journal.abandonGroup()
        journal.abandonGroup()
        #expect(try journal.write([.failure(id: "a")], at: Moment.noon) == [nil])
    }

    @Test func `what a day's file says about late and corrected events is kept`() throws {
        var journal = try journal()
        try journal.beginGroup(at: Moment.noon)
        let event = PreparedEvent(.failure(id: "a"))
        let number = try journal.append(event, flags: [.late, .clockCorrected], at: Moment.noon)
        try journal.commitGroup()
        #expect(number == 1)
        let database = try Database(path: "\(folder.path)/\(Moment.fileName)", mode: .readOnly)
        #expect(try database.integer("SELECT flags FROM entries WHERE seq = 1") == 3)
        #expect(try database.integer("SELECT kind FROM entries WHERE seq = 1") == InputKind.event.rawValue)
    }

    @Test(arguments: [
        Row("2026-11-30.db", Optional(Moment.midnight.dayNumber)),
        Row("1970-01-01.db", 0),
        Row("2026-11-30.db-wal", nil),
        Row("2026-02-30.db", nil),
        Row("2026-11-30", nil),
        Row(".db", nil),
        Row("snapshot", nil),
        Row("2026-11-30T00:00:00Z.db", nil),
    ])
    func `files are days by their name`(row: Row<Int64?>) {
        #expect(JournalDay.number(ofFile: row.name) == row.value)
        if let day = row.value { #expect(JournalDay.fileName(day) == row.name) }
    }
}
