internal import ShuntNative
internal import ShuntSchema

/// An error for a client: RFC 9457 `application/problem+json`, with a stable `code`.
struct Problem: Error {
    var status: Int
    /// Stable; scripts may rely on it.
    var code: String
    /// One sentence: what is wrong, and what was expected.
    var detail: String
    var headers: [(name: String, value: String)] = []
    /// The byte of the body at which reading stopped.
    var offset: Int?
    var rejections: [IntakeBatch.Rejection] = []
    /// What is wrong in rule files.
    var ruleProblems: [RuleProblem] = []

    init(_ status: Int, _ code: String, _ detail: String, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    /// One that a client may try again in so many seconds.
    static func retryLater(_ status: Int, _ code: String, _ detail: String, afterSec: Int = 1) -> Problem {
        Problem(status, code, detail, headers: [("Retry-After", String(afterSec))])
    }

    var reply: HTTPReply {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("type", "about:blank")
        writer.field("title", Self.title(status))
        writer.field("status", status)
        writer.field("code", code)
        writer.field("detail", detail)
        writer.field("offset", offset)
        if !ruleProblems.isEmpty {
            writer.key("problems")
            writer.write(ruleProblems)
        }
        if !rejections.isEmpty {
            writer.key("rejected")
            writer.write(rejections)
        }
        writer.endObject()
        let fields = [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]
        return HTTPReply(status: status, headers: fields + headers, body: writer.bytes)
    }

    /// The one table from the transport's own refusals to problems.
    static func of(_ refusal: HTTPRefusal) -> Problem {
        switch refusal {
        case .malformed: Problem(400, "malformedRequest", "the request's framing or a header field is malformed")
        case .tooSlow: Problem(408, "tooSlow", "the request didn't arrive within its time")
        case .bodyTooLarge: Problem(413, "bodyTooLarge", "the body is larger than this address takes")
        case .targetTooLong: Problem(414, "targetTooLong", "the request's address is too long")
        case .headTooLarge: Problem(431, "headTooLarge", "the request's header fields are too large")
        case .overloaded: .retryLater(503, "overloaded", "too much is being received at the moment")
        }
    }

    /// Rule files that can't be put in force.
    static func of(_ error: RuleFilesError) -> Problem {
        let count = error.problems.count == 1 ? "1 problem" : "\(error.problems.count) problems"
        var problem = Problem(422, "rulesInvalid", "the rule files have \(count); the rules in force stay")
        problem.ruleProblems = error.problems
        return problem
    }

    /// The one table from intake's errors to problems.
    static func of(_ error: IntakeError) -> Problem {
        switch error {
        case .unreadable(let error) where error.code == .outOfMemory:
            return .retryLater(503, "overloaded", "there is no memory to read this now; nothing of it was taken")
        case .unreadable(let error):
            var problem = Problem(400, "invalidJSON", error.description)
            problem.offset = error.offset
            return problem
        case .wrongShape(let expected): return Problem(422, "wrongShape", expected)
        case .tooManyEvents(let limit):
            return Problem(413, "tooManyEvents", "expected at most \(limit) events in a batch")
        }
    }

    private static func title(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        default: "Error"
        }
    }
}

extension JSONWriter {
    /// Writes rejections as `POST /v1/events` reports them.
    mutating func write(_ rejections: [IntakeBatch.Rejection]) {
        beginArray()
        for rejection in rejections {
            beginObject()
            field("index", rejection.index)
            field("pointer", rejection.problem.pointer)
            field("code", rejection.problem.code.rawValue)
            field("detail", rejection.problem.detail)
            endObject()
        }
        endArray()
    }
}
