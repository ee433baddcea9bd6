import ShuntCore
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// The hours in which a rule couldn't have fired because too few payments came.
@Suite struct BacktestTrafficTests {
    private typealias Fixture = BacktestFixture

    private func zone(
        _ fixture: borrowing BacktestFixture,
        _ rules: RuleSet,
        since: Double = 0
    ) throws -> BacktestBlindZone? {
        try fixture.run(rules, since: since).rules.first?.blindZone
    }

    @Test func `an hour with the threshold in one window isn't blind, one payment fewer is`() throws {
        var fixture = try Fixture()
        for number in 0..<5 { try fixture.pay(600 + Double(number)) }
        for number in 0..<4 { try fixture.pay(3600 + Double(number)) }
        // As many, but not in one window.
        for number in 0..<5 { try fixture.pay(7200 + Double(number) * 15) }
        #expect(try zone(fixture, Fixture.rules(threshold: 5)) == BacktestBlindZone(blindHours: 2, hours: 3))
        #expect(try zone(fixture, Fixture.rules(threshold: 4)) == BacktestBlindZone(blindHours: 0, hours: 3))
        #expect(try zone(fixture, Fixture.rules(threshold: 6)) == BacktestBlindZone(blindHours: 3, hours: 3))
    }

    @Test func `a window reaches back into the hour before, and before the stretch`() throws {
        var fixture = try Fixture()
        for second in [3560.0, 3570, 3580, 3601] { try fixture.pay(second) }
        #expect(try zone(fixture, Fixture.rules(threshold: 4)) == BacktestBlindZone(blindHours: 1, hours: 2))
        #expect(
            try zone(fixture, Fixture.rules(threshold: 4), since: 3600) == BacktestBlindZone(blindHours: 0, hours: 1)
        )
    }

    @Test func `payers are counted by what tells them apart, and by what conditions say of them`() throws {
        var fixture = try Fixture()
        for number in 0..<4 { try fixture.pay(Double(number)) { $0.region = number < 2 ? "CN" : "US" } }
        for number in 4..<6 { try fixture.pay(Double(number)) { $0.environment = "sandbox" } }
        let blind = BacktestBlindZone(blindHours: 1, hours: 1)
        let seeing = BacktestBlindZone(blindHours: 0, hours: 1)
        #expect(try zone(fixture, Fixture.rules(threshold: 4)) == seeing)
        #expect(try zone(fixture, Fixture.rules(threshold: 5)) == blind)
        #expect(try zone(fixture, Fixture.watching(threshold: 2, by: [.region])) == seeing)
        #expect(try zone(fixture, Fixture.watching(threshold: 3, by: [.region])) == blind)
        let china = Fixture.rules(threshold: 3) {
            $0.match = [Condition(.region, .oneOf(["CN"])), Condition(.errorCode, .oneOf(["8771"]))]
        }
        #expect(try zone(fixture, china) == blind)
    }

    @Test func `what one install is limited to, and what nobody could count, is left out`() throws {
        var fixture = try Fixture()
        for number in 0..<6 { try fixture.pay(Double(number)) { $0.installId = "one" } }
        let blind = BacktestBlindZone(blindHours: 1, hours: 1)
        #expect(try zone(fixture, Fixture.rules(threshold: 4) { $0.maximumPerInstall = 3 }) == blind)
        #expect(try zone(fixture, Fixture.rules(threshold: 2) { $0.count = .installs }) == blind)
        #expect(try zone(fixture, Fixture.rules(threshold: 6))?.blindHours == 0)
    }

    @Test func `a counter stands for as many attempts`() throws {
        var fixture = try Fixture()
        try fixture.pay(1) { $0.counts = Counts(from: Fixture.time(0), to: Fixture.time(1), count: 5) }
        #expect(try zone(fixture, Fixture.rules(threshold: 5))?.blindHours == 0)
        #expect(try zone(fixture, Fixture.rules(threshold: 6))?.blindHours == 1)
    }

    @Test func `each kind needs what it fires on`() throws {
        var fixture = try Fixture()
        // Twelve payments in one hour, six a minute.
        for number in 0..<12 { try fixture.pay(3600 + Double(number) * 10) }
        func burn(_ attempts: Int, longMs: Int64) -> RuleKind {
            .burnRate(BurnRate(allowedPpm: 1000, tenths: 144, longWindowMs: longMs, attempts: attempts))
        }
        let cases: [(kind: RuleKind, threshold: Int, windowMs: Int64, isBlind: Bool)] = [
            (.share(percent: 50, attempts: 12), 1, 600_000, false),
            (.share(percent: 50, attempts: 13), 1, 600_000, true),
            (.share(percent: 50, attempts: 7), 1, 60_000, true),
            // Where fewer attempts would do, as many must still fail.
            (.share(percent: 50, attempts: 2), 13, 600_000, true),
            (.noSuccess(attempts: 12), 1, 600_000, false),
            (.noSuccess(attempts: 13), 1, 600_000, true),
            (.noSuccess(attempts: 7), 1, 60_000, true),
            (.change(percent: 300), 12, 600_000, false),
            (.change(percent: 300), 13, 600_000, true),
            // It looks at the long window, whatever the short one is.
            (burn(12, longMs: 600_000), 1, 60_000, false),
            (burn(13, longMs: 600_000), 1, 60_000, true),
            (burn(7, longMs: 60_000), 1, 5_000, true),
        ]
        for (kind, threshold, windowMs, isBlind) in cases {
            let rules = Fixture.rules(threshold: threshold, windowMs: windowMs) { $0.kind = kind }
            let expected = BacktestBlindZone(blindHours: isBlind ? 1 : 0, hours: 1)
            let found = try zone(fixture, rules)
            #expect(found == expected, "\(kind), \(threshold) within \(windowMs) ms")
        }
        let watchdog = try zone(fixture, Fixture.rules(threshold: 1) { $0.kind = .watchdog })
        #expect(watchdog == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `it equals a naive recount`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var fixture = try Fixture()
        var told: [(ms: Int64, region: String, attempt: String)] = []
        var ms: Int64 = 0
        for number in 0..<400 {
            ms += Int64(random.below(random.oneIn(10) ? 1_800_000 : 120_000))
            let attempt = random.oneIn(4) ? "\(random.below(9))" : "own \(number)"
            told.append((ms, random.pick(["CN", "US"]), attempt))
        }
        for event in told {
            try fixture.pay(Double(event.ms) / 1000, attempt: event.attempt) { $0.region = event.region }
        }
        var partly = 0
        for (threshold, windowMs) in [(5, 300_000), (20, 5_400_000), (7, 600_000)] as [(Int, Int64)] {
            var seeing: Set<Int64> = []
            for event in told {
                let window = told.filter {
                    $0.region == event.region && $0.ms <= event.ms && $0.ms > event.ms - windowMs
                }
                if Set(window.map(\.attempt)).count >= threshold { seeing.insert(event.ms / 3_600_000) }
            }
            let hours = Set(told.map { $0.ms / 3_600_000 }).count
            let rules = Fixture.watching(threshold: threshold, windowMs: windowMs, by: [.region, .errorCode])
            #expect(
                try zone(fixture, rules) == BacktestBlindZone(blindHours: hours - seeing.count, hours: hours)
            )
            if !seeing.isEmpty, seeing.count < hours { partly += 1 }
        }
        #expect(partly > 0)
    }
}
