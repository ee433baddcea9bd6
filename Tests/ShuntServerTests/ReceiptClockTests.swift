import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// The time of receipt: never back, at the pace of the monotonic clock give or take a tenth, drawn by the wall clock.
@Suite struct ReceiptClockTests {
    private static let startMs: Int64 = 1_800_000_000_000
    private static let secondNs: Int64 = 1_000_000_000

    /// One stretch of time: how long it is, in how many steps it is stamped, and what the wall clock does in it.
    struct Stretch: Sendable {
        var passedNs: Int64
        var steps: Int64
        /// How far the wall clock is from the monotonic one, in milliseconds.
        var wallErrorMs: Int64
    }

    static let stories: [Row<[Stretch]>] = [
        Row("a quiet day", [Stretch(passedNs: 100 * secondNs, steps: 100, wallErrorMs: 0)]),
        Row(
            "set forward by an hour",
            [
                Stretch(passedNs: secondNs, steps: 10, wallErrorMs: 0),
                Stretch(passedNs: 100 * secondNs, steps: 1000, wallErrorMs: 3_600_000),
            ]
        ),
        Row(
            "set back by an hour",
            [
                Stretch(passedNs: secondNs, steps: 10, wallErrorMs: 0),
                Stretch(passedNs: 100 * secondNs, steps: 1000, wallErrorMs: -3_600_000),
            ]
        ),
        Row(
            "set back by an hour under load, stamped every tenth of a millisecond",
            [
                Stretch(passedNs: 2 * secondNs, steps: 20_000, wallErrorMs: -3_600_000)
            ]
        ),
        Row(
            "set forward by an hour under load, stamped every millisecond",
            [
                Stretch(passedNs: 2 * secondNs, steps: 2_000, wallErrorMs: 3_600_000)
            ]
        ),
        Row("set to 1970", [Stretch(passedNs: 50 * secondNs, steps: 500, wallErrorMs: -startMs)]),
        Row("set to the year 5000", [Stretch(passedNs: 50 * secondNs, steps: 500, wallErrorMs: 94_000_000_000_000)]),
        Row("a slow drift", (0..<200).map { Stretch(passedNs: secondNs, steps: 3, wallErrorMs: $0 / 10) }),
        Row(
            "asleep for a night, which both clocks count",
            [
                Stretch(passedNs: secondNs, steps: 10, wallErrorMs: 0),
                Stretch(passedNs: 8 * 3600 * secondNs, steps: 1, wallErrorMs: 0),
                Stretch(passedNs: secondNs, steps: 10, wallErrorMs: 0),
            ]
        ),
        Row(
            "set to and fro",
            (0..<100).map { Stretch(passedNs: secondNs / 3, steps: 7, wallErrorMs: $0 % 2 * 90_000) }
        ),
    ]

    @Test(arguments: stories)
    func `it never goes back, and keeps the pace within a tenth`(row: Row<[Stretch]>) {
        var clock = ReceiptClock(after: Timestamp(milliseconds: 0), wallMs: Self.startMs, monotonicNs: 77)
        var nowNs: Int64 = 77
        var before = clock.last
        for stretch in row.value {
            let began = clock.last
            for _ in 0..<stretch.steps {
                nowNs += stretch.passedNs / stretch.steps
                let wallMs = Self.startMs + (nowNs - 77) / 1_000_000 + stretch.wallErrorMs
                let stamped = clock.stamp(wallMs: wallMs, monotonicNs: nowNs)
                if stamped < before { Issue.record("went back") }
                #expect(stamped == clock.last)
                before = stamped
            }
            let stampedMs = clock.last.milliseconds - began.milliseconds
            let passedMs = stretch.passedNs / stretch.steps * stretch.steps / 1_000_000
            #expect(abs(stampedMs - passedMs) <= passedMs / 10 + 1, "\(stampedMs) of \(passedMs) ms")
        }
    }

    @Test(arguments: [-3_600_000, -5_000, 5_000, 3_600_000] as [Int64])
    func `it comes to the wall clock within ten times the error, and stays there`(errorMs: Int64) {
        var clock = ReceiptClock(after: Timestamp(milliseconds: 0), wallMs: Self.startMs, monotonicNs: 0)
        var nowMs: Int64 = 0
        while nowMs < errorMs.magnitude * 10 + 2000 {
            nowMs += 500
            _ = clock.stamp(wallMs: Self.startMs + nowMs + errorMs, monotonicNs: nowMs * 1_000_000)
        }
        for _ in 0..<10 {
            nowMs += 500
            let stamped = clock.stamp(wallMs: Self.startMs + nowMs + errorMs, monotonicNs: nowMs * 1_000_000)
            #expect(stamped.milliseconds == Self.startMs + nowMs + errorMs)
        }
    }

    @Test func `it starts at the journal's last entry where the wall clock is behind it`() {
        let last = Timestamp(milliseconds: Self.startMs + 60_000)
        var clock = ReceiptClock(after: last, wallMs: Self.startMs, monotonicNs: 5)
        #expect(clock.last == last)
        #expect(clock.stamp(wallMs: Self.startMs, monotonicNs: 5) == last)
        let after = clock.stamp(wallMs: Self.startMs + 1000, monotonicNs: 5 + Self.secondNs)
        #expect(after == last.advanced(byMs: 900))
    }

    @Test func `it starts at the wall clock where that is later`() {
        let clock = ReceiptClock(after: Timestamp(milliseconds: 5), wallMs: Self.startMs, monotonicNs: 0)
        #expect(clock.last.milliseconds == Self.startMs)
    }

    @Test func `a monotonic clock that seems to go back stands still`() {
        var clock = ReceiptClock(after: Timestamp(milliseconds: 0), wallMs: Self.startMs, monotonicNs: 1_000_000_000)
        #expect(clock.stamp(wallMs: Self.startMs + 999, monotonicNs: 5).milliseconds == Self.startMs)
        #expect(clock.stamp(wallMs: Self.startMs + 10, monotonicNs: 1_010_000_000).milliseconds == Self.startMs + 10)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `random clocks never send it back or off its pace`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var clock = ReceiptClock(after: Timestamp(milliseconds: 0), wallMs: Self.startMs, monotonicNs: 0)
        var nowNs: Int64 = 0
        var wallMs = Self.startMs
        for _ in 0..<5000 {
            let passedNs = Int64(random.below(random.pick([2, 1000, 1_000_000, 100_000_000])))
            nowNs += passedNs
            wallMs += passedNs / 1_000_000
            if random.oneIn(50) { wallMs += Int64(random.below(20_000_000)) - 10_000_000 }
            let before = clock.last
            let after = clock.stamp(wallMs: wallMs, monotonicNs: nowNs)
            let stepNs = (after.milliseconds - before.milliseconds) * 1_000_000
            if stepNs < 0 || stepNs > passedNs + passedNs / 10 + 1_000_000 { Issue.record("a step of \(stepNs) ns") }
        }
        let stampedMs = clock.last.milliseconds - Self.startMs
        let passedMs = nowNs / 1_000_000
        #expect(abs(stampedMs - passedMs) <= passedMs / 10 + 1)
    }
}
