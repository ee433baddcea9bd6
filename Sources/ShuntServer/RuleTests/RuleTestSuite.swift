public import ShuntCore
internal import ShuntNative

/// The tests of a rules folder, read and checked: `tests/*.yaml`.
public struct RuleTestSuite: Sendable {
    /// The tests, in the order of the files' names.
    public internal(set) var tests: [RuleTest]

    /// Reads the tests of a rules folder; one without `tests/` has none.
    ///
    /// - Parameters:
    ///   - path: The rules folder. Problems name files by it.
    ///   - ruleSet: The rules that are tested: what they don't have can't be expected.
    /// - Throws: Everything that is wrong in the tests' files.
    public init(readingFolder path: String, ruleSet: RuleSet) throws(RuleFilesError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        var reading = RuleTestReading(form: RuleTestsForm(ruleSet: ruleSet))
        reading.readFolder("\(path)/tests")
        guard reading.problems.isEmpty else {
            throw RuleFilesError(reading.orderedProblems)
        }
        tests = reading.tests
    }

    /// Runs all tests, each from a state of its own.
    ///
    /// - Parameter ruleSet: The rules to run them with.
    public func run(with ruleSet: RuleSet) -> [RuleTestResult] {
        tests.map { RuleTestRun.result(of: $0, with: ruleSet) }
    }
}

/// One pass over the folder of tests.
private struct RuleTestReading {
    var form: RuleTestsForm
    private(set) var tests: [RuleTest] = []
    private(set) var problems: [RuleProblem] = []

    init(form: RuleTestsForm) {
        self.form = form
    }

    /// The problems by file, line and column.
    var orderedProblems: [RuleProblem] {
        problems.sorted {
            ($0.file, $0.line, $0.column, $0.code.rawValue) < ($1.file, $1.line, $1.column, $1.code.rawValue)
        }
    }

    mutating func readFolder(_ path: String) {
        do throws(FileError) {
            guard let folder = try Folder(existing: path) else { return }
            for name in try folder.names() where !name.hasPrefix(".") { readFile(name, in: folder) }
        } catch {
            problems.append(RuleProblem(.unreadable, file: path, found: error.description))
        }
    }

    private mutating func readFile(_ name: String, in folder: Folder) {
        let file = folder.file(name)
        guard name.hasSuffix(".yaml") else {
            guard name.hasSuffix(".yml") else { return }
            let expected = "a name that ends in .yaml"
            let found = "a name that nothing reads"
            let suggestion = String(name.dropLast(4)) + ".yaml"
            problems.append(
                RuleProblem(.unknownFile, file: file, found: found, expected: expected, suggestion: suggestion)
            )
            return
        }
        let size = folder.size(of: name)
        let limit = YAMLDocument.Limits().bytes
        guard size <= limit else {
            problems.append(
                RuleProblem(.tooLarge, file: file, found: "the file has \(size) bytes", expected: "at most \(limit)")
            )
            return
        }
        do throws(FileError) {
            guard let bytes = try folder.read(name) else { return }
            var reader = FileReader(file: file)
            let text = YAMLDocument.read(bytes, file: file)
            for problem in text.problems { reader.note(problem) }
            if let document = text.document { tests += form.read(document.root, &reader) }
            problems += reader.problems
        } catch {
            problems.append(RuleProblem(.unreadable, file: file, found: error.description))
        }
    }
}
