internal import CSQLite

/// One connection to an SQLite database. For one thread at a time.
@safe public struct Database: ~Copyable {
    /// How a database is opened.
    public enum Mode: Sendable {
        /// For reading and writing; made when it isn't there.
        case readWrite
        /// For reading only; an error when it isn't there.
        case readOnly
    }

    private let handle: OpaquePointer

    /// Opens a database file.
    ///
    /// - Parameter busyTimeoutMs: for how long a locked database is tried again.
    public init(path: String, mode: Mode, busyTimeoutMs: Int32 = 5_000) throws(DatabaseError) {
        var opened: OpaquePointer?
        let flags =
            switch mode {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        // No mutex inside SQLite: ownership already keeps a connection to one thread at a time.
        let result = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let opened = unsafe opened else {
            let error = unsafe DatabaseError(code: result, handle: opened, statement: "open \(path)")
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        unsafe handle = opened
        unsafe sqlite3_busy_timeout(handle, busyTimeoutMs)
    }

    deinit {
        // v2 waits for statements that are still alive.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing of interest.
    public func execute(_ sql: String) throws(DatabaseError) {
        let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw unsafe DatabaseError(code: result, handle: handle, statement: sql) }
    }

    /// Compiles one statement, to be run many times.
    public func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
        guard result == SQLITE_OK, let prepared = unsafe prepared else {
            throw unsafe DatabaseError(code: result, handle: handle, statement: sql)
        }
        return unsafe Statement(handle: prepared, sql: sql)
    }

    /// The first column of the first row as a whole number, or nil when there is no row or it holds NULL.
    public func integer(_ sql: String) throws(DatabaseError) -> Int64? {
        let statement = try prepare(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// How many rows the last statement changed.
    public var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// Whether a transaction is open.
    public var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Copies frames of the write-ahead log into the database, as far as no reader stands in the way.
    ///
    /// - Parameter restarts: waits for readers, so that the log begins anew at its start.
    /// - Returns: how many frames the log holds, and how many of them are copied.
    @discardableResult
    public func checkpoint(restarts: Bool = false) throws(DatabaseError) -> (frames: Int, copied: Int) {
        // A connection that has read nothing yet doesn't know that there is a log, and would copy nothing of it.
        _ = try integer("PRAGMA schema_version")
        var frames: Int32 = 0
        var copied: Int32 = 0
        let mode = restarts ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE
        let result = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &copied)
        guard result == SQLITE_OK else {
            throw unsafe DatabaseError(code: result, handle: handle, statement: "checkpoint")
        }
        return (Int(frames), Int(copied))
    }

    /// The version of the SQLite library in use.
    public static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }
}

/// Why SQLite refused.
public struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code.
    public var code: Int32
    /// SQLite's own words.
    public var message: String
    /// What was asked.
    public var statement: String

    init(code: Int32, handle: OpaquePointer?, statement: String) {
        self.code = code
        self.message = unsafe handle.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
        self.statement = statement
    }

    /// Whether the disk is full.
    public var isDiskFull: Bool { code & 0xFF == SQLITE_FULL }

    /// Whether another process or connection holds a lock.
    public var isBusy: Bool { code & 0xFF == SQLITE_BUSY }

    /// Whether the file isn't a sound database.
    public var isCorrupt: Bool { code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB }

    /// What was asked, what was answered, and the code, on one line.
    public var description: String {
        let lines = statement.split(separator: "\n")
        let asked = lines.count > 1 ? "\(lines[0]) …" : statement
        return "\(asked): \(message) (SQLite code \(code))"
    }
}
