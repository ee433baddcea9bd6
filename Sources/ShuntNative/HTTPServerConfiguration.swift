/// Where and within which bounds an `HTTPServer` serves.
public struct HTTPServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address, without brackets.
    public var address: String
    /// The port; 0 takes a free one.
    public var port: UInt16
    /// Number of loop threads; nil means one per active core.
    public var loops: Int?
    /// Connections held at a time, over all loops; further ones wait in the listen queue.
    public var maximumConnections = 8192
    /// Connections held at a time per remote address; nil means no bound.
    public var maximumConnectionsPerAddress: Int?
    /// Bytes of request line and header fields together; beyond it 431, and 414 if the target alone is too long. Each
    /// field costs memory besides, so that a head near the bound may have a few fields only.
    public var maximumHeaderBytes = 6144
    /// The whole request, head and body, must have arrived within this time of its first line (for the first request of
    /// a connection: of the connection). Parked requests are exempt.
    public var requestDeadlineMs: Int64 = 10_000
    /// A connection that has had its reply is closed unless another request begins within this time.
    public var idleTimeoutMs: Int64 = 75_000
    /// A reply must have been taken by the client within this time.
    public var replyDeadlineMs: Int64 = 60_000
    /// A stream whose client hasn't taken a chunk within this time of its buffers being full is ended; so is one whose
    /// client's host doesn't acknowledge for twice as long what it's sent.
    public var streamDrainDeadlineMs: Int64 = 30_000
    /// What the kernel is asked to hold for a stream's client that doesn't read; Linux takes twice as much, and counts
    /// what it needs around each chunk.
    public var streamBufferBytes = 8 << 10
    /// Bytes of request bodies held at a time, over all connections; beyond it 503 with `Retry-After`.
    public var maximumBufferedBodyBytes = 64 << 20
    /// How often parked requests are checked for clients that have left; streams notice it at once.
    public var parkedCheckIntervalSec = 20
    /// Renders the refusals that the transport makes by itself.
    public var refusal: @Sendable (HTTPRefusal) -> HTTPReply

    /// Bounds as documented with each property; `refusal` must give the status of its case.
    public init(
        address: String = "127.0.0.1",
        port: UInt16 = 0,
        refusal: @escaping @Sendable (HTTPRefusal) -> HTTPReply = plainRefusal
    ) {
        self.address = address
        self.port = port
        self.refusal = refusal
    }

    /// A refusal without a body.
    public static func plainRefusal(_ refusal: HTTPRefusal) -> HTTPReply {
        HTTPReply(status: refusal.status, headers: refusal == .overloaded ? [("Retry-After", "1")] : [])
    }
}
