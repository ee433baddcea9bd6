public import ShuntNative
internal import ShuntSchema

/// What a walk along the audit's chain has found.
public struct AuditVerification: Sendable {
    /// What is wrong, and where.
    public struct Problem: Sendable, Equatable {
        /// The first row that can't be believed.
        public var number: Int64
        /// Why.
        public var reason: String
    }

    /// How many rows are right.
    public private(set) var count: Int64 = 0
    /// The hash of the last one that is right; 32 zeros without any.
    public private(set) var head = AuditFile.origin
    /// The first thing that is wrong.
    public private(set) var problem: Problem?
    /// The row that a noted head belongs to.
    public private(set) var notedAt: Int64?

    private let noted: Digest?
    private var places: [String: AuditRow.Place] = [:]

    init(noted: Digest?) {
        self.noted = noted
        if noted == AuditFile.origin { notedAt = 0 }
    }

    /// Whether a head was noted that no row has.
    public var isNotedMissing: Bool { noted != nil && notedAt == nil }

    /// Whether nothing is wrong, and a head that was noted is there.
    public var isGood: Bool { problem == nil && !isNotedMissing }

    /// A row with the columns beside it.
    struct StoredRow {
        var number: Int64
        var epoch: String
        var place: AuditRow.Place
        var history: String?
        var hash: [UInt8]
        var line: [UInt8]
        /// Its capsule's hash and text.
        var capsule: (hash: [UInt8], line: [UInt8])?
    }

    /// Judges the next row.
    mutating func take(_ row: StoredRow) {
        let expected = count + 1
        guard row.number == expected else {
            let missing = row.number < expected ? "its number is below that of the first" : "it is missing"
            problem = Problem(number: expected, reason: missing)
            return
        }
        let hash = AuditFile.hash(of: row.line, after: head)
        guard hash.bytes == row.hash else {
            problem = Problem(number: expected, reason: "its hash isn't that of its text and the row before")
            return
        }
        if let capsule = row.capsule, EvidenceCapsule.hash(of: capsule.line, row: hash).bytes != capsule.hash {
            problem = Problem(number: expected, reason: "its capsule isn't the one that was stored for it")
            return
        }
        guard let reason = mismatch(row) else {
            count = expected
            head = hash
            places[row.epoch] = row.place
            if hash == noted { notedAt = expected }
            return
        }
        problem = Problem(number: expected, reason: reason)
    }

    /// What of the columns isn't as the text says it: they decide where a row is looked for.
    private func mismatch(_ row: StoredRow) -> String? {
        let start = AuditRow.head(number: row.number, epoch: row.epoch, place: row.place).bytes
        guard row.line.starts(with: start) else { return "its columns aren't what its text says" }
        guard Self.history(of: row.line) == row.history else { return "its switch isn't the one of its text" }
        if let last = places[row.epoch], row.place <= last { return "it happened before the row before it" }
        return nil
    }

    /// The switch to whose history a line belongs.
    private static func history(of line: [UInt8]) -> String? {
        var document = JSONDocument()
        guard (try? document.parse(line)) != nil, document.kind(of: document.root) == .object else { return nil }
        guard let kind = document.member("kind", of: document.root), document.string(of: kind) == "transition",
            let key = document.member("switch", of: document.root)
        else { return nil }
        return document.string(of: key)
    }
}
