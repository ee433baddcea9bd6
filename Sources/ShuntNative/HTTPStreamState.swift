/// What a loop keeps for one stream: the rest of the chunk that is being sent, and at most one more, the newest.
struct HTTPStreamState {
    /// Whether chunks are framed.
    let isChunked: Bool
    /// The bytes that were begun and aren't in the kernel's buffer yet.
    private(set) var rest: ArraySlice<UInt8>
    private var newest: HTTPStreamChunk?
    /// When `newest` may be sent.
    private var newestDue = HTTPDeadlines.never
    private let keepAlive: HTTPStreamChunk
    private let keepAliveNanoseconds: Int64
    private var keepAliveDue: Int64
    /// By when `rest` must be gone; never while the kernel takes all.
    private(set) var drainDeadline = HTTPDeadlines.never

    init(_ reply: HTTPStreamReply, isChunked: Bool, now: Int64) {
        self.isChunked = isChunked
        rest = reply.head(isChunked: isChunked) + reply.first.bytes(isChunked: isChunked)
        keepAlive = reply.keepAlive
        keepAliveNanoseconds = max(1, reply.keepAliveIntervalMs) * 1_000_000
        keepAliveDue = now + keepAliveNanoseconds
    }

    /// Whether the client takes less than it's sent.
    var isBlocked: Bool { drainDeadline != HTTPDeadlines.never }

    /// When the loop has to look again.
    var deadline: Int64 {
        isBlocked ? drainDeadline : min(newestDue, keepAliveDue)
    }

    /// Takes a chunk, in place of one that wasn't begun. That one's time holds then, so that chunks in close order
    /// can't put each other off.
    mutating func offer(_ chunk: HTTPStreamChunk, notBefore: Int64) {
        newestDue = newest == nil ? notBefore : min(newestDue, notBefore)
        newest = chunk
    }

    /// The bytes to be sent now; empty when there are none.
    mutating func bytes(now: Int64) -> ArraySlice<UInt8> {
        guard rest.isEmpty else { return rest }
        if let chunk = newest, newestDue <= now {
            newest = nil
            newestDue = HTTPDeadlines.never
            begin(chunk, now: now)
        } else if keepAliveDue <= now {
            begin(keepAlive, now: now)
        }
        return rest
    }

    /// The kernel has taken so many bytes.
    mutating func sent(_ count: Int) {
        rest = rest.dropFirst(count)
        if rest.isEmpty { drainDeadline = HTTPDeadlines.never }
    }

    /// The kernel takes no more. Whoever takes a few bytes now and then gains no time by it.
    mutating func block(until deadline: Int64) {
        if !isBlocked { drainDeadline = deadline }
    }

    private mutating func begin(_ chunk: HTTPStreamChunk, now: Int64) {
        rest = chunk.bytes(isChunked: isChunked)
        keepAliveDue = now + keepAliveNanoseconds
    }
}
