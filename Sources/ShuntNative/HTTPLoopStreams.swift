internal import CMicroHTTPD
internal import Glibc

/// Replies that go on.
///
/// To the library a stream is a parked request that ends without a reply. The loop writes to the socket itself: one
/// system call for each chunk, where a resumed connection takes five and a walk over all that are suspended.
extension HTTPLoop {
    /// Begins a stream; false if there will be none, and the connection is to be closed.
    func open(_ connection: HTTPConnection, reply: HTTPStreamReply, head: HTTPRequestHead) -> Bool {
        connection.isStream = true
        guard !head.omitsBody else {
            connection.phase = .closing
            // All earlier replies are in the kernel's buffer already.
            transmit(reply.head(isChunked: head.takesChunks)[...], on: connection)
            return false
        }
        bound(connection.descriptor)
        guard shunt_epoll_watch(epoll.number, connection.descriptor, Tag.stream | UInt64(connection.slot)) == 0 else {
            return false
        }
        connection.phase = .streaming
        connection.stream = HTTPStreamState(reply, isChunked: head.takesChunks, now: now)
        parkedCount += 1
        // Written to in the next turn: a connection can't be resumed, should that fail, in the call that suspends it.
        deadlines.set(connection.slot, now)
        unsafe MHD_suspend_connection(connection.handle)
        return true
    }

    /// Goes on with a stream.
    func push(_ chunk: HTTPStreamChunk, notBefore: Int64, to connection: HTTPConnection) {
        connection.stream?.offer(chunk, notBefore: notBefore)
        // One that is blocked goes on when its socket can be written.
        if connection.stream?.isBlocked == false { write(connection) }
    }

    /// The socket of a stream can be written, or its peer has left; true if the daemon has to run.
    func streamReady(slot: Int, events: UInt32) -> Bool {
        guard connections.indices.contains(slot), let connection = connections[slot], connection.phase == .streaming
        else { return false }
        guard events & shunt_epoll_gone() == 0 else {
            endStream(connection, reason: .clientLeft)
            return true
        }
        write(connection)
        return connection.phase != .streaming
    }

    /// A time of a stream has come: to say something, or to give up.
    func streamDue(_ connection: HTTPConnection) {
        if let stream = connection.stream, stream.isBlocked, stream.drainDeadline <= now {
            // What is in the kernel's buffer will never be read; a reset frees it.
            shunt_reset_when_closed(connection.descriptor)
            endStream(connection, reason: .tooSlow)
        } else {
            write(connection)
        }
    }

    /// Ends a stream. Where that is no fault of its client, the end is marked, and not taken for a break.
    func endStream(_ connection: HTTPConnection, reason: HTTPParkedEnd) {
        if reason == .stopping, let stream = connection.stream, stream.isChunked, stream.rest.isEmpty {
            transmit(HTTPStreamChunk.last[...], on: connection)
        }
        shunt_epoll_forget(epoll.number, connection.descriptor)
        connection.phase = .closing
        connection.stream = nil
        parkedCount -= 1
        // By then the library has closed it, because the handler wants that.
        deadlines.set(connection.slot, now + shared.configuration.replyDeadlineMs * 1_000_000)
        unsafe MHD_resume_connection(connection.handle)
        let responder = HTTPResponder(mailbox: mailbox, slot: connection.slot, ticket: connection.ticket)
        shared.application.ended(responder, reason: reason)
    }

    /// Sends what there is to be sent, as far as the kernel takes it.
    private func write(_ connection: HTTPConnection) {
        let wasBlocked = connection.stream?.isBlocked ?? false
        while let bytes = connection.stream?.bytes(now: now), !bytes.isEmpty {
            let count = transmit(bytes, on: connection)
            if count >= 0 {
                connection.stream?.sent(count)
            } else if count == -Int(EAGAIN) {
                connection.stream?.block(until: now + shared.configuration.streamDrainDeadlineMs * 1_000_000)
                break
            } else {
                return endStream(connection, reason: .clientLeft)
            }
        }
        guard let stream = connection.stream else { return }
        if stream.isBlocked != wasBlocked {
            let tag = Tag.stream | UInt64(connection.slot)
            shunt_epoll_rewatch(epoll.number, connection.descriptor, tag, stream.isBlocked ? 1 : 0)
        }
        deadlines.set(connection.slot, stream.deadline)
    }

    /// How many bytes the kernel has taken, or the negative errno.
    @discardableResult
    private func transmit(_ bytes: ArraySlice<UInt8>, on connection: HTTPConnection) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            let count = unsafe send(connection.descriptor, bytes.baseAddress, bytes.count, flags)
            return count < 0 ? -Int(errno) : count
        }
    }

    /// Bounds what the kernel holds for a stream, and how long it waits for a peer that is silent; and has each chunk
    /// leave at once.
    private func bound(_ descriptor: Int32) {
        func set(_ level: Int32, _ name: Int32, _ value: Int32) {
            var value = value
            unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        set(SOL_SOCKET, SO_SNDBUF, Int32(clamping: shared.configuration.streamBufferBytes))
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        // Later than our own deadline, so that a client that is slow is told from one that is gone.
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: 2 * shared.configuration.streamDrainDeadlineMs))
    }
}
