import Foundation
import ShuntCore
import ShuntNative
import Testing

@testable import ShuntServer

/// The form of `triage/*.yaml`, and how a reload puts diagnoses in force.
@Suite struct TriageFormTests {
    private static func text(_ id: String = "d", when: String = "{ text: x }", more: String = "") -> String {
        """
        diagnoses:
          - id: \(id)
            class: network
            owner: app
            title: { en: a, zh: b }
            when: \(when)
            cause: { en: a, zh: b }
            verify: [{ en: a, zh: b, command: c }]
            nextStep: { en: a, zh: b }
        \(more)
        """
    }

    private static let broken: [BrokenText] = [
        BrokenText("no diagnoses", "{}", "1:1 missingKey"),
        BrokenText("an unknown key", text(more: "    fix: a"), "10:5 unknownKey"),
        BrokenText("an unknown attribute", text(when: "{ match: { error.cod: a } }"), "6:22 unknownKey"),
        BrokenText("an unknown fact", text(when: "{ text: x, weather: fine }"), "6:22 unknownKey"),
        BrokenText("no fact", text(when: "{}"), "6:11 outOfRange"),
        BrokenText("no condition", text(when: "{ match: {} }"), "6:11 outOfRange"),
        BrokenText("a share without unit", text(when: "{ share: { atLeast: 50 } }"), "6:31 badUnit"),
        BrokenText("a share that can't be", text(when: "{ share: { atLeast: 50%, atMost: 5% } }"), "6:20 neverMatches"),
        BrokenText("a pattern that isn't one", text(when: "{ pattern: bursts }"), "6:22 unknownValue"),
        BrokenText("a code without quotes", text(when: "{ underlying: { domain: x, code: 5 } }"), "6:44 unquotedCode"),
        BrokenText("a newness denied", text(when: "{ newInVersion: false }"), "6:27 outOfRange"),
        BrokenText(
            "all at once",
            "diagnoses:\n  - { id: d, class: networks, owner: app, title: { en: a }, when: { text: x }, verify: [] }",
            "2:5 missingKey",
            "2:5 missingKey",
            "2:21 unknownValue",
            "2:50 missingKey",
            "2:88 outOfRange"
        ),
    ]

    @Test(arguments: broken) func `what is wrong is told with its place`(broken: BrokenText) throws {
        let fixture = try RuleFilesFixture(["triage/a.yaml": broken.text])
        #expect(fixture.places() == broken.problems.map { "triage/a.yaml:\($0)" })
    }

    @Test func `a name is given once over all files`() throws {
        let fixture = try RuleFilesFixture(["triage/a.yaml": Self.text(), "triage/b.yaml": Self.text()])
        #expect(fixture.places() == ["triage/b.yaml:2:9 duplicateId"])
    }

    @Test func `facts are read, and without the folder there are none`() throws {
        let when = "{ match: { stage: charge }, text: x, underlying: { domain: y }, context: { k: [v] }, failures: 5 }"
        let fixture = try RuleFilesFixture(["triage/a.yaml": Self.text(when: when)])
        let diagnosis = try #require(try fixture.load().diagnoses.first)
        #expect(
            diagnosis.required == [
                .condition(Condition(.stage, .oneOf(["charge"]))), .text(["x"]), .underlying(domain: "y", codes: []),
                .context(key: "k", values: ["v"]), .failures(5),
            ]
        )
        #expect(diagnosis.verify.first?.command == "c")
        #expect(try RuleFilesFixture().load().diagnoses.isEmpty)
    }

    @Test func `a reload puts other diagnoses in force where no rule has changed, and broken ones change nothing`()
        throws
    {
        let server = try TestServer()
        defer { server.stop() }
        let triage = URL(fileURLWithPath: "\(server.parts.folder.path)/rules/triage")
        try FileManager.default.createDirectory(at: triage, withIntermediateDirectories: true)
        func reload(_ text: String) throws -> Int {
            try Data(text.utf8).write(to: triage.appending(path: "a.yaml"))
            return Int(try server.post("/v1/rules/reload", "").status)
        }
        #expect(try reload(Self.text("first")) == 200)
        #expect(server.triageBook.diagnoses.map(\.id) == ["first"])
        #expect(try reload(Self.text("second")) == 200)
        #expect(server.triageBook.diagnoses.map(\.id) == ["second"])
        #expect(try reload(Self.text("a b")) == 422)
        #expect(server.triageBook.diagnoses.map(\.id) == ["second"])
    }
}
