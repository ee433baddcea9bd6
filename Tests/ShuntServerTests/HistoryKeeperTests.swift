import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// The book and the index follow the journal, whatever happens in between.
@Suite struct HistoryKeeperTests {
    private let parts: WriterParts

    init() throws {
        parts = try WriterParts()
    }

    /// Writes failures to the journal, a group for each day.
    private func write(_ events: [PaymentEvent], at: Timestamp, after seq: UInt64 = 0) throws -> UInt64 {
        var journal = Journal(folder: try parts.journalFolder())
        journal.resume(after: seq)
        _ = try journal.write(events, at: at)
        return seq + UInt64(events.count)
    }

    private func failures(_ count: Int, series: String, code: String = "8771") -> [PaymentEvent] {
        (0..<count).map { number in
            var event = PaymentEvent.failure(code, id: "\(series)-\(number)", attempt: "at-\(series)-\(number)")
            event.orderRef = "order-\(series)-\(number / 2)"
            return event
        }
    }

    private func state(seq: UInt64, at: Timestamp) -> State {
        var state = State()
        _ = state.apply(Entry(seq: seq, at: at, input: .founded(epoch: "e")))
        return state
    }

    private func follow(seq: UInt64, at: Timestamp) throws -> HistoryKeeper {
        let keeper = try parts.history(of: state(seq: seq, at: at))
        keeper.start()
        #expect(keeper.wait(through: seq, timeoutMs: 20_000))
        return keeper
    }

    private func totals(_ keeper: HistoryKeeper) -> [String: UInt64] {
        keeper.read { book in
            Dictionary(uniqueKeysWithValues: book.errors.records.map { ($0.key.code, $0.total) })
        }
    }

    @Test func `events are found by each of their names, newest first and page by page`() throws {
        let last = try write(failures(300, series: "a"), at: Moment.noon)
        let keeper = try follow(seq: last, at: Moment.noon)
        defer { keeper.stop() }
        #expect(try keeper.find(.eventId("a-7"), limit: 10) == [8])
        #expect(try keeper.find(.attempt("at-a-0"), limit: 10) == [1])
        #expect(try keeper.find(.order("order-a-3"), limit: 10) == [8, 7])
        #expect(try keeper.find(.code("8771"), limit: 3) == [300, 299, 298])
        #expect(try keeper.find(.code("8771"), before: 298, limit: 2) == [297, 296])
        #expect(try keeper.find(.code("nobody"), limit: 3).isEmpty)
    }

    @Test func `a run that is full goes to its file, and nothing is found twice or lost`() throws {
        let count = HistoryKeeper.runEntries + 1_000
        let events = failures(count, series: "a") + failures(5, series: "b", code: "rare")
        let last = try write(events, at: Moment.noon)
        var keeper = try follow(seq: last, at: Moment.noon)
        for _ in 0..<2 {
            let found = try keeper.find(.code("8771"), limit: count + 10)
            #expect(found.count == count)
            #expect(found == found.sorted(by: >))
            #expect(Set(found).count == count)
            #expect(try keeper.find(.code("rare"), limit: 10).count == 5)
            #expect(try keeper.find(.attempt("at-a-77"), limit: 10) == [78])
            #expect(totals(keeper) == ["8771": UInt64(count), "rare": 5])
            // Again by a process that comes after: the files, and what isn't in them yet.
            keeper.stop()
            keeper = try follow(seq: last, at: Moment.noon)
        }
        keeper.stop()
    }

    @Test func `a new day has its own file, and totals and counts go on over it`() throws {
        let before = Moment.lastSecond
        var last = try write(failures(40, series: "a"), at: before)
        last = try write(failures(60, series: "b"), at: Moment.nextDay.advanced(byMs: 1_000), after: last)
        let now = Moment.nextDay.advanced(byMs: 1_000)
        let keeper = try follow(seq: last, at: now)
        #expect(totals(keeper) == ["8771": 100])
        #expect(keeper.read { $0.errors.records[0].lastDay(at: now) } == 100)
        #expect(keeper.read { $0.errors.records[0].firstAt } == before)
        keeper.stop()
        let names = try Folder(path: "\(parts.folder.path)/index").names().filter { $0.hasSuffix(".db") }
        #expect(names == [Moment.fileName])
        let next = try follow(seq: last, at: now)
        defer { next.stop() }
        #expect(totals(next) == ["8771": 100])
        #expect(next.read { $0.errors.records[0].lastDay(at: now) } == 100)
        #expect(try next.find(.code("8771"), limit: 200).count == 100)
    }

    @Test func `an index that is damaged is made anew from the journal`() throws {
        let last = try write(failures(HistoryKeeper.runEntries + 10, series: "a"), at: Moment.noon)
        try follow(seq: last, at: Moment.noon).stop()
        let folder = try Folder(path: "\(parts.folder.path)/index")
        try folder.replace(Moment.fileName, with: Array("not a database at all, but long enough to be read".utf8))
        let keeper = try follow(seq: last, at: Moment.noon)
        defer { keeper.stop() }
        #expect(totals(keeper) == ["8771": UInt64(HistoryKeeper.runEntries + 10)])
        #expect(try keeper.find(.eventId("a-7"), limit: 10) == [8])
    }

    @Test func `what had no room in the queue is read back from the journal`() throws {
        let count = HistoryKeeper.maximumWaiting + 500
        let first = try write(failures(10, series: "a"), at: Moment.noon)
        let keeper = try parts.history(of: state(seq: first, at: Moment.noon))
        let events = failures(count, series: "b")
        let last = try write(events, at: Moment.noon, after: first)
        // Nobody follows yet, so all of it waits.
        for start in stride(from: 0, to: count, by: 1_000) {
            let entries = (start..<min(start + 1_000, count)).map { number in
                Entry(seq: first + UInt64(number) + 1, at: Moment.noon, input: .event(events[number]))
            }
            keeper.offer([entries])
        }
        keeper.start()
        defer { keeper.stop() }
        #expect(keeper.wait(through: last, timeoutMs: 30_000))
        #expect(totals(keeper) == ["8771": UInt64(count + 10)])
    }

    @Test func `days that the journal has no more leave the index too`() throws {
        var last = try write(failures(HistoryKeeper.runEntries, series: "a"), at: Moment.noon)
        try follow(seq: last, at: Moment.noon).stop()
        let journal = try parts.journalFolder()
        for name in try journal.names() { try journal.remove(name) }
        let later = Moment.noon.advanced(byMs: 86_400_000)
        last = try write(failures(HistoryKeeper.runEntries, series: "b"), at: later, after: last)
        let keeper = try follow(seq: last, at: later)
        // So that the run is written that was due.
        keeper.stop()
        let names = try Folder(path: "\(parts.folder.path)/index").names().filter { $0.hasSuffix(".db") }
        #expect(names == [Moment.nextFileName])
        #expect(try keeper.find(.eventId("a-7"), limit: 10).isEmpty)
        // First seen on a day that is gone.
        #expect(keeper.read { $0.errors.records[0].firstAt } == Moment.noon)
        #expect(totals(keeper) == ["8771": UInt64(2 * HistoryKeeper.runEntries)])
    }
}
