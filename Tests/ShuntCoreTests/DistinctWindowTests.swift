import ShuntSchema
import TestSupport
import Testing

@testable import ShuntCore

/// Law 4 for the window of thousands: it says what the window of few says, which equals a naive recount.
@Suite struct DistinctWindowTests {
    private enum Keys: String, CaseIterable {
        case none, few, many, mixed, equalLowBits, twice

        func next(_ random: inout SeededGenerator, step: Int) -> UInt64? {
            switch self {
            case .none: nil
            case .few: UInt64(1 + random.below(4))
            case .many: random.next()
            case .mixed: random.oneIn(3) ? nil : UInt64(1 + random.below(90))
            // All have the same mark in the index.
            case .equalLowBits: UInt64(random.below(24)) << 32 | 7
            // As attempts are: begun, and ended a little later.
            case .twice: UInt64(1000 + (random.oneIn(2) ? step : max(0, step - random.below(6))))
            }
        }
    }

    @Test(arguments: [1, 2, 7, 64, 100], [1, 2, 3, 4] as [UInt64])
    func `both windows say the same at every step`(capacity: Int, seed: UInt64) {
        for keys in Keys.allCases {
            var random = SeededGenerator(seed: seed)
            var few = RecencyWindow(capacity: capacity, spanMs: 200)
            var many = DistinctWindow(capacity: capacity, spanMs: 200)
            var now: Int64 = 1_000_000
            for step in 0..<600 {
                now += Int64(random.pick([0, 0, 1, 2, 5, 9, 199, 200, 201]) / random.pick([1, 4, 50]))
                let at = Timestamp(milliseconds: now)
                let key = keys.next(&random, step: step)
                let isNew = (few.record(key: key, at: at), many.record(key: key, at: at))
                guard isNew.0 == isNew.1, let difference = Self.difference(few, many, now, &random) else {
                    if isNew.0 != isNew.1 { Issue.record("\(keys), step \(step): new \(isNew)") }
                    continue
                }
                Issue.record("\(keys), step \(step): \(difference)")
                return
            }
        }
    }

    private static func difference(
        _ few: RecencyWindow,
        _ many: DistinctWindow,
        _ now: Int64,
        _ random: inout SeededGenerator
    ) -> String? {
        if few.droppedAt != many.droppedAt { return "dropped at \(many.droppedAt), not \(few.droppedAt)" }
        for aheadMs: Int64 in [0, 1, 100, 199, 200] {
            let at = Timestamp(milliseconds: now + aheadMs)
            if few.count(at: at) != many.count(at: at) { return "counts \(many.count(at: at)), \(aheadMs) ms later" }
            if few.isEmpty(at: at) != many.isEmpty(at: at) { return "is empty, \(aheadMs) ms later" }
            let wanted = random.below(few.capacity + 2)
            if few.reaches(wanted, at: at) != many.reaches(wanted, at: at) { return "reaches \(wanted)" }
        }
        for _ in 0..<3 {
            let edge = Timestamp(milliseconds: now - Int64(random.below(220)))
            if few.count(after: edge) != many.count(after: edge) { return "counts \(many.count(after: edge)) since" }
            let oldest = few.mostRecent(few.count(after: edge))
            if many.oldest(after: edge) != oldest { return "the oldest is \(String(describing: oldest))" }
        }
        let contents = zip(few.contents, many.contents).allSatisfy { $0.key == $1.key && $0.at == $1.at }
        return contents && few.contents.count == many.contents.count ? nil : "holds \(many.contents.map(\.at))"
    }

    @Test func `what is recorded again in its order makes an equal window`() {
        var random = SeededGenerator(seed: 9)
        var window = DistinctWindow(capacity: 30, spanMs: 200)
        for step in 0..<500 {
            window.record(
                key: Keys.twice.next(&random, step: step),
                at: Timestamp(milliseconds: Int64(step * 3))
            )
        }
        var again = DistinctWindow(capacity: 30, spanMs: 200)
        for item in window.contents { again.record(key: item.key, at: item.at) }
        #expect(again.contents.map(\.key) == window.contents.map(\.key))
        #expect(again.contents.count == 30)
        window.clear()
        #expect(window.contents.isEmpty && window.isEmpty(at: Timestamp(milliseconds: 0)))
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `an index finds what a dictionary finds`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var index = KeyIndex()
        var known: [UInt64: Int] = [:]
        var keys: [Int: UInt64] = [:]
        for step in 0..<4000 {
            // Many that fall together, in their place and in their mark.
            let key = UInt64(random.below(40)) << 32 | UInt64(random.below(3)) << 8 | UInt64(random.below(4))
            switch (known[key], random.below(3)) {
            case (nil, _):
                index.insert(step, hash: key)
                known[key] = step
                keys[step] = key
            case (let place?, 0):
                index.remove(place, hash: key)
                known[key] = nil
                keys[place] = nil
            case (let place?, 1):
                index.move(place, to: step, hash: key)
                known[key] = step
                keys[place] = nil
                keys[step] = key
            case (let place?, _): #expect(index.find(key) { keys[$0] == key } == place)
            }
            let other = UInt64(random.below(40)) << 32 | UInt64(random.below(12))
            guard index.find(other, where: { keys[$0] == other }) == known[other], index.count == known.count else {
                Issue.record("step \(step): \(other)")
                return
            }
        }
    }
}
