internal import ShuntNative
internal import Synchronization

/// The audit that a running daemon writes.
///
/// A row comes from an entry that is durable already, so the journal can bring back any that a crash has kept from
/// being written, as long as no snapshot lies beyond its entry: none is made while rows wait. Trouble with the audit
/// holds up nothing else.
final class AuditTrail: Sendable {
    /// How many rows wait at most while the file can't be written. Beyond it they are left to the next start, which
    /// finds them in the journal.
    static let maximumWaiting = 10_000
    /// How long it is left alone after it couldn't be written.
    static let retryDelayNs: Int64 = 1_000_000_000

    private struct Desk: ~Copyable {
        var file: AuditFile?
        var waiting: [AuditRow] = []
        /// Rows were dropped: none may follow before they are back.
        var isLeftToRestart = false
        var isFailing = false
        var retryAtNs: Int64 = 0
    }

    private let folder: Folder
    private let desk = Mutex(Desk())

    init(folder: Folder) {
        self.folder = folder
    }

    /// Takes rows in the order in which they happened, and writes what waits.
    func record(_ rows: [AuditRow]) {
        guard !rows.isEmpty else { return }
        desk.withLock { desk in
            guard !desk.isLeftToRestart else { return }
            desk.waiting += rows
            write(&desk)
            guard desk.waiting.count > Self.maximumWaiting else { return }
            Log.error("the audit can't be written for too long: the rest of it will be written after a restart")
            desk.waiting = []
            desk.isLeftToRestart = true
        }
    }

    /// Writes what waits, and says whether nothing is missing any more.
    @discardableResult
    func settle() -> Bool {
        desk.withLock { desk in
            if !desk.waiting.isEmpty { write(&desk) }
            return desk.waiting.isEmpty && !desk.isLeftToRestart
        }
    }

    /// Writes what waits, says whether nothing is missing, and closes the file, which then holds everything itself.
    func finish() -> Bool {
        let isComplete = settle()
        desk.withLock { $0.file = nil }
        return isComplete
    }

    /// Whether a row is still without its capsule.
    enum CapsuleNeed {
        case yes
        /// It has one, or there is no such row: the audit is younger than the journal.
        case no
        /// Nobody can tell now.
        case unknown
    }

    /// Whether the transition at a place needs its capsule.
    func needsCapsule(epoch: String, place: AuditRow.Place) -> CapsuleNeed {
        desk.withLock { desk in
            if !desk.waiting.isEmpty { write(&desk) }
            guard desk.waiting.isEmpty, !desk.isLeftToRestart else { return .unknown }
            do throws(DatabaseError) {
                try open(&desk)
                guard try desk.file?.rowHash(epoch: epoch, place: place) != nil else { return .no }
                return try desk.file?.hasCapsule(epoch: epoch, place: place) == false ? .yes : .no
            } catch {
                desk.file = nil
                return .unknown
            }
        }
    }

    /// Stores the capsule of a row; false when it can't be now. Whoever brings rows waits for one sync at most.
    func store(_ capsule: EvidenceCapsule, epoch: String) -> Bool {
        desk.withLock { desk in
            do throws(DatabaseError) {
                try open(&desk)
                guard let row = try desk.file?.rowHash(epoch: epoch, place: capsule.place) else { return false }
                try desk.file?.add(capsule, epoch: epoch, row: row)
                return true
            } catch {
                Log.warning("the capsule of version \(capsule.version) can't be written yet: \(error)")
                desk.file = nil
                return false
            }
        }
    }

    /// The last entry and the last version of a journal that it tells of; nil where it tells of none, or can't be read.
    func end(of epoch: String) -> (seq: UInt64, version: UInt64)? {
        desk.withLock { desk -> (seq: UInt64, version: UInt64)? in
            do throws(DatabaseError) {
                try open(&desk)
                guard let place = try desk.file?.place(of: epoch) else { return nil }
                let line = try desk.file?.lastMove(of: epoch)
                return (place.seq, line.flatMap(AuditReader.version(ofLine:)) ?? 0)
            } catch {
                return nil
            }
        }
    }

    /// The number and hash of the last row, if the file can be read.
    var head: (number: Int64, hash: Digest)? {
        desk.withLock { desk -> (number: Int64, hash: Digest)? in
            do throws(DatabaseError) {
                try open(&desk)
            } catch {
                return nil
            }
            guard let number = desk.file?.number, let hash = desk.file?.head else { return nil }
            return (number, hash)
        }
    }

    private func write(_ desk: inout Desk) {
        guard SystemClock.monotonicNanoseconds >= desk.retryAtNs else { return }
        do throws(DatabaseError) {
            try open(&desk)
            _ = try desk.file?.append(desk.waiting)
            desk.waiting.removeAll(keepingCapacity: true)
            if desk.isFailing { Log.info("the audit can be written again, and nothing of it is missing") }
            desk.isFailing = false
        } catch {
            if !desk.isFailing { Log.error("the audit can't be written, its rows wait: \(error)") }
            desk.isFailing = true
            desk.retryAtNs = SystemClock.monotonicNanoseconds + Self.retryDelayNs
            desk.file = nil
        }
    }

    private func open(_ desk: inout Desk) throws(DatabaseError) {
        guard desk.file == nil else { return }
        do throws(DatabaseError) {
            desk.file = try AuditFile(path: folder.file(AuditFile.name))
        } catch {
            guard error.isCorrupt else { throw error }
            Log.error("the audit is damaged; it is set aside, and a new one begins: \(error)")
            setAside()
            desk.file = try AuditFile(path: folder.file(AuditFile.name))
        }
    }

    /// Keeps a damaged file for whoever wants to know what happened to it.
    private func setAside() {
        let name = AuditFile.name
        do throws(FileError) {
            let aside = "\(name).damaged-\(SystemClock.wallMilliseconds)"
            for suffix in ["-wal", ""] where folder.size(of: name + suffix) > 0 {
                try folder.rename(name + suffix, to: aside + suffix)
            }
            try folder.remove(name + "-shm")
            try folder.remove(name + "-wal")
        } catch {
            Log.error("the damaged audit can't be set aside: \(error)")
        }
    }
}
