internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Reads the journal back, entry by entry, over all its days.
struct JournalReader: ~Copyable {
    private let folder: Folder
    private var document = JSONDocument()

    /// Why an entry can't be read.
    struct Unreadable: Error, Equatable {
        var seq: UInt64
        var reason: String
    }

    init(folder: Folder) {
        self.folder = folder
    }

    /// The days that there are files for, oldest first.
    func days() throws(FileError) -> [Int64] {
        try folder.names().compactMap(JournalDay.number(ofFile:)).sorted()
    }

    /// Reads every entry after the given one, in order.
    mutating func forEach(
        after seq: UInt64,
        _ body: (Result<Entry, Unreadable>) -> Void
    ) throws {
        for day in try days() {
            let database = try Database(path: folder.file(JournalDay.fileName(day)), mode: .readOnly)
            guard let last = try database.integer("SELECT max(seq) FROM entries"), last > Int64(seq) else { continue }
            let rows = try database.prepare("SELECT seq, at, kind, body FROM entries WHERE seq > ?1 ORDER BY seq")
            try rows.bind(1, Int64(bitPattern: seq))
            while try rows.step() {
                let number = UInt64(bitPattern: rows.integer(0))
                let at = Timestamp(milliseconds: rows.integer(1))
                body(entry(seq: number, at: at, kind: rows.integer(2), body: rows.bytes(3)))
            }
        }
    }

    /// Reads the identities of the last events, oldest first, so that repeats of them are recognised.
    func forEachRecentIdentity(limit: Int, _ body: (EventIdentity) -> Void) throws {
        var remaining = limit
        var newestFirst: [EventIdentity] = []
        for day in try days().reversed() where remaining > 0 {
            let database = try Database(path: folder.file(JournalDay.fileName(day)), mode: .readOnly)
            let rows = try database.prepare(
                "SELECT id_high, id_low FROM entries WHERE dedupe_at IS NOT NULL ORDER BY seq DESC LIMIT ?1"
            )
            try rows.bind(1, Int64(remaining))
            while try rows.step() {
                newestFirst.append(
                    EventIdentity(
                        high: UInt64(bitPattern: rows.integer(0)),
                        low: UInt64(bitPattern: rows.integer(1))
                    )
                )
                remaining -= 1
            }
        }
        for identity in newestFirst.reversed() { body(identity) }
    }

    private mutating func entry(
        seq: UInt64,
        at: Timestamp,
        kind: Int64,
        body: [UInt8]
    ) -> Result<Entry, Unreadable> {
        guard let kind = InputKind(rawValue: kind) else {
            return .failure(Unreadable(seq: seq, reason: "kind \(kind) is of a later version"))
        }
        do {
            guard kind == .event else {
                return .success(Entry(seq: seq, at: at, input: try Input(kind: kind, body: body)))
            }
            try document.parse(body)
            var decoder = EventDecoder()
            let event = try decoder.decode(document.root, in: document)
            return .success(Entry(seq: seq, at: at, input: .event(event)))
        } catch {
            return .failure(Unreadable(seq: seq, reason: "\(error)"))
        }
    }
}
