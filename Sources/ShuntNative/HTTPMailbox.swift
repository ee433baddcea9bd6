internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// What other threads tell a loop. The loop sleeps on its own eventfd: the library gives up its wake-up channel when it
/// has no thread of its own, and a resumed request would wait up to a second.
final class HTTPMailbox: Sendable {
    /// A reply to a parked request.
    struct Completion: Sendable {
        var slot: Int
        var ticket: UInt64
        var reply: HTTPReply
        /// On `HTTPClock`.
        var notBefore: Int64
    }

    /// The next chunk of a stream.
    struct Push: Sendable {
        var ticket: UInt64
        var chunk: HTTPStreamChunk
        /// On `HTTPClock`.
        var notBefore: Int64
    }

    /// All that came in since the loop last looked.
    struct Contents: Sendable {
        var completions: [Completion] = []
        /// By slot: of several for one stream the newest is kept.
        var pushes: [Int: Push] = [:]
        /// Until when to drain, on `HTTPClock`; nil while serving.
        var stopDeadlineNanoseconds: Int64?
    }

    private let contents = Mutex(Contents())
    private let event: HTTPDescriptor

    init() throws(HTTPServerError) {
        event = try HTTPDescriptor(eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC)), from: "eventfd")
    }

    /// The descriptor that becomes readable when there is something to take.
    var descriptor: Int32 { event.number }

    /// Leaves replies and chunks for the loop, with one wake-up for all that it hasn't taken yet.
    func post(_ completions: [Completion], pushes: [(slot: Int, push: Push)] = []) {
        let isFirst = contents.withLock { contents in
            let isFirst = contents.completions.isEmpty && contents.pushes.isEmpty
            contents.completions.append(contentsOf: completions)
            for (slot, push) in pushes {
                var push = push
                // A chunk that it replaces keeps its time, as in `HTTPStreamState.offer`.
                if let known = contents.pushes[slot], known.ticket == push.ticket {
                    push.notBefore = min(push.notBefore, known.notBefore)
                }
                contents.pushes[slot] = push
            }
            return isFirst
        }
        if isFirst { wake() }
    }

    /// Tells the loop to stop, by the deadline at the latest.
    func requestStop(deadlineNanoseconds: Int64) {
        contents.withLock { $0.stopDeadlineNanoseconds = deadlineNanoseconds }
        wake()
    }

    /// Takes everything; for the loop only.
    func take() -> Contents {
        var count: UInt64 = 0
        // Read before the contents are taken: a wake-up in between costs an empty turn, the other order loses one.
        unsafe read(event.number, &count, MemoryLayout<UInt64>.size)
        return contents.withLock { contents in
            let taken = contents
            contents.completions = []
            contents.pushes = [:]
            return taken
        }
    }

    private func wake() {
        var one: UInt64 = 1
        unsafe write(event.number, &one, MemoryLayout<UInt64>.size)
    }
}
