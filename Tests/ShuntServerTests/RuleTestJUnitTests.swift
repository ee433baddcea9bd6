import FoundationXML
import TestSupport
import Testing

@testable import ShuntServer

/// JUnit XML, as CI systems read it.
@Suite struct RuleTestJUnitTests {
    private static func result(_ name: String, fails: Bool) -> RuleTestResult {
        let difference = RuleTestDifference(subject: "<switch>", expected: ["a & b"], actual: ["\"\u{1B}[31m"])
        let failure = RuleTestFailure(atMs: 1500, line: 7, column: 9, differences: [difference], rules: [])
        return RuleTestResult(
            name: name,
            file: "rules/tests/a.yaml",
            line: 3,
            eventCount: 1,
            expectationCount: 1,
            failures: fails ? [failure] : []
        )
    }

    @Test func `suites, tests and failures are counted`() throws {
        let xml = RuleTestJUnit.xml([Self.result("good", fails: false), Self.result("bad", fails: true)])
        let root = try #require(try XMLDocument(xmlString: xml).rootElement())
        #expect(root.name == "testsuites")
        #expect(root.attribute(forName: "tests")?.stringValue == "2")
        #expect(root.attribute(forName: "failures")?.stringValue == "1")
        let suite = try #require(root.elements(forName: "testsuite").first)
        #expect(suite.attribute(forName: "name")?.stringValue == "rules/tests/a.yaml")
        let cases = suite.elements(forName: "testcase")
        #expect(cases.map { $0.attribute(forName: "name")?.stringValue } == ["good", "bad"])
        #expect(cases.map { $0.elements(forName: "failure").count } == [0, 1])
        let failure = try #require(cases.last?.elements(forName: "failure").first)
        #expect(failure.attribute(forName: "message")?.stringValue == "at 1s500ms: <switch>")
        #expect(
            failure.stringValue == """
                at 1s500ms, rules/tests/a.yaml:7:9
                  <switch>
                    expected  a & b
                    actual    "\\u{1B}[31m
                """
        )
    }

    static let names: [Row<(name: String, visible: String)>] = [
        Row("markup", ("a <b> & \"c\" 'd' ]]>", "a <b> & \"c\" 'd' ]]>")),
        Row("markup with an accent", ("<\u{301}a&\u{301}", "<\u{301}a&\u{301}")),
        Row("controls", ("a\u{0}\u{7}\u{1B}\u{7F}\u{85}b", "a\\u{0}\\u{7}\\u{1B}\\u{7F}\\u{85}b")),
        Row("lines and tabs", ("a\n\tb\r\nc", "a\\u{A}\\u{9}b\\u{D}\\u{A}c")),
        Row("no characters at all", ("\u{FFFE}\u{FFFF}", "\\u{FFFE}\\u{FFFF}")),
        Row("text that turns round", ("a\u{202E}b", "a\\u{202E}b")),
        Row("other scripts", ("支付 😀 é", "支付 😀 é")),
    ]

    @Test(arguments: names)
    func `a name of any characters stays readable and well-formed`(row: Row<(name: String, visible: String)>) throws {
        let document = try XMLDocument(xmlString: RuleTestJUnit.xml([Self.result(row.value.name, fails: true)]))
        let test = try #require(document.rootElement()?.elements(forName: "testsuite").first?.children?.first)
        #expect((test as? XMLElement)?.attribute(forName: "name")?.stringValue == row.value.visible)
    }

    @Test func `files that can't be read are errors`() throws {
        let problem = RuleProblem(.unknownKey, file: "rules/tests/a.yaml", found: "unknown key \"<\"")
        let root = try #require(try XMLDocument(xmlString: RuleTestJUnit.xml([problem])).rootElement())
        #expect(root.attribute(forName: "errors")?.stringValue == "1")
        let test = root.elements(forName: "testsuite").first?.elements(forName: "testcase").first
        #expect(test?.attribute(forName: "name")?.stringValue == "rules/tests/a.yaml:1:1")
        let error = test?.elements(forName: "error").first
        #expect(error?.attribute(forName: "type")?.stringValue == "unknownKey")
        #expect(error?.attribute(forName: "message")?.stringValue == "unknown key \"<\"")
    }
}
