import ShuntSchema
import TestSupport
import Testing

@testable import ShuntCore

/// What is put together once when rules come into force says of every event what the rules say.
@Suite struct SwitchWatchTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `it equals a look at every rule, event by event`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let conditions: [Condition] = [
            Condition(.network, .noneOf(["visa"])), Condition(.region, .oneOf(["CN", "US"])),
            Condition(.errorCode, .oneOf(["1", "2"])), Condition(.stage, .oneOf(["charge"])),
            Condition(.source, .oneOf(["ios"])),
        ]
        var seen: Set<Bool> = []
        for _ in 0..<60 {
            var ruleSet = RuleSet(rules: [], switches: RuleSet.builtIn.switches)
            for number in 0..<random.below(4) {
                var rule = RuleSet.builtIn.rules[0]
                rule.id = "rule-\(number)"
                rule.match = conditions.filter { _ in random.oneIn(3) }
                rule.trip = Trip(
                    switchKey: random.oneIn(4) ? "other" : "apple-pay",
                    scope: [.region, .network, .environment].filter { _ in random.oneIn(2) }
                )
                rule.require.share = random.oneIn(2) ? nil : 10 + random.below(80)
                ruleSet.rules.append(rule)
            }
            let definition = ruleSet.switches[0]
            let watch = SwitchWatch(definition, rules: ruleSet.rules)
            let tripping = ruleSet.rules.filter { $0.trip?.switchKey == "apple-pay" }
            let share = tripping.compactMap(\.require.share).min()
            #expect(watch.goodBelowPercent == share.map { max(1, $0 / 2) } ?? definition.recovery.goodBelowPercent)
            let catalogue = ruleSet.catalogue.built()
            for _ in 0..<50 {
                var event = PaymentEvent.failure("\(random.below(4))")
                event.network = random.pick([nil, "visa", "unionpay"])
                event.region = random.pick([nil, "CN", "US", "DE"])
                event.source = random.pick(["ios", "backend"])
                let meaning = catalogue.classify(event)
                let isAbout =
                    tripping.isEmpty
                    || tripping.contains { rule in
                        rule.match.allSatisfy { $0.dimension.isOfFailures || $0.holds(for: event, meaning: meaning) }
                    }
                #expect(watch.isAbout(event, meaning: meaning) == isAbout)
                seen.insert(isAbout)
                let dimensions = Set(tripping.flatMap { $0.trip?.scope ?? [] }).sorted { $0.rawValue < $1.rawValue }
                let scope = Scope(
                    of: event,
                    meaning: meaning,
                    in: event.environment,
                    narrowedBy: dimensions
                )
                #expect(watch.slice(of: event, meaning: meaning) == scope.attributes)
            }
        }
        #expect(seen == [true, false])
    }

    @Test func `a sample holds the latest attempts, each once, and tells apart what has left it`() throws {
        var sample = TrafficSample()
        var naive: [UInt64] = []
        var random = SeededGenerator(seed: 7)
        for _ in 0..<4000 {
            let key = UInt64(random.below(900))
            sample.record(TrafficSample.Attempt(key: key, attributes: []))
            guard !naive.contains(key) else { continue }
            naive.append(key)
            if naive.count > TrafficSample.capacity { naive.removeFirst() }
        }
        #expect(Set(sample.attempts.map(\.key)) == Set(naive))
        var writer = StateWriter()
        writer.write(sample)
        var reader = StateReader(writer.bytes)
        let read: TrafficSample = try reader.read()
        #expect(read == sample)
    }
}
