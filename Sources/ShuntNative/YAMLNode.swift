/// A place in a text file, both counted from 1; columns count characters, as editors do.
public struct YAMLPosition: Hashable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// A place in a text file.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// A value of a YAML file, with the place where it starts.
public struct YAMLNode: Equatable, Sendable {
    /// What a node is.
    public indirect enum Content: Equatable, Sendable {
        /// A text. Only a plain one may mean a number, a truth value or nothing; `"05"` is a text.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([YAMLNode])
        /// Keys and values in their order, no key twice.
        case mapping([YAMLEntry])
    }

    /// What the node is.
    public let content: Content
    /// Where it starts.
    public let position: YAMLPosition

    /// A node at a place.
    public init(_ content: Content, at position: YAMLPosition) {
        self.content = content
        self.position = position
    }
}

/// A key of a mapping with its value.
public struct YAMLEntry: Equatable, Sendable {
    /// The key's text.
    public let key: String
    /// Whether the key was written without quotes: a plain `5` was perhaps meant as a number.
    public let isPlain: Bool
    /// Where the key starts.
    public let keyPosition: YAMLPosition
    /// The value.
    public let value: YAMLNode

    /// A key with its value.
    public init(key: String, isPlain: Bool = true, at keyPosition: YAMLPosition, value: YAMLNode) {
        self.key = key
        self.isPlain = isPlain
        self.keyPosition = keyPosition
        self.value = value
    }
}

extension YAMLNode {
    /// The text of a scalar, plain or quoted.
    public var text: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    /// The elements of a sequence.
    public var elements: [YAMLNode]? {
        guard case .sequence(let elements) = content else { return nil }
        return elements
    }

    /// The entries of a mapping.
    public var entries: [YAMLEntry]? {
        guard case .mapping(let entries) = content else { return nil }
        return entries
    }

    /// The value of a mapping's key; nil if there is none or the node isn't a mapping.
    public subscript(key: String) -> YAMLNode? {
        entries?.first { $0.key == key }?.value
    }

    /// Whether the node is nothing: an absent value, `~` or `null`, not quoted (YAML 1.2 core schema).
    public var isNull: Bool {
        guard let plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(plain)
    }

    /// A plain `true` or `false`. `yes` and `on` are texts, as in YAML 1.2.
    public var bool: Bool? {
        switch plain {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// A plain decimal integer without leading zeros, which would make it a code and not a number.
    public var int64: Int64? {
        guard let plain, let value = Int64(plain), String(value) == plain else { return nil }
        return value
    }

    /// Whether the node is a scalar without quotes.
    public var isPlain: Bool { plain != nil }

    private var plain: String? {
        guard case .scalar(let text, isPlain: true) = content else { return nil }
        return text
    }
}
