internal import CMicroHTTPD
internal import Glibc

/// Deadlines and parked requests.
extension HTTPLoop {
    /// Handles what has come due; true if the daemon has to run.
    func checkTimers() -> Bool {
        let parkedBefore = parkedCount
        for slot in deadlines.takeExpired(atNanoseconds: now) {
            if let connection = connections[slot] { expire(connection) }
        }
        lingering.closeExpired(nowNanoseconds: now)
        if now >= nextParkedCheckNanoseconds { checkParked() }
        return parkedCount != parkedBefore
    }

    /// Holds a request until its responder is completed.
    func park(_ connection: HTTPConnection, deadlineNanoseconds: Int64, timeoutReply: HTTPReply) {
        connection.phase = .parked
        connection.timeoutReply = timeoutReply
        parkedCount += 1
        deadlines.set(connection.slot, deadlineNanoseconds)
        if nextParkedCheckNanoseconds == HTTPDeadlines.never { scheduleParkedCheck() }
        // Before anybody can complete it: the mail is read by this thread, later.
        unsafe MHD_suspend_connection(connection.handle)
    }

    /// Lets a parked request go on with its reply.
    func resume(_ connection: HTTPConnection, with reply: HTTPReply) {
        connection.phase = .resumed
        connection.reply = reply
        parkedCount -= 1
        deadlines.set(connection.slot, now + shared.configuration.replyDeadlineMs * 1_000_000)
        unsafe MHD_resume_connection(connection.handle)
    }

    /// Has a parked request wait for the time of its reply.
    func schedule(_ reply: HTTPReply, notBefore: Int64, for connection: HTTPConnection) {
        connection.reply = reply
        deadlines.set(connection.slot, min(deadlines[connection.slot], notBefore))
    }

    /// Ends a parked request without its responder, or with the reply whose time has come.
    func end(_ connection: HTTPConnection, reason: HTTPParkedEnd) {
        if reason != .clientLeft, let reply = connection.reply { return resume(connection, with: reply) }
        let responder = HTTPResponder(mailbox: mailbox, slot: connection.slot, ticket: connection.ticket)
        if reason != .clientLeft, let reply = connection.timeoutReply {
            resume(connection, with: reply)
        } else {
            connection.phase = .closing
            parkedCount -= 1
            // The library finds the end of the stream, or the handler has it closed.
            unsafe MHD_resume_connection(connection.handle)
        }
        shared.application.ended(responder, reason: reason)
    }

    private func expire(_ connection: HTTPConnection) {
        switch connection.phase {
        case .parked:
            end(connection, reason: .deadline)
        case .streaming:
            streamDue(connection)
        case .head, .body, .whole, .answered:
            refuse(connection, .tooSlow)
            shutdown(connection.descriptor, Int32(SHUT_RDWR))
        case .idle, .resumed, .replying, .closing:
            shutdown(connection.descriptor, Int32(SHUT_RDWR))
        }
    }

    private func scheduleParkedCheck() {
        nextParkedCheckNanoseconds = now + Int64(shared.configuration.parkedCheckIntervalSec) * 1_000_000_000
    }

    /// Looks with one call whether clients of parked requests have left; the library doesn't watch a suspended socket.
    private func checkParked() {
        let parked = connections.compactMap { connection -> HTTPConnection? in
            connection.flatMap { $0.phase == .parked ? $0 : nil }
        }
        guard !parked.isEmpty else {
            nextParkedCheckNanoseconds = HTTPDeadlines.never
            return
        }
        scheduleParkedCheck()
        // Without SHUT_RDWR from the peer, POLLRDHUP tells the end of its stream too: a client that has closed and one
        // that has only stopped sending look alike, and the library treats both as gone.
        var descriptors = parked.map { connection in
            pollfd(fd: connection.descriptor, events: shunt_poll_peer_closed(), revents: 0)
        }
        guard unsafe poll(&descriptors, nfds_t(descriptors.count), 0) > 0 else { return }
        for (connection, descriptor) in zip(parked, descriptors) where descriptor.revents != 0 {
            end(connection, reason: .clientLeft)
        }
    }
}
