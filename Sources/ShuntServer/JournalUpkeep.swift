internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// What is done for the journal beside writing it: copies the write-ahead log, writes snapshots, and removes days that
/// are past their time.
struct JournalUpkeep {
    /// A log beyond this size is worth copying.
    static let copyAboveBytes: Int64 = 8 << 20

    private let journalFolder: Folder
    private let snapshots: SnapshotFile
    private let shelf: SnapshotShelf
    private let retentionDays: Int64
    /// Everything that was received before this day is in the snapshot on disk; nil when there is none.
    private var snapshotDay: Int64?
    /// The first day that was kept, when days were removed last.
    private var firstKept: Int64?

    init(journalFolder: Folder, snapshots: SnapshotFile, retentionDays: Int64) {
        self.journalFolder = journalFolder
        self.snapshots = snapshots
        shelf = SnapshotShelf(data: snapshots.folder)
        // The writer needs yesterday's index to know repeats by.
        self.retentionDays = max(1, retentionDays)
        if case .state(let state) = snapshots.read() { snapshotDay = state.at.dayNumber }
    }

    /// Does what is to be done now.
    ///
    /// - Parameter snapshot: a state to be written, if there is one.
    /// - Parameter day: the day that the writer appends to; nil before its first group.
    mutating func step(snapshot: State?, day: Int64?) {
        if let snapshot, snapshots.writeOrWarn(snapshot) {
            snapshotDay = snapshot.at.dayNumber
            shelf.keep(snapshot)
        }
        guard let day else { return }
        for day in [day - 1, day] where journalFolder.size(of: JournalDay.logName(day)) > Self.copyAboveBytes {
            copyLog(ofDay: day)
        }
        // What a day holds may be all that knows the rules and the switches, so it stays until a snapshot does.
        guard let snapshotDay else { return }
        let first = min(day - retentionDays, snapshotDay)
        guard first != firstKept else { return }
        firstKept = first
        removeDays(before: first)
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
            // A day's own file comes before its log in this order: a log without its file is nothing, a file without
            // its log would look like a whole day.
            for name in try journalFolder.names() {
                let isLog = name.hasSuffix("-wal") || name.hasSuffix("-shm")
                let file = isLog ? String(name.dropLast(4)) : name
                guard let day = JournalDay.number(ofFile: file), day < first else { continue }
                try journalFolder.remove(name)
                if !isLog { Log.info("removed the journal of \(name.dropLast(3)): older than \(retentionDays) days") }
            }
            try shelf.remove(before: first)
        } catch {
            Log.warning("old days of the journal can't be removed: \(error)")
        }
    }
}

extension SnapshotFile {
    /// Writes a snapshot; false, and a line in the log, when that fails.
    func writeOrWarn(_ state: State) -> Bool {
        do throws(FileError) {
            try write(state)
            return true
        } catch {
            Log.warning("the snapshot can't be written, the next start takes longer: \(error)")
            return false
        }
    }
}
