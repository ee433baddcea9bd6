/// The beginning of a reply that goes on: its head at once, then chunks as they come, until either side ends it.
///
/// The status is 200. `Date`, `Connection` and `Transfer-Encoding` are the transport's and mustn't be given. The
/// connection serves nothing after the stream. To a `HEAD` request only the head is sent; the stream then ends as if its
/// client had left.
public struct HTTPStreamReply: Sendable {
    /// Header fields in the order sent.
    public var headers: [(name: String, value: String)]
    /// What is sent with the head.
    public var first: HTTPStreamChunk
    /// What is sent when nothing else was for a while, so that proxies keep the connection and a dead peer is noticed.
    public var keepAlive: HTTPStreamChunk
    /// How long nothing is sent until `keepAlive` is.
    public var keepAliveIntervalMs: Int64

    /// Control characters in a field's value become spaces.
    public init(
        headers: [(name: String, value: String)],
        first: HTTPStreamChunk,
        keepAlive: HTTPStreamChunk,
        keepAliveIntervalMs: Int64
    ) {
        self.headers = headers
        self.first = first
        self.keepAlive = keepAlive
        self.keepAliveIntervalMs = keepAliveIntervalMs
    }

    /// The head as bytes on the wire.
    func head(isChunked: Bool) -> [UInt8] {
        HTTPReply.head(
            status: 200,
            headers: headers + (isChunked ? [(name: "Transfer-Encoding", value: "chunked")] : [])
        )
    }
}

/// Bytes for a stream, framed once and sent any number of times.
public struct HTTPStreamChunk: Sendable, Equatable {
    /// Length, bytes and line end, as RFC 9112 7.1 frames them.
    private let framed: [UInt8]
    private let headBytes: Int

    /// The chunk that ends a stream.
    static let last: [UInt8] = Array("0\r\n\r\n".utf8)

    /// An empty chunk would end the stream, so it traps.
    public init(_ bytes: [UInt8]) {
        precondition(!bytes.isEmpty, "a chunk without bytes")
        let head = Array("\(String(bytes.count, radix: 16))\r\n".utf8)
        headBytes = head.count
        framed = head + bytes + [0x0d, 0x0a]
    }

    /// The bytes on the wire; a client of HTTP/1.0 gets them without a frame.
    func bytes(isChunked: Bool) -> ArraySlice<UInt8> {
        isChunked ? framed[...] : framed[headBytes..<framed.count - 2]
    }
}

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
