/// Reads tables of comma-separated values (RFC 4180), row by row, from chunks of bytes.
///
/// Rows end with CRLF or LF; fields may be quoted and then hold commas, line ends and doubled quotes. A byte-order mark
/// at the front and empty lines are passed over. What isn't well-formed is told with its place, and the reader goes on
/// with the next line.
public struct CSVReader: Sendable {
    /// A field and where it begins.
    public struct Field: Equatable, Sendable {
        /// What it says, without quotes.
        public var text: String
        /// The line that it begins in, from 1.
        public var line: Int
        /// The character of that line at which it begins, from 1.
        public var column: Int
    }

    /// What comes next.
    public enum Step: Equatable, Sendable {
        /// A row of at least one field.
        case row([Field])
        /// A row that can't be read, and why.
        case problem(TableProblem)
        /// Nothing until more bytes are appended.
        case needsMore
        /// The end.
        case end
    }

    /// The longest row, in bytes. A quote that nobody closes is found out by it.
    public static let maximumRowBytes = 1 << 20

    private var buffer: [UInt8] = []
    private var start = 0
    private var line = 1
    private var isAtFront = true
    private var isFinished = false

    /// A reader that has read nothing.
    public init() {}

    /// Takes the next bytes of the file.
    public mutating func append(_ chunk: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += chunk
    }

    /// Says that there are no more bytes.
    public mutating func finish() { isFinished = true }

    /// The next row or problem.
    public mutating func next() -> Step {
        if isAtFront {
            guard buffer.count >= 3 || isFinished else { return .needsMore }
            if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
            isAtFront = false
        }
        while true {
            guard start < buffer.count else { return isFinished ? .end : .needsMore }
            var scan = Scan(place: start, line: line)
            let outcome = read(&scan)
            switch outcome {
            case .row(let fields):
                start = scan.place
                line = scan.line
                if fields.count == 1, fields[0].text.isEmpty { continue }
                return .row(fields)
            case .needsMore where buffer.count - start <= Self.maximumRowBytes && !isFinished:
                return .needsMore
            case .needsMore:
                let problem = TableProblem(
                    line: scan.fieldLine,
                    column: scan.fieldColumn,
                    found: scan.isQuoted ? "a quote that isn't closed" : "a row that doesn't end",
                    expected: "a row of at most \(Self.maximumRowBytes) bytes"
                )
                skipLine(from: start)
                return .problem(problem)
            case .problem
            where !isFinished && buffer.count - start <= Self.maximumRowBytes && !hasLineEnd(from: scan.place):
                // The rest of the bad row isn't there yet, and would look like a row of its own.
                return .needsMore
            case .problem(let problem):
                line = scan.line
                skipLine(from: scan.place)
                return .problem(problem)
            }
        }
    }

    // MARK: One row

    private struct Scan {
        var place: Int
        var line: Int
        var column = 1
        var fieldLine = 1
        var fieldColumn = 1
        var isQuoted = false

        init(place: Int, line: Int) {
            self.place = place
            self.line = line
        }
    }

    private enum Outcome {
        case row([Field])
        case problem(TableProblem)
        case needsMore
    }

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private func read(_ scan: inout Scan) -> Outcome {
        var fields: [Field] = []
        while true {
            scan.fieldLine = scan.line
            scan.fieldColumn = scan.column
            scan.isQuoted = scan.place < buffer.count && buffer[scan.place] == Self.quote
            let bytes: [UInt8]
            if scan.isQuoted {
                guard let quoted = quoted(&scan) else { return .needsMore }
                bytes = quoted
            } else {
                bytes = plain(&scan)
            }
            let isAtEnd = scan.place >= buffer.count
            if isAtEnd, !isFinished { return .needsMore }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return .problem(problem(scan, "bytes that aren't UTF-8", "UTF-8"))
            }
            fields.append(Field(text: text, line: scan.fieldLine, column: scan.fieldColumn))
            if isAtEnd { return .row(fields) }
            switch buffer[scan.place] {
            case Self.comma:
                scan.place += 1
                scan.column += 1
                if scan.place >= buffer.count, !isFinished { return .needsMore }
            case Self.lineFeed:
                scan.place += 1
                scan.line += 1
                return .row(fields)
            case Self.carriageReturn:
                guard scan.place + 1 < buffer.count || isFinished else { return .needsMore }
                // Only a line end, or the file's, follows: `plain` and `quoted` stop nowhere else.
                scan.place = min(scan.place + 2, buffer.count)
                scan.line += 1
                return .row(fields)
            case Self.quote:
                return .problem(
                    problem(scan, "a quote inside a field", "the whole field in quotes, and \"\" for a quote")
                )
            default:
                return .problem(problem(scan, "text after a closing quote", "a comma or the end of the line"))
            }
        }
    }

    private func problem(_ scan: Scan, _ found: String, _ expected: String) -> TableProblem {
        TableProblem(line: scan.fieldLine, column: scan.fieldColumn, found: found, expected: expected)
    }

    private func isLineEnd(_ place: Int) -> Bool {
        if buffer[place] == Self.lineFeed { return true }
        guard buffer[place] == Self.carriageReturn else { return false }
        return place + 1 >= buffer.count || buffer[place + 1] == Self.lineFeed
    }

    private func plain(_ scan: inout Scan) -> [UInt8] {
        let first = scan.place
        while scan.place < buffer.count {
            let byte = buffer[scan.place]
            if byte == Self.comma || byte == Self.quote || isLineEnd(scan.place) { break }
            scan.place += 1
            if byte & 0xC0 != 0x80 { scan.column += 1 }
        }
        return Array(buffer[first..<scan.place])
    }

    /// What is between the quotes; nil where the closing one isn't there, or may be half of a doubled one.
    private func quoted(_ scan: inout Scan) -> [UInt8]? {
        var bytes: [UInt8] = []
        scan.place += 1
        scan.column += 1
        while scan.place < buffer.count {
            let byte = buffer[scan.place]
            scan.place += 1
            if byte == Self.lineFeed {
                scan.line += 1
                scan.column = 1
            } else if byte & 0xC0 != 0x80 {
                scan.column += 1
            }
            if byte == Self.quote {
                guard scan.place < buffer.count else { return isFinished ? bytes : nil }
                guard buffer[scan.place] == Self.quote else { return bytes }
                scan.place += 1
                scan.column += 1
            }
            bytes.append(byte)
        }
        return nil
    }

    private func hasLineEnd(from place: Int) -> Bool { buffer[place...].contains(Self.lineFeed) }

    /// Goes to the line after this place; where that isn't there yet, what comes is read as a line of its own.
    private mutating func skipLine(from place: Int) {
        guard let end = buffer[place...].firstIndex(of: Self.lineFeed) else {
            start = buffer.count
            return
        }
        start = end + 1
        line += 1
    }
}

/// What is wrong in a table, and where.
public struct TableProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    /// The character of the line, from 1.
    public var column: Int
    /// What is there.
    public var found: String
    /// What would be right.
    public var expected: String

    /// `LINE:COLUMN: FOUND; expected EXPECTED`.
    public var description: String { "\(line):\(column): \(found); expected \(expected)" }
}
