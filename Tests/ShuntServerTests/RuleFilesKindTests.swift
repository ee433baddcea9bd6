import ShuntCore
import Testing

@testable import ShuntServer

/// The keys that only some kinds of rules have.
@Suite struct RuleFilesKindTests {
    private static func fixture(_ lines: String) throws -> RuleFilesFixture {
        let rule = (["rules:\n  - id: a"] + lines.split(separator: "\n").map(String.init)).joined(separator: "\n    ")
        return try RuleFilesFixture(["alerts/a.yaml": rule])
    }

    private static let burn = BurnRate(allowedPpm: 5000, tenths: 144, longWindowMs: 3_600_000, attempts: 100)

    private static let good: [(String, RuleKind, threshold: Int, windowMs: Int64)] = [
        ("kind: share\nshare: 50%\nattempts: 20\nwindow: 5m", .share(percent: 50, attempts: 20), 10, 300_000),
        ("kind: share\nshare: 1%\nattempts: 20\nwindow: 5m", .share(percent: 1, attempts: 20), 1, 300_000),
        ("kind: noSuccess\nattempts: 30\nwindow: 10m", .noSuccess(attempts: 30), 30, 600_000),
        ("kind: change\nchange: 200%\nthreshold: 20\nwindow: 1h", .change(percent: 200), 20, 3_600_000),
        (
            "kind: burnRate\nobjective: 99.5%\nburn: 14.4\nattempts: 100\nwindow: 5m\nlongWindow: 1h", .burnRate(burn),
            1,
            300_000
        ),
        ("kind: unusualRate\noneIn: 1000000\nthreshold: 5", .unusualRate(oneIn: 1_000_000), 5, 3_600_000),
    ]

    @Test(arguments: good)
    func `a kind is read with its figures`(lines: String, kind: RuleKind, threshold: Int, windowMs: Int64) throws {
        let fixture = try Self.fixture(lines + "\ngroupBy: [region]\nalert: { severity: warning }")
        #expect(fixture.problems() == [])
        let rule = try #require(try fixture.load().ruleSet.rules.first)
        #expect(rule.kind == kind)
        #expect(rule.threshold == threshold)
        #expect(rule.windowMs == windowMs)
    }

    @Test func `a watchdog needs nothing but its alert`() throws {
        let fixture = try Self.fixture("kind: watchdog\nalert: { severity: info }")
        #expect(fixture.problems() == [])
        #expect(try fixture.load().ruleSet.rules.first?.kind == .watchdog)
    }

    private static let broken: [(String, [String])] = [
        ("kind: share\nshare: 0%\nattempts: 20\nwindow: 5m\ngroupBy: []", ["4:12 outOfRange"]),
        ("kind: share\nshare: 50%\nattempts: 20\nwindow: 5m\ngroupBy: []\nmaxPerInstall: 3", ["8:5 contradiction"]),
        ("kind: share\nshare: 50%\nattempts: 20\nwindow: 5m\ngroupBy: []\ncount: installs", ["8:5 contradiction"]),
        (
            "kind: share\nshare: 50%\nattempts: 20\nwindow: 5m\ngroupBy: []\nrequire: { share: 20% }",
            ["8:23 contradiction"]
        ),
        ("kind: noSuccess\nattempts: 30\nwindow: 10m\ngroupBy: [error.code]", ["6:15 contradiction"]),
        (
            "kind: noSuccess\nattempts: 30\nwindow: 10m\ngroupBy: []\nmatch: { class: [network] }",
            ["7:21 contradiction"]
        ),
        (
            "kind: noSuccess\nattempts: 30\nwindow: 10m\ngroupBy: []\ntrip: { switch: apple-pay }",
            ["7:5 contradiction"]
        ),
        ("kind: change\nchange: 200\nthreshold: 20\nwindow: 1h\ngroupBy: []", ["4:13 badUnit"]),
        (
            "kind: burnRate\nobjective: 100%\nburn: 14.4\nattempts: 100\nwindow: 5m\nlongWindow: 1h\ngroupBy: []",
            ["4:16 outOfRange"]
        ),
        (
            "kind: burnRate\nobjective: 99.5\nburn: 14.44\nattempts: 100\nwindow: 5m\nlongWindow: 1h\ngroupBy: []",
            ["4:16 badUnit", "5:11 wrongType"]
        ),
        (
            "kind: burnRate\nobjective: 90%\nburn: 10.1\nattempts: 100\nwindow: 5m\nlongWindow: 5m\ngroupBy: []",
            ["5:11 neverMatches", "8:17 contradiction"]
        ),
        ("kind: unusualRate\noneIn: 1\nthreshold: 5\ngroupBy: []", ["4:12 outOfRange"]),
        ("kind: unusualRate\noneIn: 1000\nthreshold: 5\nwindow: 1h\ngroupBy: []", ["6:5 contradiction"]),
        ("kind: watchdog\ngroupBy: [region]", ["4:5 contradiction"]),
        ("threshold: 5\nwindow: 5m\noneIn: 100\ngroupBy: []", ["5:5 contradiction"]),
    ]

    @Test(arguments: broken)
    func `a figure that is missing, wrong or of another kind is a problem at its place`(
        lines: String,
        places: [String]
    ) throws {
        let fixture = try Self.fixture(lines + "\nalert: { severity: warning }")
        #expect(fixture.places() == places.map { "alerts/a.yaml:\($0)" }, "\(fixture.problems())")
    }

    @Test func `a limit under which the count falls is no matter of rates`() throws {
        let lines =
            "kind: noSuccess\nattempts: 30\nwindow: 10m\ngroupBy: []\nalert: { severity: info, resolveBelow: 3 }"
        #expect(try Self.fixture(lines).places() == ["alerts/a.yaml:7:30 contradiction"])
    }
}
