import ShuntCore
import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt rules`.
enum RulesCommand: Command {
    static let name = "rules"

    static let options = [
        OptionSpec(name: "--json", takesValue: false), OptionSpec(name: "--junit"), OptionSpec(name: "--since"),
        OptionSpec(name: "--rules", variable: "SHUNT_RULES"), OptionSpec(name: "--data", variable: "SHUNT_DATA"),
    ]

    static let help = """
        shunt rules: check, test and back-test the files that say what to watch.

        Usage: shunt rules check [DIR] [--json]
               shunt rules test  [DIR] [--json] [--junit FILE]
               shunt rules backtest [--since 7d] [--rules DIR] [--data FOLDER] [--json]

          check     read DIR (default ./rules) as the daemon does, and its tests, and
                    list all that is wrong with file, line and column; nothing is
                    changed
          test      run DIR/tests/*.yaml: payments told by time, and what the rules
                    must have done by then; the same code as in the daemon, with a
                    clock that the test sets
          backtest  fold the journal through the rules of DIR and list each alert and
                    trip, what it would have met, and what the live rules did then;
                    reads only, also beside a running daemon
          --json    print as JSON
          --junit   also write the results to FILE, as CI systems read them
          --since   7d, 12h, 30m, or a time such as 2026-11-24T00:00:00Z (default 7d)
          --rules   the rules to back-test (SHUNT_RULES, default ./rules)
          --data    the daemon's data folder (SHUNT_DATA, default ./shunt-data)

        Exit status: 0 all is well, 1 there are problems, a test failed or there is
        none, or no journal to back-test on, 2 wrong usage.

        Example:
          shunt rules check && shunt rules test && git commit -am "Lower the threshold"
          shunt rules backtest --since 7d --rules ./rules --data /var/lib/shunt

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard let action = options.arguments.first else {
            throw CommandFailure(.usage, "what to do with the rules? Expected: shunt rules check|test|backtest")
        }
        if action == "backtest" { return try BacktestCommand.run(options) }
        guard action == "check" || action == "test" else {
            throw CommandFailure(.usage, "there is no \"\(action)\"; expected check, test or backtest")
        }
        if let name = ["--since", "--rules", "--data"].first(where: options.isGiven) {
            throw CommandFailure(.usage, "\(name) is an option of rules backtest")
        }
        guard options.arguments.count <= 2 else {
            throw CommandFailure(.usage, "unexpected argument \(options.arguments[2]); expected one folder")
        }
        let folder = options.arguments.dropFirst().first ?? "rules"
        if action == "test" { return try test(folder, options) }
        guard !options.has("--junit") else { throw CommandFailure(.usage, "--junit is an option of rules test") }
        let report = RulesReport(folder: folder)
        StandardStream.output.write(options.has("--json") ? report.json : report.text)
        return report.isGood ? .success : .failure
    }

    private static func test(_ folder: String, _ options: Options) throws(CommandFailure) -> ExitStatus {
        let report = RulesTestReport(folder: folder)
        // First, so that CI has the file even where nobody reads the output to its end.
        if let path = options["--junit"] { try write(report.junit, to: path) }
        let hasColours = StandardStream.output.isTerminal && ProcessEnvironment.value("NO_COLOR") == nil
        StandardStream.output.write(options.has("--json") ? report.json : report.text(hasColours: hasColours))
        return report.isGood ? .success : .failure
    }

    private static func write(_ text: String, to path: String) throws(CommandFailure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty, name != ".", name != ".." else {
            throw CommandFailure(.usage, "--junit \(path): expected a file")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/")
        do throws(FileError) {
            try Folder(path: folder.isEmpty ? "/" : folder).replace(String(name), with: Array(text.utf8))
        } catch {
            throw CommandFailure(.failure, "\(error)")
        }
    }
}

/// What `shunt rules check` shows.
struct RulesReport {
    private static let width = 80

    private let folder: String
    private let result: Result<RuleFiles, RuleFilesError>
    private var testCount = 0

    init(folder: String) {
        self.folder = folder
        do throws(RuleFilesError) {
            let files = try RuleFiles(readingFolder: folder)
            testCount = try RuleTestSuite(readingFolder: folder, ruleSet: files.ruleSet).tests.count
            result = .success(files)
        } catch {
            result = .failure(error)
        }
    }

    /// A folder that isn't there is good for a daemon, which has rules built in, but not for somebody who names it.
    var isGood: Bool {
        guard case .success(let files) = result else { return false }
        return files.hasFolder
    }

    /// The rules, if the folder is there and all of it is good.
    var ruleSet: RuleSet? {
        guard case .success(let files) = result, files.hasFolder else { return nil }
        return files.ruleSet
    }

    // MARK: Text

    var text: String {
        switch result {
        case .success(let files) where files.hasFolder: summary(of: files)
        case .success: "\(folder): there is no such folder\n"
        case .failure(let error): Self.list(error.problems)
        }
    }

    private func summary(of files: RuleFiles) -> String {
        let rules = Self.count(files.ruleSet.rules.count, "rule", "rules")
        let switches = Self.count(files.ruleSet.switches.count, "switch", "switches")
        let rows = Self.count(files.catalogueRowCount, "catalogue row", "catalogue rows")
        let tests = Self.count(testCount, "test", "tests")
        let diagnoses = Self.count(files.diagnoses.count, "diagnosis", "diagnoses")
        var text = "ok: \(rules), \(switches), \(rows), \(diagnoses), \(tests)\n"
        if files.rulesOrigin == .builtIn { text += "no \(folder)/alerts: the rules are those built in\n" }
        if files.switchesOrigin == .builtIn { text += "no \(folder)/switches.yaml: the switches are those built in\n" }
        if files.catalogueOrigin == .none { text += "no \(folder)/catalogue: every code is unknown\n" }
        return text
    }

    /// Each problem by its place, so that editors and terminals find it; what was expected is set below it.
    static func list(_ problems: [RuleProblem]) -> String {
        var text = ""
        for problem in problems {
            text += Self.wrapped("\(problem.place): \(problem.found)".visible, indentation: "    ")
            if let expected = problem.expected {
                text += Self.wrapped("    expected \(expected)", indentation: "      ")
            }
            if let suggestion = problem.suggestion { text += "    did you mean \(suggestion.visible)?\n" }
        }
        let files = Self.count(Set(problems.map(\.file)).count, "file", "files")
        return text + "\(Self.count(problems.count, "problem", "problems")) in \(files)\n"
    }

    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    /// Breaks a text at spaces into lines of at most 80 columns, where it has them.
    static func wrapped(_ text: String, indentation: String) -> String {
        let start = text.prefix { $0 == " " }
        var lines: [String] = []
        var line = String(start)
        for word in text.dropFirst(start.count).split(separator: " ", omittingEmptySubsequences: false) {
            if line.count + 1 + word.count > width, line.contains(where: { $0 != " " }) {
                lines.append(line)
                line = indentation
            }
            line += line.allSatisfy { $0 == " " } ? String(word) : " " + word
        }
        lines.append(line)
        return lines.map { $0 + "\n" }.joined()
    }

    // MARK: JSON

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("folder", folder)
        writer.field("ok", isGood)
        switch result {
        case .success(let files):
            writer.field("rules", files.ruleSet.rules.count)
            writer.field("switches", files.ruleSet.switches.count)
            writer.field("catalogueRows", files.catalogueRowCount)
            writer.field("diagnoses", files.diagnoses.count)
            writer.field("tests", testCount)
            writer.field("rulesOrigin", files.rulesOrigin.rawValue)
            writer.field("switchesOrigin", files.switchesOrigin.rawValue)
            writer.field("catalogueOrigin", files.catalogueOrigin.rawValue)
        case .failure: break
        }
        writer.key("problems")
        writer.beginArray()
        if case .failure(let error) = result {
            for problem in error.problems { Self.write(problem, to: &writer) }
        } else if !isGood {
            writer.beginObject()
            writer.field("code", RuleProblem.Code.unreadable.rawValue)
            writer.field("file", folder)
            writer.field("message", "there is no such folder")
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func write(_ problem: RuleProblem, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("code", problem.code.rawValue)
        writer.field("file", problem.file)
        writer.field("line", problem.line)
        writer.field("column", problem.column)
        writer.field("message", problem.message)
        writer.field("found", problem.found)
        writer.field("expected", problem.expected)
        writer.field("suggestion", problem.suggestion)
        writer.endObject()
    }
}
