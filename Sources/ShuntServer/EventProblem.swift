/// Why one event isn't taken; the others beside it are.
public struct EventProblem: Error, Equatable, Sendable {
    /// The kinds of faults; the raw value is the stable `code` of a rejection.
    public enum Code: String, CaseIterable, Sendable {
        /// A required member isn't there.
        case missing
        /// A member has another JSON type than expected.
        case wrongType
        /// A text isn't one of the values that are known.
        case unknownValue
        /// A text is longer than its limit.
        case tooLong
        /// A number is outside its range.
        case outOfRange
        /// A time isn't RFC 3339.
        case invalidTime
        /// More members than allowed.
        case tooMany
        /// The event is larger than an event may be.
        case tooLarge
        /// A line of NDJSON isn't JSON.
        case invalidJSON
    }

    /// Where: a JSON pointer (RFC 6901) within the event.
    public var pointer: String
    /// What kind of fault.
    public var code: Code
    /// What was expected, for a person.
    public var detail: String

    init(_ code: Code, at pointer: String, _ detail: String) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }
}
