import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// Other rules on a real journal, beside those that were live.
@Suite struct BacktestTests {
    private typealias Fixture = BacktestFixture

    // MARK: Alerts and trips

    @Test func `a lower threshold fires earlier, and the report says by how much`() throws {
        var fixture = try Fixture()
        for number in 1...6 { try fixture.pay(Double(number * 10), failing: "8771") }
        let report = try fixture.run(Fixture.rules(threshold: 3))
        let alert = try #require(report.alerts.first)
        #expect(report.alerts.count == 1)
        #expect(alert.startsAt == Fixture.time(30))
        #expect(alert.count == 3)
        #expect(alert.group.map(\.value) == ["production", "8771"])
        #expect(alert.decision == .tripped(version: 2))
        #expect(alert.trips.map(\.at) == [Fixture.time(30)])
        #expect(alert.trips.map(\.variant) == ["web"])
        let live = try #require(alert.live?.alerts.first)
        #expect(live.startsAt == Fixture.time(50))
        #expect(live.trips.map(\.at) == [Fixture.time(50)])
        #expect(report.missed.isEmpty)
        #expect(report.liveAlertCount == 1)
        #expect(report.liveTripCount == 1)
        #expect(report.eventCount == 6)
        #expect(report.entryCount == 8)
    }

    @Test func `a higher threshold doesn't fire, and what was live is listed as missed`() throws {
        var fixture = try Fixture()
        for number in 1...6 { try fixture.pay(Double(number), failing: "8771") }
        let report = try fixture.run(Fixture.rules(threshold: 7))
        #expect(report.alerts.isEmpty)
        #expect(report.missed.map(\.startsAt) == [Fixture.time(5)])
        #expect(report.rules.map(\.alertCount) == [0])
        let met = try fixture.run(Fixture.rules(threshold: 6))
        #expect(met.alerts.map(\.startsAt) == [Fixture.time(6)])
        #expect(met.missed.isEmpty)
    }

    @Test func `an alert ends by itself after the last entry, and one that can't have yet is open`() throws {
        var fixture = try Fixture()
        for number in 1...3 { try fixture.pay(Double(number), failing: "8771") }
        let rules = Fixture.watching(threshold: 3)
        let ended = try #require(try fixture.run(rules, now: 73).alerts.first)
        #expect(ended.endsAt == Fixture.time(73))
        let open = try #require(try fixture.run(rules, now: 72.999).alerts.first)
        #expect(open.endsAt == nil)
        #expect(open.lastsUntil == Fixture.time(72.999))
    }

    @Test func `a person's restore holds for other rules too, and a trip lasts until it`() throws {
        var fixture = try Fixture()
        for number in 1...9 { try fixture.pay(Double(number), failing: "8771") }
        try fixture.command(.restore, 20)
        for number in 31...33 { try fixture.pay(Double(number), failing: "8771") }
        let report = try fixture.run(Fixture.rules(threshold: 3), now: 133)
        let trips = report.alerts.flatMap(\.trips)
        #expect(trips.map(\.at) == [Fixture.time(3), Fixture.time(33)])
        #expect(trips.map(\.restoredAt) == [Fixture.time(20), nil])
        #expect(trips.map(\.lastsUntil) == [Fixture.time(20), Fixture.time(133)])
        #expect(report.rules.map(\.tripCount) == [2])
        #expect(report.rules.map(\.degradedMs) == [117_000])
    }

