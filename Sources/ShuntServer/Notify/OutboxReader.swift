internal import ShuntNative
internal import ShuntSchema

/// Reads what became of notices, beside the daemon that tells them.
struct OutboxReader: Sendable {
    /// An alert that flaps for a month has more than anybody reads.
    private static let mostDeliveries: Int64 = 200

    private let folder: Folder

    init(folder: Folder) {
        self.folder = folder
    }

    /// The deliveries of an alert's notices, oldest first, as a JSON array.
    func deliveries(ofAlert id: String) throws(DatabaseError) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginArray()
        if folder.size(of: OutboxFile.name) > 0 {
            let database = try Database(path: folder.file(OutboxFile.name), mode: .readOnly, busyTimeoutMs: 1_000)
            let rows = try database.prepare(
                "SELECT epoch, seq, place, channel, notice, state, tries, first_at, next_at, ended_at, answer, instead_of "
                    + "FROM (SELECT * FROM deliveries WHERE alert = ?1 ORDER BY number DESC LIMIT ?2) ORDER BY number"
            )
            try rows.bind(1, id)
            try rows.bind(2, Self.mostDeliveries)
            while try rows.step() {
                writer.beginObject()
                writer.field("id", "\(rows.text(0))-\(rows.integer(1))-\(rows.integer(2))")
                writer.field("channel", rows.text(3))
                writer.field("happening", Notice(json: rows.bytes(4))?.happening.rawValue)
                writer.field("state", rows.text(5))
                writer.field("tries", rows.integer(6))
                writer.field("firstTriedAt", rows.isNull(7) ? nil : Timestamp(milliseconds: rows.integer(7)))
                let isOpen = rows.isNull(9)
                writer.field("nextTryAt", isOpen ? Timestamp(milliseconds: rows.integer(8)) : nil)
                writer.field("endedAt", isOpen ? nil : Timestamp(milliseconds: rows.integer(9)))
                writer.field("answer", rows.text(10))
                writer.field("insteadOf", rows.isNull(11) ? nil : rows.text(11))
                writer.endObject()
            }
        }
        writer.endArray()
        return writer.bytes
    }
}
