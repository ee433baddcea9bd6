import ShuntCore
import ShuntSchema
import Testing

@testable import ShuntServer

/// A folder that is read again while the daemon runs.
@Suite struct RuleFilesSourceTests {
    private let fixture: RuleFilesFixture
    private let source: RuleSource

    init() throws {
        fixture = try RuleFilesFixture(["alerts/a.yaml": Self.rules(threshold: 3)])
        source = RuleSource(path: fixture.folder.path, retentionMs: 86_400_000)
    }

    private static func rules(threshold: Int) -> String {
        """
        rules:
          - { id: a, groupBy: [error.code], threshold: \(threshold), window: 1h, alert: { severity: info } }

        """
    }

    private func reload(at seconds: Int64) -> String {
        switch source.reload(at: Timestamp(milliseconds: seconds * 1000)) {
        case .changed(let files): "changed \(files.ruleSet.rules.map(\.threshold))"
        case .unchanged(let files): "unchanged \(files.ruleSet.rules.map(\.threshold))"
        case .refused(let error): "refused \(error.problems.map(\.code.rawValue))"
        }
    }

    @Test func `nothing was read before the first reload`() {
        #expect(source.status.files == nil)
        #expect(source.status.readAt == nil)
        #expect(!source.status.isGood)
    }

    @Test func `the first good folder is a change, the same again isn't`() throws {
        #expect(reload(at: 1) == "changed [3]")
        #expect(reload(at: 2) == "unchanged [3]")
        #expect(source.status.loadedAt == Timestamp(milliseconds: 1000))
        #expect(source.status.readAt == Timestamp(milliseconds: 2000))
        try fixture.write("# a comment\n" + Self.rules(threshold: 3), to: "alerts/a.yaml")
        #expect(reload(at: 3) == "unchanged [3]")
        try fixture.write(Self.rules(threshold: 4), to: "alerts/a.yaml")
        #expect(reload(at: 4) == "changed [4]")
        #expect(source.status.loadedAt == Timestamp(milliseconds: 4000))
    }

    @Test func `a folder with problems leaves the last good rules in force and keeps the problems`() throws {
        #expect(reload(at: 1) == "changed [3]")
        try fixture.write(Self.rules(threshold: 0), to: "alerts/a.yaml")
        #expect(reload(at: 2) == "refused [\"outOfRange\"]")
        #expect(!source.status.isGood)
        #expect(source.status.files?.ruleSet.rules.map(\.threshold) == [3])
        #expect(source.status.problems.map(\.line) == [2])
        #expect(source.status.loadedAt == Timestamp(milliseconds: 1000))
        #expect(source.status.readAt == Timestamp(milliseconds: 2000))
        try fixture.write(Self.rules(threshold: 3), to: "alerts/a.yaml")
        #expect(reload(at: 3) == "unchanged [3]")
        #expect(source.status.isGood)
        #expect(source.status.problems.isEmpty)
    }

    @Test func `a first folder with problems leaves nothing in force`() throws {
        try fixture.write("rules: x", to: "alerts/a.yaml")
        #expect(reload(at: 1) == "refused [\"wrongType\"]")
        #expect(source.status.files == nil)
        #expect(!source.status.isGood)
    }

    @Test func `a change of the catalogue alone is a change`() throws {
        #expect(reload(at: 1) == "changed [3]")
        let row = "{ name: n, class: processor, retry: later, switchWeight: count, money: notMoved }"
        try fixture.write(
            "catalogue:\n  - { system: s, domains: [s], codes: { a: \(row) } }",
            to: "catalogue/a.yaml"
        )
        #expect(reload(at: 2) == "changed [3]")
        #expect(reload(at: 3) == "unchanged [3]")
    }

    @Test func `the limit of groups is the source's, whatever the folder holds`() throws {
        let limited = RuleSource(path: fixture.folder.path, retentionMs: .max, maximumGroups: 7)
        guard case .changed(let files) = limited.reload(at: Timestamp(milliseconds: 1)) else {
            Issue.record("not changed")
            return
        }
        #expect(files.ruleSet.maximumGroups == 7)
        let missing = RuleSource(path: "\(fixture.folder.path)/none", retentionMs: .max, maximumGroups: 8)
        guard case .changed(let builtIn) = missing.reload(at: Timestamp(milliseconds: 1)) else {
            Issue.record("not changed")
            return
        }
        #expect(builtIn.ruleSet.maximumGroups == 8)
        #expect(source.maximumGroups == 10_000)
    }

    @Test func `windows may be as long as what is kept`() throws {
        try fixture.write(Self.rules(threshold: 3).replacing("1h", with: "25h"), to: "alerts/a.yaml")
        #expect(reload(at: 1) == "refused [\"contradiction\"]")
    }
}
