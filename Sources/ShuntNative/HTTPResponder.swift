/// The handle of one parked request. Equal only to itself; a value, cheap to copy.
public struct HTTPResponder: Sendable, Hashable {
    /// Answers the request, from any thread. The first call counts; later ones, and those for a request that has
    /// ended otherwise, are ignored.
    public func complete(_ reply: HTTPReply) {}

    /// Answers many requests with one wake-up per loop.
    public static func complete(_ completions: [(responder: HTTPResponder, reply: HTTPReply)]) {}

    /// Whether the request still waits for an answer.
    public var isWaiting: Bool { false }

    /// Two responders are equal if they stand for the same request.
    public static func == (left: HTTPResponder, right: HTTPResponder) -> Bool { true }

    /// Hashes the identity of the request.
    public func hash(into hasher: inout Hasher) {}
}
