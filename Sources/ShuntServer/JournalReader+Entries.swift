internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

extension JournalReader {
    /// Reads the entries of these numbers, in their order. Repeats are read once; what the journal doesn't hold, or
    /// doesn't hold any more, is left out.
    ///
    /// Opens only the days that it needs, newest first, and looks each number up by the table's key, so it costs little
    /// however long the journal is. For any thread but the writer's: it waits for the disk.
    ///
    /// A damaged file costs what it holds, and is reported in place of the first entry looked for in it; any other
    /// trouble is thrown.
    mutating func entries(seqs: [UInt64]) throws -> [Result<Entry, Unreadable>] {
        // The table's key is signed, so there is nothing beyond its greatest.
        var wanted = Set(seqs).filter { Int64(exactly: $0) != nil }.sorted()
        var found: [(seq: UInt64, entry: Result<Entry, Unreadable>)] = []
        for day in try days().reversed() where !wanted.isEmpty {
            do throws(DatabaseError) {
                try readEntries(ofDay: day, wanted: &wanted, into: &found)
            } catch {
                guard error.isCorrupt else { throw error }
                let seq = wanted.first ?? 0
                let reason = "\(JournalDay.fileName(day)) is damaged: \(error)"
                found.append((seq, .failure(Unreadable(seq: seq, reason: reason))))
            }
        }
        return found.sorted { $0.seq < $1.seq }.map(\.entry)
    }

    /// Reads what one day holds of the wanted numbers, and takes all from its first entry on out of them: older days hold
    /// smaller numbers only.
    private mutating func readEntries(
        ofDay day: Int64,
        wanted: inout [UInt64],
        into found: inout [(seq: UInt64, entry: Result<Entry, Unreadable>)]
    ) throws(DatabaseError) {
        let database = try Database(path: folder.file(JournalDay.fileName(day)), mode: .readOnly)
        guard try Self.holdsEntries(database), let first = try database.integer("SELECT min(seq) FROM entries") else {
            return
        }
        let start = wanted.firstIndex { $0 >= UInt64(bitPattern: first) } ?? wanted.endIndex
        let here = wanted[start...]
        guard !here.isEmpty else { return }
        let row = try database.prepare("SELECT at, kind, flags, body FROM entries WHERE seq = ?1")
        for seq in here {
            try row.bind(1, Int64(bitPattern: seq))
            if try row.step() {
                let result = entry(
                    seq: seq,
                    at: Timestamp(milliseconds: row.integer(0)),
                    kind: row.integer(1),
                    flags: EntryFlags(rawValue: row.integer(2)),
                    body: row.bytes(3)
                )
                found.append((seq, result))
            }
            row.reset()
        }
        wanted.removeSubrange(start...)
    }
}
