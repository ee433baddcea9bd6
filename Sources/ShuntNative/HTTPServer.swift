internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// An HTTP/1.1 server on one listening socket, with a loop thread per core.
public final class HTTPServer: Sendable {
    /// The port bound.
    public let port: UInt16

    private let shared: HTTPShared
    private let mailboxes: [HTTPMailbox]
    private let lifecycle: Mutex<Lifecycle>

    /// What a start needs and a stop ends.
    private struct Lifecycle: ~Copyable {
        /// The listening socket, until the loops have their own descriptors of it.
        var listener: HTTPListener?
        var threads: [pthread_t] = []
    }

    /// Binds and listens; serves only after `start`.
    public init(configuration: HTTPServerConfiguration, application: any HTTPApplication) throws(HTTPServerError) {
        let listener = try HTTPListener(address: configuration.address, port: configuration.port)
        var mailboxes: [HTTPMailbox] = []
        for _ in 0..<max(1, configuration.loops ?? Self.activeCores) { mailboxes.append(try HTTPMailbox()) }
        port = listener.port
        shared = HTTPShared(configuration: configuration, application: application)
        self.mailboxes = mailboxes
        lifecycle = Mutex(Lifecycle(listener: listener))
    }

    deinit {
        stop(drainMs: 0)
    }

    /// Connections held now.
    public var connectionCount: Int { shared.connectionCount }

    /// Bytes of request bodies held now.
    public var bufferedBodyBytes: Int { shared.buffered }

    /// Starts the loop threads. Once only; later calls, and those after `stop`, do nothing.
    public func start() throws(HTTPServerError) {
        let limit = max(1, (shared.configuration.maximumConnections + mailboxes.count - 1) / mailboxes.count)
        let failure = lifecycle.withLock { lifecycle -> HTTPServerError? in
            guard let listener = lifecycle.listener.take() else { return nil }
            do throws(HTTPServerError) {
                var loops: [HTTPLoop] = []
                for mailbox in mailboxes {
                    let descriptor = try listener.descriptor.duplicate()
                    loops.append(
                        try HTTPLoop(shared: shared, mailbox: mailbox, listener: descriptor, connectionLimit: limit)
                    )
                }
                for loop in loops { lifecycle.threads.append(try Self.startThread(loop)) }
                return nil
            } catch {
                return error
            }
        }
        if let failure {
            stop(drainMs: 0)
            throw failure
        }
    }

    /// Stops accepting, finishes the requests in flight within `drainMs`, answers parked ones with their time-out reply,
    /// closes all connections and joins the threads. Later calls return at once.
    public func stop(drainMs: Int64) {
        let threads = lifecycle.withLock { lifecycle in
            let threads = lifecycle.threads
            lifecycle.threads = []
            lifecycle.listener = nil
            return threads
        }
        let deadline = HTTPClock.nowNanoseconds + max(0, drainMs) * 1_000_000
        for mailbox in mailboxes { mailbox.requestStop(deadlineNanoseconds: deadline) }
        for thread in threads { pthread_join(thread, nil) }
    }

    private static var activeCores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Gives a loop to a thread of its own, which doesn't take the process's signals, except those of its own faults.
    private static func startThread(_ loop: HTTPLoop) throws(HTTPServerError) -> pthread_t {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { unsafe sigdelset(&all, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(loop)
        let result = unsafe pthread_create(&thread, nil, shuntHTTPLoopMain, context.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            unsafe context.release()
            throw .system(call: "pthread_create", errno: result)
        }
        return thread
    }
}

private func shuntHTTPLoopMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    unsafe shunt_name_thread("shunt-http")
    if let context = unsafe context { unsafe Unmanaged<HTTPLoop>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
