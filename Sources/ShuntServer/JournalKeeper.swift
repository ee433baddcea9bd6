internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// Keeps the journal in shape, on a thread of its own beside the writer's.
final class JournalKeeper: Sendable {
    /// How often it looks.
    static let intervalMs: Int64 = 500
    /// How often it measures the journal.
    static let measureEveryMs: Int64 = 5_000

    private struct Desk {
        var snapshot: State?
        var day: Int64?
        var journalBytes: Int64 = 0
        var isStopping = false
    }

    private let journalFolder: Folder
    private let snapshots: SnapshotFile
    private let retentionDays: Int64
    private let desk = Mutex(Desk())
    private let signal = Signal()
    private let thread = Mutex<WorkerThread?>(nil)

    init(journalFolder: Folder, snapshots: SnapshotFile, retentionDays: Int64) {
        self.journalFolder = journalFolder
        self.snapshots = snapshots
        self.retentionDays = retentionDays
    }

    func start() {
        measure()
        thread.withLock { thread in
            // A snapshot or a copy of the log takes tens of milliseconds of CPU that no report should wait for.
            thread = WorkerThread(standsBack: true) { [self] in run() }
        }
    }

    func stop() {
        desk.withLock { $0.isStopping = true }
        signal.set()
        thread.withLock { $0.take() }?.join()
    }

    /// Hands over a state to be written; a newer one takes the place of one that still waits.
    func offer(_ state: State) {
        desk.withLock { $0.snapshot = state }
        signal.set()
    }

    /// Says which day the writer appends to.
    func follow(day: Int64) {
        desk.withLock { $0.day = day }
    }

    /// The size of a day's write-ahead log in bytes.
    func logBytes(ofDay day: Int64) -> Int64 {
        journalFolder.size(of: JournalDay.logName(day))
    }

    /// Writes a snapshot now. One that can't be written costs a longer restart, nothing else.
    func write(_ state: State) {
        _ = snapshots.writeOrWarn(state)
    }

    /// The size of all of the journal's files in bytes, as it was a few seconds ago: those who ask mustn't wait for a
    /// disk that is out of order.
    var journalBytes: Int64 {
        desk.withLock { $0.journalBytes }
    }

    private func measure() {
        let names = (try? journalFolder.names()) ?? []
        let bytes = names.reduce(0) { $0 + journalFolder.size(of: $1) }
        desk.withLock { $0.journalBytes = bytes }
    }

    private func run() {
        var upkeep = JournalUpkeep(journalFolder: journalFolder, snapshots: snapshots, retentionDays: retentionDays)
        var measuredNs = SystemClock.monotonicNanoseconds
        while true {
            signal.wait(timeoutMs: Self.intervalMs)
            let (snapshot, day, isStopping) = desk.withLock { desk in
                defer { desk.snapshot = nil }
                return (desk.snapshot, desk.day, desk.isStopping)
            }
            if isStopping { return }
            upkeep.step(snapshot: snapshot, day: day)
            if SystemClock.monotonicNanoseconds - measuredNs > Self.measureEveryMs * 1_000_000 {
                measuredNs = SystemClock.monotonicNanoseconds
                measure()
            }
        }
    }
}
