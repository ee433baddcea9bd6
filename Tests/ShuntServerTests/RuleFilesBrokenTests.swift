import ShuntCore
import Testing

@testable import ShuntServer

/// What is wrong in a rules folder is listed at once, each with its place and reason.
@Suite struct RuleFilesBrokenTests {
    private static let texts: [BrokenText] = [
        BrokenText("a tab", "rules:\n\t- id: a\n", "2:1 tab"),
        BrokenText("no YAML", "rules: [\n", "2:1 syntax"),
        BrokenText("two documents", "rules: []\n---\nrules: []\n", "2:1 secondDocument"),
        BrokenText("a list for the file", "- id: a\n", "1:1 wrongType"),
        BrokenText("nothing at all", "", "1:1 wrongType"),
        BrokenText("another file's key", "switches: []\n", "1:1 missingKey", "1:1 unknownKey"),
        BrokenText("rules that are a text", "rules: none\n", "1:8 wrongType"),
    ]

    private static let rules: [BrokenText] = [
        BrokenText("an unknown key", "treshold: 0 # no threshold: at all", "2:5 unknownKey", "2:15 outOfRange"),
        BrokenText("a key twice", "threshold: 7\n    threshold: 8", "3:5 duplicateKey"),
        BrokenText(
            "a key twice and an unknown one",
            "count: events\n    count: x\n    foo: 1",
            "3:5 duplicateKey",
            "4:5 unknownKey"
        ),
        BrokenText("an anchor", "description: &a x", "2:18 anchor"),
        BrokenText("an alias", "description: *a", "2:18 alias"),
        BrokenText("a tag", "description: !!str x", "2:18 tag"),
        BrokenText("a description that is a list", "description: [a]", "2:18 wrongType"),
        BrokenText("a description that is nothing", "description:", "2:17 wrongType"),
        BrokenText("an unknown count", "count: attempt", "2:12 unknownValue"),
        BrokenText("a count that is a list", "count: [attempts]", "2:12 wrongType"),
        BrokenText("a text for severity", "alert: { severity: urgent }", "2:24 unknownValue"),
        BrokenText("no severity", "alert: {}", "2:12 missingKey"),
        BrokenText("alert as a word", "alert: critical", "2:12 wrongType"),
        BrokenText("an unknown key of alert", "alert: { severity: info, hold: 5m }", "2:30 unknownKey"),
        BrokenText("a bad hold", "alert: { severity: info, holdFor: 5 min }", "2:39 badUnit"),
        BrokenText(
            "resolveBelow above the threshold",
            "alert: { severity: info, resolveBelow: 101 }",
            "2:44 contradiction"
        ),
        BrokenText("resolveBelow of nothing", "alert: { severity: info, resolveBelow: 0 }", "2:44 outOfRange"),
        BrokenText("a measured group", "groupBy: [region, durationMs]", "2:23 unknownValue"),
        BrokenText("no such kind", "kind: counts", "2:11 unknownValue"),
        BrokenText("a share without a share", "kind: share", "2:5 missingKey", "2:5 missingKey", "3:5 contradiction"),
        BrokenText(
            "a share without a unit",
            "kind: share\n    share: 50\n    attempts: 20",
            "3:12 badUnit",
            "5:5 contradiction"
        ),
        BrokenText(
            "a share of a count",
            "share: 50%\n    attempts: 20",
            "2:5 contradiction",
            "3:5 contradiction"
        ),
        BrokenText("no installs", "require: { installs: 0 }", "2:26 outOfRange"),
        BrokenText(
            "a share of the other route where nobody is moved",
            "require: { webShare: 20% }",
            "2:26 contradiction"
        ),
        BrokenText("none an install", "maxPerInstall: 0", "2:20 outOfRange"),
        BrokenText(
            "one an install, of installs",
            "maxPerInstall: 1\n    count: installs",
            "2:5 contradiction"
        ),
        BrokenText(
            "a new code that trips",
            "kind: newCode\n    trip: { switch: apple-pay }",
            "3:5 contradiction"
        ),
        BrokenText(
            "failures in a row by what successes don't have",
            "kind: consecutive\n    groupBy: [region, error.code, stage]",
            "3:23 contradiction",
            "3:35 contradiction"
        ),
        BrokenText(
            "failures in a row of successes",
            "kind: consecutive\n    groupBy: [region]\n    match: { outcome: succeeded }",
            "4:23 contradiction"
        ),
        BrokenText(
            "figures of alerts that none can have",
            "alert: { severity: info, for: 5, renotifyEvery: 59s, channels: [], warnAt: 100%, escalateAfter: 8d }",
            "2:35 badUnit",
            "2:53 outOfRange",
            "2:68 outOfRange",
            "2:80 outOfRange",
            "2:86 missingKey",
            "2:101 outOfRange"
        ),
        BrokenText(
            "a warning before what warns nobody",
            "alert: { severity: info, warnAt: 50% }",
            "2:38 contradiction"
        ),
        BrokenText(
            "a warning of all there is",
            "threshold: 1\n    alert: { severity: critical, warnAt: 50% }",
            "3:42 contradiction"
        ),
        BrokenText(
            "an escalation to nobody in particular",
            "alert: { severity: critical, escalateAfter: 15m }",
            "2:34 missingKey"
        ),
        BrokenText(
            "one without a time, beside all",
            "alert: { severity: critical, escalateTo: [lead] }",
            "2:34 missingKey",
            "2:34 missingKey"
        ),
        BrokenText(
            "one to who knows already",
            "alert: { severity: critical, channels: [a, b], escalateAfter: 15m, escalateTo: [b] }",
            "2:84 contradiction"
        ),
        BrokenText(
            "a bad window beside conditions that leave nothing",
            "window: 5\n    match: { class: user, switchWeight: count }",
            "2:13 badUnit",
            "3:41 neverMatches"
        ),
        BrokenText("a trip without switch", "trip: { scope: [] }", "2:11 missingKey"),
        BrokenText("a trip of an unknown switch", "trip: { switch: aple-pay }", "2:21 unknownSwitch"),
        BrokenText(
            "a scope that isn't grouped by",
            "trip: { switch: apple-pay, scope: [environment, region, psp] }",
            "2:53 scopeNotGrouped",
            "2:61 scopeNotGrouped"
        ),
        BrokenText(
            "a scope that no app knows before it pays",
            "trip: { switch: apple-pay, scope: [error.code] }",
            "2:40 unknownValue"
        ),
        BrokenText("an unknown scope", "trip: { switch: apple-pay, scope: [country] }", "2:40 unknownValue"),
        BrokenText(
            "a trip with two faults and a count with one",
            "trip: { swich: aple-pay }\n    count: all",
            "2:13 unknownKey",
            "2:20 unknownSwitch",
            "3:12 unknownValue"
        ),
    ]

