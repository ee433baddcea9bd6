internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Finds events by the names they have: a file for each day of the journal, and removed with it.
struct EventIndex: Sendable {
    private let folder: Folder

    init(folder: Folder) {
        self.folder = folder
    }

    /// Takes back what it knows of errors.
    ///
    /// - Returns: the last entry that is in it; 0 where there is nothing, or nothing that can be read.
    func restore(_ history: inout ErrorHistory, at: Timestamp) -> UInt64 {
        do {
            let days = try days()
            var restored = history
            var through: UInt64 = 0
            // Each day's file has all errors that were known; the newest one that got so far says how far it goes.
            for day in days.reversed() {
                let file = try EventIndexDay(reading: day, in: folder)
                through = try file.lastSeq()
                guard through > 0 else { continue }
                try file.restoreErrors(into: &restored)
                break
            }
            let part = at.milliseconds / 300_000 - 288
            for day in days.suffix(3) {
                try EventIndexDay(reading: day, in: folder).restoreCounts(from: part, into: &restored)
            }
            history = restored
            return through
        } catch {
            Log.warning("the index of events can't be read and is made anew from the journal: \(error)")
            clear()
            return 0
        }
    }

    private func clear() {
        for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
    }

    /// Writes a run, and removes the days that the journal has no more.
    func write(_ run: PendingIndex.Run, of errors: ErrorHistory, journalFolder: Folder) throws {
        let file = try EventIndexDay(run.day, in: folder)
        let changed = run.errors ?? Array(errors.records.indices)
        try file.write(
            run.postings,
            first: run.first,
            last: run.last,
            errors: changed,
            of: errors,
            from: run.part
        )
        guard let first = try JournalReader(folder: journalFolder).days().first else { return }
        for name in try folder.names() {
            let isLog = name.hasSuffix("-wal") || name.hasSuffix("-shm")
            guard let day = JournalDay.number(ofFile: isLog ? String(name.dropLast(4)) : name), day < first else {
                continue
            }
            try folder.remove(name)
        }
    }

    /// The entries with a term that come before one, newest first, into `found`, until that has so many.
    func find(_ term: EventTerm, before seq: UInt64, limit: Int, into found: inout [UInt64]) throws(DatabaseError) {
        let days: [Int64]
        do throws(FileError) {
            days = try self.days()
        } catch {
            return
        }
        for day in days.reversed() where found.count < limit {
            try EventIndexDay(reading: day, in: folder).find(term, before: seq, limit: limit, into: &found)
        }
    }

    private func days() throws(FileError) -> [Int64] {
        try folder.names().compactMap(JournalDay.number(ofFile:)).sorted()
    }
}
