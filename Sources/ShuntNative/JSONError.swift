/// Why a JSON document was refused: what, at which byte, and what would have been right.
public struct JSONError: Error, Equatable, Sendable {
    /// The closed list of reasons; the raw values are stable and may be shown to clients.
    public enum Code: String, CaseIterable, Sendable {
        /// There is nothing but white space.
        case empty
        /// The document starts with a byte order mark.
        case byteOrderMark
        /// The document has more bytes than the limit.
        case tooLarge
        /// Containers are nested deeper than the limit.
        case tooDeep
        /// There are more values than the limit.
        case tooManyValues
        /// A byte sequence isn't UTF-8.
        case invalidUTF8
        /// The document ends in the middle of a value.
        case unexpectedEnd
        /// A byte stands where the grammar wants another.
        case unexpectedByte
        /// A control character, or NUL, stands unescaped in a string.
        case controlCharacter
        /// A backslash is followed by something that isn't an escape.
        case invalidEscape
        /// An escaped surrogate has no partner.
        case loneSurrogate
        /// A string holds an escaped NUL and the limits don't allow it.
        case escapedNUL
        /// A number isn't written as JSON wants it.
        case invalidNumber
        /// An object has the same key twice, compared after unescaping.
        case duplicateKey
        /// Something follows the document.
        case trailingBytes
        /// The parser got no memory.
        case outOfMemory
    }

    /// The reason.
    public let code: Code
    /// The offending byte's position in the input, counted from 0.
    public let offset: Int
    /// What would have been right here, as half a sentence.
    public let expected: String

    /// An error of the given kind at the given byte.
    public init(_ code: Code, at offset: Int, expected: String) {
        self.code = code
        self.offset = offset
        self.expected = expected
    }
}

extension JSONError: CustomStringConvertible {
    /// One line for people.
    public var description: String { "\(code.rawValue) at byte \(offset): expected \(expected)" }
}
