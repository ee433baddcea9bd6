import Testing

@testable import ShuntServer

/// What is wrong in tests of rules is listed at once, each with its place and reason.
@Suite struct RuleTestBrokenTests {
    private static let files: [BrokenText] = [
        BrokenText("nothing at all", "", "1:1 wrongType"),
        BrokenText("another file's key", "switches: []\n", "1:1 missingKey", "1:1 unknownKey"),
        BrokenText("rules that aren't there", "rules: [unheard-of]\ntests: []\n", "1:9 unknownValue"),
        BrokenText("no rules", "rules: []\ntests: []\n", "1:8 outOfRange"),
        BrokenText("a tab", "tests:\n\t- name: a\n", "2:1 tab"),
        BrokenText("tests that are a text", "tests: none\n", "1:8 wrongType"),
        BrokenText(
            "a test of nothing",
            "tests:\n  - {}\n",
            "2:5 missingKey",
            "2:5 missingKey"
        ),
        BrokenText(
            "two tests of one name",
            "tests:\n  - { name: a, expect: [{ at: 0s, alerts: [] }] }\n"
                + "  - { name: a, expect: [{ at: 0s, alerts: [] }] }\n",
            "3:13 duplicateId"
        ),
        BrokenText("no expectation", "tests:\n  - { name: a, expect: [] }\n", "2:24 outOfRange"),
    ]

    /// Entries of `events`, which start at 3:8.
    private static let events: [BrokenText] = [
        BrokenText("no time", "{ error: { code: x } }", "3:14 missingKey"),
        BrokenText("a time without unit", "{ at: 5, error: { code: x } }", "3:20 badUnit"),
        BrokenText("units in the wrong order", "{ at: 1s1m, error: { code: x } }", "3:20 badUnit"),
        BrokenText("a unit twice", "{ at: 1s1s, error: { code: x } }", "3:20 badUnit"),
        BrokenText("a time that is nothing", "{ at: , error: { code: x } }", "3:20 wrongType"),
        BrokenText("a time of more than ten years", "{ at: 3651d, error: { code: x } }", "3:20 badUnit"),
        BrokenText("a failure without an error", "{ at: 0s }", "3:14 missingKey"),
        BrokenText("an error without a code", "{ at: 0s, error: { domain: x } }", "3:31 missingKey"),
        BrokenText("a code without quotes", "{ at: 0s, error: { code: 05 } }", "3:39 unquotedCode"),
        BrokenText("an HTTP status of none", "{ at: 0s, error: { code: x, httpStatus: 99 } }", "3:54 outOfRange"),
        BrokenText(
            "an underlying error without its domain",
            "{ at: 0s, error: { code: x, underlying: [{ code: y }] } }",
            "3:55 missingKey"
        ),
        BrokenText("a slip in a key", "{ at: 0s, error: { code: x }, stge: charge }", "3:44 unknownKey"),
        BrokenText("no such stage", "{ at: 0s, error: { code: x }, stage: chargd }", "3:51 unknownValue"),
        BrokenText("no such outcome", "{ at: 0s, outcome: faild }", "3:33 unknownValue"),
        BrokenText("every without times", "{ at: 0s, every: 1s, error: { code: x } }", "3:24 contradiction"),
        BrokenText("none at all", "{ at: 0s, times: 0, error: { code: x } }", "3:31 outOfRange"),
        BrokenText("more than a test needs", "{ at: 0s, times: 100001, error: { code: x } }", "3:31 outOfRange"),
        BrokenText("no installs", "{ at: 0s, installs: 0, error: { code: x } }", "3:34 outOfRange"),
        BrokenText(
            "installs and an install",
            "{ at: 0s, installs: 2, install: a, error: { code: x } }",
            "3:37 contradiction"
        ),
        BrokenText(
            "a version without quotes",
            "{ at: 0s, error: { code: x }, app: { version: 4.2 } }",
            "3:60 unquotedCode"
        ),
        BrokenText(
            "an amount without currency",
            "{ at: 0s, error: { code: x }, amount: { minor: 1 } }",
            "3:52 missingKey"
        ),
    ]

