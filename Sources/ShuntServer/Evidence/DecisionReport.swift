internal import ShuntCore
internal import ShuntNative
public import ShuntSchema

/// What made a version: as it is stored, as it came out of the replay, and in what the two differ.
public struct DecisionReport: Sendable {
    /// A row of the audit.
    public struct Row: Sendable {
        /// As it is stored; nil where it isn't.
        public var stored: [UInt8]?
        /// As the replay makes it.
        public var replayed: [UInt8]
    }

    /// Something in which the two differ.
    public struct Difference: Equatable, Sendable {
        /// Where, e.g. `evidence.conditions[0].value`.
        public var path: String
        /// As it is stored, as JSON; nil where it isn't.
        public var stored: String?
        /// As the replay makes it, as JSON; nil where it doesn't.
        public var replayed: String?
    }

    /// The version.
    public private(set) var version: UInt64
    /// The journal that it belongs to.
    public private(set) var epoch: String
    /// The entry that made it.
    public private(set) var seq: UInt64
    /// The rows about it, the transition last. Version 1 has none of a transition, nor have versions that rule files made.
    public private(set) var rows: [Row] = []
    /// What was read back from the journal about its failures; nil where no failures decided.
    public private(set) var capsule: Row?
    /// What differs; empty where the replay comes to the same decision for the same reasons.
    public private(set) var differences: [Difference] = []
    /// The entry after which the replay began: 0, or that of a snapshot where the journal's beginning is gone.
    public private(set) var startSeq: UInt64
    /// How many entries were folded.
    public private(set) var entryCount: Int
    /// Entries that can't be read and were left out.
    public private(set) var unreadable: [String]

    init(version: UInt64, run: DecisionRun, startSeq: UInt64) {
        self.version = version
        epoch = run.state.epoch
        seq = run.seq
        self.startSeq = startSeq
        entryCount = run.entryCount
        unreadable = run.unreadable.map { "entry \($0.seq): \($0.reason)" }
    }

    /// Whether the replay comes to what is stored.
    public var isSame: Bool { differences.isEmpty }

    /// Holds rows against those of the audit.
    mutating func compare(_ made: [AuditRow], with audit: AuditReader) throws(AuditReader.Failure) {
        for row in made {
            guard let record = try audit.record(epoch: row.epoch, place: row.place) else {
                let line = row.line(number: 0)
                rows.append(Row(stored: nil, replayed: line))
                differences.append(
                    Difference(path: "row", stored: nil, replayed: String(decoding: line, as: UTF8.self))
                )
                continue
            }
            let line = row.line(number: record.number)
            rows.append(Row(stored: record.line, replayed: line))
            differences += Self.differences(between: record.line, and: line, under: "")
            if try !audit.isChained(record) {
                differences.append(Difference(path: "hash", stored: "\"\(record.hash.hexadecimal)\"", replayed: nil))
            }
            if row.historyOf != nil { storedCapsule = record.capsule }
        }
    }

    private var storedCapsule: [UInt8]?

    /// Holds a capsule against the one that is stored.
    mutating func compare(_ made: EvidenceCapsule) {
        let line = made.line
        capsule = Row(stored: storedCapsule, replayed: line)
        if let storedCapsule {
            differences += Self.differences(between: storedCapsule, and: line, under: "capsule")
        } else {
            differences.append(
                Difference(path: "capsule", stored: nil, replayed: String(decoding: line, as: UTF8.self))
            )
        }
    }

    private static func differences(
        between stored: [UInt8],
        and replayed: [UInt8],
        under path: String
    ) -> [Difference] {
        guard stored != replayed else { return [] }
        let whole = Difference(
            path: path.isEmpty ? "row" : path,
            stored: String(decoding: stored, as: UTF8.self),
            replayed: String(decoding: replayed, as: UTF8.self)
        )
        var left = JSONDocument()
        var right = JSONDocument()
        guard (try? left.parse(stored)) != nil, (try? right.parse(replayed)) != nil else { return [whole] }
        var found: [Difference] = []
        compare(left.root, in: left, right.root, in: right, path, &found)
        return found.isEmpty ? [whole] : found
    }

    private static func compare(
        _ left: JSONValue,
        in leftDocument: borrowing JSONDocument,
        _ right: JSONValue,
        in rightDocument: borrowing JSONDocument,
        _ path: String,
        _ found: inout [Difference]
    ) {
        let kind = leftDocument.kind(of: left)
        guard kind == rightDocument.kind(of: right), kind == .object || kind == .array else {
            let (leftText, rightText) = (leftDocument.source(of: left), rightDocument.source(of: right))
            if leftText != rightText { found.append(Self.difference(path, leftText, rightText)) }
            return
        }
        let (lefts, rights) = (members(of: left, in: leftDocument), members(of: right, in: rightDocument))
        for (name, value) in lefts {
            let inner = kind == .array ? "\(path)[\(name)]" : path.isEmpty ? name : "\(path).\(name)"
            if let other = rights.first(where: { $0.name == name })?.value {
                compare(value, in: leftDocument, other, in: rightDocument, inner, &found)
            } else {
                found.append(difference(inner, leftDocument.source(of: value), nil))
            }
        }
        for (name, value) in rights where !lefts.contains(where: { $0.name == name }) {
            let inner = kind == .array ? "\(path)[\(name)]" : path.isEmpty ? name : "\(path).\(name)"
            found.append(difference(inner, nil, rightDocument.source(of: value)))
        }
    }

    private static func members(
        of value: JSONValue,
        in document: borrowing JSONDocument
    ) -> [(name: String, value: JSONValue)] {
        let isArray = document.kind(of: value) == .array
        var members: [(name: String, value: JSONValue)] = []
        var children = document.children(of: value)
        while let child = children.next(in: document) {
            members.append((isArray ? "\(members.count)" : document.key(of: child), child))
        }
        return members
    }

    private static func difference(_ path: String, _ stored: [UInt8]?, _ replayed: [UInt8]?) -> Difference {
        Difference(
            path: path,
            stored: stored.map { String(decoding: $0, as: UTF8.self) },
            replayed: replayed.map { String(decoding: $0, as: UTF8.self) }
        )
    }
}

extension DecisionReport {
    /// Writes it as one JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("version", version)
        writer.field("epoch", epoch)
        writer.field("seq", seq)
        writer.field("isSame", isSame)
        writer.key("rows")
        writer.beginArray()
        for row in rows { write(row, to: &writer) }
        writer.endArray()
        if let capsule {
            writer.key("capsule")
            write(capsule, to: &writer)
        }
        writer.key("differences")
        writer.beginArray()
        for difference in differences {
            writer.beginObject()
            writer.field("path", difference.path)
            writer.field("stored", difference.stored)
            writer.field("replayed", difference.replayed)
            writer.endObject()
        }
        writer.endArray()
        writer.field("startSeq", startSeq)
        writer.field("entries", entryCount)
        writer.key("unreadable")
        writer.beginArray()
        for entry in unreadable { writer.string(entry) }
        writer.endArray()
        writer.endObject()
    }

    private func write(_ row: Row, to writer: inout JSONWriter) {
        writer.beginObject()
        if let stored = row.stored {
            writer.key("stored")
            if Self.isJSON(stored) {
                writer.json(stored)
            } else {
                writer.string(String(decoding: stored, as: UTF8.self))
            }
        }
        writer.key("replayed")
        writer.json(row.replayed)
        writer.endObject()
    }

    /// Whoever changed the file may have written anything.
    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        var document = JSONDocument()
        return (try? document.parse(bytes)) != nil
    }
}
