import Foundation
import ShuntNative
import Testing

/// The face of SQLite, against the real library.
@Suite final class DatabaseTests {
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "shunt-database-\(UUID().uuidString).db").path
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private func open(_ mode: Database.Mode = .readWrite, busyTimeoutMs: Int32 = 0) throws(DatabaseError) -> Database {
        try Database(path: path, mode: mode, busyTimeoutMs: busyTimeoutMs)
    }

    @Test func `values come back as they were bound`() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (i INTEGER, b BLOB, s TEXT, n)")
        let insert = try database.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4)")
        let blobs: [[UInt8]] = [[], [0], [0xFF, 0, 0x41], Array(repeating: 7, count: 100_000)]
        let texts = ["", "ä\u{0}b", "👩‍👩‍👧‍👦", String(repeating: "x", count: 70_000)]
        let integers: [Int64] = [.min, 0, 1, .max]
        for number in 0..<4 {
            try insert.bind(1, integers[number])
            try insert.bind(2, blobs[number])
            try insert.bind(3, texts[number])
            try insert.bindNull(4)
            try insert.run()
            let changes = database.changes
            #expect(changes == 1)
        }
        let rows = try database.prepare("SELECT i, b, s, n FROM t ORDER BY rowid")
        for number in 0..<4 {
            #expect(try rows.step())
            #expect(rows.integer(0) == integers[number])
            #expect(rows.bytes(1) == blobs[number])
            #expect(rows.text(2) == texts[number])
            #expect(rows.isNull(3) && !rows.isNull(1) && !rows.isNull(2))
            #expect(rows.bytes(3).isEmpty && rows.integer(3) == 0)
        }
        #expect(try !rows.step())
        #expect(try rows.step(), "a statement at its end can run again")
        rows.reset()
    }

    @Test func `bytes that are lent are stored, and not kept bound`() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (b BLOB)")
        let insert = try database.prepare("INSERT INTO t VALUES (?1)")
        for body in [[1, 2, 3], [], Array(repeating: UInt8(9), count: 9000)] { try insert.run(lending: body, to: 1) }
        try insert.run()
        let rows = try database.prepare("SELECT b, length(b) FROM t ORDER BY rowid")
        for size: Int64? in [3, 0, 9000, nil] {
            #expect(try rows.step())
            #expect(rows.isNull(0) == (size == nil))
            #expect(rows.integer(1) == size ?? 0)
        }
    }

    @Test func `a conflict that is let pass changes nothing and says so`() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)")
        let insert = try database.prepare("INSERT INTO t VALUES (?1) ON CONFLICT DO NOTHING")
        try insert.bind(1, 5)
        try insert.run()
        let changes = database.changes
        #expect(changes == 1)
        try insert.run()
        let repeated = database.changes
        #expect(repeated == 0)
    }

    @Test func `an error leaves the statement and the connection usable`() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)")
        let insert = try database.prepare("INSERT INTO t VALUES (?1)")
        try insert.bind(1, 1)
        try insert.run()
        let error = #expect(throws: DatabaseError.self) { try insert.run() }
        #expect(error?.message.contains("UNIQUE") == true)
        #expect(error?.statement == "INSERT INTO t VALUES (?1)")
        try insert.bind(1, 2)
        try insert.run()
        #expect(try database.integer("SELECT count(*) FROM t") == 2)
        #expect(throws: DatabaseError.self) { try insert.bind(2, 1) }
        #expect(throws: DatabaseError.self) { try database.execute("SELEKT") }
        #expect(throws: DatabaseError.self) { _ = try database.prepare("SELECT * FROM nowhere") }
        #expect(throws: DatabaseError.self) { _ = try database.prepare("") }
    }

    @Test func `a whole number is nil where there is no row or no value`() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (v)")
        #expect(try database.integer("SELECT v FROM t") == nil)
        #expect(try database.integer("SELECT max(v) FROM t") == nil)
        #expect(try database.integer("SELECT 7") == 7)
    }

    @Test func `an open transaction shows, and a rollback undoes it`() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (v)")
        let isOpenBefore = database.isInTransaction
        #expect(!isOpenBefore)
        try database.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
        let isOpen = database.isInTransaction
        #expect(isOpen)
        try database.execute("ROLLBACK")
        let isOpenAfter = database.isInTransaction
        #expect(!isOpenAfter)
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a reader needs a file, and can't write`() throws {
        #expect(throws: DatabaseError.self) { _ = try self.open(.readOnly) }
        let writer = try open()
        try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (v)")
        let reader = try open(.readOnly)
        #expect(try reader.integer("SELECT count(*) FROM t") == 0)
        #expect(throws: DatabaseError.self) { try reader.execute("INSERT INTO t VALUES (1)") }
    }

    @Test func `two writers at once: the second is told that it is busy`() throws {
        let first = try open()
        try first.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (v)")
        let second = try open()
        try first.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: DatabaseError.self) { try second.execute("BEGIN IMMEDIATE") }
        #expect(error?.isBusy == true)
        #expect(error?.isDiskFull == false && error?.isCorrupt == false)
        try first.execute("COMMIT")
        try second.execute("BEGIN IMMEDIATE; COMMIT")
    }

    @Test func `a database that may not grow is full, and tells so`() throws {
        let database = try open()
        try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (v BLOB); PRAGMA max_page_count = 10")
        let insert = try database.prepare("INSERT INTO t VALUES (?1)")
        try database.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: DatabaseError.self) {
            for _ in 0..<100 { try insert.run(lending: [UInt8](repeating: 1, count: 3000), to: 1) }
        }
        #expect(error?.isDiskFull == true)
        try? database.execute("ROLLBACK")
        let isOpenAfter = database.isInTransaction
        #expect(!isOpenAfter)
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
        try database.execute("PRAGMA max_page_count = 1000")
        try insert.run(lending: [1], to: 1)
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
    }

    @Test func `a file that isn't a database is corrupt`() throws {
        _ = FileManager.default.createFile(atPath: path, contents: Data(repeating: 0x55, count: 10_000))
        let database = try open()
        let error = #expect(throws: DatabaseError.self) { _ = try database.integer("SELECT count(*) FROM t") }
        #expect(error?.isCorrupt == true)
    }

    @Test func `a checkpoint copies the log, and a restart of it waits for readers`() throws {
        let writer = try open()
        try writer.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (v)")
        try writer.execute("INSERT INTO t VALUES (1)")
        let whole = try writer.checkpoint()
        #expect(whole.frames > 0 && whole.copied == whole.frames)

        let reader = try open(.readOnly)
        let rows = try reader.prepare("SELECT v FROM t")
        #expect(try rows.step())
        try writer.execute("INSERT INTO t VALUES (2)")
        let error = #expect(throws: DatabaseError.self) { try writer.checkpoint(restarts: true) }
        #expect(error?.isBusy == true)
        rows.reset()
        try writer.checkpoint(restarts: true)
        #expect(try reader.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `a checkpoint by a connection that has read nothing yet copies the log too`() throws {
        let writer = try open()
        try writer.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (v)")
        let copier = try open()
        let result = try copier.checkpoint()
        #expect(result.frames > 0 && result.copied == result.frames)
    }

    @Test func `an error is one line, however long the statement`() throws {
        let database = try open()
        let error = #expect(throws: DatabaseError.self) { try database.execute("SELECT\n1\nFROM nowhere") }
        #expect(error?.description == "SELECT …: no such table: nowhere (SQLite code 1)")
        let short = #expect(throws: DatabaseError.self) { try database.execute("SELECT 1 FROM nowhere") }
        #expect(short?.description == "SELECT 1 FROM nowhere: no such table: nowhere (SQLite code 1)")
    }

    @Test func `connections and statements leave no descriptor open`() throws {
        for _ in 0..<20 {
            let database = try open()
            try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (v)")
            let rows = try database.prepare("SELECT v FROM t")
            _ = try rows.step()
            _ = try? Database(path: "/nowhere/at/all.db", mode: .readWrite)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let open = names.filter { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix(path) ?? false
        }
        #expect(open.isEmpty)
    }
}
