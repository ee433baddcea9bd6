internal import CMicroHTTPD
internal import Glibc

/// One thread's event loop around one daemon of the library.
///
/// The daemon has no thread and no time-outs of its own. The loop sleeps on an epoll set that holds the daemon's own set,
/// the mailbox and the sockets that linger; it keeps all deadlines. Everything here belongs to the loop's thread, except
/// that the object is made by another one, before the thread exists.
@safe
final class HTTPLoop {
    let shared: HTTPShared
    let mailbox: HTTPMailbox
    let epoll: HTTPDescriptor
    private var daemon: OpaquePointer?

    /// Connections by slot.
    var connections: [HTTPConnection?] = []
    private var freeSlots: [Int] = []
    /// Connections held now.
    private(set) var connectionCount = 0
    var deadlines = HTTPDeadlines()
    var lingering = HTTPLingering()
    /// Requests that wait for their responders, streams among them.
    var parkedCount = 0
    private var nextTicket: UInt64 = 0

    /// The time at the beginning of this turn.
    var now = HTTPClock.nowNanoseconds
    /// When to look next for parked requests whose clients have left.
    var nextParkedCheckNanoseconds = HTTPDeadlines.never
    /// Until when to drain; nil while serving.
    private(set) var drainDeadlineNanoseconds: Int64?
    private var mustCloseIdle = false
    /// Whether a connection has ended in this turn.
    private var hasRoom = false
    private var hasMail = false
    /// Calls from the library so far: what tells a turn that did something from one that didn't.
    var progress = 0
    /// Turns on end in which the library did nothing.
    private var idleTurns = 0
    private static let idleTurnsAllowed = 64

    /// Tags of events; those of lingering sockets are their numbers.
    enum Tag {
        static let daemon: UInt64 = 1 << 40
        static let mailbox: UInt64 = 1 << 41
        /// With the connection's slot in the lower half.
        static let stream: UInt64 = 1 << 42
    }

    init(shared: HTTPShared, mailbox: HTTPMailbox, listener: consuming HTTPDescriptor, connectionLimit: Int)
        throws(HTTPServerError)
    {
        self.shared = shared
        self.mailbox = mailbox
        epoll = try HTTPDescriptor(epoll_create1(Int32(EPOLL_CLOEXEC)), from: "epoll_create1")
        var callbacks = unsafe HTTPLoopCallbacks.table(context: Unmanaged.passUnretained(self).toOpaque())
        let memory = HTTPMemory.size(shared.configuration)
        let listening = listener.release()
        guard let daemon = unsafe shunt_http_start(listening, UInt32(connectionLimit), memory, &callbacks) else {
            close(listening)
            throw .daemon
        }
        unsafe self.daemon = daemon
        let added =
            unsafe shunt_epoll_add(epoll.number, shunt_http_epoll_descriptor(daemon), Tag.daemon) == 0
            && shunt_epoll_add(epoll.number, mailbox.descriptor, Tag.mailbox) == 0
        guard added else { throw .system(call: "epoll_ctl", errno: errno) }
    }

    deinit {
        // Only if the loop never ran; `run` takes the daemon with it.
        if let daemon = unsafe daemon { unsafe MHD_stop_daemon(daemon) }
    }

    /// A number for a request.
    func takeTicket() -> UInt64 {
        nextTicket += 1
        return nextTicket
    }

    /// Serves until it's told to stop.
    func run() {
        guard let daemon = unsafe daemon else { return }
        var isPending = true
        while true {
            let progressBefore = progress
            var mustRun = wait(isPending: isPending) || isPending
            if hasMail, unsafe takeMail(daemon) { mustRun = true }
            if checkTimers() { mustRun = true }
            if mustRun {
                unsafe MHD_run(daemon)
                var timeout: UInt64 = 0
                isPending = unsafe MHD_get_timeout(daemon, &timeout) == .YES && timeout == 0
                // A daemon that was full takes up its listening socket again at its next turn, and doesn't ask for one.
                if hasRoom { isPending = true }
                hasRoom = false
            }
            idleTurns = mustRun && progress == progressBefore ? idleTurns + 1 : 0
            if let deadline = drainDeadlineNanoseconds {
                if mustCloseIdle { closeIdle() }
                if (connectionCount == 0 && lingering.isEmpty) || now >= deadline { break }
            }
        }
        unsafe self.daemon = nil
        unsafe MHD_stop_daemon(daemon)
    }

    // MARK: Connections

