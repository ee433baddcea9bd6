internal import ShuntNative

/// One thing that is wrong in a rules folder, with its place.
public struct RuleProblem: Error, Equatable, Sendable {
    /// The closed list of reasons.
    public enum Code: String, CaseIterable, Sendable {
        // MARK: The file

        /// The file or folder can't be read, or isn't what its place calls for.
        case unreadable
        /// A name that no reader takes notice of, so that what is inside would be ignored in silence.
        case unknownFile
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
        /// An anchor.
        case anchor
        /// An alias.
        case alias
        /// A tag.
        case tag
        /// A second document in the same file.
        case secondDocument
        /// Lists and mappings are nested deeper than the limit.
        case tooDeep
        /// The file has more bytes, or more values, than the limit.
        case tooLarge

        // MARK: A value

        /// A key that the form doesn't have.
        case unknownKey
        /// A key that the form can't do without.
        case missingKey
        /// A value of another kind, such as a list for a text.
        case wrongType
        /// A code or version without quotes, which would be a number: `05` and `5` differ.
        case unquotedCode
        /// A word that isn't among those allowed.
        case unknownValue
        /// A duration, share, size, version or range that can't be read.
        case badUnit
        /// A number or length beyond its limits.
        case outOfRange
        /// A value twice in a list.
        case duplicateValue
        /// Two rules, switches, systems or signatures of one name.
        case duplicateId
        /// A name that an address of the daemon has already.
        case reservedName
        /// Something that the format has and this version of Shunt doesn't do yet.
        case notSupported

        // MARK: What values mean together

        /// Two settings that exclude each other.
        case contradiction
        /// The rule or system can never match an event.
        case neverMatches
        /// The rule counts only what can't trip its switch.
        case neverTrips
        /// A trip of a switch that isn't defined.
        case unknownSwitch
        /// A trip's scope that the rule doesn't group by.
        case scopeNotGrouped
        /// A system or code that the catalogue doesn't have.
        case unknownRow
    }

    /// The reason.
    public let code: Code
    /// The file, or the folder, by the path of the rules folder as it was given.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1; columns count characters, as editors do.
    public let column: Int
    /// What was found, in words.
    public let found: String
    /// What would be right, in words; nil where `found` says it.
    public let expected: String?
    /// What was probably meant, as the file would write it.
    public let suggestion: String?

    init(
        _ code: Code,
        file: String,
        at position: YAMLPosition = YAMLPosition(line: 1, column: 1),
        found: String,
        expected: String? = nil,
        suggestion: String? = nil
    ) {
        self.code = code
        self.file = file
        line = position.line
        column = position.column
        self.found = found
        self.expected = expected
        self.suggestion = suggestion
    }

    /// A problem that the text has before anybody asks what it says.
    init(_ problem: YAMLProblem) {
        self.init(Code(problem.code), file: problem.file, at: problem.position, found: problem.message)
    }
}

extension RuleProblem: CustomStringConvertible {
    /// `file:line:column`.
    public var place: String { "\(file):\(line):\(column)" }

    /// What was found, what was expected and what was probably meant, on one line.
    public var message: String {
        var text = found
        if let expected { text += ", expected \(expected)" }
        if let suggestion { text += "; did you mean \(suggestion)?" }
        return text
    }

    /// `file:line:column: message`, as editors and terminals understand it.
    public var description: String { "\(place): \(message)" }
}

extension RuleProblem.Code {
    fileprivate init(_ code: YAMLProblem.Code) {
        switch code {
        case .syntax, .content: self = .syntax
        case .tab: self = .tab
        case .invalidText: self = .invalidText
        case .duplicateKey: self = .duplicateKey
        case .keyNotText: self = .keyNotText
        case .anchor: self = .anchor
        case .alias: self = .alias
        case .tag: self = .tag
        case .secondDocument: self = .secondDocument
        case .tooDeep: self = .tooDeep
        case .tooLarge: self = .tooLarge
        }
    }
}

/// All that is wrong in a rules folder, in the order of the files and their lines; at least one problem.
public struct RuleFilesError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problems.
    public let problems: [RuleProblem]

    init(_ problems: [RuleProblem]) {
        self.problems = problems
    }

    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
