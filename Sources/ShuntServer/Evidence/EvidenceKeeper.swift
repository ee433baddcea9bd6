internal import ShuntCore
internal import ShuntNative
internal import Synchronization

/// Reads back from the journal what transitions were decided by, on a thread of its own: no flip waits for it.
///
/// Nothing of it is lost in a crash. The replay at the next start makes the same jobs, as far as no snapshot lies beyond
/// them, and none is made while jobs wait.
final class EvidenceKeeper: Sendable {
    /// How many jobs wait at most. Beyond it they are left to the next start.
    static let maximumWaiting = 10_000
    /// How long it waits after something couldn't be read or written.
    static let retryDelayMs: Int64 = 1_000
    /// How often a journal that can't be read is tried before the capsule says so by being empty.
    static let maximumTries = 5
    /// For how long it works on when the daemon ends.
    static let drainMs: Int64 = 2_000

    private struct Desk {
        var waiting: [EvidenceJob] = []
        var isLeftToRestart = false
        var isStopping = false
        var stopsAtNs: Int64 = .max
    }

    private let journalFolder: Folder
    private let audit: AuditTrail
    private let desk = Mutex(Desk())
    private let signal = Signal()
    private let thread = Mutex<WorkerThread?>(nil)

    init(journalFolder: Folder, audit: AuditTrail) {
        self.journalFolder = journalFolder
        self.audit = audit
    }

    func start() {
        thread.withLock { thread in
            thread = WorkerThread(standsBack: true) { [self] in run() }
        }
    }

    /// Ends the thread, once it has done what waits or has tried for `drainMs`.
    func stop() {
        let nowNs = SystemClock.monotonicNanoseconds
        desk.withLock { desk in
            desk.isStopping = true
            desk.stopsAtNs = nowNs + Self.drainMs * 1_000_000
        }
        signal.set()
        thread.withLock { $0.take() }?.join()
        // One that was never started has left everything; else there is nothing to do.
        run()
    }

    /// Takes jobs in the order of their transitions.
    func offer(_ jobs: [EvidenceJob]) {
        guard !jobs.isEmpty else { return }
        desk.withLock { desk in
            guard !desk.isLeftToRestart else { return }
            desk.waiting += jobs
            guard desk.waiting.count > Self.maximumWaiting else { return }
            desk.waiting = []
            desk.isLeftToRestart = true
        }
        signal.set()
    }

    /// Whether every transition's capsule is stored.
    var isComplete: Bool {
        desk.withLock { $0.waiting.isEmpty && !$0.isLeftToRestart }
    }

    private func run() {
        var tries = 0
        while true {
            let (job, isStopping, stopsAtNs) = desk.withLock { ($0.waiting.first, $0.isStopping, $0.stopsAtNs) }
            guard let job else {
                if isStopping { return }
                signal.wait()
                continue
            }
            guard SystemClock.monotonicNanoseconds < stopsAtNs else { return }
            if work(on: job, isLastTry: tries + 1 >= Self.maximumTries) {
                tries = 0
                desk.withLock { desk in
                    // Too many may have come, and have been let go of, meanwhile.
                    if !desk.waiting.isEmpty { desk.waiting.removeFirst() }
                }
            } else {
                tries += 1
                if isStopping { return }
                signal.wait(timeoutMs: Self.retryDelayMs)
            }
        }
    }

    /// Stores the capsule of a job; false when it is to be tried again.
    func work(on job: EvidenceJob, isLastTry: Bool = false) -> Bool {
        switch audit.needsCapsule(epoch: job.epoch, place: job.place) {
        case .no: return true
        case .unknown: return false
        case .yes: break
        }
        let capsule: EvidenceCapsule
        do {
            capsule = try job.capsule(from: journalFolder)
        } catch {
            guard isLastTry else { return false }
            Log.error("the failures behind version \(job.transition.version) can't be read back: \(error)")
            capsule = EvidenceCapsule(version: job.transition.version, place: job.place)
        }
        return audit.store(capsule, epoch: job.epoch)
    }
}
