internal import ShuntNative
internal import Synchronization

/// Whether the writer writes and keeps up, for `/readyz`; read without waiting for the writer.
final class EngineHealth: Sendable {
    /// A group that takes longer than this means that evaluation lags.
    static let lagLimitMs: Int64 = 5_000

    struct Report: Sendable {
        var isWritable = true
        /// How long the group in hand has taken, in milliseconds; 0 when there is none.
        var groupAgeMs: Int64 = 0
        var isKeepingUp: Bool { groupAgeMs <= EngineHealth.lagLimitMs }
    }

    private struct Health {
        var isWritable = true
        var groupBeganNs: Int64?
    }

    private let health = Mutex(Health())

    func groupBegan() {
        let now = SystemClock.monotonicNanoseconds
        health.withLock { $0.groupBeganNs = now }
    }

    func groupEnded(isWritable: Bool) {
        health.withLock { $0 = Health(isWritable: isWritable, groupBeganNs: nil) }
    }

    var report: Report {
        let now = SystemClock.monotonicNanoseconds
        return health.withLock { health in
            let age = health.groupBeganNs.map { (now - $0) / 1_000_000 } ?? 0
            return Report(isWritable: health.isWritable, groupAgeMs: age)
        }
    }
}
