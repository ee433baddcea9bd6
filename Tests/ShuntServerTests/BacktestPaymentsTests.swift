import ShuntCore
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// The payments while an alert lasted: how many were seen, how many failed, and what those were worth.
@Suite struct BacktestPaymentsTests {
    private typealias Fixture = BacktestFixture

    private func payments(_ fixture: borrowing BacktestFixture, _ rules: RuleSet) throws -> [BacktestPayments?] {
        try fixture.run(rules).alerts.map(\.payments)
    }

    @Test func `it begins with the event that fires and ends with the alert`() throws {
        var fixture = try Fixture()
        for number in 1...3 { try fixture.pay(Double(number), failing: "8771") }
        try fixture.pay(4)
        try fixture.pay(5, failing: "8771")
        try fixture.pay(6, failing: "8772")
        // A minute after the last failure the window is empty, and ten seconds later the alert is over.
        try fixture.pay(74.999)
        try fixture.pay(75)
        #expect(
            try payments(fixture, Fixture.watching(threshold: 3)) == [BacktestPayments(failed: 2, seen: 5, amounts: [])]
        )
    }

    @Test func `an attempt that is seen or fails twice is one payment, and is worth its amount once`() throws {
        var fixture = try Fixture()
        try fixture.pay(1, failing: "8771", attempt: "a")
        for (second, attempt) in [(2.0, "b"), (3, "b"), (4, "c"), (5, "c"), (6, "a"), (7, "a")] {
            try fixture.pay(second, failing: "8771", attempt: attempt) {
                $0.amount = Amount(minor: 100, currency: "CNY")
            }
        }
        try fixture.pay(8, attempt: "c")
        // Fired by b at second 2: b, c, and a again.
        #expect(
            try payments(fixture, Fixture.watching(threshold: 2))
                == [BacktestPayments(failed: 3, seen: 3, amounts: [BacktestAmount(currency: "CNY", minor: 300)])]
        )
    }

    @Test func `an amount that only a later report names is counted`() throws {
        var fixture = try Fixture()
        try fixture.pay(1, failing: "8771", attempt: "a")
        for second in [2.0, 3] {
            try fixture.pay(second, failing: "8771", attempt: "a") { $0.amount = Amount(minor: 7, currency: "JPY") }
        }
        let found = try payments(fixture, Fixture.watching(threshold: 1))
        #expect(found == [BacktestPayments(failed: 1, seen: 1, amounts: [BacktestAmount(currency: "JPY", minor: 7)])])
    }

    @Test func `sums are exact beyond what one amount can be, each currency by itself`() throws {
        var fixture = try Fixture()
        for (second, amount) in [
            (1.0, Amount(minor: .max, currency: "CNY")), (2, Amount(minor: .max, currency: "CNY")),
            (3, Amount(minor: -5, currency: "EUR")), (4, Amount(minor: .min, currency: "AED")),
        ] {
            try fixture.pay(second, failing: "8771") { $0.amount = amount }
        }
        let found = try payments(fixture, Fixture.watching(threshold: 1))
        #expect(
            found.first??.amounts == [
                BacktestAmount(currency: "AED", minor: Int128(Int64.min)),
                BacktestAmount(currency: "CNY", minor: 2 * Int128(Int64.max)),
                BacktestAmount(currency: "EUR", minor: -5),
            ]
        )
    }

    @Test func `one that stands for many successes is as many attempts`() throws {
        var fixture = try Fixture()
        try fixture.pay(1, failing: "8771")
        for count: Int64 in [57, 1_000_000_000, 1] {
            try fixture.pay(2) { $0.counts = Counts(from: Fixture.time(0), to: Fixture.time(2), count: count) }
        }
        let found = try payments(fixture, Fixture.watching(threshold: 1))
        #expect(found.first??.seen == 1_000_000_059)
    }

    @Test func `what is counted together beyond the limit of groups has no payments of its own`() throws {
        var fixture = try Fixture()
        for number in 0..<70 { try fixture.pay(Double(number) / 10, failing: "\(number)") }
        var rules = Fixture.watching(threshold: 1)
        rules.maximumGroups = 1
        let alerts = try fixture.run(rules).alerts
        #expect(alerts.map { $0.payments == nil } == alerts.map { $0.group.last?.value == Rule.overflowValue })
        #expect(alerts.contains { $0.payments == nil })
        #expect(alerts.contains { $0.payments != nil })
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `it equals a naive recount`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var fixture = try Fixture()
        var told: [(second: Double, region: String, code: String?, attempt: String)] = []
        for number in 0..<600 {
            let attempt = random.oneIn(3) ? "\(random.below(40))" : "own \(number)"
            let code = random.oneIn(2) ? nil : random.pick(["a", "b", "c"])
            // Times of their own, so that it is clear what came before what.
            told.append((Double(number) + (random.oneIn(40) ? 0.5 : 0), random.pick(["CN", "US"]), code, attempt))
        }
        for event in told {
            try fixture.pay(event.second, failing: event.code, attempt: event.attempt) { $0.region = event.region }
        }
        let rules = Fixture.watching(threshold: 3, windowMs: 9000, by: [.errorCode, .region])
        let alerts = try fixture.run(rules, now: 5000).alerts
        #expect(alerts.count > 10)
        for alert in alerts {
            let region = try #require(alert.group.first { $0.name == "region" }?.value)
            let code = try #require(alert.group.first { $0.name == "error.code" }?.value)
            let slice = told.filter {
                let at = Fixture.time($0.second)
                return $0.region == region && at >= alert.startsAt && at < alert.lastsUntil
            }
            let payments = try #require(alert.payments)
            #expect(payments.seen == Set(slice.map(\.attempt)).count)
            #expect(payments.failed == Set(slice.filter { $0.code == code }.map(\.attempt)).count)
        }
    }
}
