internal import ShuntCore
internal import ShuntNative
internal import Synchronization

/// Reads attempts' events back from the journal, on a thread of its own: neither the writer nor a loop waits for a disk.
final class AttemptReader: Sendable {
    /// How many requests wait at most.
    static let maximumWaiting = 64

    /// Somebody who waits for entries.
    struct Job: Sendable {
        var seqs: [UInt64]
        var responder: HTTPResponder
        var reply: @Sendable ([Result<Entry, JournalReader.Unreadable>]) -> HTTPReply
    }

    private struct Desk {
        var waiting: [Job] = []
        var isStopping = false
    }

    private let journalFolder: Folder
    private let desk = Mutex(Desk())
    private let signal = Signal()
    private let thread = Mutex<WorkerThread?>(nil)

    init(journalFolder: Folder) {
        self.journalFolder = journalFolder
    }

    /// Takes a job; false where too many wait.
    func offer(_ job: Job) -> Bool {
        let isTaken = desk.withLock { desk in
            guard !desk.isStopping, desk.waiting.count < Self.maximumWaiting else { return false }
            desk.waiting.append(job)
            return true
        }
        guard isTaken else { return false }
        thread.withLock { thread in
            if thread == nil { thread = WorkerThread(standsBack: true) { [self] in run() } }
        }
        signal.set()
        return true
    }

    /// Ends the thread, once it has done what waits.
    func stop() {
        desk.withLock { $0.isStopping = true }
        signal.set()
        thread.withLock { $0.take() }?.join()
    }

    private func run() {
        while true {
            let (job, isStopping) = desk.withLock { desk in
                (desk.waiting.isEmpty ? nil : desk.waiting.removeFirst(), desk.isStopping)
            }
            guard let job else {
                if isStopping { return }
                signal.wait()
                continue
            }
            HTTPResponder.complete([(job.responder, reply(to: job))])
        }
    }

    private func reply(to job: Job) -> HTTPReply {
        do {
            var reader = JournalReader(folder: journalFolder)
            return job.reply(try reader.entries(seqs: job.seqs))
        } catch {
            return Problem.retryLater(503, "journalUnreadable", "the attempt's events can't be read: \(error)").reply
        }
    }
}
