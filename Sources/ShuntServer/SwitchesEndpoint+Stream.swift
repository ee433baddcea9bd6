internal import ShuntNative

extension SwitchesEndpoint {
    /// How long a stream says nothing until it says so: most proxies close what is silent for a minute.
    static let keepAliveIntervalMs: Int64 = 15_000
    /// How long clients wait before they connect again, each its own time, so that those whom a restart has cut off
    /// don't all come back at once.
    static let reconnectMs = 1_000...5_000

    /// The comment that keeps a stream alive.
    private static let keepAlive = HTTPStreamChunk(Array(":\n\n".utf8))

    /// `GET /v1/switches/stream`: tells of each version as it's published.
    func stream(_ head: HTTPRequestHead, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let environment = try Self.environment(head)
        switch board.openStream(environment: environment, responder: responder) {
        case nil: throw Self.notReady
        case .full:
            let afterSec = Int.random(in: 5...15)
            throw .retryLater(503, "tooManyStreams", "too many streams are open already; poll", afterSec: afterSec)
        case .open(let published):
            let reply = HTTPStreamReply(
                headers: [
                    ("Content-Type", "text/event-stream"),
                    ("Cache-Control", "no-store"),
                    // nginx holds back what it has no reason to send; this is its reason.
                    ("X-Accel-Buffering", "no"),
                ] + CrossOrigin.fields,
                first: published.greeting(retryMs: Int.random(in: Self.reconnectMs)),
                keepAlive: Self.keepAlive,
                keepAliveIntervalMs: Self.keepAliveIntervalMs
            )
            return .stream(reply)
        }
    }
}
