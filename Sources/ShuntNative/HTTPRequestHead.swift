/// Request line and header fields of a request, copied out of the connection; valid for as long as it's held.
public struct HTTPRequestHead: Sendable {
    /// The method; `HEAD` shows as `.get` with `omitsBody`.
    public let method: HTTPMethod
    /// Whether the reply's body won't be sent (`HEAD`).
    public let omitsBody: Bool
    /// The path, percent-decoded, without the query; begins with `/` (or is `*`).
    public let path: String
    /// `Content-Length` as declared; nil with a chunked body or with none.
    public let declaredLength: Int?
    /// Whether a body follows, declared with a length above 0 or chunked.
    public let hasBody: Bool
    /// The peer of the TCP connection.
    public let remoteAddress: HTTPRemoteAddress

    /// The query as sent, without `?`.
    let rawQuery: [UInt8]
    /// Header fields as `name:value\n` each.
    let fields: [UInt8]

    /// Makes a head as if it had been received; for tests of an application.
    public init(
        method: HTTPMethod,
        target: String,
        headers: [(name: String, value: String)] = [],
        declaredLength: Int? = nil,
        remoteAddress: HTTPRemoteAddress = .loopback
    ) {
        fatalError()
    }

    /// The first value of a header field, without surrounding white space; names are compared without case.
    ///
    /// A field sent several times is joined with `, `, as RFC 9110 5.3 allows for lists.
    public func header(_ name: StaticString) -> String? { nil }

    /// The first value of a query parameter, percent-decoded (`+` is a space); nil if it isn't there.
    public func query(_ name: String) -> String? { nil }

    /// All query parameters, decoded, in order.
    public var queryPairs: [(name: String, value: String)] { [] }
}

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
