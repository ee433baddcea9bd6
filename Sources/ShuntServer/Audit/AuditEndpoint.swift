internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `GET /v1/audit` and `GET /v1/switches/{key}/history`.
struct AuditEndpoint: Sendable {
    static let defaultLimit = 100
    static let maximumLimit = 500

    let reader: AuditReader
    let board: Board

    /// Every row, newest first, each with its hash.
    func list(_ head: HTTPRequestHead) throws(Problem) -> HTTPReply {
        let page = try Page(head)
        let records = try records(of: page)
        var writer = JSONWriter(capacity: 4096)
        writer.beginObject()
        writer.key("rows")
        writer.beginArray()
        for record in records.prefix(page.limit) {
            writer.beginObject()
            writer.field("hash", record.hash.hexadecimal)
            writer.key("row")
            writer.json(record.line)
            if let capsule = record.capsule {
                writer.key("capsule")
                writer.json(capsule)
            }
            writer.endObject()
        }
        writer.endArray()
        Self.end(records, page, to: &writer)
        return Self.reply(writer)
    }

    /// What one switch did, newest first.
    func history(_ head: HTTPRequestHead, key: String) throws(Problem) -> HTTPReply {
        let page = try Page(head)
        let records = try records(of: page, historyOf: key)
        // A switch that the rules no longer have keeps its history.
        if records.isEmpty, board.document(environment: PaymentEvent.defaultEnvironment)?.representation(of: key) == nil
        {
            throw Problem(404, "unknownSwitch", "no switch is called \(key.cut(toUTF8: 64))")
        }
        var writer = JSONWriter(capacity: 4096)
        writer.beginObject()
        writer.field("key", key)
        writer.key("transitions")
        writer.beginArray()
        for record in records.prefix(page.limit) { writer.json(Self.transition(record)) }
        writer.endArray()
        Self.end(records, page, to: &writer)
        return Self.reply(writer)
    }

    /// The row with its capsule as one more member.
    private static func transition(_ record: AuditReader.Record) -> [UInt8] {
        guard let capsule = record.capsule, record.line.last == UInt8(ascii: "}") else { return record.line }
        return record.line.dropLast() + Array(",\"capsule\":".utf8) + capsule + [UInt8(ascii: "}")]
    }

    /// One more than asked for, where there are more.
    private func records(of page: Page, historyOf key: String? = nil) throws(Problem) -> [AuditReader.Record] {
        do throws(AuditReader.Failure) {
            return try reader.records(before: page.before, limit: page.limit + 1, historyOf: key)
        } catch {
            Log.error("the audit can't be read: \(error)")
            throw .retryLater(503, "auditUnreadable", "the audit can't be read; the log says why")
        }
    }

    private static func end(_ records: [AuditReader.Record], _ page: Page, to writer: inout JSONWriter) {
        if records.count > page.limit { writer.field("nextCursor", "\(records[page.limit - 1].number)") }
        writer.endObject()
    }

    private static func reply(_ writer: JSONWriter) -> HTTPReply {
        let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return HTTPReply(status: 200, headers: fields, body: writer.bytes)
    }

    /// Which rows are asked for.
    private struct Page {
        var before: Int64?
        var limit = AuditEndpoint.defaultLimit

        init(_ head: HTTPRequestHead) throws(Problem) {
            if let text = head.query("limit") {
                guard let limit = Int(text), (1...AuditEndpoint.maximumLimit).contains(limit) else {
                    throw Problem(400, "invalidLimit", "expected limit to be 1 to \(AuditEndpoint.maximumLimit)")
                }
                self.limit = limit
            }
            if let text = head.query("cursor") {
                guard let before = Int64(text), before > 0 else {
                    throw Problem(400, "invalidCursor", "expected cursor to be the nextCursor of an answer")
                }
                self.before = before
            }
        }
    }
}
