import Foundation
import ShuntCore
import Testing

@testable import ShuntServer

/// What `docs/rules.md` shows is true.
@Suite struct RuleTestDocumentationTests {
    private static let page = URL(filePath: RuleFilesFixture.shipped).deletingLastPathComponent()
        .appending(path: "docs/rules.md")

    /// The YAML blocks by the path that their first line names.
    private static func files() throws -> [String: String] {
        let text = try String(contentsOf: page, encoding: .utf8)
        let blocks = text.components(separatedBy: "```yaml\n# ").dropFirst()
        return Dictionary(
            uniqueKeysWithValues: blocks.map { block in
                let body = block.components(separatedBy: "\n```")[0]
                return (String(body.prefix { $0 != "\n" }), "# " + body + "\n")
            }
        )
    }

    @Test func `the files on the page are good, and their tests pass`() throws {
        let files = try Self.files()
        #expect(
            files.keys.sorted() == [
                "alerts/provider.yaml", "alerts/slow-charge.yaml", "catalogue/our-store.yaml", "tests/charge.yaml",
                "triage/our-store.yaml",
            ]
        )
        let fixture = try RuleFilesFixture(files)
        let read = try fixture.load()
        #expect(read.ruleSet.rules.count == 4)
        #expect(read.diagnoses.map(\.id) == ["gateway-certificate"])
        let suite = try RuleTestSuite(readingFolder: fixture.folder.path, ruleSet: read.ruleSet)
        let results = suite.run(with: read.ruleSet)
        #expect(results.count == 1)
        for result in results { #expect(result.isPassed, "\(result.failures.flatMap { $0.lines(file: "") })") }
    }
}