    @Test func `a command for a switch that the rules don't have changes nothing for them`() throws {
        var fixture = try Fixture()
        try fixture.command(.trip, 1)
        for number in 2...5 { try fixture.pay(Double(number), failing: "8771") }
        var rules = Fixture.rules(threshold: 3)
        rules.switches[0].key = "other"
        rules.rules[0].trip = Trip(switchKey: "other")
        #expect(try fixture.run(rules).alerts.first?.decision == .tripped(version: 2))
        #expect(
            try fixture.run(Fixture.rules(threshold: 3)).alerts.first?.decision == .held(.alreadyDegraded)
        )
    }

    @Test func `what people had degraded before the stretch is degraded in it`() throws {
        var fixture = try Fixture(live: Fixture.rules(threshold: 100))
        try fixture.command(.trip, 1)
        for number in 0..<4 { try fixture.pay(9000 + Double(number), failing: "8771") }
        let report = try fixture.run(Fixture.rules(threshold: 3), since: 8000)
        let alert = try #require(report.alerts.first)
        #expect(alert.decision == .held(.alreadyDegraded))
        #expect(alert.trips.isEmpty)
        #expect(alert.live?.operatorTrips.map(\.at) == [Fixture.time(1)])
        #expect(alert.live?.alerts.isEmpty == true)
    }

    @Test func `what rules had degraded long before the stretch isn't`() throws {
        var fixture = try Fixture(live: Fixture.rules(threshold: 3))
        for number in 1...3 { try fixture.pay(Double(number), failing: "8771") }
        for number in 0..<4 { try fixture.pay(9000 + Double(number), failing: "8772") }
        let report = try fixture.run(Fixture.rules(threshold: 3), since: 8000)
        #expect(report.alerts.map(\.decision) == [.tripped(version: 2)])
        #expect(report.alerts.first?.live?.alerts.map(\.decision) == [.held(.alreadyDegraded)])
    }

    @Test func `a watchdog isn't listed, neither of the rules to try nor of the live ones`() throws {
        var live = Fixture.rules(threshold: 3)
        live.rules.append(
            Rule(
                id: "beat",
                description: "beat",
                kind: .watchdog,
                groupBy: [],
                count: .events,
                threshold: 1,
                windowMs: 60_000,
                alert: AlertPolicy(severity: .info, resolveBelow: 1, holdForMs: 0)
            )
        )
        var fixture = try Fixture(live: live)
        for number in 1...3 { try fixture.pay(Double(number), failing: "8771") }
        let report = try fixture.run(live)
        #expect(report.alerts.map(\.rule) == ["burst"])
        #expect(report.rules.map(\.rule) == ["burst"])
        #expect(report.missed.isEmpty && report.liveAlertCount == 1)
        #expect(try fixture.run(Fixture.rules(threshold: 9)).missed.map(\.rule) == ["burst"])
    }

    @Test func `what trips in a dry run or a drill is an alert and no trip, live or not`() throws {
        var dry = Fixture.rules(threshold: 3)
        dry.switches[0].mode = .dryRun
        var fixture = try Fixture(live: dry)
        for number in 1...4 { try fixture.pay(Double(number), failing: "8771") }
        for number in 5...8 {
            try fixture.pay(Double(number), failing: "8771") { $0.environment = PaymentEvent.drillEnvironment }
        }
        let held = try fixture.run(dry)
        #expect(held.alerts.map(\.decision.name) == ["wouldHaveTripped", "wouldHaveTripped"])
        #expect(held.alerts.flatMap(\.trips).isEmpty)
        #expect(held.rules.map(\.tripCount) == [0])
        #expect(held.rules.map(\.degradedMs) == [0])
        #expect(held.liveAlertCount == 2 && held.liveTripCount == 0)
        let armed = try fixture.run(Fixture.rules(threshold: 3))
        #expect(armed.alerts.map(\.decision.name) == ["tripped", "wouldHaveTripped"])
        #expect(armed.rules.map(\.tripCount) == [1])
    }

    // MARK: The stretch

    @Test func `the windows are full when the stretch begins`() throws {
        var fixture = try Fixture()
        for number in 1...3 { try fixture.pay(Double(number * 20), failing: "8771") }
        try fixture.pay(60.5)
        let rules = Fixture.watching(threshold: 3)
        #expect(try fixture.run(rules, since: 60).alerts.map(\.startsAt) == [Fixture.time(60)])
        let later = try fixture.run(rules, since: 60.001, now: 61)
        #expect(later.alerts.isEmpty)
        #expect(later.openBefore.map(\.startsAt) == [Fixture.time(60)])
    }

    @Test func `a code is new only once, however long before the stretch that was`() throws {
        var fixture = try Fixture()
        var rules = Fixture.watching(threshold: 1)
        rules.rules[0].kind = .newCode
        try fixture.pay(1, failing: "old")
        try fixture.pay(20_000, failing: "old")
        try fixture.pay(20_001, failing: "new")
        let report = try fixture.run(rules, since: 10_000)
        #expect(report.alerts.map { $0.group.map(\.value) } == [["production", "new"]])
    }

    @Test func `the journal's beginning is told when it is later than what was asked for`() throws {
        var fixture = try Fixture()
        try fixture.pay(1, failing: "8771")
        #expect(try fixture.run(Fixture.rules(threshold: 3), since: -60).journalBeginsAt == Moment.noon)
        #expect(try fixture.run(Fixture.rules(threshold: 3), since: 0).journalBeginsAt == nil)
    }

    // MARK: The same rules

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `rules that were live from the beginning do what they did`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var rules = Fixture.rules(threshold: 4)
        rules.rules += Fixture.watching(threshold: 3, windowMs: 20_000, by: [.region]).rules
        rules.rules[1].id = "watch"
        var fixture = try Fixture(live: rules)
        var seconds = 0.0
        for number in 0..<400 {
            seconds += Double(random.below(12))
            if random.oneIn(30) {
                try fixture.command(random.oneIn(2) ? .restore : .trip, seconds)
                continue
            }
            let region = random.pick(["CN", "US"])
            try fixture.pay(seconds, failing: random.oneIn(3) ? nil : random.pick(["a", "b"]), attempt: "\(number)") {
                $0.region = region
            }
        }
        let report = try fixture.run(rules)
        #expect(report.alerts.count > 5)
        #expect(report.alerts.count == report.liveAlertCount)
        #expect(report.missed.isEmpty)
        for alert in report.alerts {
            let same = alert.live?.alerts.first { $0.rule == alert.rule && $0.startsAt == alert.startsAt }
            #expect(same?.group == alert.group)
            #expect(same?.endsAt == alert.endsAt)
            #expect(same?.decision.name == alert.decision.name)
            #expect(same?.trips.map(\.at) == alert.trips.map(\.at))
            #expect(same?.trips.map(\.restoredAt) == alert.trips.map(\.restoredAt))
        }
    }

    // MARK: What can't be read

    @Test func `a damaged entry is reported and the rest is folded`() throws {
        var fixture = try Fixture()
        for number in 1...4 { try fixture.pay(Double(number), failing: "8771") }
        let database = try Database(path: "\(fixture.folder.path)/journal/\(Moment.fileName)", mode: .readWrite)
        try database.execute("UPDATE entries SET body = x'7B' WHERE seq = 4")
        let report = try fixture.run(Fixture.rules(threshold: 3))
        #expect(report.alerts.map(\.startsAt) == [Fixture.time(4)])
        #expect(report.unreadableCount == 1)
        #expect(report.unreadable.first?.hasPrefix("entry 4: ") == true)
        #expect(report.eventCount == 3)
    }

    @Test func `where there is nothing to fold the error says what was looked for`() throws {
        let folder = try TemporaryFolder()
        let rules = Fixture.rules(threshold: 3)
        func error(_ path: String, since: Double = 0) -> BacktestError? {
            do throws(BacktestError) {
                let since = Fixture.time(since)
                _ = try Backtest(dataPath: path, ruleSet: rules, since: since, now: Moment.lastSecond).run()
                return nil
            } catch {
                return error
            }
        }
        #expect(error("\(folder.path)/none") == .noFolder("\(folder.path)/none"))
        #expect(!folder.exists("none"))
        #expect(error(folder.path) == .noJournal("\(folder.path)/journal"))
        #expect(!folder.exists("journal"))
        _ = try Folder(path: "\(folder.path)/journal")
        #expect(error(folder.path) == .noJournal("\(folder.path)/journal"))
        var fixture = try Fixture()
        let journal = "\(fixture.folder.path)/journal"
        #expect(error(fixture.folder.path) == .noEvents(journal))
        try fixture.pay(5, failing: "8771")
        #expect(error(fixture.folder.path, since: 5) == nil)
        #expect(
            error(fixture.folder.path, since: 5.001)
                == .noEventsSince(journal, since: Fixture.time(5.001), lastAt: Fixture.time(5))
        )
    }

    @Test func `a start is a duration before now or a time`() {
        #expect(Backtest.start("7d", before: Moment.nextDay) == Moment.nextDay.advanced(byMs: -7 * 86_400_000))
        #expect(Backtest.start("2026-11-30T12:00:00Z", before: Moment.nextDay) == Moment.noon)
        for text in ["", "7", "d", "-7d", "7 d", "1.5h", "yesterday", "2026-11-30"] {
            #expect(Backtest.start(text, before: Moment.nextDay) == nil, "\(text)")
        }
    }
}
