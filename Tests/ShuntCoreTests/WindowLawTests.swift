import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Laws 4 and 10: a window equals a naive recount, at every step and at the ends of its ranges.
@Suite struct WindowLawTests {
    /// Recounts everything at each question: the last time of each key, and every thing without a key.
    private struct NaiveWindow {
        var seen: [(key: UInt64?, at: Int64)] = []
        let spanMs: Int64

        func timesWithin(at now: Int64) -> [Int64] {
            var times: [Int64] = []
            for (number, item) in seen.enumerated() where item.at > now - spanMs {
                let isSeenAgain = item.key != nil && seen[(number + 1)...].contains { $0.key == item.key }
                if !isSeenAgain { times.append(item.at) }
            }
            return times.sorted(by: >)
        }
    }

    /// How a stream of keys looks.
    private enum Keys: String, CaseIterable {
        case none, few, many, mixed, equalLowBits

        func next(_ random: inout SeededGenerator) -> UInt64? {
            switch self {
            case .none: nil
            case .few: UInt64(1 + random.below(4))
            case .many: random.next()
            case .mixed: random.oneIn(3) ? nil : UInt64(1 + random.below(30))
            // All start at the same place of the index.
            case .equalLowBits: UInt64(random.below(24)) << 32 | 7
            }
        }
    }

    @Test(arguments: [1, 2, 5, 12], [1, 2, 3, 4, 5, 6] as [UInt64])
    func `a window with a cap for each owner equals a naive recount`(capacity: Int, seed: UInt64) {
        for maximum in [1, 2, 3] {
            var random = SeededGenerator(seed: seed)
            var window = RecencyWindow(capacity: capacity, spanMs: 50)
            // The last time of each key, newest first, with its owner.
            var seen: [(key: UInt64, owner: UInt64, at: Int64)] = []
            var now: Int64 = 1_000_000
            for step in 0..<400 {
                now += Int64(random.pick([0, 1, 1, 2, 5, 30]))
                let owner = UInt64(1 + random.below(6))
                let key = owner << 8 | UInt64(random.below(5))
                seen.removeAll { $0.key == key }
                seen.insert((key, owner, now), at: 0)
                window.record(
                    key: key,
                    owner: owner,
                    at: Timestamp(milliseconds: now),
                    maximumPerOwner: maximum
                )
                // What an owner's newer ones pushed out once stays out until it is seen again.
                for other in Set(seen.map(\.owner)) {
                    let mine = seen.filter { $0.owner == other && $0.at > now - 50 }
                    for extra in mine.dropFirst(maximum) { seen.removeAll { $0.key == extra.key } }
                }
                let within = seen.filter { $0.at > now - 50 }.count
                let counted = window.count(at: Timestamp(milliseconds: now))
                guard counted == min(capacity, within) else {
                    Issue.record("cap \(maximum), step \(step): \(counted), not \(min(capacity, within))")
                    return
                }
            }
        }
    }

    @Test(arguments: [1, 2, 3, 7, 10, 40], [1, 2, 3, 4, 5] as [UInt64])
    func `a window equals a naive recount at every step`(capacity: Int, seed: UInt64) {
        for keys in Keys.allCases {
            var random = SeededGenerator(seed: seed)
            var naive = NaiveWindow(spanMs: 50)
            var window = RecencyWindow(capacity: capacity, spanMs: 50)
            var now: Int64 = 1_000_000
            for step in 0..<150 {
                now += Int64(random.pick([0, 0, 1, 2, 5, 9, 49, 50, 51]) / random.pick([1, 4]))
                let key = keys.next(&random)
                naive.seen.append((key, now))
                window.record(key: key, at: Timestamp(milliseconds: now))
                for aheadMs: Int64 in [0, 1, 25, 49, 50, 51] {
                    let times = naive.timesWithin(at: now + aheadMs)
                    if let difference = Self.difference(window, times, at: Timestamp(milliseconds: now + aheadMs)) {
                        Issue.record("\(keys), step \(step), \(aheadMs) ms later: \(difference)")
                        return
                    }
                }
            }
        }
    }

