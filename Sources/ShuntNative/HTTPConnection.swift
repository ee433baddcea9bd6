/// What a loop knows of one connection, and of the request that it carries. Touched by the loop's thread only.
@safe
final class HTTPConnection {
    /// Where the request stands.
    enum Phase {
        /// Between requests, or before the first. → `head`
        case idle
        /// The request line is there. → `body`, `whole`, `answered`, `replying`, `closing`
        case head
        /// The head was admitted and the body is being read. → `replying`, `parked`, `streaming`, `closing`
        case body
        /// The head was admitted and there is no body. → `replying`, `parked`, `streaming`, `closing`
        case whole
        /// Refused by its head, and there is no body; the reply is sent at the next call, because one that is queued at
        /// the first call forces the connection to close. → `replying`
        case answered
        /// Waits for its responder. → `resumed`, `closing`
        case parked
        /// Has the head of its reply, and gets chunks. → `closing`
        case streaming
        /// Its reply is there, and the library is told to go on. → `replying`
        case resumed
        /// The reply is queued. → `idle`
        case replying
        /// To be closed without a (further) reply.
        case closing
    }

    /// The library's connection.
    let handle: OpaquePointer
    /// The socket; the library's, to be looked at and shut down only.
    let descriptor: Int32
    /// The index of the connection within its loop.
    let slot: Int
    /// The peer.
    let remoteAddress: HTTPRemoteAddress

    var phase = Phase.idle
    /// The number of the request.
    var ticket: UInt64 = 0
    /// The target; nil if it was malformed.
    var target: HTTPTarget?
    /// The length of the target as sent.
    var targetLength = 0
    /// The head, from its admission on.
    var head: HTTPRequestHead?
    /// The body so far.
    var body: [UInt8] = []
    /// How long it may become.
    var maximumBodyBytes = 0
    /// The reply that is to be queued at the next call; while parked, the one whose time hasn't come.
    var reply: HTTPReply?
    /// The reply if the parked request's deadline comes.
    var timeoutReply: HTTPReply?
    /// The stream, while it lasts.
    var stream: HTTPStreamState?
    /// Whether the connection carries a stream, or did; it carries nothing afterwards.
    var isStream = false
    /// Whether the peer may still be sending when the connection is closed. The socket is then read to its end for a
    /// while: closing it with unread bytes makes the kernel reset the connection, and the peer may lose the reply.
    var lingers = false

    init(handle: OpaquePointer, descriptor: Int32, slot: Int, remoteAddress: HTTPRemoteAddress) {
        unsafe self.handle = handle
        self.descriptor = descriptor
        self.slot = slot
        self.remoteAddress = remoteAddress
    }

    /// Forgets the request.
    func reset() {
        phase = .idle
        target = nil
        head = nil
        body = []
        reply = nil
        timeoutReply = nil
    }
}
