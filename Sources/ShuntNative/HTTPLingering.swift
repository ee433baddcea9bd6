internal import Glibc

/// Sockets whose connection is over, kept open until the peer has sent what it was sending, so that it gets to read its
/// refusal instead of a reset (RFC 9112 9.6).
struct HTTPLingering: ~Copyable {
    /// How long a socket is kept at most.
    static let durationNanoseconds: Int64 = 2_000_000_000
    /// How many are kept at most; further ones are closed at once.
    static let maximumCount = 256

    /// The deadline of each descriptor; they are closed here.
    private var entries: [Int32: Int64] = [:]

    /// When to call `closeExpired` at the latest.
    private(set) var earliestDeadlineNanoseconds = HTTPDeadlines.never

    /// Whether none is kept.
    var isEmpty: Bool { entries.isEmpty }

    deinit {
        for number in entries.keys { close(number) }
    }

    /// Keeps the socket open under a number of its own; nil if it can't be kept. The number becomes readable when there
    /// is something to `drain`.
    mutating func keep(socket: Int32, nowNanoseconds now: Int64) -> Int32? {
        guard entries.count < Self.maximumCount,
            let copy = try? HTTPDescriptor(fcntl(socket, F_DUPFD_CLOEXEC, 0), from: "fcntl")
        else { return nil }
        let number = copy.release()
        let deadline = now + Self.durationNanoseconds
        entries[number] = deadline
        earliestDeadlineNanoseconds = min(earliestDeadlineNanoseconds, deadline)
        return number
    }

    /// Throws away what has come in; closes the socket when the peer is done.
    mutating func drain(_ number: Int32) {
        guard entries[number] != nil else { return }
        let isDone = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { scratch in
            // A bound on each turn, so that a fast sender doesn't hold the loop.
            for _ in 0..<16 {
                let count = unsafe recv(number, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
                if count == 0 { return true }
                if count < 0 { return errno != EAGAIN && errno != EINTR }
            }
            return false
        }
        if isDone { forget(number) }
    }

    /// Closes those whose time is over.
    mutating func closeExpired(nowNanoseconds now: Int64) {
        guard now >= earliestDeadlineNanoseconds else { return }
        for (number, deadline) in entries where deadline <= now { forget(number) }
        earliestDeadlineNanoseconds = entries.values.min() ?? HTTPDeadlines.never
    }

    private mutating func forget(_ number: Int32) {
        entries[number] = nil
        close(number)
    }
}
