import Foundation
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// `shunt.yaml`: what it can say, and what is said about a bad one.
@Suite struct ConfigurationFileTests {
    private static let hash = String(repeating: "0f", count: 32)
    private static let other = String(repeating: "1e", count: 32)

    private func read(_ text: String, file: String = "shunt.yaml") throws(ConfigurationError) -> Configuration {
        try ConfigurationFile.read(Array(text.utf8), file: file)
    }

    private func problems(_ text: String) -> [RuleProblem] {
        do throws(ConfigurationError) {
            _ = try read(text)
            return []
        } catch {
            return error.problems
        }
    }

    // MARK: Good files

    @Test(arguments: ["", "# nothing\n", "{}", "---\n", "limits: {}\nretention: {}\nswitches: {}\ntokens: []\n"])
    func `a file that says nothing changes nothing`(text: String) throws {
        #expect(try read(text) == Configuration())
    }

    @Test func `every key is in force`() throws {
        let configuration = try read(
            """
            listen: "[::1]:9000"
            data: /var/lib/shunt
            rules: /etc/shunt/rules
            tokens:
              - { name: ios-app, role: report, trust: public, sha256: "\(Self.hash)" }
              - { name: on-call, role: operate, sha256: "\(Self.other.uppercased())" }
            switches: { public: false }
            retention: { days: 7 }
            limits: { errorKeys: 20, wire: 2MiB, inflated: 4MiB, events: 50, eventSize: 4096 }
            """
        )
        var expected = Configuration()
        expected.listen = ListenAddress(host: "::1", port: 9000)
        expected.dataPath = "/var/lib/shunt"
        expected.rulesPath = "/etc/shunt/rules"
        expected.tokens = [
            AccessToken(
                name: "ios-app",
                role: .report,
                trust: .public,
                digest: try #require(Digest(hexadecimal: Self.hash))
            ),
            AccessToken(name: "on-call", role: .operate, digest: try #require(Digest(hexadecimal: Self.other))),
        ]
        expected.arePollsPublic = false
        expected.retentionDays = 7
        expected.maximumGroups = 20
        expected.intakeLimits = IntakeLimits(
            wireBytes: 2 << 20,
            inflatedBytes: 4 << 20,
            events: 50,
            eventBytes: 4096
        )
        #expect(configuration == expected)
    }

    @Test(arguments: [
        Row("shunt.yaml", "d"), Row("./shunt.yaml", "./d"), Row("/etc/shunt/shunt.yaml", "/etc/shunt/d"),
        Row("/shunt.yaml", "//d"), Row("../a/shunt.yaml", "../a/d"),
    ])
    func `folders are relative to the file's own`(row: Row<String>) throws {
        let configuration = try read("data: d\nrules: /r", file: row.name)
        #expect(configuration.dataPath == row.value)
        #expect(configuration.rulesPath == "/r")
        // What the file doesn't say is where it was.
        #expect(try read("rules: r", file: row.name).dataPath == Configuration().dataPath)
    }

    @Test func `the example in the documents can be read, and its figures are the defaults`() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/operations.md")
        let parts = try String(contentsOf: url, encoding: .utf8).split(separator: "```yaml\n", maxSplits: 1)
        var text = try #require(parts.last?.components(separatedBy: "```").first)
        for (number, start) in ["0f1e", "2d3c", "4b5a", "6978"].enumerated() {
            let hash = String(repeating: "0\(number)", count: 32)
            #expect(text.contains("\(start)…"))
            text = text.replacing("\(start)…", with: hash)
        }
        var configuration = try read(text)
        #expect(configuration.tokens.map(\.role) == [.report, .report, .read, .operate])
        #expect(configuration.tokens.map(\.trust) == [.public, .trusted, .trusted, .trusted])
        configuration.tokens = []
        #expect(configuration == Configuration())
    }

    // MARK: Bad files

