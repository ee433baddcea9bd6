public import ShuntCore

/// Reads a table of failures for `Localiser` from comma-separated values.
///
/// The columns `window` (`now` or `baseline`) and `failures` must be there, `attempts` may be; all others are
/// attributes, in their order. An empty field says nothing. A bad row is told and left out.
public struct FailureTable: Sendable {
    /// The most problems that are kept; the others are only counted.
    public static let maximumProblems = 100

    private enum Role: Equatable {
        case window
        case failures
        case attempts
        case attribute
    }

    private var reader = CSVReader()
    private var roles: [Role] = []
    private var builder = LocalisationTable.Builder(attributes: [])

    /// What is wrong, at most `maximumProblems`.
    public private(set) var problems: [TableProblem] = []
    /// How much is wrong.
    public private(set) var problemCount = 0
    /// How many rows were good.
    public var rowCount: Int { builder.rowCount }
    /// Whether the first line names all that is needed. Nothing is read after one that doesn't.
    public private(set) var hasGoodHeader = false
    private var hasHeader = false

    /// A table of which nothing is read.
    public init() {}

    /// Whether more of the file would be read.
    public var wantsMore: Bool { !hasHeader || hasGoodHeader }

    /// The good rows.
    public var table: LocalisationTable { builder.table }

    /// Takes the next bytes of the file.
    public mutating func append(_ chunk: [UInt8]) {
        reader.append(chunk)
        readRows()
    }

    /// Says that there are no more bytes.
    public mutating func finish() {
        reader.finish()
        readRows()
        if !hasHeader {
            report(1, 1, "an empty file", "a first line that names the columns window, failures and the attributes")
        }
    }

    private mutating func readRows() {
        while wantsMore {
            switch reader.next() {
            case .row(let fields): if hasHeader { readRow(fields) } else { readHeader(fields) }
            case .problem(let problem):
                report(problem.line, problem.column, problem.found, problem.expected)
                // Without the names of the columns nothing can be read.
                hasHeader = true
            case .needsMore, .end: return
            }
        }
    }

    private mutating func report(_ line: Int, _ column: Int, _ found: String, _ expected: String) {
        problemCount += 1
        guard problems.count < Self.maximumProblems else { return }
        problems.append(TableProblem(line: line, column: column, found: found, expected: expected))
    }

    private mutating func readHeader(_ fields: [CSVReader.Field]) {
        hasHeader = true
        var names: Set<String> = []
        for field in fields {
            if field.text.isEmpty { report(field.line, field.column, "a column without a name", "a name") }
            if !names.insert(field.text).inserted, !field.text.isEmpty {
                report(field.line, field.column, "a second column \(quoted(field.text))", "each name once")
            }
        }
        for name in ["window", "failures"] where !names.contains(name) {
            let columns = fields.prefix(20).map { quoted($0.text) }.joined(separator: ", ")
            report(fields[0].line, 1, "no column \"\(name)\" among \(columns)", "window, failures and the attributes")
        }
        guard problemCount == 0 else { return }
        roles = fields.map { field in
            switch field.text {
            case "window": .window
            case "failures": .failures
            case "attempts": .attempts
            default: .attribute
            }
        }
        builder = LocalisationTable.Builder(
            attributes: fields.indices.filter { roles[$0] == .attribute }.map { fields[$0].text }
        )
        hasGoodHeader = true
    }

    private mutating func readRow(_ fields: [CSVReader.Field]) {
        guard fields.count == roles.count else {
            let last = fields[min(fields.count, roles.count + 1) - 1]
            return report(
                last.line,
                last.column,
                "a row of \(fields.count) fields",
                "\(roles.count), as in the first line"
            )
        }
        guard !builder.isFull else {
            return report(fields[0].line, 1, "too many rows", "at most \(LocalisationTable.maximumRows)")
        }
        let before = problemCount
        var values: [String?] = []
        var isNow = false
        var failures: Int64 = 0
        var attempts: (count: Int64, field: CSVReader.Field)?
        for (role, field) in zip(roles, fields) {
            switch role {
            case .attribute: values.append(field.text.isEmpty ? nil : field.text)
            case .window:
                isNow = field.text == "now"
                if !isNow, field.text != "baseline" {
                    report(field.line, field.column, "window \(quoted(field.text))", "now or baseline")
                }
            case .failures: failures = count(field, "failures") ?? 0
            case .attempts where field.text.isEmpty: break
            case .attempts: attempts = count(field, "attempts").map { ($0, field) }
            }
        }
        if let attempts, attempts.count < failures {
            let found = "\(attempts.count) attempts and \(failures) failures"
            report(attempts.field.line, attempts.field.column, found, "at least as many attempts as failures")
        }
        guard problemCount == before else { return }
        builder.append(values, isNow: isNow, failures: failures, attempts: attempts?.count)
    }

    private mutating func count(_ field: CSVReader.Field, _ name: String) -> Int64? {
        let isDigits = !field.text.isEmpty && field.text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        if isDigits, let number = Int64(field.text), number <= LocalisationTable.maximumWeight { return number }
        report(
            field.line,
            field.column,
            "\(name) \(quoted(field.text))",
            "a whole number from 0 to \(LocalisationTable.maximumWeight)"
        )
        return nil
    }

    /// A field as messages show it: short, and without control characters.
    private func quoted(_ text: String) -> String {
        "\"\(String(text.prefix(40)).visible)\(text.count > 40 ? "…" : "")\""
    }
}
