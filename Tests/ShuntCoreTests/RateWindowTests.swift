import ShuntSchema
import TestSupport
import Testing

@testable import ShuntCore

/// What rates are reckoned from.
@Suite struct RateWindowTests {
    /// Chances that another program reckoned, by summing the distribution with 60 digits.
    private static let tails: [(Int, Double, Double, Double)] = [
        (1, 0.07, 0.07, 6.760595165860e-02),
        (5, 0.5, 0.6, 1.205780648700e-03),
        (12, 3, 4.5, 1.874823404087e-03),
        (30, 10, 10, 2.559127357599e-07),
        (200, 100, 400, 2.546759916741e-05),
        (3, 0.01, 0.5, 5.002712636445e-04),
    ]

    @Test(arguments: tails)
    func `a negative binomial tail equals the one reckoned elsewhere`(
        count: Int,
        mean: Double,
        variance: Double,
        chance: Double
    ) {
        let found = HourlyBaseline.tail(count: count, mean: mean, variance: variance)
        #expect(abs(found - chance) <= chance * 1e-6)
    }

    @Test func `up to the mean nothing is unusual`() {
        #expect(HourlyBaseline.tail(count: 5, mean: 5, variance: 9) == 1)
        #expect(HourlyBaseline.tail(count: 0, mean: 0, variance: 0) == 1)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `a ring of parts equals a naive recount`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ring = BucketRing(parts: 12, partMs: 10)
        var story: [(atMs: Int64, count: Int)] = []
        var nowMs: Int64 = -500
        for _ in 0..<2000 {
            nowMs += Int64(random.oneIn(20) ? random.below(300) : random.below(8))
            let count = random.below(3)
            ring.add(count, at: Timestamp(milliseconds: nowMs))
            story.append((nowMs, count))
            let askedMs = nowMs + Int64(random.below(150))
            let first = random.below(6)
            let length = random.below(6) + 1
            let now = Int((Double(askedMs) / 10).rounded(.down))
            let wanted = story.filter { entry in
                let part = Int((Double(entry.atMs) / 10).rounded(.down))
                let isKept = part > Int((Double(nowMs) / 10).rounded(.down)) - 12
                return isKept && part <= now - first && part > now - first - length
            }.reduce(0) { $0 + $1.count }
            #expect(ring.sum(first: first, count: length, at: Timestamp(milliseconds: askedMs)) == wanted)
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `attempts and counters of a window equal a naive recount`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var window = AttemptWindow(spanMs: 600)
        var seen: [UInt64: Int64] = [:]
        var counted: [(atMs: Int64, count: Int)] = []
        var nowMs: Int64 = 0
        for _ in 0..<3000 {
            nowMs += Int64(random.below(20))
            let at = Timestamp(milliseconds: nowMs)
            if random.oneIn(5) {
                let count = random.below(50)
                window.add(count, at: at)
                counted.append((nowMs, count))
            } else {
                let key = UInt64(random.below(60) + 1)
                let isNew = seen[key].map { $0 <= nowMs - 600 } ?? true
                #expect(window.record(key: key, at: at) == isNew)
                seen[key] = nowMs
            }
            let named = seen.values.count { $0 > nowMs - 600 }
            let most = counted.filter { $0.atMs > nowMs - 600 - 10 }.reduce(0) { $0 + $1.count }
            let least = counted.filter { $0.atMs > nowMs - 600 }.reduce(0) { $0 + $1.count }
            // Counters move in steps of a sixtieth of the window.
            let found = window.count(after: window.since(at: at)) - named
            #expect((least...max(least, most)).contains(found))
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `a set of numbers is gone through in their order`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for limit in [1, 64, 65, 300] {
            let (one, other) = (Self.someNumbers(below: limit, &random), Self.someNumbers(below: limit, &random))
            var both = NumberSet(one)
            both.formIntersection(NumberSet(other))
            var found: [Int] = []
            while let number = both.popFirst() { found.append(number) }
            #expect(found == one.intersection(other).sorted())
        }
    }

    private static func someNumbers(below limit: Int, _ random: inout SeededGenerator) -> Set<Int> {
        Set((0..<random.below(2 * limit)).map { _ in random.below(limit) })
    }

    /// Every list that an event meets is named, in order, and few others.
    @Test(arguments: [UInt64(1), 2, 3])
    func `dispatch leaves out no list of conditions that an event meets`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let dimensions: [Dimension] = [.errorCode, .region, .psp, .stage, .environment, .appVersion]
        let values = ["a", "b", "c", "d", "e", "charge", "production"]
        let lists = (0..<120).map { _ in
            (0..<random.below(4)).map { _ in
                let wanted = (0...random.below(2)).map { _ in random.pick(values) }
                return Condition(random.pick(dimensions), random.oneIn(4) ? .noneOf(wanted) : .oneOf(wanted))
            }
        }
        let dispatch = Dispatch(lists)
        let catalogue = CatalogueSource().built()
        var named = 0
        for _ in 0..<300 {
            var event = PaymentEvent.failure(random.pick(values), domain: "verify")
            event.region = random.pick([nil, "a", "b"])
            event.psp = random.pick([nil, "c", "d"])
            event.stage = random.pick([.charge, .unknown])
            let meaning = catalogue.classify(event)
            var found: [Int] = []
            var numbers = dispatch.lists(for: event, meaning: meaning)
            while let number = numbers.popFirst() { found.append(number) }
            #expect(found == found.sorted() && Set(found).count == found.count)
            for (number, list) in lists.enumerated() {
                let isMet = list.allSatisfy { $0.holds(for: event, meaning: meaning) }
                #expect(!isMet || found.contains(number))
            }
            named += found.count
        }
        #expect(named < 300 * lists.count / 2)
    }
}
