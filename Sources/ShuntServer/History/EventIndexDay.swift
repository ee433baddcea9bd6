internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// What is found by name in one day of the journal: one database file, and nothing that the journal couldn't give again.
///
/// Postings are written in runs, each sorted as a whole and cut into chunks. An index that is kept sorted all the time
/// would touch a page for each posting, and hashes have no locality; a run is written once, from front to back. A
/// question goes through all runs of a day: there is one for each 65,536 events.
struct EventIndexDay: ~Copyable {
    /// Postings a chunk, 16 bytes each.
    private static let chunkPostings = 512
    private static let postingBytes = 16

    private let database: Database

    /// The file's name, e.g. `2026-11-30.db`, as the journal's.
    static func fileName(_ day: Int64) -> String { JournalDay.fileName(day) }

    /// Opens a day's file for writing; makes it when it isn't there.
    init(_ day: Int64, in folder: Folder) throws(DatabaseError) {
        let database = try Database(path: folder.file(Self.fileName(day)), mode: .readWrite)
        try database.execute("PRAGMA journal_mode = WAL")
        // It can be made anew from the journal: a power cut may cost a run.
        try database.execute("PRAGMA synchronous = NORMAL")
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS runs (
                run INTEGER PRIMARY KEY, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL
            );
            CREATE TABLE IF NOT EXISTS chunks (
                run INTEGER NOT NULL, first INTEGER NOT NULL, number INTEGER NOT NULL, postings BLOB NOT NULL,
                PRIMARY KEY (run, first, number)
            ) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS errors (
                environment TEXT NOT NULL, domain TEXT NOT NULL, code TEXT NOT NULL,
                first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, total INTEGER NOT NULL,
                class TEXT NOT NULL, stage TEXT NOT NULL,
                PRIMARY KEY (environment, domain, code)
            ) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS counts (
                environment TEXT NOT NULL, domain TEXT NOT NULL, code TEXT NOT NULL,
                part INTEGER NOT NULL, count INTEGER NOT NULL,
                PRIMARY KEY (environment, domain, code, part)
            ) WITHOUT ROWID;
            """
        )
        self.database = database
    }

    /// Writes a run, and what became of the error keys since the last one, all or nothing.
    ///
    /// - Parameters:
    ///   - postings: those of the entries from `first` to `last`, in any order.
    ///   - errors: the numbers of the records that changed.
    ///   - part: the first five minutes whose counts may have changed.
    func write(
        _ postings: [EventPosting],
        first: UInt64,
        last: UInt64,
        errors: some Sequence<Int>,
        of history: ErrorHistory,
        from part: Int64
    ) throws(DatabaseError) {
        try database.execute("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            try writeRun(postings.sorted(), first: first, last: last)
            try writeErrors(errors, of: history, from: part)
            try database.execute("COMMIT")
        } catch {
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    private func writeRun(_ postings: [EventPosting], first: UInt64, last: UInt64) throws(DatabaseError) {
        let run = try (database.integer("SELECT max(run) FROM runs") ?? 0) + 1
        let insertRun = try database.prepare("INSERT INTO runs (run, first_seq, last_seq) VALUES (?1, ?2, ?3)")
        try insertRun.bind(1, run)
        try insertRun.bind(2, Int64(bitPattern: first))
        try insertRun.bind(3, Int64(bitPattern: last))
        try insertRun.run()
        let insert = try database.prepare("INSERT INTO chunks (run, first, number, postings) VALUES (?1, ?2, ?3, ?4)")
        var number: Int64 = 0
        for start in stride(from: 0, to: postings.count, by: Self.chunkPostings) {
            let chunk = postings[start..<min(start + Self.chunkPostings, postings.count)]
            try insert.bind(1, run)
            try insert.bind(2, postings[start].term.number)
            try insert.bind(3, number)
            try insert.run(lending: Self.bytes(of: chunk), to: 4)
            number += 1
        }
    }

    private func writeErrors(
        _ numbers: some Sequence<Int>,
        of history: ErrorHistory,
        from part: Int64
    ) throws(DatabaseError) {
        let insert = try database.prepare(
            """
            INSERT OR REPLACE INTO errors (environment, domain, code, first_at, last_at, total, class, stage)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        )
        let count = try database.prepare(
            "INSERT OR REPLACE INTO counts (environment, domain, code, part, count) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        for number in numbers {
            let record = history.records[number]
            try insert.bind(1, record.key.environment)
            try insert.bind(2, record.key.domain)
            try insert.bind(3, record.key.code)
            try insert.bind(4, record.firstAt.milliseconds)
            try insert.bind(5, record.lastAt.milliseconds)
            try insert.bind(6, Int64(clamping: record.total))
            try insert.bind(7, record.failureClass.rawValue)
            try insert.bind(8, record.stage.rawValue)
            try insert.run()
            try count.bind(1, record.key.environment)
            try count.bind(2, record.key.domain)
            try count.bind(3, record.key.code)
            for (part, value) in history.fiveMinutes(of: number, from: part) {
                try count.bind(4, part)
                try count.bind(5, Int64(value))
                try count.run()
            }
        }
    }

    private static func bytes(of chunk: ArraySlice<EventPosting>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(chunk.count * postingBytes)
        for posting in chunk {
            append(UInt64(bitPattern: posting.term.number), to: &bytes)
            append(posting.seq, to: &bytes)
        }
        return bytes
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    // MARK: Reading

    /// Opens a day's file for questions.
    init(reading day: Int64, in folder: Folder) throws(DatabaseError) {
        database = try Database(path: folder.file(Self.fileName(day)), mode: .readOnly, busyTimeoutMs: 1_000)
    }

    /// The last entry whose names are in it; 0 without any.
    func lastSeq() throws(DatabaseError) -> UInt64 {
        UInt64(bitPattern: try database.integer("SELECT max(last_seq) FROM runs") ?? 0)
    }

    /// The entries with a term that come before one, newest first, into `found`, until that has so many.
    func find(_ term: EventTerm, before seq: UInt64, limit: Int, into found: inout [UInt64]) throws(DatabaseError) {
        let runs = try database.prepare("SELECT run FROM runs WHERE first_seq < ?1 ORDER BY run DESC")
        let chunks = try database.prepare(
            "SELECT first, postings FROM chunks WHERE run = ?1 AND first <= ?2 ORDER BY first DESC, number DESC"
        )
        try runs.bind(1, Int64(clamping: seq))
        while found.count < limit, try runs.step() {
            try chunks.bind(1, runs.integer(0))
            try chunks.bind(2, term.number)
            while found.count < limit, try chunks.step() {
                Self.scan(chunks.bytes(1), for: term, before: seq, limit: limit, into: &found)
                // An equal first one may continue from the chunk before.
                if chunks.integer(0) < term.number { break }
            }
            chunks.reset()
        }
        runs.reset()
    }

    private static func scan(
        _ bytes: [UInt8],
        for term: EventTerm,
        before seq: UInt64,
        limit: Int,
        into found: inout [UInt64]
    ) {
        var low = 0
        var high = bytes.count / postingBytes
        // The first posting behind the term's last one.
        while low < high {
            let middle = (low + high) / 2
            if value(bytes, middle * postingBytes) <= term.number.magnitude { low = middle + 1 } else { high = middle }
        }
        while low > 0, found.count < limit {
            low -= 1
            guard value(bytes, low * postingBytes) == term.number.magnitude else { return }
            let number = value(bytes, low * postingBytes + 8)
            if number < seq { found.append(number) }
        }
    }

    private static func value(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in offset..<offset + 8 { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    /// Takes the error keys' totals back.
    func restoreErrors(into history: inout ErrorHistory) throws(DatabaseError) {
        let rows = try database.prepare(
            "SELECT environment, domain, code, first_at, last_at, total, class, stage FROM errors ORDER BY first_at"
        )
        while try rows.step() {
            history.restore(
                ErrorHistory.Key(environment: rows.text(0), domain: rows.text(1), code: rows.text(2)),
                firstAt: Timestamp(milliseconds: rows.integer(3)),
                lastAt: Timestamp(milliseconds: rows.integer(4)),
                total: UInt64(clamping: rows.integer(5)),
                failureClass: FailureClass(rawValue: rows.text(6)) ?? .unknown,
                stage: Stage(rawValue: rows.text(7)) ?? .unknown
            )
        }
    }

    /// Takes the counts of five minutes back, from a part on.
    func restoreCounts(from part: Int64, into history: inout ErrorHistory) throws(DatabaseError) {
        let rows = try database.prepare(
            """
            SELECT environment, domain, code, part, count FROM counts
            WHERE part >= ?1 ORDER BY environment, domain, code, part
            """
        )
        try rows.bind(1, part)
        while try rows.step() {
            let key = ErrorHistory.Key(environment: rows.text(0), domain: rows.text(1), code: rows.text(2))
            history.restore(key, part: rows.integer(3), count: UInt32(clamping: rows.integer(4)))
        }
    }
}
