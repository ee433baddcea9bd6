internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// Keeps the journal in shape, away from the writer's thread: copies the write-ahead log, writes snapshots, and
/// removes days that are past their time.
final class JournalKeeper: Sendable {
    /// A log beyond this size is worth copying.
    static let copyAboveBytes: Int64 = 8 << 20
    /// How often it looks.
    static let intervalMs: Int64 = 500

    private struct Desk {
        var snapshot: State?
        var day: Int64?
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
        thread.withLock { thread in
            thread = WorkerThread { [self] in run() }
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
        journalFolder.size(of: JournalDay.fileName(day) + "-wal")
    }

    /// Writes a snapshot now. One that can't be written costs a longer restart, nothing else.
    func write(_ state: State) {
        do throws(FileError) {
            try snapshots.write(state)
        } catch {
            Log.warning("the snapshot can't be written, the next start takes longer: \(error)")
        }
    }

    /// The size of all of the journal's files in bytes.
    func journalBytes() -> Int64 {
        let names = (try? journalFolder.names()) ?? []
        return names.reduce(0) { $0 + journalFolder.size(of: $1) }
    }

    private func run() {
        var lastDay: Int64?
        while true {
            signal.wait(timeoutMs: Self.intervalMs)
            let (snapshot, day, isStopping) = desk.withLock { desk in
                defer { desk.snapshot = nil }
                return (desk.snapshot, desk.day, desk.isStopping)
            }
            if isStopping { return }
            if let snapshot { write(snapshot) }
            guard let day else { continue }
            for day in [day - 1, day] where logBytes(ofDay: day) > Self.copyAboveBytes { copyLog(ofDay: day) }
            if day != lastDay {
                lastDay = day
                removeDays(before: day - retentionDays)
            }
        }
    }

    private func copyLog(ofDay day: Int64) {
        do throws(DatabaseError) {
            let database = try Database(path: journalFolder.file(JournalDay.fileName(day)), mode: .readWrite)
            try database.execute("PRAGMA wal_autocheckpoint = 0")
            try database.checkpoint()
        } catch {
            Log.warning("the journal's log can't be copied yet: \(error)")
        }
    }

    private func removeDays(before first: Int64) {
        do throws(FileError) {
            for name in try journalFolder.names() {
                guard let day = JournalDay.number(ofFile: name), day < first else { continue }
                for suffix in ["-shm", "-wal", ""] { try journalFolder.remove(name + suffix) }
                Log.info("removed the journal of \(name.dropLast(3)): older than \(retentionDays) days")
            }
        } catch {
            Log.warning("old days of the journal can't be removed: \(error)")
        }
    }
}
