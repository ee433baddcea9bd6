internal import CCurl

/// A blocking HTTP client on libcurl. It keeps its connections open for the next request to the same host.
///
/// One transfer at a time; not to be shared between threads. Redirects aren't followed, only http and https are
/// spoken, certificates are checked, and loopback is never reached through a proxy.
public struct HTTPTransfer: ~Copyable {
    /// One header field, as sent or received.
    public struct Header: Equatable, Sendable {
        /// The field's name in its original case.
        public let name: String
        /// The value without white space around it.
        public let value: String

        /// A header field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What to ask.
    public struct Request: Sendable {
        /// The method, such as `GET`.
        public var method: String
        /// An absolute http or https URL, percent-encoded.
        public var url: String
        /// The fields to send. Host, length and connection are libcurl's business.
        public var headers: [Header]
        /// The body, if any.
        public var body: [UInt8]?
        /// The time for the whole transfer, in milliseconds, at least 1.
        public var timeoutMs: Int
        /// The time for name, connection and TLS, in milliseconds, at least 1.
        public var connectTimeoutMs: Int
        /// How big the response's body may be, in bytes.
        public var maximumResponseBytes: Int
        /// Which addresses may be connected to. With `publicOnly` no proxy is asked and the connection is a new one:
        /// through another's, nobody could say which address is reached.
        public var reach: AddressReach = .everywhere
        /// A file of certificates (PEM) that are trusted instead of the system's; nil for the system's.
        public var certificatesPath: String?

        /// A request with limits that fit one API call.
        public init(
            method: String = "GET",
            url: String,
            headers: [Header] = [],
            body: [UInt8]? = nil,
            timeoutMs: Int = 30_000,
            connectTimeoutMs: Int = 5_000,
            maximumResponseBytes: Int = 8 << 20
        ) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.timeoutMs = timeoutMs
            self.connectTimeoutMs = connectTimeoutMs
            self.maximumResponseBytes = maximumResponseBytes
        }
    }

    /// What came back; any status is a response.
    public struct Response: Equatable, Sendable {
        /// The status code.
        public let status: Int
        /// The fields of the final response in their order.
        public let headers: [Header]
        /// The body as it was sent.
        public let body: [UInt8]

        /// The value of the first field of that name, whose case doesn't matter.
        public func header(_ name: String) -> String? {
            let wanted = name.lowercased()
            return headers.first { $0.name.lowercased() == wanted }?.value
        }
    }

    private var handle: HTTPTransferHandle

    /// A client without connections.
    public init() { handle = HTTPTransferHandle() }

    /// Sends a request and waits for the whole response.
    ///
    /// When a kept connection turns out to be closed before any answer, libcurl sends the request again on a new one;
    /// so what must happen only once needs a key by which the server knows it.
    public mutating func perform(_ request: Request) throws(HTTPTransferError) -> Response {
        try HTTPTransferRules.check(request)
        handle.reset()
        handle.configure(request)
        var sink = HTTPTransferSink(maximumBytes: request.maximumResponseBytes)
        let result = handle.perform(sending: HTTPTransferRules.body(of: request), into: &sink)
        guard result == CURLE_OK, !sink.isOverfull, sink.isHeadComplete else { throw handle.error(result, sink) }
        return Response(status: handle.status, headers: sink.headers, body: sink.body)
    }
}
