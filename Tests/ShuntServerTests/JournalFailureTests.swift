import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// What a journal does when the disk or the database refuses: nothing is half done, and it goes on afterwards.
@Suite struct JournalFailureTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a day whose file can't be opened takes nothing of the last group along`() throws {
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write([.failure(id: "a"), .failure(id: "b")], at: Moment.noon)

        // Tomorrow's name is taken by a folder, so that SQLite can't open it.
        _ = try Folder(path: "\(folder.path)/\(Moment.nextFileName)")
        for _ in 0..<2 {
            #expect(throws: DatabaseError.self) { try journal.beginGroup(at: Moment.nextDay) }
            journal.abandonGroup()
            #expect(journal.lastSeq == 2)
        }
        try folder.remove(Moment.nextFileName)

        #expect(try journal.write([.failure(id: "a"), .failure(id: "c")], at: Moment.nextDay) == [nil, 3])
        #expect(try readNumbers(folder) == [1, 2, 3])
    }

    @Test func `a group that the database refuses in its middle is undone as a whole`() throws {
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write([.failure(id: "a")], at: Moment.noon)
        let other = try Database(path: "\(folder.path)/\(Moment.fileName)", mode: .readWrite)
        try other.execute(
            """
            CREATE TRIGGER refusal BEFORE INSERT ON entries WHEN (SELECT count(*) FROM entries) >= 3
            BEGIN SELECT RAISE(ABORT, 'no more'); END
            """
        )
        let group = ["b", "c", "d"].map { PaymentEvent.failure(id: $0) }
        #expect(throws: DatabaseError.self) { _ = try journal.write(group, at: Moment.noon) }
        journal.abandonGroup()
        #expect(journal.lastSeq == 1)
        #expect(try readNumbers(folder) == [1])
        try other.execute("DROP TRIGGER refusal")
        #expect(try journal.write(group + [.failure(id: "a")], at: Moment.noon) == [2, 3, 4, nil])
        #expect(try readNumbers(folder) == [1, 2, 3, 4])
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "this machine doesn't let a test mount a small file system"))
    func `a full disk refuses a group, and the same group is taken when there is room again`() throws {
        let disk = try SmallDisk(kibibytes: 512)
        var journal = Journal(folder: try disk.folder.folder())
        _ = try journal.write([.failure(id: "first")], at: Moment.noon)
        try disk.fill()
        let group = (0..<400).map { PaymentEvent.failure("code-\($0)", id: "id-\($0)") }
        var error: DatabaseError?
        do {
            _ = try journal.write(group, at: Moment.noon)
        } catch let caught as DatabaseError {
            error = caught
        }
        journal.abandonGroup()
        #expect(error?.isDiskFull == true, "\(String(describing: error))")
        #expect(journal.lastSeq == 1)

        try disk.free()
        let numbers = try journal.write(group, at: Moment.noon)
        #expect(numbers == (2...401).map { $0 })
        #expect(try readNumbers(disk.folder) == (1...401).map { $0 })
        #expect(try journal.write(group, at: Moment.noon).allSatisfy { $0 == nil })
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "this machine doesn't let a test mount a small file system"))
    func `a disk that is full at midnight leaves a file that stops no start`() throws {
        let disk = try SmallDisk(kibibytes: 512)
        var journal = Journal(folder: try disk.folder.folder())
        try journal.write(.founded(epoch: "e"), at: Moment.noon)
        _ = try journal.write([.failure(id: "a")], at: Moment.noon)
        try disk.fill()
        #expect(throws: DatabaseError.self) { _ = try journal.write([.failure(id: "b")], at: Moment.nextDay) }
        journal.abandonGroup()
        #expect(disk.folder.exists(Moment.nextFileName))
        #expect(try readNumbers(disk.folder) == [1, 2])

        try disk.free()
        #expect(try journal.write([.failure(id: "b"), .failure(id: "a")], at: Moment.nextDay) == [3, nil])
    }

    @Test(arguments: [Row("an empty file", [UInt8]()), Row("a database without a table", emptyDatabase())])
    func `a file that a crash left before its table is skipped, then used`(row: Row<[UInt8]>) throws {
        var journal = Journal(folder: try folder.folder())
        _ = try journal.write([.failure(id: "a")], at: Moment.noon)
        try folder.write(row.value, to: Moment.nextFileName)
        #expect(try readNumbers(folder) == [1])
        var identities = 0
        try JournalReader(folder: try folder.folder()).forEachRecentIdentity(limit: 10) { _ in identities += 1 }
        #expect(identities == 1)
        #expect(try journal.write([.failure(id: "a"), .failure(id: "b")], at: Moment.nextDay) == [nil, 2])
        #expect(try readNumbers(folder) == [1, 2])
    }

    private static func emptyDatabase() -> [UInt8] {
        guard let folder = try? TemporaryFolder(),
            let database = try? Database(path: "\(folder.path)/new.db", mode: .readWrite),
            (try? database.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL")) != nil,
            let bytes = try? folder.contents("new.db")
        else { return [] }
        return bytes
    }
}
