internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Reads the journal back, entry by entry, over all its days.
struct JournalReader: ~Copyable {
    let folder: Folder
    private var document = JSONDocument()

    /// Why an entry, or the rest of a day's file, can't be read.
    struct Unreadable: Error, Equatable {
        /// The entry; for a damaged file the last one that was read before the damage.
        var seq: UInt64
        var reason: String
    }

    /// - Parameter portion: how many entries are read before the file is let go of.
    init(folder: Folder, portion: Int64 = Self.defaultPortion) {
        self.folder = folder
        self.portion = portion
    }

    /// The days that there are files for, oldest first.
    func days() throws(FileError) -> [Int64] {
        try folder.names().compactMap(JournalDay.number(ofFile:)).sorted()
    }

    /// How many entries are read at a time. A reader that stayed in one place for long would keep the log of a daemon
    /// that writes beside it from starting anew.
    static let defaultPortion: Int64 = 20_000
    private let portion: Int64

    /// The numbers of the first and the last entry; nil where a day's file that would say so can't be read.
    func extent() throws -> (first: UInt64?, last: UInt64?) {
        let days = try days()
        return (try number("min", over: days), try number("max", over: days.reversed()))
    }

    /// The least or greatest number in the first of the days that holds any.
    private func number(_ function: String, over days: some Sequence<Int64>) throws -> UInt64? {
        for day in days {
            do throws(DatabaseError) {
                let database = try Database(path: folder.file(JournalDay.fileName(day)), mode: .readOnly)
                guard try Self.holdsEntries(database) else { continue }
                guard let number = try database.integer("SELECT \(function)(seq) FROM entries") else { continue }
                return UInt64(bitPattern: number)
            } catch {
                guard error.isCorrupt else { throw error }
                return nil
            }
        }
        return nil
    }

    /// The number of the last entry that was received until a moment; 0 where none was.
    func lastSeq(until at: Timestamp) throws -> UInt64 {
        for day in try days().reversed() where day <= at.dayNumber {
            do throws(DatabaseError) {
                let database = try Database(path: folder.file(JournalDay.fileName(day)), mode: .readOnly)
                guard try Self.holdsEntries(database) else { continue }
                if let found = try Self.lastSeq(until: at, in: database) { return found }
            } catch {
                guard error.isCorrupt else { throw error }
            }
        }
        return 0
    }

    /// Numbers and times grow together, so halving finds it: there is no index by time.
    private static func lastSeq(until at: Timestamp, in database: borrowing Database) throws(DatabaseError) -> UInt64? {
        guard let first = try database.integer("SELECT min(seq) FROM entries"),
            let last = try database.integer("SELECT max(seq) FROM entries")
        else { return nil }
        let row = try database.prepare("SELECT seq, at FROM entries WHERE seq <= ?1 ORDER BY seq DESC LIMIT 1")
        var found: Int64?
        var low = first
        var high = last
        while low <= high {
            let middle = low + (high - low) / 2
            try row.bind(1, middle)
            guard try row.step() else { break }
            let (seq, time) = (row.integer(0), row.integer(1))
            row.reset()
            if time <= at.milliseconds {
                found = seq
                low = middle + 1
            } else {
                high = seq - 1
            }
        }
        return found.map { UInt64(bitPattern: $0) }
    }

    /// Reads every entry after the given one, in order.
    ///
    /// A damaged file costs what lies behind the damage, and is reported; any other trouble is thrown, because what
    /// can't be read only now must not be left out.
    ///
    /// - Parameter end: The last one to be read; more may come while it reads.
    mutating func forEach(
        after seq: UInt64,
        through end: UInt64 = .max,
        _ body: (Result<Entry, Unreadable>) -> Void
    ) throws {
        var last = seq
        for day in try days() where last < end {
            do throws(DatabaseError) {
                try forEach(ofDay: day, after: seq, through: end, last: &last, body)
            } catch {
                guard error.isCorrupt else { throw error }
                body(.failure(Unreadable(seq: last, reason: "\(JournalDay.fileName(day)) is damaged: \(error)")))
            }
        }
    }

    private mutating func forEach(
        ofDay day: Int64,
        after seq: UInt64,
        through end: UInt64,
        last: inout UInt64,
        _ body: (Result<Entry, Unreadable>) -> Void
    ) throws(DatabaseError) {
        let database = try Database(path: folder.file(JournalDay.fileName(day)), mode: .readOnly)
        guard try Self.holdsEntries(database) else { return }
        let rows = try database.prepare(
            "SELECT seq, at, kind, flags, body FROM entries WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3"
        )
        try rows.bind(2, Int64(clamping: end))
        try rows.bind(3, portion)
        var position = Int64(clamping: seq)
        var count: Int64 = 0
        repeat {
            count = 0
            try rows.bind(1, position)
            while try rows.step() {
                position = rows.integer(0)
                let number = UInt64(bitPattern: position)
                let at = Timestamp(milliseconds: rows.integer(1))
                last = max(last, number)
                count += 1
                let flags = EntryFlags(rawValue: rows.integer(3))
                body(entry(seq: number, at: at, kind: rows.integer(2), flags: flags, body: rows.bytes(4)))
            }
        } while count == portion
    }

