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
        BrokenText("a match that is a list", "match: [production]", "2:12 wrongType"),
        BrokenText("an unknown attribute", "match: { code: a }", "2:14 unknownKey"),
        BrokenText("a code without quotes", "match: { error.code: 5 }", "2:26 unquotedCode"),
        BrokenText("a code with a zero in front, without quotes", "match: { error.code: 05 }", "2:26 unquotedCode"),
        BrokenText(
            "a list of codes without quotes",
            "match: { error.code: [5, \"06\", -1] }",
            "2:27 unquotedCode",
            "2:36 unquotedCode"
        ),
        BrokenText("a truth value", "match: { region: true }", "2:22 unquotedCode"),
        BrokenText("a list that nothing is in", "match: { network: [] }", "2:23 neverMatches"),
        BrokenText("an empty exception", "match: { network: { not: [] } }", "2:30 outOfRange"),
        BrokenText("a value twice", "match: { network: [visa, amex, visa] }", "2:36 duplicateValue"),
        BrokenText("an empty text", "match: { network: \"\" }", "2:23 outOfRange"),
        BrokenText("an unknown stage", "match: { stage: [charged] }", "2:22 unknownValue"),
        BrokenText("an unknown outcome", "match: { outcome: { not: fail } }", "2:30 unknownValue"),
        BrokenText("an unknown test", "match: { network: { isnt: visa } }", "2:23 missingKey", "2:25 unknownKey"),
        BrokenText("a trip without switch", "trip: { scope: [] }", "2:11 missingKey"),
        BrokenText("a trip of an unknown switch", "trip: { switch: aple-pay }", "2:21 unknownSwitch"),
        BrokenText(
            "a scope that isn't grouped by",
            "trip: { switch: apple-pay, scope: [environment, region, psp] }",
            "2:53 scopeNotGrouped",
            "2:61 scopeNotGrouped"
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
    private static func rule(with lines: String) -> String {
        let standing = [
            "threshold: 100", "window: 5m", "groupBy: [error.domain, error.code]", "alert: { severity: info }",
        ]
        let rest = standing.filter { line in !lines.contains("\(line.prefix { $0 != ":" }):") }
        return (["rules:\n  - \(lines)"] + rest + ["id: a"]).joined(separator: "\n    ") + "\n"
    }

    private static func expect(_ broken: BrokenText, in file: String, _ location: SourceLocation = #_sourceLocation)
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
    func `a rule`(broken: BrokenText) throws {
        let text = Self.rule(with: broken.text)
        try Self.expect(
            BrokenText(broken.name, text, problems: broken.problems),
            in: "alerts/a.yaml"
        )
    }
}
