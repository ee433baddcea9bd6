internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// Answers those who look, on a thread of its own: a page of errors takes milliseconds that neither the writer nor the
/// polls of apps should wait for.
final class LookDesk: Sendable {
    /// How many questions wait at most; more than so many looking at once are told to come back.
    static let maximumWaiting = 64
    /// How long a question may wait for its answer.
    static let patienceNs: Int64 = 10_000_000_000

    private struct Job {
        var responder: HTTPResponder
        var answer: @Sendable () -> HTTPReply
    }

    private struct Queue {
        var waiting: [Job] = []
        var isStopping = false
    }

    private let engine: Engine
    private let queue = Mutex(Queue())
    private let signal = Signal()
    private let thread = Mutex<WorkerThread?>(nil)

    init(engine: Engine) {
        self.engine = engine
    }

    func start() {
        thread.withLock { thread in
            thread = WorkerThread { [self] in run() }
        }
    }

    /// Ends the thread; what waits is told to come back.
    func stop() {
        queue.withLock { $0.isStopping = true }
        signal.set()
        thread.withLock { $0.take() }?.join()
        run()
    }

    /// Takes what a question needs of the state from the writer, and then answers it here.
    ///
    /// - Parameters:
    ///   - facts: what of the state, at what time, the answer needs. Runs on the writer's thread: keep it short.
    ///   - answer: makes the reply of them, on the desk's thread.
    func ask<Facts: Sendable>(
        _ request: HTTPRequest,
        responder: HTTPResponder,
        facts: @escaping @Sendable (State, Timestamp) -> Facts,
        answer: @escaping @Sendable (Facts) -> HTTPReply
    ) throws(Problem) -> HTTPOutcome {
        let submission = Submission(
            work: .look { [self] state, at in
                let facts = facts(state, at)
                if !take(Job(responder: responder, answer: { answer(facts) })) {
                    HTTPResponder.complete([(responder, Self.busy.reply)])
                }
                // Nobody gets it: the answer comes from the desk.
                return Self.busy.reply
            },
            receivedAtNs: request.receivedAtNanoseconds,
            responder: nil,
            reply: { _ in Self.busy.reply }
        )
        guard engine.submit(submission) else { throw Self.busy }
        return .parked(
            deadlineNanoseconds: request.receivedAtNanoseconds + Self.patienceNs,
            timeoutReply: Self.busy.reply
        )
    }

    private static let busy = Problem.retryLater(503, "overloaded", "too many look at once; ask again")

    private func take(_ job: Job) -> Bool {
        let isTaken = queue.withLock { queue in
            guard !queue.isStopping, queue.waiting.count < Self.maximumWaiting else { return false }
            queue.waiting.append(job)
            return true
        }
        if isTaken { signal.set() }
        return isTaken
    }

    private func run() {
        while true {
            let (job, isStopping) = queue.withLock { queue in
                (queue.waiting.isEmpty ? nil : queue.waiting.removeFirst(), queue.isStopping)
            }
            guard let job else {
                if isStopping { return }
                signal.wait()
                continue
            }
            HTTPResponder.complete([(job.responder, isStopping ? Self.busy.reply : job.answer())])
        }
    }
}
