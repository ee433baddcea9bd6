import Foundation
import TestSupport
import Testing

@testable import ShuntServer

/// Files that went wrong in ways that nobody thought of.
@Suite struct RuleFilesMutationTests {
    private static let files = [
        "alerts/error-code-burst.yaml", "switches.yaml", "catalogue/stages.yaml", "catalogue/signatures.yaml",
        "catalogue/appstore.yaml",
    ]

    /// Characters that mean something in YAML or in the forms.
    private static let marks = Array("{}[]:,-#\"'|>&*!%@ \n\t~5x\u{0}\u{FF}".utf8)

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `mutated files are read or refused with places inside them, seed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let name = Self.files[Int(seed) % Self.files.count]
        let original = Array(try Data(contentsOf: URL(filePath: "\(RuleFilesFixture.shipped)/\(name)")))
        let fixture = try RuleFilesFixture()
        var refused = 0
        for _ in 0..<100 {
            var bytes = original
            for _ in 0...random.below(3) { Self.mutate(&bytes, &random) }
            try fixture.write(String(decoding: bytes, as: UTF8.self), to: name)
            let problems = fixture.problems()
            refused += problems.isEmpty ? 0 : 1
            let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            for problem in problems where problem.file.hasSuffix(name) {
                #expect((1...lines).contains(problem.line) && problem.column >= 1, "\(problem)")
                #expect(!problem.found.isEmpty)
            }
        }
        #expect((1...100).contains(refused))
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(random.pick(marks), at: place)
        case 2: bytes[place] = random.pick(marks)
        default:
            let end = min(bytes.count, place + random.below(200))
            bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count))
        }
    }
}
