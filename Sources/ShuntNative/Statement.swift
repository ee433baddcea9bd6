internal import CSQLite

/// A compiled SQL statement. Parameters count from 1, columns from 0, as in SQLite.
@safe public struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private let sql: String

    init(handle: OpaquePointer, sql: String) {
        unsafe self.handle = handle
        self.sql = sql
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Sets a parameter to a whole number.
    public func bind(_ index: Int32, _ value: Int64) throws(DatabaseError) {
        try check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    /// Sets a parameter to bytes.
    public func bind(_ index: Int32, _ value: [UInt8]) throws(DatabaseError) {
        let result = unsafe value.withUnsafeBytes { bytes in
            unsafe shunt_bind_blob(handle, index, bytes.baseAddress, UInt64(bytes.count))
        }
        try check(result)
    }

    /// Sets a parameter to a text.
    public func bind(_ index: Int32, _ value: String) throws(DatabaseError) {
        var value = value
        let result = value.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                unsafe shunt_bind_text(handle, index, text.baseAddress, UInt64(text.count))
            }
        }
        try check(result)
    }

    /// Sets a parameter to NULL.
    public func bindNull(_ index: Int32) throws(DatabaseError) {
        try check(unsafe sqlite3_bind_null(handle, index))
    }

    /// Runs the statement to its end and resets it, with bytes that are lent to it and not copied.
    public func run(lending value: [UInt8], to index: Int32) throws(DatabaseError) {
        let failure: DatabaseError? = unsafe value.withUnsafeBytes { bytes in
            // The loan ends with this closure, whatever happens in it.
            defer { unsafe sqlite3_bind_null(handle, index) }
            do throws(DatabaseError) {
                try check(unsafe shunt_bind_borrowed_blob(handle, index, bytes.baseAddress, UInt64(bytes.count)))
                try run()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Runs the statement to its end and resets it.
    public func run() throws(DatabaseError) {
        while try step() {}
    }

    /// Goes to the next row; false at the end, where the statement is reset so that it can run again.
    public func step() throws(DatabaseError) -> Bool {
        let result = unsafe sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            unsafe sqlite3_reset(handle)
            return false
        default:
            let error = unsafe DatabaseError(code: result, handle: sqlite3_db_handle(handle), statement: sql)
            unsafe sqlite3_reset(handle)
            throw error
        }
    }

    /// Ends a run before its last row.
    public func reset() {
        unsafe sqlite3_reset(handle)
    }

    /// Whether a column of the current row is NULL.
    public func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// A column of the current row as a whole number.
    public func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    /// A column of the current row as text.
    public func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    /// A column of the current row as bytes.
    public func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func check(_ result: Int32) throws(DatabaseError) {
        guard result == SQLITE_OK else {
            throw unsafe DatabaseError(code: result, handle: sqlite3_db_handle(handle), statement: sql)
        }
    }
}
