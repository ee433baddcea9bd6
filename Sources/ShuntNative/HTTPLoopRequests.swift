internal import CMicroHTTPD
internal import Glibc

/// What becomes of a request, from its first line to its reply.
extension HTTPLoop {
    /// The request line was read. `target` points into the library's buffer.
    func begin(_ connection: HTTPConnection, target: UnsafePointer<CChar>?) {
        progress += 1
        connection.phase = .head
        connection.ticket = takeTicket()
        let deadline = now + shared.configuration.requestDeadlineMs * 1_000_000
        deadlines.set(connection.slot, min(deadlines[connection.slot], deadline))
        guard let target = unsafe target else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: target, count: strlen(target))
        connection.targetLength = bytes.count
        if bytes.count <= shared.configuration.maximumHeaderBytes {
            connection.target = unsafe HTTPTarget(bytes.bindMemory(to: UInt8.self).span)
        }
        // The library would now take the query apart, into a record per parameter until its memory is full, and forgets
        // that it has refused the request if it is. An empty query keeps it from that; ours is read already.
        if let mark = unsafe bytes.firstIndex(of: UInt8(ascii: "?")), mark + 1 < bytes.count {
            unsafe UnsafeMutablePointer(mutating: target)[mark + 1] = 0
        }
    }

    /// The library's call: the head is there, or a part of the body, or the end of the request, or the request was
    /// resumed.
    func access(_ connection: HTTPConnection, line: HTTPRequestLine, chunk: UnsafeRawBufferPointer) -> MHD_Result {
        progress += 1
        switch connection.phase {
        case .head:
            return unsafe admit(connection, line: line)
        case .body where unsafe !chunk.isEmpty:
            return unsafe append(chunk, to: connection)
        case .body, .whole:
            return respond(connection)
        case .answered, .resumed:
            return queue(connection.reply, on: connection)
        case .replying:
            return .YES
        case .idle, .parked, .streaming, .closing:
            return .NO
        }
    }

    /// The request is over, well or not.
    func complete(_ connection: HTTPConnection, code: MHD_RequestTerminationCode) {
        progress += 1
        if code == .REQUEST_TERMINATED_WITH_ERROR && !connection.isStream { connection.lingers = true }
        if connection.phase == .parked { parkedCount -= 1 }
        shared.addBuffered(-connection.body.count)
        connection.reset()
        deadlines.set(connection.slot, now + shared.configuration.idleTimeoutMs * 1_000_000)
        if drainDeadlineNanoseconds != nil { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
    }

    private func admit(_ connection: HTTPConnection, line: HTTPRequestLine) -> MHD_Result {
        // First of all: what the library logs from here on isn't its own refusal of this request.
        connection.phase = .whole
        let configuration = shared.configuration
        guard connection.targetLength <= configuration.maximumHeaderBytes else {
            return refuse(connection, .targetTooLong)
        }
        let headSize = unsafe shunt_http_head_size(connection.handle)
        let fieldCount = Int(unsafe MHD_get_connection_values(connection.handle, .HEADER_KIND, nil, nil))
        guard headSize <= configuration.maximumHeaderBytes,
            unsafe HTTPMemory.suffices(
                for: connection.handle,
                headSize: headSize,
                fieldCount: fieldCount,
                configuration
            )
        else { return refuse(connection, .headTooLarge) }
        guard let target = connection.target,
            let head = unsafe line.head(
                size: headSize,
                target: target,
                targetLength: connection.targetLength,
                fieldCount: fieldCount,
                remoteAddress: connection.remoteAddress
            )
        else { return refuse(connection, .malformed) }
        connection.head = head
        switch shared.application.admit(head) {
        case .refuse(let reply):
            connection.reply = reply
            if head.hasBody {
                connection.lingers = true
                return queue(reply, on: connection)
            }
            connection.phase = .answered
            return .YES
        case .accept(let maximumBodyBytes):
            guard head.hasBody else { return .YES }
            let declared = head.declaredLength ?? 0
            guard declared <= maximumBodyBytes else { return refuse(connection, .bodyTooLarge) }
            guard shared.mayBuffer(max(1, declared)) else { return refuse(connection, .overloaded) }
            connection.maximumBodyBytes = maximumBodyBytes
            connection.phase = .body
            return .YES
        }
    }

    private func append(_ chunk: UnsafeRawBufferPointer, to connection: HTTPConnection) -> MHD_Result {
        let count = connection.body.count + chunk.count
        guard count <= connection.maximumBodyBytes else { return refuse(connection, .bodyTooLarge) }
        guard shared.mayBuffer(chunk.count) else { return refuse(connection, .overloaded) }
        shared.addBuffered(chunk.count)
        if connection.body.isEmpty { connection.body.reserveCapacity(connection.head?.declaredLength ?? chunk.count) }
        unsafe connection.body.append(contentsOf: chunk)
        return .YES
    }

    private func respond(_ connection: HTTPConnection) -> MHD_Result {
        guard let head = connection.head.take() else { return .NO }
        let body = connection.body
        connection.body = []
        let request = HTTPRequest(head: head, body: body, receivedAtNanoseconds: HTTPClock.nowNanoseconds)
        let responder = HTTPResponder(mailbox: mailbox, slot: connection.slot, ticket: connection.ticket)
        let outcome = shared.application.respond(to: request, responder: responder)
        shared.addBuffered(-body.count)
        switch outcome {
        case .reply(let reply):
            return queue(reply, on: connection)
        case .stream(let reply):
            if drainDeadlineNanoseconds != nil {
                shared.application.ended(responder, reason: .stopping)
                return queue(shared.reply(.overloaded), on: connection)
            }
            guard open(connection, reply: reply, head: head) else {
                shared.application.ended(responder, reason: .clientLeft)
                return .NO
            }
            return .YES
        case .parked(let deadlineNanoseconds, let timeoutReply):
            if drainDeadlineNanoseconds != nil {
                shared.application.ended(responder, reason: .stopping)
                return queue(timeoutReply, on: connection)
            }
            park(connection, deadlineNanoseconds: deadlineNanoseconds, timeoutReply: timeoutReply)
            return .YES
        }
    }

    private func queue(_ reply: HTTPReply?, on connection: HTTPConnection) -> MHD_Result {
        connection.phase = .replying
        deadlines.set(connection.slot, now + shared.configuration.replyDeadlineMs * 1_000_000)
        guard let reply, unsafe reply.queue(on: connection.handle) else { return .NO }
        return .YES
    }

    // MARK: Refusals

    /// Sends a refusal past the library, which takes a reply only before the body and after it, and gives its result:
    /// the connection is to be closed.
    @discardableResult
    func refuse(_ connection: HTTPConnection, _ refusal: HTTPRefusal) -> MHD_Result {
        connection.phase = .closing
        connection.lingers = true
        let bytes = shared.reply(refusal).closingBytes()
        unsafe bytes.withUnsafeBytes { bytes in
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            // All earlier replies are in the kernel's buffer already. If it's too full for these few hundred bytes, the
            // client reads nothing, and the connection is closed all the same.
            unsafe send(connection.descriptor, bytes.baseAddress, bytes.count, flags)
        }
        return .NO
    }

    /// The library is about to refuse a request by itself, if there is one whose head is complete and which hasn't come
    /// to `access`: it logs first. Its reply would have its header block twice, so ours goes out in front of it, and the
    /// socket takes nothing more.
    func refuseBeforeLibrary() {
        for case let connection? in connections where connection.phase == .head {
            guard unsafe shunt_http_head_size(connection.handle) > 0 else { continue }
            refuse(connection, unsafe HTTPRequestLine.refusal(of: connection.handle))
            shutdown(connection.descriptor, Int32(SHUT_WR))
        }
    }
}
