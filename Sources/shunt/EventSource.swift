import ShuntNative

/// Reads events from a file, one at a time, whatever its form: a JSON text a line, an array, an envelope with
/// `events`, or a single event over several lines.
struct EventSource: ~Copyable {
    /// The longest line, and the longest file that isn't lines.
    static let maximumBytes = 256 << 20
    private static let chunkBytes = 1 << 18

    private var file: InputFile
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    private var document: [[UInt8]]?
    private var next = 0

    /// How far the file is read, in bytes.
    private(set) var bytesRead: Int64 = 0
    var size: Int64? { file.size }

    init(path: String) throws(CommandFailure) {
        do throws(FileError) {
            file = try InputFile(path: path)
        } catch {
            throw CommandFailure(.failure, error.description)
        }
    }

    /// The next event's JSON on one line; nil at the end.
    mutating func nextEvent() throws(CommandFailure) -> [UInt8]? {
        if document == nil, bytesRead == 0 { try readHead() }
        if document != nil { return nextOfDocument() }
        while let line = try nextLine() {
            if line.contains(where: { !Self.isSpace($0) }) { return line }
        }
        return nil
    }

    private mutating func nextOfDocument() -> [UInt8]? {
        guard let count = document?.count, next < count else { return nil }
        defer { next += 1 }
        return document?[next]
    }

    /// Looks at the first line: what is whole JSON by itself is a line, anything else begins a document.
    private mutating func readHead() throws(CommandFailure) {
        while !isAtEnd, !buffer.contains(UInt8(ascii: "\n")) { try fill() }
        let line = Array(buffer.prefix { $0 != UInt8(ascii: "\n") })
        var parser = JSONDocument(limits: Self.limits)
        do throws(JSONError) {
            try parser.parse(line)
            let root = parser.root
            guard parser.kind(of: root) == .array || parser.member("events", of: root) != nil else { return }
        } catch {
            // A first line that is no JSON: a document over several lines, or lines of which the first is bad.
            guard line.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "[") || line.count <= 2 else { return }
        }
        while !isAtEnd { try fill() }
        try readDocument()
    }

    private mutating func readDocument() throws(CommandFailure) {
        var parser = JSONDocument(limits: Self.limits)
        do throws(JSONError) {
            try parser.parse(buffer)
        } catch {
            throw CommandFailure(.failure, "the file isn't JSON: \(error)")
        }
        let root = parser.root
        let list = parser.kind(of: root) == .array ? root : parser.member("events", of: root)
        var events: [[UInt8]] = []
        if let list, parser.kind(of: list) == .array {
            var elements = parser.children(of: list)
            while let element = elements.next(in: parser) { events.append(Self.oneLine(parser.source(of: element))) }
        } else {
            events = [Self.oneLine(buffer)]
        }
        document = events
        buffer = []
    }

    private mutating func nextLine() throws(CommandFailure) -> [UInt8]? {
        while true {
            if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return Array(buffer[position..<end])
            }
            if isAtEnd {
                guard position < buffer.count else { return nil }
                defer { position = buffer.count }
                return Array(buffer[position...])
            }
            buffer.removeFirst(position)
            position = 0
            try fill()
        }
    }

    private mutating func fill() throws(CommandFailure) {
        guard buffer.count < Self.maximumBytes else {
            throw CommandFailure(.failure, "a line or document is longer than \(Self.maximumBytes) bytes")
        }
        do throws(FileError) {
            let chunk = try file.read(upTo: Self.chunkBytes)
            isAtEnd = chunk.isEmpty
            bytesRead += Int64(chunk.count)
            buffer += chunk
        } catch {
            throw CommandFailure(.failure, error.description)
        }
    }

    private static let limits = JSONLimits(values: 64 << 20, bytes: maximumBytes)

    /// Line feeds stand only between values in JSON, so a space does as well.
    private static func oneLine(_ json: [UInt8]) -> [UInt8] {
        json.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }
}
