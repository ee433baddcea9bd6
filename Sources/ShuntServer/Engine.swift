internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// The single writer: takes all that is queued, makes it durable, folds it, publishes what it caused, then answers.
///
/// Callers queue and go on; one thread does the rest, so nothing that decides needs a lock. There is no dwell: a
/// group is whatever queued up while the last one was being synced.
final class Engine: Sendable {
    /// How many events may wait at most. A full queue refuses at once, with a time to come back.
    static let maximumQueuedEvents = 50_000
    /// How many bytes of bodies may wait at most.
    static let maximumQueuedBytes = 64 << 20
    /// How many events one group takes at most, so that the first of them needn't wait for the last.
    static let maximumGroupEvents = 10_000

    /// A submission with its weight, which is taken outside the lock.
    private struct Queued {
        var submission: Submission
        var events: Int
        var bytes: Int
    }

    private struct Queue {
        var waiting: [Queued] = []
        var events = 0
        var bytes = 0
        var isStopping = false
    }

    private let queue = Mutex(Queue())
    private let signal = Signal()
    private let writer: Mutex<Writer>
    private let thread = Mutex<WorkerThread?>(nil)
    private let health: EngineHealth

    init(writer: consuming sending Writer, health: EngineHealth) {
        self.writer = Mutex(writer)
        self.health = health
    }

    /// Starts the writer's thread.
    func start() {
        thread.withLock { thread in
            thread = WorkerThread { [self] in writer.withLock { writer in run(&writer) } }
        }
    }

    /// Queues something for the writer; false when the queue is full or the daemon is stopping.
    func submit(_ submission: Submission) -> Bool {
        let queued = Queued(submission: submission, events: submission.eventCount, bytes: submission.byteCount)
        let isQueued = queue.withLock { queue in
            guard !queue.isStopping, queue.events + queued.events <= Self.maximumQueuedEvents,
                queue.bytes + queued.bytes <= Self.maximumQueuedBytes
            else { return false }
            queue.waiting.append(queued)
            queue.events += queued.events
            queue.bytes += queued.bytes
            return true
        }
        if isQueued { signal.set() }
        return isQueued
    }

    /// Finishes what is queued, writes a last snapshot, and ends the thread.
    func stop() {
        queue.withLock { $0.isStopping = true }
        signal.set()
        thread.withLock { $0.take() }?.join()
    }

    private func run(_ writer: inout Writer) {
        while true {
            let (group, isStopping) = takeGroup()
            if !group.isEmpty || writer.isDue() {
                health.groupBegan()
                writer.process(group)
                health.groupEnded(isWritable: writer.isWritable)
                continue
            }
            if isStopping {
                writer.finish()
                return
            }
            signal.wait(timeoutMs: writer.millisecondsToDeadline())
        }
    }

    private func takeGroup() -> (group: [Submission], isStopping: Bool) {
        queue.withLock { queue in
            var group: [Submission] = []
            var events = 0
            for queued in queue.waiting {
                guard group.isEmpty || events + queued.events <= Self.maximumGroupEvents else { break }
                group.append(queued.submission)
                events += queued.events
                queue.bytes -= queued.bytes
            }
            queue.waiting.removeFirst(group.count)
            queue.events -= events
            return (group, queue.isStopping)
        }
    }
}

/// Something that waits for the writer, and what to do when it is done.
struct Submission: Sendable {
    enum Work: Sendable {
        case events([PreparedEvent])
        case command(SwitchCommand)
        case alertCommand(AlertCommand)
        case settle(SettleCommand)
        /// Rules that are to be in force; the same ones again change nothing.
        case configure(RuleSet)
        /// A question, answered from the state on the writer's thread, after what it was queued with is folded. Nothing
        /// is journaled for it, so it is answered even while the journal can't be written.
        case look(Look)
    }

    /// Makes the answer to a question from the state and the present time of receipt. Must be quick: nothing is
    /// counted while it runs.
    typealias Look = @Sendable (State, Timestamp) -> HTTPReply

    var work: Work
    /// When the last byte of the request came, on `HTTPClock`.
    var receivedAtNs: Int64
    /// Who waits for the answer; nil when nobody does.
    var responder: HTTPResponder?
    /// Makes the answer, on the writer's thread, once the work is durable and published, or has failed. A look makes
    /// its own.
    var reply: @Sendable (Result<WorkResult, WorkFailure>) -> HTTPReply

    /// Whether it only asks.
    var isLook: Bool {
        if case .look = work { true } else { false }
    }

    var eventCount: Int {
        switch work {
        case .events(let events): max(1, events.count)
        case .command, .alertCommand, .settle, .configure, .look: 1
        }
    }

    var byteCount: Int {
        switch work {
        case .events(let events): events.reduce(0) { $0 + $1.body.count }
        case .command, .alertCommand, .settle, .configure, .look: 0
        }
    }
}

/// What became of a submission.
struct WorkResult: Sendable, Equatable {
    var accepted = 0
    var duplicates = 0
    var late = 0
    /// Whether other rules are in force now.
    var isConfigured = false
    /// The switches that moved because of it.
    var transitions: [SwitchTransition] = []
    /// Why a command moved nothing.
    var refusal: SwitchHold?
    /// What a command about alerts changed, or why it didn't; nil for other work.
    var alertAnswer: AlertAnswer?
    /// How an attempt stands that a person settled, or why that changed nothing; nil for other work.
    var settlement: Result<AttemptView, SettleRefusal>?
}

/// What became of a command about alerts: the alert or the silence as it is now, by itself, so that the answer can be
/// made without the state.
enum AlertAnswer: Sendable, Equatable {
    case alert(Alert)
    case silence(Silence)
    case expired
    case refused(AlertRefusal)

    init(_ result: Result<String, AlertRefusal>, in state: State) {
        switch result {
        case .failure(let refusal): self = .refused(refusal)
        case .success(let id):
            if let silence = state.alertBook.silences.first(where: { $0.id == id }) {
                self = .silence(silence)
            } else if let alert = state.alert(id) {
                self = .alert(alert)
            } else {
                self = .expired
            }
        }
    }
}

/// Why a submission isn't durable. Nothing of it was counted.
struct WorkFailure: Error, Sendable, Equatable {
    var reason: String
}
