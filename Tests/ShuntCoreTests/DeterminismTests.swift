import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Law 8: nothing depends on the order in which a dictionary or a set happens to be walked.
///
/// Swift seeds its hashes anew in every process, so figures that were written down by another process test it.
/// Whoever changes the form or the meaning of the fold on purpose writes new ones down.
@Suite struct DeterminismTests {
    private struct Figures: Equatable, CustomStringConvertible {
        var state: UInt64
        var effects: UInt64
        var count: Int
        var description: String { "state \(state), effects \(effects), count \(count)" }
    }

    private static let writtenDown: [(UInt64, Figures)] = [
        (1, Figures(state: 0x1DD3_2B1F_D0AA_0D45, effects: 0x39F2_1B58_F53E_F5C4, count: 934)),
        (2, Figures(state: 0xD9B5_3B8B_CEE1_8000, effects: 0xE9DA_EAE9_81B9_75EE, count: 942)),
        (3, Figures(state: 0xCCBD_5B91_57A2_40B5, effects: 0x3854_A918_A25E_2E5F, count: 955)),
    ]

    @Test(arguments: writtenDown)
    private func `a seeded journal makes the same state and effects in every process`(seed: UInt64, figures: Figures) {
        let fold = Fold(RandomJournal.entries(seed: seed, count: 5000))
        var effects = StableHash()
        for (effect, line) in zip(fold.effects, fold.effects.story) {
            effects.combine("\(effect.id.seq)-\(effect.id.index) \(line)")
            guard case .alertChanged(let change) = effect.kind else { continue }
            effects.combine("\(change.alert.id) \(change.alert.group.map(\.value)) \(change.alert.decision.name)")
            effects.combine("\(change.alert.startsAt.rfc3339) \(change.alert.endsAt?.rfc3339 ?? "")")
        }
        #expect(Figures(state: fold.state.digest, effects: effects.value, count: fold.effects.count) == figures)
    }

    /// FNV-1a of the text and 0xFF, then the finaliser: reckoned by another program.
    private static let hashes: [(String, UInt64)] = [
        ("", 0x1BBD_5C81_3C69_A8D7),
        ("a", 0x3AEC_69D2_86FB_D39B),
        ("8771", 0xED9B_7C8F_E2F2_D514),
        ("支付", 0xE0DF_311D_23DF_02C5),
        ("an attempt's identity that is longer than fifteen bytes", 0xB52C_5EF7_D703_AE02),
    ]

    @Test(arguments: hashes)
    func `a text's hash is the same in every process`(text: String, value: UInt64) {
        var hash = StableHash()
        hash.combine(text)
        #expect(hash.value == value)
    }

    @Test func `the ends of texts and the width of numbers are part of a hash`() {
        func hash(_ feed: (inout StableHash) -> Void) -> UInt64 {
            var hash = StableHash()
            feed(&hash)
            return hash.value
        }
        let values = [
            hash { _ in },
            hash { $0.combine("") },
            hash { $0.combine("abc") },
            hash {
                $0.combine("ab")
                $0.combine("c")
            },
            hash {
                $0.combine("a")
                $0.combine("bc")
            },
            hash { $0.combine(1) },
            hash { $0.combine(byte: 1) },
            hash { $0.combine(1 << 56) },
        ]
        #expect(Set(values).count == values.count)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `groups, environments and scopes are listed in their own order, whoever came first`(seed: UInt64) {
        var ruleSet = RuleSet.builtIn
        ruleSet.rules[0].threshold = 2
        ruleSet.rules[0].alert.resolveBelow = 1
        ruleSet.rules[0].groupBy = [.errorCode, .region]
        ruleSet.rules[0].trip?.scope = [.region]
        var random = SeededGenerator(seed: seed)
        var listings: Set<[String]> = []
        for _ in 0..<20 {
            var names: [(environment: String, code: String, region: String)] = []
            for environment in ["c", "a", "b"] {
                for code in ["2", "10", "1"] {
                    for region in ["US", "CN"] { names.append((environment, code, region)) }
                }
            }
            names.shuffle(using: &random)
            var scenario = Scenario(ruleSet)
            for name in names {
                var event = PaymentEvent.failure(name.code)
                event.environment = name.environment
                event.region = name.region
                scenario.apply(.event(event))
                scenario.apply(.event(event))
            }
            let alerts = scenario.state.openAlerts.map { $0.group.map(\.value).joined(separator: "/") }
            let slices = scenario.state.switches.allMachines.map(\.scope.text)
            let ends = scenario.apply(.command(Self.restoreAll), atMs: 1).moves.map(\.scope.text)
            listings.insert(alerts + slices + scenario.state.switchView.movedEnvironments + ends)
        }
        #expect(listings.count == 1)
        #expect(listings.first?.prefix(3) == ["a/1/CN", "a/1/US", "a/10/CN"])
        #expect(listings.first?.suffix(5) == ["a", "b", "c", "a, region=CN", "a, region=US"])
    }

    private static let restoreAll = SwitchCommand(
        action: .restore,
        key: "apple-pay",
        scope: Scope(environment: "a"),
        actor: "on-call",
        reason: "test"
    )

    @Test(arguments: [4, 5, 6] as [UInt64])
    func `what is counted doesn't depend on the order of equal times`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var events: [PaymentEvent] = []
        for number in 0..<300 {
            var event = PaymentEvent.failure("\(number % 30)", domain: random.pick(["verify", "pay"]))
            event.environment = random.pick(["production", "sandbox"])
            // Which of two attempts in doubt is older does depend on it, so these name none.
            event.installId = "\(number)"
            events.append(event)
        }
        var digests: Set<UInt64> = []
        for _ in 0..<5 {
            var scenario = Scenario()
            // Groups in any order, each group's own events in theirs.
            let groups = Dictionary(grouping: events) {
                "\($0.environment) \($0.error?.domain ?? "") \($0.error?.code ?? "")"
            }
            for group in groups.keys.shuffled(using: &random) {
                for event in groups[group] ?? [] { scenario.apply(.event(event), atMs: 1000) }
            }
            digests.insert(scenario.state.digest)
        }
        #expect(digests.count == 1)
    }
}
