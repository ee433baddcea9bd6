import Foundation
import ShuntCore
import ShuntNative
import Testing

@testable import ShuntServer

/// Which files of a folder are read, and what stands in for those that aren't there.
@Suite struct RuleFilesFolderTests {
    private static let rule = """
        - id: a
          groupBy: [error.code]
          threshold: 3
          window: 1h
          alert: { severity: info }

        """

    private static func rules(_ ids: String...) -> String {
        "rules:\n" + ids.map { rule.replacing("id: a", with: "id: \($0)") }.joined()
    }

    @Test func `without a folder all is built in`() throws {
        let fixture = try RuleFilesFixture()
        let files = try RuleFiles(readingFolder: "\(fixture.folder.path)/none/")
        #expect(!files.hasFolder)
        #expect(files.ruleSet == .builtIn)
        #expect(files.catalogueRowCount == 0)
        #expect([files.rulesOrigin, files.switchesOrigin, files.catalogueOrigin] == [.builtIn, .builtIn, .none])
        #expect(!FileManager.default.fileExists(atPath: "\(fixture.folder.path)/none"))
    }

    @Test func `an empty folder is like none`() throws {
        let files = try RuleFilesFixture().load()
        #expect(files.hasFolder)
        #expect(files.ruleSet == .builtIn)
        #expect([files.rulesOrigin, files.switchesOrigin, files.catalogueOrigin] == [.builtIn, .builtIn, .none])
    }

    @Test func `a folder alerts without rules means none`() throws {
        let fixture = try RuleFilesFixture(["alerts/none.yaml": "rules: []", "switches.yaml": "switches: []"])
        let files = try fixture.load()
        #expect(files.ruleSet == RuleSet(rules: [], switches: []))
        #expect([files.rulesOrigin, files.switchesOrigin] == [.files, .files])
    }

    @Test func `rules come in the order of the files' names, and of the lines within`() throws {
        let fixture = try RuleFilesFixture([
            "alerts/b.yaml": Self.rules("one", "two"),
            "alerts/a.yaml": Self.rules("three"),
            "alerts/10.yaml": Self.rules("four"),
        ])
        #expect(try fixture.load().ruleSet.rules.map(\.id) == ["four", "three", "one", "two"])
    }

    @Test func `an id in two files is a problem that names the first place`() throws {
        let fixture = try RuleFilesFixture(["alerts/a.yaml": Self.rules("x"), "alerts/b.yaml": Self.rules("y", "x")])
        #expect(fixture.places() == ["alerts/b.yaml:7:7 duplicateId"])
        #expect(fixture.problems().first?.found.hasSuffix("alerts/a.yaml:2:7") == true)
    }

    @Test func `problems of all files come at once, by file, line and column`() throws {
        let fixture = try RuleFilesFixture([
            "alerts/a.yaml": "rules:\n  - 1\n  - 2\n",
            "alerts/b.yaml": "rules: {\n",
            "catalogue/a.yaml": "catalogue: x\n",
            "catalogue/stages.yaml": "stages: x\n",
            "switches.yaml": "switches: x\n",
        ])
        #expect(
            fixture.places() == [
                "alerts/a.yaml:2:5 wrongType",
                "alerts/a.yaml:3:5 wrongType",
                "alerts/b.yaml:2:1 syntax",
                "catalogue/a.yaml:1:12 wrongType",
                "catalogue/stages.yaml:1:1 missingKey",
                "catalogue/stages.yaml:1:9 wrongType",
                "switches.yaml:1:11 wrongType",
            ]
        )
    }

    @Test func `switches amiss don't make trips of them a problem too`() throws {
        let fixture = try RuleFilesFixture([
            "alerts/a.yaml": Self.rules("a") + "    trip: { switch: mine }\n".replacing("    trip", with: "  trip"),
            "switches.yaml": "switches:\n  - key: mine\n",
        ])
        #expect(fixture.places() == ["switches.yaml:2:5 missingKey"])
    }

    @Test func `switches without the one that the built-in rule trips are a problem`() throws {
        let fixture = try RuleFilesFixture([
            "switches.yaml": "switches:\n  - { key: card, variants: { normal: a, degraded: b } }"
        ])
        #expect(fixture.places() == ["switches.yaml:1:1 unknownSwitch"])
    }

    @Test func `a window longer than what is kept is a problem, one just as long isn't`() throws {
        let fixture = try RuleFilesFixture(["alerts/a.yaml": Self.rules("a")])
        #expect(fixture.places(retentionMs: 3_600_000).isEmpty)
        #expect(fixture.places(retentionMs: 3_599_999) == ["alerts/a.yaml:5:11 contradiction"])
    }

    @Test func `a name that nothing reads is a problem, notes and hidden files aren't`() throws {
        let fixture = try RuleFilesFixture([
            "README.md": "", ".hidden.yaml": "x", "alerts/notes.txt": "", "alerts/.a.yaml.swp": "x",
            "tests/burst.yaml": "x", "triage/notes.txt": "x", "alerts/a.yml": "x", "rules.yaml": "x",
            "alert/a.yaml": "x",
        ])
        #expect(
            fixture.places() == ["alert:1:1 unknownFile", "alerts/a.yml:1:1 unknownFile", "rules.yaml:1:1 unknownFile"]
        )
        #expect(fixture.problems().map(\.suggestion) == ["alerts", "a.yaml", nil])
    }

    @Test func `what isn't a file or a folder where one should be is unreadable`() throws {
        let fixture = try RuleFilesFixture(["alerts/a.yaml/inside": "x", "catalogue": "x"])
        #expect(fixture.places() == ["alerts/a.yaml:1:1 unreadable", "catalogue:1:1 unreadable"])
        #expect(throws: RuleFilesError.self) { try RuleFiles(readingFolder: "\(fixture.folder.path)/catalogue") }
    }

    @Test func `a file that is far too large isn't read`() throws {
        let fixture = try RuleFilesFixture(["alerts/a.yaml": "rules: []\n#" + String(repeating: "x", count: 1 << 20)])
        #expect(fixture.places() == ["alerts/a.yaml:1:1 tooLarge"])
    }

    @Test func `reading leaves no descriptor open`() throws {
        let fixture = try RuleFilesFixture(["alerts/a.yaml": Self.rules("a"), "catalogue/b.yaml/c": "", "d/e": ""])
        func open() throws -> Int {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return names.count { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                return target?.hasPrefix(fixture.folder.path) ?? false
            }
        }
        for _ in 0..<20 { _ = try? fixture.load() }
        #expect(try open() == 0)
    }
}
