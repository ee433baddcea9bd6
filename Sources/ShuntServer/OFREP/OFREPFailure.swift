internal import ShuntNative
internal import ShuntSchema

/// An error that the protocol has a word for.
struct OFREPFailure: Error, Equatable {
    /// The protocol's words.
    enum Code: String, CaseIterable {
        /// The body isn't JSON.
        case parseError = "PARSE_ERROR"
        /// The body has no context, or one of another form.
        case invalidContext = "INVALID_CONTEXT"
        /// There is no such switch.
        case flagNotFound = "FLAG_NOT_FOUND"
    }

    var code: Code
    /// One sentence: what is wrong, and what was expected.
    var details: String

    init(_ code: Code, _ details: String) {
        self.code = code
        self.details = details
    }

    /// The answer; one about a single flag names it.
    func reply(key: String?) -> HTTPReply {
        var writer = JSONWriter(capacity: 160)
        writer.beginObject()
        writer.field("key", key)
        writer.field("errorCode", code.rawValue)
        writer.field("errorDetails", details)
        writer.endObject()
        return HTTPReply(
            status: code == .flagNotFound ? 404 : 400,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + CrossOrigin.fields,
            body: writer.bytes
        )
    }
}

extension Problem {
    /// The problem as the protocol's `generalErrorResponse`: its clients read `errorDetails` and no other form.
    var ofrepReply: HTTPReply {
        var writer = JSONWriter(capacity: 160)
        writer.beginObject()
        writer.field("errorDetails", detail)
        writer.endObject()
        let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return HTTPReply(status: status, headers: fields + headers, body: writer.bytes)
    }
}
