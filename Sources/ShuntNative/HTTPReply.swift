/// A whole reply: status, header fields and body.
///
/// A reply is immutable and may be sent any number of times, from any loop: build one for an answer that repeats
/// (a switch document, its 304) and hand out the same instance; sending it again copies nothing.
/// `Date`, `Content-Length` and `Connection` are the transport's and mustn't be given.
public final class HTTPReply: Sendable {
    /// Status code, 200 to 599.
    public let status: Int
    /// Header fields in the order sent.
    public let headers: [(name: String, value: String)]
    /// The body; not sent with 204, 304 or in answer to `HEAD`.
    public let body: [UInt8]

    /// Builds a reply. A field whose name isn't a token, or whose value holds a control character, is a programmer's
    /// error and traps.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
