internal import ShuntNative
internal import ShuntSchema

/// Parameters that pages share.
struct LookQuery: Sendable {
    let head: HTTPRequestHead

    init(_ head: HTTPRequestHead) {
        self.head = head
    }

    /// A name; nil where it isn't given.
    func text(_ name: String, limit: Int) throws(Problem) -> String? {
        guard let value = head.query(name) else { return nil }
        // No event can hold a NUL, nor could readers like ours read it in the answer.
        guard !value.isEmpty, value.utf8.count <= limit, !value.utf8.contains(0) else {
            throw problem(name, "1 to \(limit) bytes, none of them NUL")
        }
        return value
    }

    /// A whole number within bounds.
    func number(_ name: String, _ bounds: ClosedRange<Int>, default value: Int) throws(Problem) -> Int {
        guard let text = head.query(name) else { return value }
        guard let number = Int(text), bounds.contains(number) else {
            throw problem(name, "\(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }

    /// One of a closed list of words.
    func word<Word: RawRepresentable & CaseIterable>(_ name: String, _: Word.Type) throws(Problem) -> Word?
    where Word.RawValue == String {
        guard let text = head.query(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw problem(name, "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// An earlier answer's `nextCursor`, which is a number.
    func cursor() throws(Problem) -> UInt64? {
        guard let text = head.query("cursor") else { return nil }
        guard let number = UInt64(text) else { throw problem("cursor", "the nextCursor of an answer") }
        return number
    }

    private func problem(_ name: String, _ expected: String) -> Problem {
        Problem(400, "invalid\(name.prefix(1).uppercased())\(name.dropFirst())", "expected \(name) to be \(expected)")
    }

    /// A JSON answer that nobody keeps.
    static func reply(_ writer: JSONWriter) -> HTTPReply {
        let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return HTTPReply(status: 200, headers: fields, body: writer.bytes)
    }
}
