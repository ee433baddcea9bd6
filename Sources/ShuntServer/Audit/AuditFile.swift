internal import ShuntNative

/// The audit on disk: rows that are only ever added, each chained to the one before by its hash, and capsules, each
/// bound to its row by that row's hash.
struct AuditFile: ~Copyable {
    static let name = "audit.db"

    /// What the first row is chained to: 32 zeros.
    static let origin = Digest.zero

    private let database: Database
    private let insert: Statement
    private let last: Statement
    private let findRow: Statement
    private let findCapsule: Statement
    private let insertCapsule: Statement
    private let lastMove: Statement
    private let begin: Statement
    private let commit: Statement
    /// The last row's number; 0 without rows.
    private(set) var number: Int64
    /// The last row's hash.
    private(set) var head: Digest

    /// Opens the file for writing; makes it when it isn't there.
    init(path: String) throws(DatabaseError) {
        // Whoever holds a lock for longer keeps the writer from events; the rows can wait.
        let database = try Database(path: path, mode: .readWrite, busyTimeoutMs: 100)
        // Readers, some of them in other processes, must never hold up the writer.
        try database.execute("PRAGMA journal_mode = WAL")
        // FULL: a snapshot that is written after a row must not outlive it, or nothing could bring it back.
        try database.execute("PRAGMA synchronous = FULL")
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS rows (
                number INTEGER PRIMARY KEY,
                epoch TEXT NOT NULL,
                seq INTEGER NOT NULL,
                place INTEGER NOT NULL,
                history TEXT,
                hash BLOB NOT NULL,
                line BLOB NOT NULL,
                UNIQUE (epoch, seq, place)
            );
            CREATE INDEX IF NOT EXISTS rows_history ON rows (history, number) WHERE history IS NOT NULL;
            CREATE TRIGGER IF NOT EXISTS rows_update BEFORE UPDATE ON rows
                BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
            CREATE TRIGGER IF NOT EXISTS rows_delete BEFORE DELETE ON rows
                BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
            CREATE TABLE IF NOT EXISTS capsules (
                epoch TEXT NOT NULL,
                seq INTEGER NOT NULL,
                place INTEGER NOT NULL,
                hash BLOB NOT NULL,
                line BLOB NOT NULL,
                PRIMARY KEY (epoch, seq, place)
            ) WITHOUT ROWID;
            CREATE TRIGGER IF NOT EXISTS capsules_update BEFORE UPDATE ON capsules
                BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
            CREATE TRIGGER IF NOT EXISTS capsules_delete BEFORE DELETE ON capsules
                BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
            """
        )
        let insert = try database.prepare(
            "INSERT INTO rows (number, epoch, seq, place, history, hash, line) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        )
        let last = try database.prepare(
            "SELECT seq, place FROM rows WHERE epoch = ?1 ORDER BY seq DESC, place DESC LIMIT 1"
        )
        let findRow = try database.prepare("SELECT hash FROM rows WHERE epoch = ?1 AND seq = ?2 AND place = ?3")
        let findCapsule = try database.prepare("SELECT 1 FROM capsules WHERE epoch = ?1 AND seq = ?2 AND place = ?3")
        let insertCapsule = try database.prepare(
            "INSERT INTO capsules (epoch, seq, place, hash, line) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        let lastMove = try database.prepare(
            "SELECT line FROM rows WHERE epoch = ?1 AND history IS NOT NULL ORDER BY number DESC LIMIT 1"
        )
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        let end = try Self.end(of: database)
        number = end.number
        head = end.head
        self.database = database
        self.insert = insert
        self.last = last
        self.findRow = findRow
        self.findCapsule = findCapsule
        self.insertCapsule = insertCapsule
        self.lastMove = lastMove
        self.begin = begin
        self.commit = commit
    }

    /// Adds rows, all or none, durably. What is in it already is passed over: a replay brings rows again. After an error
    /// the file must be opened anew.
    ///
    /// - Returns: how many were new.
    mutating func append(_ rows: [AuditRow]) throws(DatabaseError) -> Int {
        do throws(DatabaseError) {
            try begin.run()
            let count = try insertNew(rows)
            try commit.run()
            return count
        } catch {
            // If even this fails, the connection is gone and the next call says so.
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    private mutating func insertNew(_ rows: [AuditRow]) throws(DatabaseError) -> Int {
        var epoch: String?
        var latest: AuditRow.Place?
        let before = number
        for row in rows {
            if row.epoch != epoch {
                epoch = row.epoch
                latest = try place(of: row.epoch)
            }
            if let latest, row.place <= latest { continue }
            if number == 0, row.content != .founded {
                let place = AuditRow.Place(seq: 0, index: 0)
                try add(AuditRow(epoch: row.epoch, place: place, at: row.at, content: .begun))
            }
            try add(row)
            latest = row.place
        }
        return Int(number - before)
    }

    private mutating func add(_ row: AuditRow) throws(DatabaseError) {
        let next = number + 1
        let line = row.line(number: next)
        let hash = Self.hash(of: line, after: head)
        try insert.bind(1, next)
        try insert.bind(2, row.epoch)
        try insert.bind(3, Int64(bitPattern: row.place.seq))
        try insert.bind(4, Int64(row.place.index))
        if let history = row.historyOf { try insert.bind(5, history) } else { try insert.bindNull(5) }
        try insert.bind(6, hash.bytes)
        try insert.run(lending: line, to: 7)
        number = next
        head = hash
    }

    /// The hash of a row: SHA-256 of the 32 bytes of the one before, and then the line's bytes.
    static func hash(of line: [UInt8], after previous: Digest) -> Digest {
        Digest.sha256(previous.bytes + line)
    }

    /// The hash of the row at a place; nil where there is none.
    func rowHash(epoch: String, place: AuditRow.Place) throws(DatabaseError) -> Digest? {
        try Self.bind(epoch, place, to: findRow)
        guard try findRow.step() else { return nil }
        let hash = Digest(bytes: findRow.bytes(0))
        findRow.reset()
        return hash
    }

    /// Whether the row at a place has its capsule.
    func hasCapsule(epoch: String, place: AuditRow.Place) throws(DatabaseError) -> Bool {
        try Self.bind(epoch, place, to: findCapsule)
        let isThere = try findCapsule.step()
        findCapsule.reset()
        return isThere
    }

    /// Adds the capsule of a row, durably.
    func add(_ capsule: EvidenceCapsule, epoch: String, row: Digest) throws(DatabaseError) {
        let line = capsule.line
        try Self.bind(epoch, capsule.place, to: insertCapsule)
        try insertCapsule.bind(4, EvidenceCapsule.hash(of: line, row: row).bytes)
        try insertCapsule.run(lending: line, to: 5)
    }

    private static func bind(
        _ epoch: String,
        _ place: AuditRow.Place,
        to statement: borrowing Statement
    ) throws(DatabaseError) {
        try statement.bind(1, epoch)
        try statement.bind(2, Int64(bitPattern: place.seq))
        try statement.bind(3, Int64(place.index))
    }

    /// The text of the last transition of a journal.
    func lastMove(of epoch: String) throws(DatabaseError) -> [UInt8]? {
        try lastMove.bind(1, epoch)
        guard try lastMove.step() else { return nil }
        let line = lastMove.bytes(0)
        lastMove.reset()
        return line
    }

    /// The last place of a journal that is in it.
    func place(of epoch: String) throws(DatabaseError) -> AuditRow.Place? {
        try last.bind(1, epoch)
        guard try last.step() else { return nil }
        let place = AuditRow.Place(seq: UInt64(bitPattern: last.integer(0)), index: Int(last.integer(1)))
        last.reset()
        return place
    }

    private static func end(of database: borrowing Database) throws(DatabaseError) -> (number: Int64, head: Digest) {
        let rows = try database.prepare("SELECT number, hash FROM rows ORDER BY number DESC LIMIT 1")
        guard try rows.step() else { return (0, origin) }
        // A hash of another length is nobody's: the chain is broken there, and its check says so.
        return (rows.integer(0), Digest(bytes: rows.bytes(1)) ?? origin)
    }
}

extension Digest {
    /// 32 zeros, which no text hashes to.
    fileprivate static let zero = Digest(bytes: [UInt8](repeating: 0, count: byteCount)) ?? .sha256([])
}
