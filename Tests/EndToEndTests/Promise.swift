import Foundation
import Synchronization

/// A value that becomes known once, and that others wait for with a bound: the opposite of sleeping and hoping.
final class Promise<Value: Sendable>: Sendable {
    /// The bound passed before the value was known.
    struct TimedOut: Error, CustomStringConvertible {
        let awaited: String
        let seconds: Double
        var description: String { "\(awaited) didn't come within \(seconds) s" }
    }

    private struct State {
        var outcome: Result<Value, any Error>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        var waiterCount = 0
    }

    private let state = Mutex(State())
    private let awaited: String

    /// `awaited` names the value in the error of one who waits in vain.
    init(_ awaited: String) {
        self.awaited = awaited
    }

    /// The value, if it's known.
    var current: Value? { state.withLock { try? $0.outcome?.get() } }

    /// Makes the value known. Only the first call counts.
    func settle(_ outcome: Result<Value, any Error>) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    /// The value, as soon as it's known.
    func value(withinSeconds seconds: Double) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Result<Value, any Error>? in
                if let outcome = state.outcome { return outcome }
                state.waiterCount += 1
                state.waiters[state.waiterCount] = continuation
                giveUp(on: state.waiterCount, afterSeconds: seconds)
                return nil
            }
            if let known { continuation.resume(with: known) }
        }
    }

    private func giveUp(on waiter: Int, afterSeconds seconds: Double) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
            let continuation = state.withLock { $0.waiters.removeValue(forKey: waiter) }
            continuation?.resume(throwing: TimedOut(awaited: awaited, seconds: seconds))
        }
    }
}
