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
                "SELECT number, hash, line FROM rows WHERE \(filter)number < ?1 ORDER BY number DESC LIMIT ?2"
            )
            try rows.bind(1, before ?? .max)
            try rows.bind(2, Int64(limit))
            if let key { try rows.bind(3, key) }
            var records: [Record] = []
            while try rows.step() {
                let hash = Digest(bytes: rows.bytes(1)) ?? AuditFile.origin
                records.append(Record(number: rows.integer(0), hash: hash, line: rows.bytes(2)))
            }
            return records
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// Walks the whole chain.
    ///
    /// - Parameter head: a hash that was noted earlier, which must be that of some row.
    public func verify(head: Digest? = nil) throws(Failure) -> AuditVerification {
        var verification = AuditVerification(noted: head)
        guard let database = try open() else { return verification }
        do throws(DatabaseError) {
            let rows = try database.prepare(
                "SELECT number, epoch, seq, place, history, hash, line FROM rows WHERE number > ?1 "
                    + "ORDER BY number LIMIT \(Self.portion)"
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
                            line: rows.bytes(6)
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
