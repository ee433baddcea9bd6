internal import ShuntNative
internal import ShuntSchema

/// Reads single values with their limits, and says precisely what is wrong with one.
///
/// A text that must name something is trimmed of nothing and cut nowhere: two different names stay different.
struct FieldReader {
    /// Whether sizes are judged.
    var isLimited = true

    func name(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String
    ) throws(EventProblem) -> String? {
        try text(value, document, path(), limit: EventLimit.name)
    }

    func identifier(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String
    ) throws(EventProblem) -> String? {
        try text(value, document, path(), limit: EventLimit.identifier)
    }

    /// A text of at most `limit` bytes; an empty one is the same as none.
    func text(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String,
        limit: Int
    ) throws(EventProblem) -> String? {
        guard let count = document.utf8Count(of: value) else {
            throw EventProblem(.wrongType, at: path(), "expected a string")
        }
        guard count <= limit || !isLimited else {
            throw EventProblem(.tooLong, at: path(), "expected at most \(limit) bytes, found \(count)")
        }
        return count == 0 ? nil : document.string(of: value)
    }

    /// A part of an error's key: a string, or an integer of any size that is kept as it was written.
    func errorKey(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String
    ) throws(EventProblem) -> String? {
        if let number = document.numberText(of: value),
            number.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        {
            guard number.utf8.count <= EventLimit.errorKey else {
                throw EventProblem(.tooLong, at: path(), "expected at most \(EventLimit.errorKey) digits")
            }
            return number
        }
        guard document.kind(of: value) == .string else {
            throw EventProblem(.wrongType, at: path(), "expected a string or an integer")
        }
        return try text(value, document, path(), limit: EventLimit.errorKey)
    }

    /// Free text; what is longer than the limit is cut.
    func prose(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String,
        limit: Int
    ) throws(EventProblem) -> String? {
        guard let text = document.string(of: value) else {
            throw EventProblem(.wrongType, at: path(), "expected a string")
        }
        if text.isEmpty { return nil }
        return isLimited ? text.cut(toUTF8: limit) : text
    }

    func integer(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String,
        in range: ClosedRange<Int64>
    ) throws(EventProblem) -> Int64 {
        guard document.kind(of: value) == .integer, let number = document.int64(of: value) else {
            throw EventProblem(.wrongType, at: path(), "expected a whole number that fits 64 bits")
        }
        guard range.contains(number) else {
            throw EventProblem(
                .outOfRange,
                at: path(),
                "expected \(range.lowerBound) to \(range.upperBound), found \(number)"
            )
        }
        return number
    }

    func time(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String
    ) throws(EventProblem) -> Timestamp {
        // An offset can lead out of the years that can be written and read again.
        guard let text = document.string(of: value), let time = Timestamp(rfc3339: text),
            EventLimit.times.contains(time)
        else {
            throw EventProblem(.invalidTime, at: path(), "expected an RFC 3339 time such as 2026-11-30T04:49:00.123Z")
        }
        return time
    }

    /// One of an enumeration's cases; `words` holds them in the order of `allCases`.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String,
        of words: borrowing JSONVocabulary
    ) throws(EventProblem) -> Choice where Choice.AllCases == [Choice] {
        guard let number = document.stringNumber(of: value, in: words) else {
            guard document.kind(of: value) == .string else {
                throw EventProblem(.wrongType, at: path(), "expected a string")
            }
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw EventProblem(.unknownValue, at: path(), "expected one of \(choices)")
        }
        return Choice.allCases[number]
    }

    /// A value without structure. Its path is made only for a problem.
    func scalar(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String
    ) throws(EventProblem) -> Scalar {
        switch document.kind(of: value) {
        case .null: return .null
        case .bool: return .bool(document.bool(of: value) ?? false)
        case .integer: return .integer(document.int64(of: value) ?? 0)
        case .number:
            guard let number = document.double(of: value) else {
                throw EventProblem(.outOfRange, at: path(), "expected a number that a double can hold")
            }
            return .number(number)
        case .string:
            let text = document.string(of: value) ?? ""
            return .string(isLimited ? text.cut(toUTF8: EventLimit.contextValue) : text)
        case .array, .object:
            throw EventProblem(.wrongType, at: path(), "expected a string, number, truth value or null")
        }
    }

    func expectObject(
        _ value: JSONValue,
        _ document: borrowing JSONDocument,
        _ path: @autoclosure () -> String
    ) throws(EventProblem) {
        guard document.kind(of: value) == .object else {
            throw EventProblem(.wrongType, at: path(), "expected an object")
        }
    }
}

extension String {
    /// The text, cut so that it takes at most that many bytes, between two Unicode scalars.
    ///
    /// Not between two characters: one of those can be as long as the whole text, and finding where it begins takes
    /// so long that a hostile text would stop a thread.
    func cut(toUTF8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: max(0, limit))
        // A byte 10xxxxxx continues a scalar.
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
