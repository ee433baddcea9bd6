public import ShuntNative

/// Reads the audit of a data folder, beside a daemon that writes it.
public struct AuditReader: Sendable {
    /// The audit can't be read.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// Why.
        public let description: String
    }

    /// A row as it is stored.
    public struct Record: Sendable, Equatable {
        /// Counts from 1, without gaps.
        public let number: Int64
        /// The SHA-256 of the hash before and the line.
        public let hash: Digest
        /// One JSON object.
        public let line: [UInt8]
        /// What was read back from the journal about a transition: one JSON object; nil for other rows, and until it is
        /// stored.
        public let capsule: [UInt8]?
    }

    private let folder: Folder

    init(folder: Folder) {
        self.folder = folder
    }

    /// The audit in a data folder.
    public init(dataPath: String) throws(Failure) {
        do throws(FileError) {
            if let folder = try Folder(existing: dataPath) {
                self.folder = folder
                return
            }
        } catch {
            throw Failure(description: "\(error)")
        }
        throw Failure(description: "there is no data folder \(dataPath)")
    }

    /// Rows, newest first.
    ///
    /// - Parameters:
    ///   - before: only rows with lower numbers; nil for the newest.
    ///   - key: only what this switch did.
    public func records(before: Int64?, limit: Int, historyOf key: String? = nil) throws(Failure) -> [Record] {
        guard let database = try open() else { return [] }
        do throws(DatabaseError) {
            let filter = key == nil ? "" : "history = ?3 AND "
            let rows = try database.prepare(
                "\(try Self.select(from: database)) WHERE \(filter)number < ?1 ORDER BY number DESC LIMIT ?2"
            )
            try rows.bind(1, before ?? .max)
            try rows.bind(2, Int64(limit))
            if let key { try rows.bind(3, key) }
            return try Self.records(rows)
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// The rows of the transitions that made a version, oldest first: one for each journal that got so far.
    func records(ofVersion version: UInt64) throws(Failure) -> [Record] {
        guard let database = try open() else { return [] }
        do throws(DatabaseError) {
            // Quotation marks inside of texts are escaped, so this finds the member and nothing else.
            let rows = try database.prepare(
                "\(try Self.select(from: database)) WHERE history IS NOT NULL "
                    + "AND instr(rows.line, CAST(?1 AS BLOB)) > 0 ORDER BY number"
            )
            try rows.bind(1, "\"version\":\(version),")
            return try Self.records(rows).filter { Self.version(ofLine: $0.line) == version }
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// The row at a place of a journal; nil where there is none.
    func record(epoch: String, place: AuditRow.Place) throws(Failure) -> Record? {
        guard let database = try open() else { return nil }
        do throws(DatabaseError) {
            let rows = try database.prepare(
                "\(try Self.select(from: database)) WHERE rows.epoch = ?1 AND rows.seq = ?2 AND rows.place = ?3"
            )
            try rows.bind(1, epoch)
            try rows.bind(2, Int64(bitPattern: place.seq))
            try rows.bind(3, Int64(place.index))
            return try Self.records(rows).first
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// Whether a row's hash is that of its text and the row before it.
    func isChained(_ record: Record) throws(Failure) -> Bool {
        let before = try records(before: record.number, limit: 1).first
        guard before?.number ?? 0 == record.number - 1 else { return false }
        return AuditFile.hash(of: record.line, after: before?.hash ?? AuditFile.origin) == record.hash
    }

    /// The version that a transition's text tells.
    static func version(ofLine line: [UInt8]) -> UInt64? {
        var document = JSONDocument()
        guard (try? document.parse(line)) != nil, document.kind(of: document.root) == .object,
            let version = document.member("version", of: document.root)
        else { return nil }
        return document.int64(of: version).map { UInt64(clamping: $0) }
    }

    private static func select(from database: borrowing Database) throws(DatabaseError) -> String {
        guard try holdsCapsules(database) else { return "SELECT number, hash, line, NULL FROM rows" }
        return "SELECT number, rows.hash, rows.line, capsules.line FROM rows LEFT JOIN capsules "
            + "ON capsules.epoch = rows.epoch AND capsules.seq = rows.seq AND capsules.place = rows.place"
    }

    /// Whether the file has got their table: one that an earlier version wrote has not.
    private static func holdsCapsules(_ database: borrowing Database) throws(DatabaseError) -> Bool {
        try database.integer("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'capsules'") != nil
    }

    private static func records(_ rows: borrowing Statement) throws(DatabaseError) -> [Record] {
        var records: [Record] = []
        while try rows.step() {
            let hash = Digest(bytes: rows.bytes(1)) ?? AuditFile.origin
            let capsule = rows.isNull(3) ? nil : rows.bytes(3)
            records.append(Record(number: rows.integer(0), hash: hash, line: rows.bytes(2), capsule: capsule))
        }
        return records
    }

    /// Walks the whole chain.
    ///
    /// - Parameter head: a hash that was noted earlier, which must be that of some row.
    public func verify(head: Digest? = nil) throws(Failure) -> AuditVerification {
        var verification = AuditVerification(noted: head)
        guard let database = try open() else { return verification }
        do throws(DatabaseError) {
            let joined =
                try Self.holdsCapsules(database)
                ? "capsules.hash, capsules.line FROM rows LEFT JOIN capsules ON capsules.epoch = rows.epoch "
                    + "AND capsules.seq = rows.seq AND capsules.place = rows.place"
                : "NULL, NULL FROM rows"
            let rows = try database.prepare(
                "SELECT number, rows.epoch, rows.seq, rows.place, history, rows.hash, rows.line, \(joined) "
                    + "WHERE number > ?1 ORDER BY number LIMIT \(Self.portion)"
            )
            // In portions, so that the daemon's log can start anew in between.
            var position = Int64.min
            var count = 0
            repeat {
                count = 0
                try rows.bind(1, position)
                while try rows.step() {
                    count += 1
                    position = rows.integer(0)
                    verification.take(
                        AuditVerification.StoredRow(
                            number: position,
                            epoch: rows.text(1),
                            place: AuditRow.Place(
                                seq: UInt64(bitPattern: rows.integer(2)),
                                index: Int(rows.integer(3))
                            ),
                            history: rows.isNull(4) ? nil : rows.text(4),
                            hash: rows.bytes(5),
                            line: rows.bytes(6),
                            capsule: rows.isNull(8) ? nil : (rows.bytes(7), rows.bytes(8))
                        )
                    )
                    guard verification.problem == nil else {
                        rows.reset()
                        return verification
                    }
                }
            } while count == Self.portion
            return verification
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    private static let portion = 5_000

    /// Nil where nothing was ever written.
    private func open() throws(Failure) -> Database? {
        guard folder.size(of: AuditFile.name) > 0 else { return nil }
        do throws(DatabaseError) {
            let database = try Database(path: folder.file(AuditFile.name), mode: .readOnly)
            let table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'rows'"
            guard try database.integer(table) != nil else { return nil }
            return database
        } catch {
            throw Failure(description: "\(error)")
        }
    }
}
