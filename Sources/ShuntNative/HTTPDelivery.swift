/// Something for a request that waits: the reply to a parked one, or the next chunk of a stream.
public struct HTTPDelivery: Sendable {
    /// What is brought.
    public enum Content: Sendable {
        /// Answers a parked request. The first counts.
        case reply(HTTPReply)
        /// Goes on with a stream. A chunk that the client hasn't begun to get is replaced by the next one: the newest
        /// is all that a slow client gets, and all that is kept for it.
        case chunk(HTTPStreamChunk)
    }

    /// Whom it's for.
    public var responder: HTTPResponder
    /// What it is.
    public var content: Content
    /// Not sent before this time of `HTTPClock`.
    public var notBeforeNanoseconds: Int64

    /// Something to be sent at once, or not before a time.
    public init(_ responder: HTTPResponder, _ content: Content, notBeforeNanoseconds: Int64 = 0) {
        self.responder = responder
        self.content = content
        self.notBeforeNanoseconds = notBeforeNanoseconds
    }
}
