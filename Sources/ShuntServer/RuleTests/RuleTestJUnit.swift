/// Results as JUnit XML, which CI systems read.
///
/// There is no schema that all agree on; these are the elements and attributes that GitLab, Jenkins and GitHub's actions
/// know: a suite for each file, a case for each test, `failure` for an expectation that wasn't met, `error` for a file
/// that can't be read.
public enum RuleTestJUnit {
    /// A document with the results of tests.
    public static func xml(_ results: [RuleTestResult]) -> String {
        var files: [String] = []
        for result in results where !files.contains(result.file) { files.append(result.file) }
        let suites = files.map { file in
            let results = results.filter { $0.file == file }
            let failed = results.filter { !$0.isPassed }.count
            return suite(file, tests: results.count, failures: failed, errors: 0, results.map(testCase))
        }
        let failed = results.filter { !$0.isPassed }.count
        return document(tests: results.count, failures: failed, errors: 0, suites)
    }

    /// A document that says that there was nothing to run: the rules or the tests have problems.
    public static func xml(_ problems: [RuleProblem]) -> String {
        let cases = problems.map { problem in
            "    <testcase name=\(quoted(problem.place)) classname=\(quoted(problem.file))>\n"
                + "      <error type=\(quoted(problem.code.rawValue)) message=\(quoted(problem.message))/>\n"
                + "    </testcase>\n"
        }
        let suite = suite("rules", tests: cases.count, failures: 0, errors: cases.count, cases)
        return document(tests: cases.count, failures: 0, errors: cases.count, [suite])
    }

    // MARK: Parts

    private static func testCase(_ result: RuleTestResult) -> String {
        let place = "classname=\(quoted(result.file)) file=\(quoted(result.file)) line=\"\(result.line)\""
        let start = "    <testcase name=\(quoted(result.name)) \(place)"
        guard !result.isPassed else { return start + "/>\n" }
        let failures = result.failures.map { failure in
            let subjects = failure.differences.map(\.subject).joined(separator: ", ")
            let message = "at \(RuleTestTime.text(failure.atMs)): \(subjects)"
            let text = failure.lines(file: result.file).map(escaped).joined(separator: "\n")
            return "      <failure type=\"expectation\" message=\(quoted(message))>\(text)</failure>\n"
        }
        return start + ">\n" + failures.joined() + "    </testcase>\n"
    }

    private static func suite(_ name: String, tests: Int, failures: Int, errors: Int, _ cases: [String]) -> String {
        "  <testsuite name=\(quoted(name)) tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\">\n"
            + cases.joined() + "  </testsuite>\n"
    }

    private static func document(tests: Int, failures: Int, errors: Int, _ suites: [String]) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<testsuites name=\"shunt rules test\" tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\">\n"
            + suites.joined() + "</testsuites>\n"
    }

    // MARK: Text

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// By scalars: a `<` with an accent behind it is another character, and still markup.
    private static func escaped(_ text: String) -> String {
        text.visible.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
