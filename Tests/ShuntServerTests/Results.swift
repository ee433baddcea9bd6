import ShuntNative
import ShuntSchema
import Synchronization

@testable import ShuntServer

/// What became of submissions, in the order in which they were answered.
final class Results: Sendable {
    private let answers = Mutex<[Result<WorkResult, WorkFailure>]>([])
    private let signal = Signal()

    var all: [Result<WorkResult, WorkFailure>] { answers.withLock { $0 } }

    /// The results that are successes.
    var successes: [WorkResult] { all.compactMap { try? $0.get() } }

    func submission(_ events: [PaymentEvent]) -> Submission {
        submission(.events(events.map(PreparedEvent.init)))
    }

    func submission(_ work: Submission.Work) -> Submission {
        Submission(
            work: work,
            receivedAtNs: HTTPClock.nowNanoseconds,
            responder: nil,
            reply: { [self] result in
                answers.withLock { $0.append(result) }
                signal.set()
                return HTTPReply(status: 204)
            }
        )
    }

    /// Waits until so many are answered; false when that takes half a minute.
    func wait(for count: Int) -> Bool {
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        while all.count < count {
            guard HTTPClock.nowNanoseconds < deadlineNs else { return false }
            signal.wait(timeoutMs: 1_000)
        }
        return true
    }
}
