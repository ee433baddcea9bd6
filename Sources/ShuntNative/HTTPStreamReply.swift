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

    /// Control characters in a field's value become spaces. A name that isn't a token traps.
    public init(
        headers: [(name: String, value: String)],
        first: HTTPStreamChunk,
        keepAlive: HTTPStreamChunk,
        keepAliveIntervalMs: Int64
    ) {
        precondition(headers.allSatisfy { $0.name.utf8.allSatisfy(HTTPBytes.isToken) }, "not the name of a field")
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
