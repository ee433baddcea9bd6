import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// From when on it is known what the live rules did, where older days are gone.
@Suite struct BacktestLiveTests {
    private typealias Fixture = BacktestFixture
    private static let dayMs: Int64 = 86_400_000

    /// Three failures on the next day; the first day, which says what was live, is gone.
    private func journal(_ later: RuleSet? = nil) throws -> BacktestFixture {
        var fixture = try Fixture(live: Fixture.rules(id: "first", threshold: 3))
        for number in 0..<3 { try fixture.pay(86_400 + Double(number), failing: "8771") }
        if let later { try fixture.journal.write(.configured(later), at: Fixture.time(86_500)) }
        for number in 0..<3 { try fixture.pay(86_600 + Double(number), failing: "8772") }
        try fixture.folder.remove("journal/\(Moment.fileName)")
        return fixture
    }

    private func report(_ fixture: borrowing BacktestFixture) throws -> BacktestReport {
        try Backtest(
            dataPath: fixture.folder.path,
            ruleSet: Fixture.watching(threshold: 3),
            since: Fixture.time(80_000),
            now: Fixture.time(90_000)
        ).run()
    }

    /// The snapshot that the daemon would have written after an entry.
    private func writeSnapshot(_ fixture: borrowing BacktestFixture, after seq: UInt64, _ rules: RuleSet) throws {
        var state = State()
        _ = state.apply(Entry(seq: 1, at: Moment.noon, input: .founded(epoch: "test")))
        _ = state.apply(Entry(seq: seq, at: Moment.noon, input: .configured(rules)))
        try SnapshotFile(folder: try fixture.folder.folder()).write(state)
    }

    @Test func `without a snapshot nothing is known before rules are put in force`() throws {
        let unknown = try report(try journal())
        #expect(unknown.liveKnownFrom == nil)
        #expect(unknown.alerts.map { $0.live == nil } == [true, true])
        let later = try report(try journal(Fixture.rules(id: "second", threshold: 2)))
        #expect(later.liveKnownFrom == Fixture.time(86_500))
        #expect(later.alerts.map { $0.live?.alerts.map(\.rule) } == [nil, ["second"]])
    }

    @Test func `a snapshot knows the rules that no entry says`() throws {
        let fixture = try journal()
        try writeSnapshot(fixture, after: 8, Fixture.rules(id: "first", threshold: 3))
        let report = try report(fixture)
        #expect(report.liveKnownFrom == Fixture.time(86_400))
        #expect(report.alerts.map { $0.live?.alerts.map(\.rule) } == [["first"], ["first"]])
    }

    @Test func `it says nothing of the time before other rules came`() throws {
        let second = Fixture.rules(id: "second", threshold: 2)
        let fixture = try journal(second)
        try writeSnapshot(fixture, after: 9, second)
        let report = try report(fixture)
        #expect(report.liveKnownFrom == Fixture.time(86_500))
        #expect(report.alerts.map { $0.live?.alerts.map(\.rule) } == [nil, ["second"]])
        #expect(report.liveAlertCount == 1)
    }

    @Test func `rules that came after it leave what it says of the time before`() throws {
        let fixture = try journal(Fixture.rules(id: "second", threshold: 2))
        try writeSnapshot(fixture, after: 5, Fixture.rules(id: "first", threshold: 3))
        let report = try report(fixture)
        #expect(report.liveKnownFrom == Fixture.time(86_400))
        #expect(report.alerts.map { $0.live?.alerts.map(\.rule) } == [["first"], ["second"]])
    }

    @Test func `the report is one JSON object that says all of it`() throws {
        var fixture = try Fixture(live: Fixture.rules(threshold: 3))
        for number in 1...4 {
            try fixture.pay(Double(number), failing: "8771") { $0.amount = Amount(minor: 39_900, currency: "CNY") }
        }
        var writer = JSONWriter()
        try fixture.run(Fixture.rules(id: "other", threshold: 2), now: 60).write(to: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            text == """
                {"since":"2026-11-30T12:00:00.000Z","until":"2026-11-30T12:01:00.000Z","events":4,"entries":6,\
                "unreadable":0,"firstUnreadable":[],"rules":[{"rule":"other","alerts":1,"trips":1,"degradedMs":58000,\
                "blindZone":{"blindHours":0,"hours":1}}],"alerts":[{"rule":"other","severity":"critical",\
                "group":{"environment":"production","error.code":"8771"},"startsAt":"2026-11-30T12:00:02.000Z",\
                "durationMs":58000,"count":2,"switch":"apple-pay","decision":"tripped","trips":[{"switch":"apple-pay",\
                "scope":{"environment":"production"},"variant":"web","version":2,"at":"2026-11-30T12:00:02.000Z",\
                "degradedMs":58000,"summary":"8771: 2 attempts failed within 1 min"}],"payments":{"failed":3,"seen":3,\
                "share":1.0,"amount":[{"currency":"CNY","minor":119700}]},"live":{"alerts":[{"id":"5-0","rule":"burst",\
                "group":{"environment":"production","error.code":"8771"},"startsAt":"2026-11-30T12:00:03.000Z",\
                "durationMs":57000,"laterMs":1000,"decision":"tripped","trips":[{"switch":"apple-pay",\
                "scope":{"environment":"production"},"variant":"web","version":2,"at":"2026-11-30T12:00:03.000Z",\
                "degradedMs":57000,"summary":"8771: 3 attempts failed within 1 min"}]}],"operatorTrips":[]}}],\
                "omittedAlerts":0,"openBefore":[],"live":{"knownFrom":"2026-11-30T12:00:00.000Z","alerts":1,"trips":1,\
                "missed":[]}}
                """
        )
    }
}
