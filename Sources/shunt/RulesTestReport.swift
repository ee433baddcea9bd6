import ShuntCore
import ShuntSchema
import ShuntServer

/// What `shunt rules test` shows.
struct RulesTestReport {
    private enum Outcome {
        /// There is no folder, or it has no tests.
        case nothing(String)
        /// Rules or tests that can't be read.
        case problems([RuleProblem])
        case results([RuleTestResult])
    }

    private let folder: String
    private let outcome: Outcome

    init(folder: String) {
        self.folder = folder
        do throws(RuleFilesError) {
            let files = try RuleFiles(readingFolder: folder)
            let suite = try RuleTestSuite(readingFolder: folder, ruleSet: files.ruleSet)
            if !files.hasFolder {
                outcome = .nothing("\(folder): there is no such folder")
            } else if suite.tests.isEmpty {
                outcome = .nothing("\(folder)/tests: there are no tests")
            } else {
                outcome = .results(suite.run(with: files.ruleSet))
            }
        } catch {
            outcome = .problems(error.problems)
        }
    }

    /// Without tests nothing was proved, so that isn't good either.
    var isGood: Bool {
        guard case .results(let results) = outcome else { return false }
        return results.allSatisfy(\.isPassed)
    }

    // MARK: Text

    func text(hasColours: Bool) -> String {
        switch outcome {
        case .nothing(let reason): return reason + "\n"
        case .problems(let problems): return RulesReport.list(problems)
        case .results(let results):
            return results.map { Self.text(of: $0, hasColours: hasColours) }.joined() + Self.summary(of: results)
        }
    }

    private static func text(of result: RuleTestResult, hasColours: Bool) -> String {
        let word = result.isPassed ? "ok  " : "FAIL"
        let coloured = hasColours ? "\u{1B}[\(result.isPassed ? 32 : 31)m\(word)\u{1B}[0m" : word
        let place = result.isPassed ? "" : " (\(result.file):\(result.line))"
        // Wrapped without the colour, which takes no column.
        let indentation = String(repeating: " ", count: word.count + 2)
        let line = RulesReport.wrapped(indentation + result.name.visible + place.visible, indentation: indentation)
        var text = coloured + line.dropFirst(word.count)
        for failure in result.failures {
            for line in failure.lines(file: result.file) {
                let start = String(line.prefix { $0 == " " })
                text += RulesReport.wrapped("      " + line, indentation: "        " + start)
            }
        }
        return text
    }

    private static func summary(of results: [RuleTestResult]) -> String {
        let failed = results.filter { !$0.isPassed }.count
        let events = RulesReport.count(results.reduce(0) { $0 + $1.eventCount }, "event", "events")
        let tests = RulesReport.count(results.count, "test", "tests")
        return "\(tests), \(results.count - failed) passed, \(failed) failed, \(events)\n"
    }

    // MARK: JUnit

    var junit: String {
        switch outcome {
        case .nothing: RuleTestJUnit.xml([RuleTestResult]())
        case .problems(let problems): RuleTestJUnit.xml(problems)
        case .results(let results): RuleTestJUnit.xml(results)
        }
    }

    // MARK: JSON

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("folder", folder)
        writer.field("ok", isGood)
        switch outcome {
        case .nothing(let reason):
            writer.field("message", reason)
            Self.write([], to: &writer)
        case .problems(let problems):
            Self.write([], to: &writer)
            writer.key("problems")
            writer.beginArray()
            for problem in problems { RulesReport.write(problem, to: &writer) }
            writer.endArray()
        case .results(let results):
            Self.write(results, to: &writer)
        }
        writer.endObject()
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func write(_ results: [RuleTestResult], to writer: inout JSONWriter) {
        let failed = results.filter { !$0.isPassed }.count
        writer.field("passed", results.count - failed)
        writer.field("failed", failed)
        writer.key("tests")
        writer.beginArray()
        for result in results {
            writer.beginObject()
            writer.field("name", result.name)
            writer.field("file", result.file)
            writer.field("line", result.line)
            writer.field("ok", result.isPassed)
            writer.field("events", result.eventCount)
            writer.field("expectations", result.expectationCount)
            writer.key("failures")
            writer.beginArray()
            for failure in result.failures { write(failure, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(_ failure: RuleTestFailure, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("atMs", failure.atMs)
        writer.field("line", failure.line)
        writer.field("column", failure.column)
        writer.key("differences")
        writer.beginArray()
        for difference in failure.differences {
            writer.beginObject()
            writer.field("subject", difference.subject)
            write("expected", difference.expected, to: &writer)
            write("actual", difference.actual, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.key("rules")
        writer.beginArray()
        for rule in failure.rules {
            writer.beginObject()
            writer.field("rule", rule.rule)
            write("lines", rule.lines, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ name: String, _ values: [String], to writer: inout JSONWriter) {
        writer.key(name)
        writer.beginArray()
        for value in values { writer.string(value) }
        writer.endArray()
    }
}
