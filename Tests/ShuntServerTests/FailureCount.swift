import Synchronization

/// Counts what went wrong on other threads.
final class FailureCount: Sendable {
    private let failures = Mutex(0)

    var count: Int { failures.withLock { $0 } }

    func add() { failures.withLock { $0 += 1 } }
}
