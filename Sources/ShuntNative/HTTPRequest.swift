/// A whole request.
public struct HTTPRequest: Sendable {
    /// Request line and header fields.
    public let head: HTTPRequestHead
    /// The body as sent (still with its content coding).
    public let body: [UInt8]
    /// When the last byte of the request was read, on `HTTPClock`.
    public let receivedAtNanoseconds: Int64

    /// Makes a request as if it had been received; for tests of an application.
    public init(head: HTTPRequestHead, body: [UInt8] = [], receivedAtNanoseconds: Int64 = 0) {
        self.head = head
        self.body = body
        self.receivedAtNanoseconds = receivedAtNanoseconds
    }
}