    /// Takes in a new connection.
    func add(_ handle: OpaquePointer) -> HTTPConnection {
        let slot = freeSlots.popLast() ?? connections.count
        let connection = unsafe HTTPConnection(
            handle: handle,
            descriptor: shunt_http_descriptor(handle),
            slot: slot,
            remoteAddress: HTTPRemoteAddress(shunt_http_peer(handle))
        )
        if slot == connections.count { connections.append(connection) } else { connections[slot] = connection }
        connectionCount += 1
        shared.count(connection.remoteAddress, 1)
        deadlines.set(slot, now + shared.configuration.requestDeadlineMs * 1_000_000)
        return connection
    }

    /// Lets go of a connection that is about to be closed.
    func remove(_ connection: HTTPConnection) {
        deadlines.set(connection.slot, HTTPDeadlines.never)
        connections[connection.slot] = nil
        freeSlots.append(connection.slot)
        connectionCount -= 1
        hasRoom = true
        shared.count(connection.remoteAddress, -1)
        guard connection.lingers || shunt_readable_bytes(connection.descriptor) > 0,
            let number = lingering.keep(socket: connection.descriptor, nowNanoseconds: now)
        else { return }
        shunt_epoll_add(epoll.number, number, UInt64(number))
    }

    // MARK: Sleeping

    /// Sleeps until something is to be done; true if the daemon has to run.
    private func wait(isPending: Bool) -> Bool {
        var timeoutMs = isPending ? 0 : timeoutMs()
        if idleTurns >= Self.idleTurnsAllowed {
            // The library keeps asking for turns in which it does nothing: it can't accept for want of descriptors, or a
            // buffer is full of something that it can't take apart. Slow down until that passes.
            if isPending { timeoutMs = 5 } else { timeoutMs = nap() }
        }
        let capacity = 16
        return unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: capacity) { events in
            let count = unsafe epoll_wait(epoll.number, events.baseAddress, Int32(capacity), timeoutMs)
            now = HTTPClock.nowNanoseconds
            var mustRun = false
            for index in 0..<max(0, Int(count)) {
                switch unsafe events[index].data.u64 {
                case Tag.daemon: mustRun = true
                case Tag.mailbox: hasMail = true
                case let tag where tag & Tag.stream != 0:
                    let slot = Int(UInt32(truncatingIfNeeded: tag))
                    if unsafe streamReady(slot: slot, events: events[index].events) { mustRun = true }
                case let number: lingering.drain(Int32(truncatingIfNeeded: number))
                }
            }
            return mustRun
        }
    }

    /// Sleeps on the mailbox alone.
    private func nap() -> Int32 {
        var descriptor = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
        unsafe poll(&descriptor, 1, 10)
        return 0
    }

    /// Milliseconds until the next deadline, rounded up; -1 if there is none.
    private func timeoutMs() -> Int32 {
        let next = min(
            deadlines.earliest,
            nextParkedCheckNanoseconds,
            lingering.earliestDeadlineNanoseconds,
            drainDeadlineNanoseconds ?? HTTPDeadlines.never
        )
        guard next != HTTPDeadlines.never else { return -1 }
        return Int32(clamping: max(0, (next - HTTPClock.nowNanoseconds + 999_999) / 1_000_000))
    }

    // MARK: Mail

    /// Takes what other threads left; true if the daemon has to run.
    private func takeMail(_ daemon: OpaquePointer) -> Bool {
        hasMail = false
        let contents = mailbox.take()
        for (slot, push) in contents.pushes {
            guard connections.indices.contains(slot), let connection = connections[slot],
                connection.ticket == push.ticket, connection.phase == .streaming
            else { continue }
            // The library has no part in it, and yet the turn did something.
            progress += 1
            self.push(push.chunk, notBefore: push.notBefore, to: connection)
        }
        for completion in contents.completions {
            guard connections.indices.contains(completion.slot), let connection = connections[completion.slot],
                connection.ticket == completion.ticket, connection.phase == .parked, connection.reply == nil
            else { continue }
            if completion.notBefore > now {
                schedule(completion.reply, notBefore: completion.notBefore, for: connection)
            } else {
                resume(connection, with: completion.reply)
            }
        }
        if let deadline = contents.stopDeadlineNanoseconds, drainDeadlineNanoseconds == nil {
            drainDeadlineNanoseconds = deadline
            mustCloseIdle = true
            close(unsafe MHD_quiesce_daemon(daemon))
            for connection in connections {
                if let connection, connection.phase == .parked { end(connection, reason: .stopping) }
                if let connection, connection.phase == .streaming { endStream(connection, reason: .stopping) }
            }
        }
        return true
    }

    /// Closes the connections that wait for another request; after a turn of the daemon, so that what had come before
    /// the end is still answered.
    private func closeIdle() {
        mustCloseIdle = false
        for connection in connections {
            if let connection, connection.phase == .idle { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
