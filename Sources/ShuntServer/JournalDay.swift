internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The part of the journal that was received on one day (UTC): one database file.
///
/// A file a day makes retention a removal of files, keeps indexes small, and bounds where a repeated event can be:
/// today or yesterday is at least 24 hours.
struct JournalDay: ~Copyable {
    /// Days since the Unix epoch.
    let number: Int64
    /// The highest `dedupeAt` in it: a repeat of something in here can't have a later one.
    private(set) var latestDedupeAt: Int64

    private let database: Database
    private let insert: Statement
    private let find: Statement
    private let begin: Statement
    private let commitStatement: Statement

    /// The file's name, e.g. `2026-11-30.db`.
    static func fileName(_ number: Int64) -> String {
        Timestamp(milliseconds: number * 86_400_000).dateText + ".db"
    }

    /// The name of the file's write-ahead log.
    static func logName(_ number: Int64) -> String {
        fileName(number) + "-wal"
    }

    /// The day that a file of the journal is for; nil for another file.
    static func number(ofFile name: String) -> Int64? {
        guard name.hasSuffix(".db"), let day = Timestamp(rfc3339: "\(name.dropLast(3))T00:00:00Z") else { return nil }
        return day.dayNumber
    }

    /// Opens a day's file for appending; makes it when it isn't there.
    init(_ number: Int64, in folder: Folder) throws(DatabaseError) {
        let database = try Database(path: folder.file(Self.fileName(number)), mode: .readWrite)
        // Larger pages fit more events each, and cost fewer frames a commit.
        try database.execute("PRAGMA page_size = 8192")
        try database.execute("PRAGMA journal_mode = WAL")
        // FULL: an acknowledgement means durable. NORMAL doesn't sync the log at a commit.
        try database.execute("PRAGMA synchronous = FULL")
        // The keeper copies the log on its own thread: an inline checkpoint would stall an acknowledgement.
        try database.execute("PRAGMA wal_autocheckpoint = 0")
        try database.execute("PRAGMA journal_size_limit = 67108864")
        try database.execute("PRAGMA cache_size = -8192")
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS entries (
                seq INTEGER PRIMARY KEY,
                at INTEGER NOT NULL,
                kind INTEGER NOT NULL,
                flags INTEGER NOT NULL,
                dedupe_at INTEGER,
                id_high INTEGER,
                id_low INTEGER,
                body BLOB NOT NULL
            );
            CREATE UNIQUE INDEX IF NOT EXISTS entries_identity
                ON entries (dedupe_at, id_high, id_low) WHERE dedupe_at IS NOT NULL;
            """
        )
        let insert = try database.prepare(
            """
            INSERT INTO entries (seq, at, kind, flags, dedupe_at, id_high, id_low, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (dedupe_at, id_high, id_low) WHERE dedupe_at IS NOT NULL DO NOTHING
            """
        )
        let find = try database.prepare(
            "SELECT 1 FROM entries WHERE dedupe_at = ?1 AND id_high = ?2 AND id_low = ?3"
        )
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        let latest = try database.integer("SELECT max(dedupe_at) FROM entries WHERE dedupe_at IS NOT NULL")
        self.number = number
        self.latestDedupeAt = latest ?? .min
        self.database = database
        self.insert = insert
        self.find = find
        self.begin = begin
        self.commitStatement = commit
    }

    /// Opens a transaction.
    func beginGroup() throws(DatabaseError) {
        try begin.run()
    }

    /// Makes the transaction durable.
    func commitGroup() throws(DatabaseError) {
        try commitStatement.run()
    }

    /// Drops the transaction, if there is one.
    func abandonGroup() {
        guard database.isInTransaction else { return }
        // If even this fails, the connection is gone and the next group says so.
        try? database.execute("ROLLBACK")
    }

    /// Appends an event. Returns false, and appends nothing, when one with its identity is in this day already.
    mutating func append(
        _ prepared: PreparedEvent,
        flags: EntryFlags,
        seq: UInt64,
        at: Timestamp
    ) throws(DatabaseError) -> Bool {
        try insert.bind(1, Int64(bitPattern: seq))
        try insert.bind(2, at.milliseconds)
        try insert.bind(3, InputKind.event.rawValue)
        try insert.bind(4, flags.rawValue)
        if let identity = prepared.identity {
            try insert.bind(5, prepared.dedupeAt)
            try insert.bind(6, Int64(bitPattern: identity.high))
            try insert.bind(7, Int64(bitPattern: identity.low))
        } else {
            try bindNoIdentity()
        }
        try insert.run(lending: prepared.body, to: 8)
        guard database.changes == 1 else { return false }
        if prepared.identity != nil { latestDedupeAt = max(latestDedupeAt, prepared.dedupeAt) }
        return true
    }

    /// Appends an input that isn't an event.
    func append(_ input: Input, seq: UInt64, at: Timestamp) throws(DatabaseError) {
        try insert.bind(1, Int64(bitPattern: seq))
        try insert.bind(2, at.milliseconds)
        try insert.bind(3, input.kind.rawValue)
        try insert.bind(4, 0)
        try bindNoIdentity()
        try insert.run(lending: input.encodedBody(), to: 8)
    }

    /// Whether an event with this identity and time is in this day.
    func contains(_ identity: EventIdentity, dedupeAt: Int64) throws(DatabaseError) -> Bool {
        guard dedupeAt <= latestDedupeAt else { return false }
        try find.bind(1, dedupeAt)
        try find.bind(2, Int64(bitPattern: identity.high))
        try find.bind(3, Int64(bitPattern: identity.low))
        let isFound = try find.step()
        find.reset()
        return isFound
    }

    /// Copies the whole log into the database, waiting for readers, so that the log starts anew.
    func restartLog() throws(DatabaseError) {
        try database.checkpoint(restarts: true)
    }

    private func bindNoIdentity() throws(DatabaseError) {
        try insert.bindNull(5)
        try insert.bindNull(6)
        try insert.bindNull(7)
    }
}