    /// What a window says otherwise than the times of a recount, newest first.
    private static func difference(_ window: RecencyWindow, _ times: [Int64], at: Timestamp) -> String? {
        let found = min(times.count, window.capacity)
        if window.count(at: at) != found { return "counts \(window.count(at: at)) of \(times)" }
        if window.isEmpty(at: at) != times.isEmpty { return "isEmpty of \(times)" }
        for count in -1...(window.capacity + 1) where window.reaches(count, at: at) != (count <= found) {
            return "reaches \(count) of \(times)"
        }
        for rank in 1...window.capacity where rank <= found {
            if window.mostRecent(rank)?.milliseconds != times[rank - 1] { return "rank \(rank) of \(times)" }
        }
        return nil
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `what a window holds, recorded again, makes an equal window`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var window = RecencyWindow(capacity: 8, spanMs: 50)
        var now: Int64 = 0
        for _ in 0..<2000 {
            now += Int64(random.below(30))
            window.record(key: random.oneIn(4) ? nil : UInt64(1 + random.below(12)), at: Timestamp(milliseconds: now))
            var again = RecencyWindow(capacity: 8, spanMs: 50)
            for item in window.contents { again.record(key: item.key, owner: item.owner, at: item.at) }
            let isEqual = again.contents.elementsEqual(window.contents) { $0.key == $1.key && $0.at == $1.at }
            if !isEqual { Issue.record("at \(now)") }
        }
    }

    @Test func `an event exactly one window old is out, one millisecond younger is in`() {
        var window = RecencyWindow(capacity: 3, spanMs: 300_000)
        window.record(key: nil, at: Timestamp(milliseconds: 1000))
        #expect(window.count(at: Timestamp(milliseconds: 300_999)) == 1)
        #expect(window.count(at: Timestamp(milliseconds: 301_000)) == 0)
        #expect(!window.isEmpty(at: Timestamp(milliseconds: 300_999)))
        #expect(window.isEmpty(at: Timestamp(milliseconds: 301_000)))
    }

    @Test(arguments: [1, 2, 3, 99, 100, 101])
    func `a window reaches N with the N-th, not before`(threshold: Int) {
        var window = RecencyWindow(capacity: threshold, spanMs: 1000)
        let at = Timestamp(milliseconds: 5)
        for number in 1...threshold {
            #expect(!window.reaches(threshold, at: at))
            window.record(key: UInt64(number), at: at)
        }
        #expect(window.reaches(threshold, at: at))
        window.record(key: 0, at: at)
        #expect(window.reaches(threshold, at: at))
        #expect(window.count(at: at) == threshold)
    }

    @Test(arguments: [Int64.min, -1, 0, Int64.max - 1, Int64.max])
    func `a window stands at the ends of time`(milliseconds: Int64) {
        for spanMs in [1, 300_000, Int64.max] {
            var window = RecencyWindow(capacity: 2, spanMs: spanMs)
            for key in [1, 2, 3, 1] as [UInt64?] { window.record(key: key, at: Timestamp(milliseconds: milliseconds)) }
            #expect(window.count(at: Timestamp(milliseconds: milliseconds)) <= 2)
            _ = window.count(at: Timestamp(milliseconds: .max))
        }
    }

    @Test func `memory follows the capacity, not the traffic`() {
        var window = RecencyWindow(capacity: 100, spanMs: 1000)
        for number in 0..<100_000 as Range<UInt64> {
            window.record(key: number, at: Timestamp(milliseconds: Int64(number / 50)))
        }
        #expect(window.memoryBytes <= 100 * 2 * 24 + 512 * 4)
        window.clear()
        #expect(window.count(at: Timestamp(milliseconds: 2000)) == 0)
        #expect(window.memoryBytes == 0)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `keys that all start at the same place of the index are told apart`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var window = RecencyWindow(capacity: 200, spanMs: 500)
        var last: [UInt64: Int64] = [:]
        for now in 0..<6000 as Range<Int64> {
            // Homes at both ends of the table, so that probes wrap around.
            let key = UInt64(random.below(150)) << 40 | random.pick([0x1FF, 0x1FE, 0, 1])
            last[max(key, 1)] = now
            window.record(key: key, at: Timestamp(milliseconds: now))
            let within = last.values.count { $0 > now - 500 }
            try #require(window.count(at: Timestamp(milliseconds: now)) == min(within, 200), "at \(now)")
        }
    }
}
