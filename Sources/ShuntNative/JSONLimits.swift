/// What one JSON document may ask of the parser; checked before memory is spent.
public struct JSONLimits: Equatable, Sendable {
    /// How deep containers may be nested; a bare `{}` has depth 1. 1 to 512.
    public var depth: Int
    /// How many values a document may hold, containers included. Each costs 40 bytes.
    public var values: Int
    /// How many bytes a document may have. At most 1 GiB.
    public var bytes: Int
    /// Whether strings and keys may contain an escaped NUL. A raw NUL is always refused.
    public var allowsEscapedNUL: Bool

    /// Limits that fit a full batch of events.
    public init(depth: Int = 16, values: Int = 262_144, bytes: Int = 8 << 20, allowsEscapedNUL: Bool = false) {
        self.depth = max(1, min(depth, 512))
        self.values = max(1, min(values, 1 << 28))
        self.bytes = max(0, min(bytes, 1 << 30))
        self.allowsEscapedNUL = allowsEscapedNUL
    }
}
