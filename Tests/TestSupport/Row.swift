public import Testing

/// A named row of a table of cases.
public struct Row<Value: Sendable>: Sendable, CustomTestStringConvertible {
    /// What the case is about.
    public let name: String
    /// The case.
    public let value: Value

    /// A row.
    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// Its name.
    public var testDescription: String { name }
}
