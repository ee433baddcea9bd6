/// The place of a value in a `JSONDocument`: a number, cheap to copy, read through the document.
public struct JSONValue: Hashable, Sendable {
    let index: UInt32
}

/// What a JSON value is.
public enum JSONKind: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool
    /// A number written without fraction and exponent that fits `Int64`.
    case integer
    /// Any other number, integers beyond `Int64` included.
    case number
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object
}

/// The values inside an array or object, in order; ask `next(in:)` until it is nil.
///
///     var members = document.children(of: document.root)
///     while let member = members.next(in: document) { … }
public struct JSONChildren: Sendable {
    var index: UInt32
    let end: UInt32

    /// The next value, which carries its key if it is inside an object.
    @inline(__always)
    public mutating func next(in document: borrowing JSONDocument) -> JSONValue? {
        guard index < end else { return nil }
        let value = JSONValue(index: index)
        index = document.successor(of: value)
        return value
    }
}
