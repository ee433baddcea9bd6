import Foundation
import ShuntCore
import TestSupport
import Testing

@testable import ShuntServer

/// Tests of rules that went wrong in ways that nobody thought of.
@Suite struct RuleTestMutationTests {
    /// Characters that mean something in YAML or in the forms.
    private static let marks = Array("{}[]:,-#\"'|>&*!%@ \n\t~059ms\u{0}\u{FF}".utf8)

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `mutated tests run, or are refused with places inside them, seed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ruleSet = try RuleFiles(readingFolder: RuleFilesFixture.shipped).ruleSet
        let original = Array(try Data(contentsOf: URL(filePath: "\(RuleFilesFixture.shipped)/tests/burst.yaml")))
        let fixture = try RuleFilesFixture()
        var refused = 0
        for _ in 0..<40 {
            var bytes = original
            for _ in 0...random.below(2) {
                let place = random.below(bytes.count)
                if random.below(2) == 0 { bytes.remove(at: place) } else { bytes[place] = random.pick(Self.marks) }
            }
            try fixture.write(String(decoding: bytes, as: UTF8.self), to: "tests/burst.yaml")
            do throws(RuleFilesError) {
                let suite = try RuleTestSuite(readingFolder: fixture.folder.path, ruleSet: ruleSet)
                _ = RuleTestJUnit.xml(suite.run(with: ruleSet))
            } catch {
                refused += 1
                let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
                for problem in error.problems {
                    #expect((1...lines).contains(problem.line) && problem.column >= 1, "\(problem)")
                    #expect(!problem.found.isEmpty)
                }
            }
        }
        #expect((1..<40).contains(refused))
    }
}