    /// A good rule but for the lines given; what they say comes first and isn't said again.
    static func rule(with lines: String) -> String {
        let standing = [
            "threshold: 100", "window: 5m", "groupBy: [error.domain, error.code]", "alert: { severity: info }",
        ]
        let rest = standing.filter { line in !lines.contains("\(line.prefix { $0 != ":" }):") }
        return (["rules:\n  - \(lines)"] + rest + ["id: a"]).joined(separator: "\n    ") + "\n"
    }

    static func expect(_ broken: BrokenText, in file: String, _ location: SourceLocation = #_sourceLocation)
        throws
    {
        let fixture = try RuleFilesFixture([file: broken.text])
        let places = fixture.places()
        #expect(places == broken.problems.map { "\(file):\($0)" }, "\(fixture.problems())", sourceLocation: location)
    }

    @Test(arguments: texts)
    func `a file that isn't one of rules`(broken: BrokenText) throws {
        try Self.expect(broken, in: "alerts/a.yaml")
    }

    @Test(arguments: rules)
    func `a rule with something amiss`(broken: BrokenText) throws {
        try Self.expectRule(broken)
    }

    /// Expects the problems of a rule that is good but for the lines given.
    static func expectRule(_ broken: BrokenText, _ location: SourceLocation = #_sourceLocation) throws {
        let text = rule(with: broken.text)
        try expect(BrokenText(broken.name, text, problems: broken.problems), in: "alerts/a.yaml", location)
    }
}
