import ShuntCore
import ShuntSchema

@testable import ShuntServer

/// Rule tests written for a test: a folder with `tests/a.yaml`, and rules to run them with.
enum RuleTestFixture {
    /// Three failing attempts of one code within a minute, by region; the alert ends 10 s after the last one is out.
    static let ruleSet = RuleSet(
        rules: [
            Rule(
                id: "three",
                description: "",
                groupBy: [.errorCode, .region],
                count: .attempts,
                threshold: 3,
                windowMs: 60_000,
                alert: AlertPolicy(severity: .critical, resolveBelow: 1, holdForMs: 10_000),
                trip: Trip(switchKey: "pay", scope: [.region])
            ),
            Rule(
                id: "slow",
                description: "",
                match: [Condition(.durationMs, .numbers(NumberRange(lower: 8000, upper: nil)))],
                groupBy: [],
                count: .installs,
                threshold: 2,
                windowMs: 60_000,
                alert: AlertPolicy(severity: .info, resolveBelow: 1, holdForMs: 0)
            ),
        ],
        switches: [
            SwitchDefinition(key: "pay", normalVariant: "native", degradedVariant: "web"),
            SwitchDefinition(key: "other", normalVariant: "on", degradedVariant: "off"),
        ]
    )

    /// The lines of one test, under a name.
    static func test(_ lines: String) -> String {
        "tests:\n  - name: a\n    " + lines.split(separator: "\n").joined(separator: "\n    ") + "\n"
    }

    static func suite(_ text: String, in file: String = "tests/a.yaml") throws -> RuleTestSuite {
        let fixture = try RuleFilesFixture([file: text])
        return try RuleTestSuite(readingFolder: fixture.folder.path + "/", ruleSet: ruleSet)
    }

    /// The result of one test.
    static func result(_ lines: String) throws -> RuleTestResult? {
        try suite(test(lines)).run(with: ruleSet).first
    }

    /// What is wrong with a file, as `line:column code`.
    static func places(_ text: String, in file: String = "tests/a.yaml") throws -> [String] {
        let fixture = try RuleFilesFixture([file: text])
        do throws(RuleFilesError) {
            _ = try RuleTestSuite(readingFolder: fixture.folder.path, ruleSet: ruleSet)
            return []
        } catch {
            return error.problems.map { "\($0.line):\($0.column) \($0.code.rawValue)" }
        }
    }
}
