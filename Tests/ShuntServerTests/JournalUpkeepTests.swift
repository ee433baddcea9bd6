import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// Days are removed when they are past their time, and never before a snapshot holds what they say.
@Suite struct JournalUpkeepTests {
    private let folder: TemporaryFolder
    private let journalFolder: Folder
    private let snapshots: SnapshotFile
    private let today = Moment.noon.dayNumber

    init() throws {
        folder = try TemporaryFolder()
        journalFolder = try Folder(path: "\(folder.path)/journal")
        snapshots = SnapshotFile(folder: try folder.folder())
    }

    private func upkeep(retentionDays: Int64 = 2) -> JournalUpkeep {
        JournalUpkeep(journalFolder: journalFolder, snapshots: snapshots, retentionDays: retentionDays)
    }

    /// Entries on each of these days before today; says what is believed after the last one.
    private func write(daysAgo: [Int64]) throws -> State {
        var state = State()
        var journal = Journal(folder: journalFolder)
        for (number, days) in daysAgo.enumerated() {
            let at = Moment.noon.advanced(byMs: -days * 86_400_000)
            let input = number == 0 ? Input.founded(epoch: "test") : .event(.failure("\(number)"))
            var seq: UInt64 = 0
            if case .event(let event) = input {
                seq = try #require(try journal.write([event], at: at)[0])
            } else {
                seq = try journal.write(input, at: at)
            }
            _ = state.apply(Entry(seq: seq, at: at, input: input))
        }
        return state
    }

    private func daysAgo() throws -> [Int64] {
        try journalFolder.names().compactMap(JournalDay.number(ofFile:)).map { today - $0 }
    }

    @Test func `only days before the time that is kept are removed`() throws {
        let state = try write(daysAgo: [9, 4, 3, 2, 1, 0])
        var upkeep = upkeep()
        upkeep.step(snapshot: state, day: today)
        #expect(try daysAgo() == [2, 1, 0])
    }

    @Test func `the first snapshot of each day is kept as long as the day`() throws {
        var upkeep = upkeep()
        for (days, version) in [(3, 1), (2, 2), (1, 3), (1, 4), (0, 5)] as [(Int64, UInt64)] {
            let at = Moment.noon.advanced(byMs: -days * 86_400_000)
            var snapshot = State()
            _ = snapshot.apply(Entry(seq: 1, at: at, input: .configured(.builtIn)))
            for number in 1..<version {
                let command = SwitchCommand(
                    action: number.isMultiple(of: 2) ? .restore : .trip,
                    key: "apple-pay",
                    scope: Scope(environment: "production"),
                    actor: "a",
                    reason: "r"
                )
                _ = snapshot.apply(Entry(seq: number + 1, at: at, input: .command(command)))
            }
            #expect(snapshot.switches.version == version)
            upkeep.step(snapshot: snapshot, day: today - days)
        }
        let shelf = SnapshotShelf(data: try folder.folder())
        #expect(try Folder(path: "\(folder.path)/snapshots").names().count == 3, "today and the two days before")
        #expect(try shelf.state(before: 6)?.switches.version == 5)
        #expect(try shelf.state(before: 5)?.switches.version == 3, "the first of yesterday")
        #expect(try shelf.state(before: 3)?.switches.version == 2)
        #expect(try shelf.state(before: 2) == nil, "its day is removed")
    }

    @Test func `nothing is removed while there is no snapshot`() throws {
        let state = try write(daysAgo: [9, 4, 0])
        var upkeep = upkeep()
        upkeep.step(snapshot: nil, day: today)
        #expect(try daysAgo() == [9, 4, 0])
        upkeep.step(snapshot: state, day: today)
        #expect(try daysAgo() == [0])
    }

    @Test func `nothing that came after the last snapshot is removed`() throws {
        try snapshots.write(try write(daysAgo: [9, 5]))
        let folded = try Recovery(journalFolder: journalFolder, snapshots: snapshots).folded
        #expect(folded == 0)
        var journal = Journal(folder: journalFolder)
        journal.resume(after: 2)
        _ = try journal.write([.failure()], at: Moment.noon.advanced(byMs: -4 * 86_400_000))
        _ = try journal.write([.failure()], at: Moment.noon)
        var upkeep = upkeep()
        upkeep.step(snapshot: nil, day: today)
        #expect(try daysAgo() == [5, 4, 0])
    }