    private static let actions: [BrokenText] = [
        BrokenText("nothing to do", "{ at: 0s }", "3:15 missingKey"),
        BrokenText(
            "two things at once",
            "{ at: 0s, trip: { switch: pay }, restore: { switch: pay } }",
            "3:15 contradiction"
        ),
        BrokenText("no such action", "{ at: 0s, restor: { switch: pay } }", "3:25 unknownKey"),
        BrokenText("no such switch", "{ at: 0s, trip: { switch: pya } }", "3:41 unknownValue"),
        BrokenText("no switch", "{ at: 0s, trip: { reason: x } }", "3:31 missingKey"),
        BrokenText(
            "a scope of nothing known",
            "{ at: 0s, trip: { switch: pay, scope: { regio: CN } } }",
            "3:55 unknownKey"
        ),
    ]

    private static let expectations: [BrokenText] = [
        BrokenText("nothing expected", "{ at: 0s }", "3:14 missingKey"),
        BrokenText("no time", "{ alerts: [] }", "3:14 missingKey"),
        BrokenText("no such rule", "{ at: 0s, alerts: [{ rule: thre }] }", "3:41 unknownValue"),
        BrokenText("an alert without a rule", "{ at: 0s, alerts: [{ state: firing }] }", "3:33 missingKey"),
        BrokenText("no such state", "{ at: 0s, alerts: [{ rule: three, state: inactive }] }", "3:55 unknownValue"),
        BrokenText("no such decision", "{ at: 0s, alerts: [{ rule: three, decision: trip }] }", "3:58 unknownValue"),
        BrokenText(
            "an attribute that the rule doesn't group by",
            "{ at: 0s, alerts: [{ rule: three, group: { psp: x } }] }",
            "3:57 unknownKey"
        ),
        BrokenText("no such switch", "{ at: 0s, switches: { pya: web } }", "3:36 unknownKey"),
        BrokenText("another switch's variant", "{ at: 0s, switches: { pay: off } }", "3:41 unknownValue"),
        BrokenText("a version of none", "{ at: 0s, version: 0 }", "3:33 outOfRange"),
        BrokenText("a payer for no switch", "{ at: 0s, version: 1, payer: { region: CN } }", "3:36 contradiction"),
        BrokenText("a payer by what failed", "{ at: 0s, switches: {}, payer: { stage: charge } }", "3:47 unknownKey"),
        BrokenText(
            "a move to nowhere by nobody",
            "{ at: 0s, transitions: [{ switch: pay, by: nobody }] }",
            "3:38 missingKey",
            "3:57 unknownValue"
        ),
    ]

    @Test(arguments: files)
    func `a file that isn't one of tests`(broken: BrokenText) throws {
        #expect(try RuleTestFixture.places(broken.text) == broken.problems)
    }

    @Test(arguments: events)
    func `an event with something amiss`(broken: BrokenText) throws {
        let text = RuleTestFixture.test("events: [\(broken.text)]\nexpect: [{ at: 0s, alerts: [] }]")
        #expect(try RuleTestFixture.places(text) == broken.problems)
    }

    @Test(arguments: actions)
    func `an action with something amiss`(broken: BrokenText) throws {
        let text = RuleTestFixture.test("actions: [\(broken.text)]\nexpect: [{ at: 0s, alerts: [] }]")
        #expect(try RuleTestFixture.places(text) == broken.problems)
    }

    @Test(arguments: expectations)
    func `an expectation with something amiss`(broken: BrokenText) throws {
        #expect(try RuleTestFixture.places(RuleTestFixture.test("expect: [\(broken.text)]")) == broken.problems)
    }

    @Test func `a file that nothing reads is a problem, and a hidden or other one isn't`() throws {
        #expect(try RuleTestFixture.places("", in: "tests/a.yml") == ["1:1 unknownFile"])
        #expect(try RuleTestFixture.places("", in: "tests/.a.yaml").isEmpty)
        #expect(try RuleTestFixture.places("", in: "tests/README.md").isEmpty)
    }

    @Test func `a folder without tests has none`() throws {
        let fixture = try RuleFilesFixture()
        let suite = try RuleTestSuite(readingFolder: fixture.folder.path, ruleSet: RuleTestFixture.ruleSet)
        #expect(suite.tests.isEmpty)
    }

    @Test func `a slip is answered with what was meant`() throws {
        let fixture = try RuleFilesFixture([
            "tests/a.yaml": RuleTestFixture.test("expect: [{ at: 300, alrts: [{ rule: thre }] }]")
        ])
        let error = #expect(throws: RuleFilesError.self) {
            try RuleTestSuite(readingFolder: fixture.folder.path, ruleSet: RuleTestFixture.ruleSet)
        }
        #expect(error?.problems.map(\.suggestion) == ["5m", "alerts", "three"])
    }
}
