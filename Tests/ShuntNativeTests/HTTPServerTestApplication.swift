import ShuntNative
import Synchronization

/// An application with a path for each thing that a transport must do.
final class HTTPServerTestApplication: HTTPApplication {
    /// The paths served, in order.
    private let servedPaths = Mutex<[String]>([])
    /// Responders as they are parked, or their streams begun.
    let parked: AsyncStream<HTTPResponder>
    private let parkedContinuation: AsyncStream<HTTPResponder>.Continuation
    /// Parked requests as they end by themselves.
    let endings: AsyncStream<HTTPParkedEnd>
    private let endingsContinuation: AsyncStream<HTTPParkedEnd>.Continuation

    private let maximumBodyBytes: Int
    private let parkMs: Int64
    private let keepAliveMs: Int64
    private let document = HTTPReply(
        status: 200,
        headers: [("Content-Type", "application/json"), ("ETag", "\"v1\""), ("Cache-Control", "max-age=5")],
        body: Array("{\"state\":\"normal\"}".utf8)
    )
    private let notModified: HTTPReply
    private let large = HTTPReply(status: 200, body: Array(repeating: 0x78, count: 4 << 20))

    init(maximumBodyBytes: Int = 1 << 20, parkMs: Int64 = 60_000, keepAliveMs: Int64 = 15_000) {
        self.maximumBodyBytes = maximumBodyBytes
        self.parkMs = parkMs
        self.keepAliveMs = keepAliveMs
        notModified = .notModified(document)
        (parked, parkedContinuation) = AsyncStream.makeStream()
        (endings, endingsContinuation) = AsyncStream.makeStream()
    }

    var served: [String] { servedPaths.withLock { $0 } }

    func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        head.path == "/forbidden" ? .refuse(HTTPReply(status: 403)) : .accept(maximumBodyBytes: maximumBodyBytes)
    }

    func respond(to request: HTTPRequest, responder: HTTPResponder) -> HTTPOutcome {
        let head = request.head
        servedPaths.withLock { $0.append(head.path) }
        switch head.path {
        case "/document":
            return .reply(head.header("if-none-match") == "\"v1\"" ? notModified : document)
        case "/empty":
            return .reply(HTTPReply(status: 204))
        case "/large":
            return .reply(large)
        case "/park":
            parkedContinuation.yield(responder)
            return park()
        case "/stream":
            parkedContinuation.yield(responder)
            return .stream(stream)
        case "/pushedEarly":
            HTTPResponder.deliver([HTTPDelivery(responder, .chunk(HTTPStreamChunk(Array("early;".utf8))))])
            return .stream(stream)
        case "/completedEarly":
            responder.complete(HTTPReply(status: 200, body: Array("early".utf8)))
            return park()
        default:
            let query = head.queryPairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            let text = "\(head.method) \(head.path) [\(query)] \(request.body.count)"
            return .reply(HTTPReply(status: 200, body: Array(text.utf8)))
        }
    }

    func ended(_ responder: HTTPResponder, reason: HTTPParkedEnd) { endingsContinuation.yield(reason) }

    private var stream: HTTPStreamReply {
        HTTPStreamReply(
            headers: [("Content-Type", "text/event-stream")],
            first: HTTPStreamChunk(Array("first;".utf8)),
            keepAlive: HTTPStreamChunk(Array(":".utf8)),
            keepAliveIntervalMs: keepAliveMs
        )
    }

    private func park() -> HTTPOutcome {
        .parked(
            deadlineNanoseconds: HTTPClock.nowNanoseconds + parkMs * 1_000_000,
            timeoutReply: HTTPReply(status: 304)
        )
    }
}

/// Runs a server on a free port around a test.
func withHTTPServer(
    maximumBodyBytes: Int = 1 << 20,
    parkMs: Int64 = 60_000,
    keepAliveMs: Int64 = 15_000,
    configure: (inout HTTPServerConfiguration) -> Void = { _ in },
    _ body: (HTTPServer, HTTPServerTestApplication) async throws -> Void
) async throws {
    var configuration = HTTPServerConfiguration()
    configuration.loops = 2
    configure(&configuration)
    let application = HTTPServerTestApplication(
        maximumBodyBytes: maximumBodyBytes,
        parkMs: parkMs,
        keepAliveMs: keepAliveMs
    )
    let server = try HTTPServer(configuration: configuration, application: application)
    try server.start()
    defer { server.stop(drainMs: 0) }
    try await body(server, application)
}