    @Test func `a snapshot that can't be written removes nothing`() throws {
        let state = try write(daysAgo: [9, 4, 0])
        _ = try Folder(path: "\(folder.path)/snapshot.new")
        var upkeep = upkeep()
        upkeep.step(snapshot: state, day: today)
        #expect(try daysAgo() == [9, 4, 0])
        try folder.remove("snapshot.new")
        upkeep.step(snapshot: state, day: today)
        #expect(try daysAgo() == [0])
    }

    @Test func `after a removal a restart believes the same`() throws {
        let state = try write(daysAgo: [9, 4, 2, 1, 0])
        var upkeep = upkeep()
        upkeep.step(snapshot: state, day: today)
        let recovery = try Recovery(journalFolder: journalFolder, snapshots: snapshots)
        #expect(recovery.state == state)
        #expect(recovery.state.epoch == "test")
        #expect(recovery.journal.lastSeq == 5)
    }

    @Test func `yesterday stays, however little is to be kept`() throws {
        let state = try write(daysAgo: [2, 1, 0])
        var upkeep = upkeep(retentionDays: 0)
        upkeep.step(snapshot: state, day: today)
        #expect(try daysAgo() == [1, 0])
    }

    @Test func `logs that a crash left behind go with their days, and other files stay`() throws {
        let state = try write(daysAgo: [0])
        let old = JournalDay.fileName(today - 20)
        for name in ["\(old)-wal", "\(old)-shm", "notes.txt", "2026-11-01.db.damaged"] {
            try journalFolder.replace(name, with: [1])
        }
        var upkeep = upkeep()
        upkeep.step(snapshot: state, day: today)
        let names = try journalFolder.names()
        #expect(!names.contains("\(old)-wal") && !names.contains("\(old)-shm"))
        #expect(names.contains("notes.txt") && names.contains("2026-11-01.db.damaged"))
    }

    @Test func `a long log is copied while the writer goes on`() throws {
        var journal = Journal(folder: journalFolder)
        var event = PaymentEvent.failure()
        event.error?.message = String(repeating: "m", count: 4000)
        var count = 0
        while journalFolder.size(of: JournalDay.logName(today)) <= JournalUpkeep.copyAboveBytes {
            _ = try journal.write(Array(repeating: event, count: 200), at: Moment.noon)
            count += 200
        }
        let before = journalFolder.size(of: JournalDay.fileName(today))
        var upkeep = upkeep()
        upkeep.step(snapshot: nil, day: today)
        #expect(journalFolder.size(of: JournalDay.fileName(today)) > before + JournalUpkeep.copyAboveBytes / 2)
        // The log starts anew at the next commit.
        let log = journalFolder.size(of: JournalDay.logName(today))
        _ = try journal.write([event], at: Moment.noon)
        #expect(journalFolder.size(of: JournalDay.logName(today)) == log)
        var reader = JournalReader(folder: journalFolder)
        var read = 0
        try reader.forEach(after: 0) { _ in read += 1 }
        #expect(read == count + 1)
    }

    @Test func `the writer offers a snapshot on each day, and the keeper's thread writes it`() throws {
        let parts = try WriterParts()
        let engine = Engine(writer: try parts.writer(), health: EngineHealth())
        parts.keeper.start()
        let results = Results()
        engine.start()
        #expect(engine.submit(results.submission([.failure(id: "a")])))
        #expect(results.wait(for: 1))
        let signal = Signal()
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        while !parts.folder.exists("snapshot"), HTTPClock.nowNanoseconds < deadlineNs { signal.wait(timeoutMs: 2) }
        #expect(parts.folder.exists("snapshot"))
        #expect(parts.keeper.journalBytes > 0)
        engine.stop()
    }
}
