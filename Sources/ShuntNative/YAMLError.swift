/// One thing that is wrong in a YAML file.
public struct YAMLProblem: Equatable, Sendable {
    /// The closed list of reasons.
    public enum Code: String, CaseIterable, Sendable {
        /// The text isn't YAML.
        case syntax
        /// A tab indents a line.
        case tab
        /// Bytes that aren't UTF-8, or a control character.
        case invalidText
        /// A mapping has a key twice.
        case duplicateKey
        /// A key is a list or a mapping.
        case keyNotText
        /// An anchor, which would let a file grow without limit.
        case anchor
        /// An alias to an anchor.
        case alias
        /// A tag, which would change what a value means.
        case tag
        /// A second document in the same file.
        case secondDocument
        /// Lists and mappings are nested deeper than the limit.
        case tooDeep
        /// The file has more bytes, or more values, than the limit.
        case tooLarge
        /// The YAML is fine, but not what the reader of the file wants.
        case content
    }

    /// The reason.
    public let code: Code
    /// The file's name as the caller gave it.
    public let file: String
    /// Where it is.
    public let position: YAMLPosition
    /// What was found and what would be right, in words.
    public let message: String

    /// A problem at a place of a file.
    public init(_ code: Code, file: String, position: YAMLPosition, message: String) {
        self.code = code
        self.file = file
        self.position = position
        self.message = message
    }
}

extension YAMLProblem: CustomStringConvertible {
    /// `file:line:column: message`, as editors and terminals understand it.
    public var description: String { "\(file):\(position.line):\(position.column): \(message)" }
}

/// All that is wrong in a YAML file, in the order of the file; at least one problem.
public struct YAMLError: Error, Equatable, Sendable {
    /// The problems.
    public let problems: [YAMLProblem]

    /// An error of these problems.
    public init(_ problems: [YAMLProblem]) { self.problems = problems }
}

extension YAMLError: CustomStringConvertible {
    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
