import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// What was appended is what is read back.
@Suite struct JournalReaderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    static let inputs: [Row<Input>] = [
        Row("founded", .founded(epoch: "b7c1 \u{0}\"ä")),
        Row("configured", .configured(.builtIn)),
        Row(
            "command",
            .command(
                SwitchCommand(
                    action: .trip,
                    key: "apple-pay",
                    scope: Scope(
                        environment: "production",
                        attributes: [
                            ScopeAttribute(name: "region", value: "CN"), ScopeAttribute(name: "psp", value: "'\""),
                        ]
                    ),
                    actor: "127.0.0.1",
                    reason: "because\n of \u{1F600}"
                )
            )
        ),
        Row(
            "an acknowledgement",
            .alertCommand(
                AlertCommand(action: .acknowledge(alert: "7-0", note: "我来", forMs: 60_000), actor: "on-call")
            )
        ),
        Row(
            "a person's word",
            .settle(
                SettleCommand(
                    attempt: "a-1",
                    environment: "production",
                    result: .refunded,
                    note: "已退款",
                    actor: "on-call",
                    origin: "127.0.0.1"
                )
            )
        ),
        Row("tick", .tick), Row("a start", .started),
        Row("event", .event(.failure(id: "a", occurredAt: Moment.noon))),
    ]

    @Test(arguments: inputs)
    func `every kind of input is read back as it was`(row: Row<Input>) throws {
        var journal = Journal(folder: try folder.folder())
        if case .event(let event) = row.value {
            _ = try journal.write([event], at: Moment.noon)
        } else {
            try journal.write(row.value, at: Moment.noon)
        }
        let entry = try #require(try readAll(folder).first).get()
        #expect(entry.seq == 1)
        #expect(entry.at == Moment.noon)
        #expect(entry.input == row.value)
    }

    @Test func `the table of inputs has every kind`() {
        #expect(Set(Self.inputs.map(\.value.kind)) == Set(InputKind.allCases))
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `random events are read back byte for byte`(seed: UInt64) throws {
        var random = RandomEvent(seed: seed)
        let events = (0..<300).map { number in
            var event = random.event()
            event.eventId = event.eventId.map { "\(number) \($0)" }
            event.trust = number % 3 == 0 ? .public : .trusted
            return event
        }
        var journal = Journal(folder: try folder.folder())
        #expect(try journal.write(events, at: Moment.noon) == (1...300).map { $0 })
        let read = try readAll(folder)
        #expect(read.count == 300)
        for (event, result) in zip(events, read) {
            guard case .event(let stored) = try result.get().input else {
                Issue.record("not an event")
                continue
            }
            // Swift's texts are equal when they look alike; bytes are stricter.
            try #require(stored.json == event.json)
            try #require(stored == event)
        }
    }

    @Test func `only what comes after the given number is read, in order over all days`() throws {
        var journal = Journal(folder: try folder.folder())
        for (number, at) in [Moment.noon, Moment.lastSecond, Moment.nextDay].enumerated() {
            _ = try journal.write([.failure(id: "\(number)"), .failure(id: "\(number)+")], at: at)
        }
        for after in 0...7 as ClosedRange<UInt64> {
            let numbers = try readAll(folder, after: after).map { try $0.get().seq }
            #expect(numbers == Array((1...6).filter { $0 > after }))
        }
    }

    @Test(arguments: [1, 19_999, 20_000, 20_001, 40_000] as [Int])
    func `a day of more entries than are read at a time is read whole`(count: Int) throws {
        var journal = Journal(folder: try folder.folder())
        try journal.beginGroup(at: Moment.noon)
        for _ in 0..<count { _ = try journal.append(.tick, at: Moment.noon) }
        try journal.commitGroup()
        #expect(try readAll(folder).map { try $0.get().seq } == (1...UInt64(count)).map { $0 })
        let extent = try JournalReader(folder: try folder.folder()).extent()
        #expect(extent.first == 1)
        #expect(extent.last == UInt64(count))
    }

    @Test func `what comes after the last number that is asked for isn't read`() throws {
        var journal = Journal(folder: try folder.folder())
        for at in [Moment.noon, Moment.noon, Moment.nextDay, Moment.nextDay] { try journal.write(.tick, at: at) }
        for end in 0...5 as ClosedRange<UInt64> {
            var reader = JournalReader(folder: try folder.folder())
            var numbers: [UInt64] = []
            try reader.forEach(after: 1, through: end) {
                if case .success(let entry) = $0 { numbers.append(entry.seq) }
            }
            #expect(numbers == Array((2...4).filter { $0 <= end }))
        }
    }

    @Test func `an entry that can't be read is reported with its number, and the rest is read`() throws {
        var journal = Journal(folder: try folder.folder())
        for (number, row) in Self.inputs.enumerated() {
            // The numbers below are those of the others.
            if [.event, .settle].contains(row.value.kind) { continue }
            try journal.write(row.value, at: Moment.noon.advanced(byMs: Int64(number)))
        }
        _ = try journal.write((0..<5).map { .failure(id: "\($0)") }, at: Moment.noon.advanced(byMs: 100))
        let database = try Database(path: "\(folder.path)/\(Moment.fileName)", mode: .readWrite)
        for damage in [
            "UPDATE entries SET kind = 99 WHERE seq = 1",
            "UPDATE entries SET body = x'00' WHERE seq = 2",
            "UPDATE entries SET body = x'' WHERE seq = 3",
            "UPDATE entries SET body = CAST('{\"error\":{}}' AS BLOB) WHERE seq = 7",
            "UPDATE entries SET body = CAST('{\"error\":' AS BLOB) WHERE seq = 8",
            "UPDATE entries SET kind = 1 WHERE seq = 4",
            "UPDATE entries SET kind = 3 WHERE seq = 9",
        ] { try database.execute(damage) }
        let results = try readAll(folder)
        let failed = results.compactMap { result in
            if case .failure(let error) = result { error.seq } else { nil }
        }
        #expect(failed == [1, 2, 3, 4, 7, 8, 9])
        #expect(try results.suffix(2).map { try $0.get().seq } == [10, 11])
    }

    @Test func `what an older version took is read although it is beyond today's limits`() throws {
        var event = PaymentEvent.failure(id: String(repeating: "i", count: 300), occurredAt: Moment.noon)
        event.error?.message = String(repeating: "m", count: 5000)
        event.environment = String(repeating: "e", count: 100)
        event.context = (0..<40).map { ContextEntry(key: String(repeating: "k", count: 150 + $0), value: .null) }
        event.context.append(ContextEntry(key: "text", value: .string(String(repeating: "v", count: 2000))))
        event.context.sort { $0.key < $1.key }
        event.error?.underlying = (0..<20).map { UnderlyingError(domain: "d", code: "\($0)") }
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write([event], at: Moment.noon)
        #expect(try readAll(folder).first?.get().input == .event(event))
    }

    @Test func `the latest identities come oldest first, over days and up to the limit`() throws {
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write([.failure(id: "a"), .failure(), .failure(id: "b")], at: Moment.noon)
        try journal.write(.tick, at: Moment.noon)
        _ = try journal.write([.failure(id: "c"), .failure(id: "d")], at: Moment.nextDay)
        let reader = JournalReader(folder: try folder.folder())
        for limit in 0...5 {
            var found: [EventIdentity] = []
            try reader.forEachRecentIdentity(limit: limit) { found.append($0) }
            #expect(found == ["a", "b", "c", "d"].suffix(limit).map(EventIdentity.init(eventId:)), "limit \(limit)")
        }
    }

    @Test func `a damaged file is reported once and costs only what lies behind the damage`() throws {
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write((0..<500).map { .failure(id: "\($0)") }, at: Moment.noon)
        _ = try journal.write([.failure(id: "next")], at: Moment.nextDay)
        // Leaves: the log is copied, so that the damage hits the database itself.
        try Database(path: "\(folder.path)/\(Moment.fileName)", mode: .readWrite).checkpoint()
        _ = consume journal
        let size = try folder.contents(Moment.fileName).count
        for offset in stride(from: 8192 + 1, to: size, by: 8192) { try folder.flip(Moment.fileName, at: offset) }
        for offset in stride(from: 8192, to: size, by: 8192) { try folder.flip(Moment.fileName, at: offset) }

        let results = try readAll(folder)
        let failures = results.filter { if case .failure = $0 { true } else { false } }
        #expect(failures.count == 1)
        #expect(try results.last?.get().seq == 501)
        try JournalReader(folder: try folder.folder()).forEachRecentIdentity(limit: 1000) { _ in }
    }

    @Test func `a file that isn't a database at all is reported, and the next day is read`() throws {
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write([.failure(id: "next")], at: Moment.nextDay)
        try folder.write(Array(repeating: 0x41, count: 20_000), to: Moment.fileName)
        let results = try readAll(folder)
        #expect(results.count == 2)
        #expect(throws: JournalReader.Unreadable.self) { try results.first?.get() }
        #expect(try results.last?.get().seq == 1)
    }

    /// The numbers that a look-up found, and those of what it reported instead.
    private func lookUp(_ seqs: [UInt64]) throws -> (found: [UInt64], failed: [UInt64]) {
        var reader = JournalReader(folder: try folder.folder())
        var all: (found: [UInt64], failed: [UInt64]) = ([], [])
        for result in try reader.entries(seqs: seqs) {
            switch result {
            case .success(let entry): all.found.append(entry.seq)
            case .failure(let error): all.failed.append(error.seq)
            }
        }
        return all
    }

    static let lookUps: [Row<(seqs: [UInt64], found: [UInt64])>] = [
        Row("none", ([], [])),
        Row("one of the first day", ([1], [1])),
        Row("one of the last day", ([6], [6])),
        Row("over all days, in no order and twice", ([5, 1, 4, 1, 2], [1, 2, 4, 5])),
        Row("numbers that nobody has", ([0, 3, 7, .max, UInt64(Int64.max)], [3])),
    ]

    @Test(arguments: lookUps)
    func `entries are found by their numbers`(row: Row<(seqs: [UInt64], found: [UInt64])>) throws {
        var journal = Journal(folder: try folder.folder())
        for at in [Moment.noon, Moment.lastSecond, Moment.nextDay] {
            try journal.write(.tick, at: at)
            try journal.write(.founded(epoch: "\(at.milliseconds)"), at: at)
        }
        #expect(try lookUp(row.value.seqs) == (row.value.found, []))
        var reader = JournalReader(folder: try folder.folder())
        let last = try #require(try reader.entries(seqs: [6]).first).get()
        #expect(last.at == Moment.nextDay)
        #expect(last.input == .founded(epoch: "\(Moment.nextDay.milliseconds)"))
    }

    @Test func `of entries looked up by number, one that can't be read is reported and the others are found`() throws {
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write((0..<4).map { .failure(id: "\($0)") }, at: Moment.noon)
        let database = try Database(path: "\(folder.path)/\(Moment.fileName)", mode: .readWrite)
        try database.execute("UPDATE entries SET kind = 99 WHERE seq = 2")
        #expect(try lookUp([1, 2, 4]) == ([1, 4], [2]))
    }

    @Test func `a damaged day is reported, and entries of another are found`() throws {
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write([.failure(id: "next")], at: Moment.nextDay)
        try folder.write(Array(repeating: 0x41, count: 20_000), to: Moment.fileName)
        #expect(try lookUp([0, 1]) == ([1], [0]))
    }
}