    /// Reads entries from the given one back to the first, newest first, for as long as `body` wants more.
    ///
    /// A damaged file costs what it still holds, and is reported; any other trouble is thrown.
    mutating func forEachBack(from seq: UInt64, _ body: (Result<Entry, Unreadable>) -> Bool) throws {
        for day in try days().reversed() {
            do throws(DatabaseError) {
                guard try forEachBack(ofDay: day, from: seq, body) else { return }
            } catch {
                guard error.isCorrupt else { throw error }
                let damage = Unreadable(seq: seq, reason: "\(JournalDay.fileName(day)) is damaged: \(error)")
                guard body(.failure(damage)) else { return }
            }
        }
    }

    private mutating func forEachBack(
        ofDay day: Int64,
        from seq: UInt64,
        _ body: (Result<Entry, Unreadable>) -> Bool
    ) throws(DatabaseError) -> Bool {
        let database = try Database(path: folder.file(JournalDay.fileName(day)), mode: .readOnly)
        guard try Self.holdsEntries(database) else { return true }
        let rows = try database.prepare(
            "SELECT seq, at, kind, flags, body FROM entries WHERE seq <= ?1 ORDER BY seq DESC LIMIT \(portion)"
        )
        var position = Int64(clamping: seq)
        var count: Int64 = 0
        repeat {
            count = 0
            try rows.bind(1, position)
            while try rows.step() {
                let number = rows.integer(0)
                position = number - 1
                count += 1
                let result = entry(
                    seq: UInt64(bitPattern: number),
                    at: Timestamp(milliseconds: rows.integer(1)),
                    kind: rows.integer(2),
                    flags: EntryFlags(rawValue: rows.integer(3)),
                    body: rows.bytes(4)
                )
                guard body(result) else { return false }
            }
        } while count == portion
        return true
    }

    /// Whether a file has got as far as its table: a crash or a full disk may have come in between.
    static func holdsEntries(_ database: borrowing Database) throws(DatabaseError) -> Bool {
        try database.integer("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'entries'") != nil
    }

    /// Reads the identities of the last events, oldest first, so that repeats of them are recognised.
    func forEachRecentIdentity(limit: Int, _ body: (EventIdentity) -> Void) throws {
        var newestFirst: [EventIdentity] = []
        for day in try days().reversed() where newestFirst.count < limit {
            do throws(DatabaseError) {
                try readIdentities(ofDay: day, limit: limit, into: &newestFirst)
            } catch {
                // Damage was reported when the entries were read.
                guard error.isCorrupt else { throw error }
            }
        }
        for identity in newestFirst.reversed() { body(identity) }
    }

    private func readIdentities(
        ofDay day: Int64,
        limit: Int,
        into newestFirst: inout [EventIdentity]
    ) throws(DatabaseError) {
        let database = try Database(path: folder.file(JournalDay.fileName(day)), mode: .readOnly)
        guard try Self.holdsEntries(database) else { return }
        let rows = try database.prepare(
            "SELECT id_high, id_low FROM entries WHERE dedupe_at IS NOT NULL ORDER BY seq DESC LIMIT ?1"
        )
        try rows.bind(1, Int64(limit - newestFirst.count))
        while try rows.step() {
            newestFirst.append(
                EventIdentity(high: UInt64(bitPattern: rows.integer(0)), low: UInt64(bitPattern: rows.integer(1)))
            )
        }
    }

    mutating func entry(
        seq: UInt64,
        at: Timestamp,
        kind: Int64,
        flags: EntryFlags,
        body: [UInt8]
    ) -> Result<Entry, Unreadable> {
        guard let kind = InputKind(rawValue: kind) else {
            return .failure(Unreadable(seq: seq, reason: "kind \(kind) is of a later version"))
        }
        do {
            guard kind == .event else {
                return .success(Entry(seq: seq, at: at, input: try Input(kind: kind, body: body)))
            }
            try document.parse(body)
            var decoder = EventDecoder(door: .journal)
            var event = try decoder.decode(document.root, in: document)
            event.trust = flags.trust
            return .success(Entry(seq: seq, at: at, input: .event(event)))
        } catch {
            return .failure(Unreadable(seq: seq, reason: "\(error)"))
        }
    }
}
