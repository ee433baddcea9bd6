/// What the transport serves: it knows requests, replies, parked requests and streams, and nothing of their meaning.
///
/// All calls come from loop threads, several at a time, and must not block.
public protocol HTTPApplication: Sendable {
    /// Judges a request by its head, before any of its body is read.
    func admit(_ head: HTTPRequestHead) -> HTTPAdmission

    /// Answers a whole request, parks it, or begins a stream.
    ///
    /// `responder` is needed only for the last two; it may be handed to other threads before this returns.
    func respond(to request: HTTPRequest, responder: HTTPResponder) -> HTTPOutcome

    /// Says that a parked request ended without `complete`: its client left, its time ran out, or the server stops; or
    /// that a stream ended.
    func ended(_ responder: HTTPResponder, reason: HTTPParkedEnd)
}

extension HTTPApplication {
    /// Does nothing.
    public func ended(_ responder: HTTPResponder, reason: HTTPParkedEnd) {}
}

/// The verdict on a request's head.
public enum HTTPAdmission: Sendable {
    /// Reads the body, up to this many bytes as sent; a longer one, declared or streamed, is refused with 413.
    case accept(maximumBodyBytes: Int)
    /// Answers at once. If the request has a body, it isn't read, and the connection closes after the reply.
    case refuse(HTTPReply)
}

/// What becomes of a whole request.
public enum HTTPOutcome: Sendable {
    /// Answered.
    case reply(HTTPReply)
    /// Begun; what its responder is brought goes on with it.
    case stream(HTTPStreamReply)
    /// Held until its responder is completed; at the deadline (monotonic, of `HTTPClock`) `timeoutReply` is sent.
    case parked(deadlineNanoseconds: Int64, timeoutReply: HTTPReply)
}

/// Why a parked request ended without being completed by the application, or a stream ended.
public enum HTTPParkedEnd: Sendable, Hashable, CaseIterable {
    /// The client closed or reset its connection.
    case clientLeft
    /// The deadline came; the time-out reply was sent.
    case deadline
    /// The client of a stream didn't take what it was sent.
    case tooSlow
    /// The server is stopping; the time-out reply, or the end of the stream, was sent.
    case stopping
}

/// Why the transport refuses a request by itself.
public enum HTTPRefusal: Sendable, Hashable, CaseIterable {
    /// The framing or a header field is malformed or ambiguous: 400.
    case malformed
    /// The request didn't arrive within its deadline: 408.
    case tooSlow
    /// The body is longer than admitted: 413.
    case bodyTooLarge
    /// The request target is too long: 414.
    case targetTooLong
    /// The head is larger than configured: 431.
    case headTooLarge
    /// Too many bytes of bodies are held at the moment, or the server is stopping: 503.
    case overloaded

    /// The status code of the refusal.
    public var status: Int {
        switch self {
        case .malformed: 400
        case .tooSlow: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .headTooLarge: 431
        case .overloaded: 503
        }
    }
}