    static let broken = [
        BrokenText("an unknown key", "tokns: []", "1:1 unknownKey"),
        BrokenText("what isn't there yet", "export: ./d", "1:1 unknownKey"),
        BrokenText("a key twice", "data: a\ndata: b", "2:1 duplicateKey"),
        BrokenText("a list", "- listen", "1:1 wrongType"),
        BrokenText("no YAML", "tokens: [\n", "2:1 syntax"),
        BrokenText("a port alone", "listen: 8710", "1:9 unknownValue"),
        BrokenText("no address", "listen:", "1:8 wrongType"),
        BrokenText("an empty folder", "data: ''", "1:7 outOfRange"),
        BrokenText("a folder that is a number", "rules: 5", "1:8 unquotedCode"),
        BrokenText("a truth in words", "switches: { public: no }", "1:21 wrongType"),
        BrokenText("a quoted truth", "switches: { public: 'false' }", "1:21 wrongType"),
        BrokenText("one day", "retention: { days: 1 }", "1:20 outOfRange"),
        BrokenText("days with a unit", "retention: { days: 30d }", "1:20 wrongType"),
        BrokenText("a size that nobody keeps to", "retention: { size: 20GiB }", "1:14 notSupported"),
        BrokenText("a size with a wrong unit", "retention: { size: 20GB }", "1:20 badUnit"),
        BrokenText("no error keys", "limits: { errorKeys: 0 }", "1:22 outOfRange"),
        BrokenText("too many error keys", "limits: { errorKeys: 1000001 }", "1:22 outOfRange"),
        BrokenText("more than a group of events", "limits: { events: 10001 }", "1:19 outOfRange"),
        BrokenText("bodies beyond the queue", "limits: { inflated: 64MiB }", "1:21 outOfRange"),
        BrokenText("less inflated than sent", "limits: { inflated: 2KiB }", "1:21 contradiction"),
        BrokenText("more sent than inflated", "limits: { wire: 9MiB }", "1:17 contradiction"),
        BrokenText("tokens by name", "tokens: { a: b }", "1:9 wrongType"),
        BrokenText("a token of nothing", "tokens: [{}]", problems: Array(repeating: "1:10 missingKey", count: 3)),
        BrokenText(
            "a report token that doesn't say its trust",
            "tokens: [{ name: a, role: report, sha256: \"\(hash)\" }]",
            "1:10 missingKey"
        ),
        BrokenText(
            "trust of a reader",
            "tokens: [{ name: a, role: read, trust: trusted, sha256: \"\(hash)\" }]",
            "1:33 contradiction"
        ),
        BrokenText(
            "an unknown role",
            "tokens: [{ name: a, role: admin, sha256: \"\(hash)\" }]",
            "1:27 unknownValue"
        ),
        BrokenText(
            "a name of one token and the hash of another",
            "tokens:\n- { name: a, role: read, sha256: \"\(hash)\" }\n"
                + "- { name: a, role: read, sha256: \"\(other)\" }\n"
                + "- { name: b, role: operate, sha256: \"\(hash.uppercased())\" }",
            "3:11 duplicateId",
            "4:37 duplicateId"
        ),
        BrokenText(
            "several at once",
            "listn: x\nretention: { days: 0 }\nlimits: { wire: 1 }\ntokens: 5",
            "1:1 unknownKey",
            "1:8 unknownValue",
            "2:20 outOfRange",
            "3:17 outOfRange",
            "4:9 wrongType"
        ),
    ]

    @Test(arguments: broken)
    func `all that is wrong is listed with its place`(row: BrokenText) {
        let found = problems(row.text).map { "\($0.line):\($0.column) \($0.code.rawValue)" }
        #expect(Set(found) == Set(row.problems))
        #expect(found.count == row.problems.count)
    }

    @Test(arguments: ["shunt_abcdefgh", "0f", String(repeating: "0g", count: 32), hash + "0f"])
    func `what stands for a hash is never repeated`(text: String) throws {
        let found = problems("tokens: [{ name: a, role: read, sha256: \"\(text)\" }]")
        #expect(found.map(\.code) == [.unknownValue])
        #expect(found.allSatisfy { !$0.description.contains(text) && $0.description.contains("shunt token new") })
    }

    @Test func `a file that isn't there is an error only where it was named`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/shunt.yaml"
        let missing = #expect(throws: ConfigurationError.self) { _ = try ConfigurationFile.read(path) }
        #expect(missing?.description.contains(path) == true)
        try folder.write(Array("listen: 127.0.0.1:1".utf8), to: "shunt.yaml")
        #expect(try ConfigurationFile.read(path).listen.port == 1)
        #expect(throws: ConfigurationError.self) { _ = try ConfigurationFile.read(folder.path) }
        #expect(throws: ConfigurationError.self) { _ = try ConfigurationFile.read("\(path)/x") }
        #expect(throws: ConfigurationError.self) { _ = try ConfigurationFile.read("") }
        try folder.write([UInt8](repeating: 0x20, count: (1 << 20) + 1), to: "shunt.yaml")
        #expect(throws: ConfigurationError.self) { _ = try ConfigurationFile.read(path) }
    }

    // MARK: What is refused though it can be read

    @Test func `the world is served only with tokens`() throws {
        var configuration = try read("listen: 0.0.0.0:8710")
        let refused = #expect(throws: ConfigurationError.self) { try configuration.check() }
        #expect(refused?.description.contains("token") == true)
        configuration.tokens = [try NewToken(name: "a", role: .operate, trust: .trusted).access]
        try configuration.check()
    }
}
