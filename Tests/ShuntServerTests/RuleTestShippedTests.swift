import ShuntCore
import TestSupport
import Testing

@testable import ShuntServer

/// The project's own rule tests: that they pass, and that they would fail.
@Suite struct RuleTestShippedTests {
    private static let files = Result { try RuleFiles(readingFolder: RuleFilesFixture.shipped) }
    private static let suite = Result {
        try RuleTestSuite(readingFolder: RuleFilesFixture.shipped, ruleSet: try files.get().ruleSet)
    }

    /// A way to break a rule, and the tests that must see it, by the start of their names.
    struct Mutation: Sendable {
        let rule: String
        let change: @Sendable (inout Rule) -> Void
        let seenBy: [String]

        init(
            of rule: String = "error-code-burst",
            seenBy: [String],
            _ change: @escaping @Sendable (inout Rule) -> Void
        ) {
            self.rule = rule
            self.change = change
            self.seenBy = seenBy
        }
    }

    static let mutations: [Row<Mutation>] = [
        Row(
            "threshold 99",
            Mutation(seenBy: [
                "the ninety-ninth attempt", "an attempt exactly five", "an attempt a millisecond",
                "an attempt that fails again", "three attempts of one install", "fewer than ten installs",
                "our own failures", "what had happened", "the sandbox", "a second trip",
            ]) { $0.threshold = 99 }
        ),
        Row(
            "threshold 101",
            Mutation(seenBy: [
                "the ninety-ninth attempt", "an attempt a millisecond", "an attempt that fails again",
                "three attempts of one install", "fewer than ten installs", "our own failures", "what had happened",
                "the sandbox", "a second trip", "no falling count", "after a restore", "while fifty", "forty-nine",
            ]) { $0.threshold = 101 }
        ),
        Row("a window a millisecond longer", Mutation(seenBy: ["an attempt exactly five"]) { $0.windowMs += 1 }),
        Row("a window a millisecond shorter", Mutation(seenBy: ["an attempt a millisecond"]) { $0.windowMs -= 1 }),
        Row(
            "maxPerInstall off",
            Mutation(seenBy: ["one phone alone", "three attempts of one install"]) { $0.maximumPerInstall = nil }
        ),
        Row("maxPerInstall 4", Mutation(seenBy: ["three attempts of one install"]) { $0.maximumPerInstall = 4 }),
        Row("maxPerInstall 2", Mutation(seenBy: ["three attempts of one install"]) { $0.maximumPerInstall = 2 }),
        Row("require off", Mutation(seenBy: ["fewer than ten installs"]) { $0.require = Requirements() }),
        Row("require 9 installs", Mutation(seenBy: ["fewer than ten installs"]) { $0.require.installs = 9 }),
        Row("require 11 installs", Mutation(seenBy: ["fewer than ten installs"]) { $0.require.installs = 11 }),
        Row("events instead of attempts", Mutation(seenBy: ["an attempt that fails again"]) { $0.count = .events }),
        Row("all codes of a domain together", Mutation(seenBy: ["one code each"]) { $0.groupBy = [.errorDomain] }),
        Row("all domains of a code together", Mutation(seenBy: ["one code each"]) { $0.groupBy = [.errorCode] }),
        Row(
            "every failure counts, whatever its weight",
            Mutation(seenBy: [
                "the payer's own", "the issuer's refusals", "risk refusals", "cancels never count",
            ]) {
                $0.match = []
                $0.trip = nil
            }
        ),
        Row(
            "every outcome counts",
            Mutation(seenBy: ["successes and mere attempts"]) {
                $0.match = [Condition(.outcome, .oneOf(["failed", "succeeded", "attempted"]))]
                $0.groupBy = []
                $0.trip = nil
            }
        ),
        Row(
            "no trip",
            Mutation(seenBy: ["the ninety-ninth attempt", "no falling count", "a second trip"]) { $0.trip = nil }
        ),
        Row("resolveBelow 49", Mutation(seenBy: ["forty-nine"]) { $0.alert.resolveBelow = 49 }),
        Row("resolveBelow 51", Mutation(seenBy: ["while fifty"]) { $0.alert.resolveBelow = 51 }),
        Row(
            "holdFor a millisecond longer",
            Mutation(seenBy: ["after a restore", "while fifty", "forty-nine"]) { $0.alert.holdForMs += 1 }
        ),
        Row(
            "holdFor a millisecond shorter",
            Mutation(seenBy: ["after a restore", "while fifty", "forty-nine"]) { $0.alert.holdForMs -= 1 }
        ),
    ]

    @Test func `the shipped tests pass on the shipped rules`() throws {
        let results = try Self.suite.get().run(with: try Self.files.get().ruleSet)
        #expect(!results.isEmpty)
        for result in results {
            #expect(result.isPassed, "\(result.failures.flatMap { $0.lines(file: result.file) })")
        }
    }

    @Test(arguments: mutations + otherMutations) func `a broken rule is seen by`(_ mutation: Row<Mutation>) throws {
        let failed = try Self.failedTests(under: mutation.value)
        for name in mutation.value.seenBy {
            #expect(failed.contains { $0.hasPrefix(name) }, "\(name): not among \(failed)")
        }
    }

    @Test func `every shipped test can fail`() throws {
        let names = Set(try Self.suite.get().tests.map(\.name))
        let failed = try (Self.mutations + Self.otherMutations).reduce(into: Set<String>()) { names, mutation in
            names.formUnion(try Self.failedTests(under: mutation.value))
        }
        #expect(names.subtracting(failed).isEmpty)
    }

    @Test func `the shipped tests pass on the rules that are built in, but for the guards that those don't have`()
        throws
    {
        var ruleSet = try Self.files.get().ruleSet
        ruleSet.rules = RuleSet.builtIn.rules
        let founding = try Self.suite.get().tests.filter { $0.file.hasSuffix("burst.yaml") }.map(\.name)
        let failed = try Self.suite.get().run(with: ruleSet).filter { !$0.isPassed }.map(\.name)
        #expect(
            failed.filter(founding.contains) == [
                "one phone alone never trips",
                "three attempts of one install count, so thirty-three installs don't trip and one more does",
                "fewer than ten installs hold the trip, and the tenth trips",
            ]
        )
    }

    private static func failedTests(under mutation: Mutation) throws -> [String] {
        var ruleSet = try files.get().ruleSet
        let number = try #require(ruleSet.rules.firstIndex { $0.id == mutation.rule })
        mutation.change(&ruleSet.rules[number])
        // Of the others none looks at this rule's alerts, and there are many.
        var suite = try suite.get()
        suite.tests.removeAll { !$0.subjects.contains(mutation.rule) }
        return suite.run(with: ruleSet).filter { !$0.isPassed }.map(\.name)
    }
}
