/// A YAML file read into values that know their places.
///
/// Refused: anchors, aliases and tags, keys that aren't texts or come twice, more than one document, and whatever
/// exceeds the limits. As many problems as can be found are reported at once; a syntax error ends the search.
public struct YAMLDocument: Equatable, Sendable {
    /// What a file may ask for.
    public struct Limits: Equatable, Sendable {
        /// How many bytes a file may have.
        public var bytes: Int
        /// How many values and keys a file may have.
        public var nodes: Int
        /// How deep lists and mappings may be nested; a plain mapping has depth 1. At most 256.
        public var depth: Int

        /// Limits that fit files written by people.
        public init(bytes: Int = 1 << 20, nodes: Int = 100_000, depth: Int = 32) {
            self.bytes = max(0, bytes)
            self.nodes = max(1, nodes)
            self.depth = max(1, min(depth, 256))
        }
    }

    /// The file's name as it is given in problems.
    public let file: String
    /// The outermost value; null for a file without any.
    public let root: YAMLNode

    /// Reads the bytes of a file; refuses it for any problem.
    public static func parse(
        _ bytes: [UInt8],
        file: String,
        limits: Limits = Limits()
    ) throws(YAMLError) -> YAMLDocument {
        let reading = read(bytes, file: file, limits: limits)
        guard let document = reading.document, reading.problems.isEmpty else { throw YAMLError(reading.problems) }
        return document
    }

    /// Reads the bytes of a file as far as they can be understood, so that whoever knows what they should say can list
    /// what else is wrong. With problems the document isn't to be used for anything but that.
    ///
    /// - Returns: The document, nil where the text ends in a syntax error or exceeds a limit, and the problems in the
    ///   order of the file.
    public static func read(
        _ bytes: [UInt8],
        file: String,
        limits: Limits = Limits()
    ) -> (document: YAMLDocument?, problems: [YAMLProblem]) {
        guard bytes.count <= limits.bytes else {
            let start = YAMLPosition(line: 1, column: 1)
            let message = "the file has \(bytes.count) bytes, expected at most \(limits.bytes)"
            return (nil, [YAMLProblem(.tooLarge, file: file, position: start, message: message)])
        }
        let result = YAMLEventReader.withEvents(of: bytes) { events in
            var builder = YAMLTreeBuilder(file: file, limits: limits)
            return builder.build(&events)
        }
        return (result.root.map { YAMLDocument(file: file, root: $0) }, result.problems)
    }

    /// A problem that the reader of this file has with its content, such as an unknown key.
    public func problem(_ message: String, at position: YAMLPosition) -> YAMLProblem {
        YAMLProblem(.content, file: file, position: position, message: message)
    }
}
