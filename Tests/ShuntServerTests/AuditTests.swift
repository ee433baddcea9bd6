import Foundation
import ShuntCore
import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// The audit: what is in it, and that nothing of it is lost or doubled.
@Suite struct AuditTests {
    private static let scope = Scope(environment: "production")

    private static func command(_ action: SwitchCommand.Action, _ reason: String = "why") -> Submission {
        let command = SwitchCommand(
            action: action,
            key: "apple-pay",
            scope: scope,
            actor: "on-call",
            reason: reason,
            origin: "192.0.2.7"
        )
        return Submission(work: .command(command), receivedAtNs: 0, responder: nil) { _ in HTTPReply(status: 200) }
    }

    private func lines(_ parts: WriterParts) throws -> [String] {
        try parts.auditReader().records(before: nil, limit: 1_000).reversed().map {
            String(decoding: $0.line, as: UTF8.self)
        }
    }

    /// Moves a switch some times: by commands, one of which is refused, and by failures.
    private func live(_ parts: WriterParts) throws {
        var writer = try parts.writer()
        writer.process([Self.command(.trip, "it \"fails\"\u{7}\nä"), Self.command(.trip)])
        writer.process([Self.command(.restore)])
        writer.process([Results().submission((0..<3).map { .failure(id: "\(parts.folder.path)-\($0)") })])
        writer.process([Self.command(.restore)])
    }

    @Test func `it tells who decided what, from where, why, and what came of it`() throws {
        let parts = try WriterParts()
        try live(parts)
        let lines = try lines(parts)
        let kinds = lines.map { $0.components(separatedBy: "\"kind\":\"")[1].prefix { $0 != "\"" } }
        #expect(
            kinds == [
                "founded", "rules", "command", "transition", "command", "command", "transition", "transition",
                "command",
                "transition",
            ]
        )
        let command = try #require(lines.dropFirst(2).first)
        let expected = [
            #""action":"trip","switch":"apple-pay","environment":"production""#,
            #""actor":"on-call","origin":"192.0.2.7","reason":"it \"fails\""#, #""result":"done"}"#,
        ]
        for part in expected { #expect(command.contains(part), "\(command)") }
        #expect(lines[3].contains(#""from":"normal","to":"degraded","variant":"web","version":2,"actor":"on-call""#))
        #expect(lines[4].contains(#""result":"alreadyDegraded"}"#), "\(lines[4])")
        // A rule's trip is nobody's.
        #expect(lines[7].contains(#""rule":"burst""#) && !lines[7].contains("actor"), "\(lines[7])")
        let verification = try parts.auditReader().verify()
        #expect(verification.isGood && verification.count == 10)
        #expect(parts.audit.head?.hash == verification.head)
    }

    @Test func `rows that a crash has kept from being written come back, the same ones, and none twice`() throws {
        let parts = try WriterParts()
        try live(parts)
        let before = try parts.auditReader().verify()
        let lines = try lines(parts)
        // How many rows there still are, from all to none.
        for kept in (0...before.count).reversed() {
            try parts.tamperAudit("DELETE FROM rows WHERE number > \(kept)")
            for _ in 1...2 {
                _ = try WriterParts(over: parts).recover()
                let after = try parts.auditReader().verify()
                #expect(after.isGood && after.head == before.head && after.count == before.count, "\(kept)")
            }
        }
        #expect(try self.lines(parts) == lines)
    }

    @Test func `while rows wait no snapshot is made, and nothing else is held up`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        try parts.tamperAudit("CREATE TRIGGER refusal BEFORE INSERT ON rows BEGIN SELECT RAISE(ABORT, 'refused'); END")
        writer.process([Self.command(.trip)])
        #expect(parts.board.document(environment: "production")?.version == 2)
        #expect(!parts.audit.settle())
        writer.finish()
        #expect(!parts.folder.exists("snapshot"))
        // The next start finds them in the journal.
        try parts.tamperAudit("DROP TRIGGER refusal")
        let next = try WriterParts(over: parts)
        next.audit.settle()
        _ = try next.recover()
        #expect(next.audit.settle())
        let verification = try parts.auditReader().verify()
        #expect(verification.isGood && verification.count == 4)
    }

    @Test func `too many that wait are left to the next start`() throws {
        let parts = try WriterParts()
        try live(parts)
        try parts.tamperAudit("CREATE TRIGGER refusal BEFORE INSERT ON rows BEGIN SELECT RAISE(ABORT, 'refused'); END")
        let next = try WriterParts(over: parts)
        let rows = (1...(AuditTrail.maximumWaiting + 1)).map { number in
            let place = AuditRow.Place(seq: 1_000 + UInt64(number), index: 0)
            return AuditRow(epoch: "e", place: place, at: Moment.noon, content: .founded)
        }
        next.audit.record(rows)
        try parts.tamperAudit("DROP TRIGGER refusal")
        next.audit.record(Array(rows.prefix(1)))
        #expect(!next.audit.settle())
        #expect(try parts.auditReader().verify().count == 10)
    }

    @Test func `a damaged file is set aside, and what the journal knows begins a new one`() throws {
        let parts = try WriterParts()
        try live(parts)
        try parts.tamperAudit("PRAGMA wal_checkpoint(TRUNCATE)")
        try parts.folder.write([UInt8](repeating: 7, count: 20_000), to: "audit.db")
        let next = try WriterParts(over: parts)
        _ = try next.recover()
        #expect(try parts.auditReader().verify().count == 10)
        #expect(try parts.folder.folder().names().contains { $0.hasPrefix("audit.db.damaged-") })
    }

    @Test func `the audit of a journal that is older says so first`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        writer.process([Self.command(.trip)])
        writer.finish()
        for suffix in ["", "-wal", "-shm"] where parts.folder.exists("audit.db" + suffix) {
            try parts.folder.remove("audit.db" + suffix)
        }
        let next = try WriterParts(over: parts)
        var again = try next.writer()
        again.process([Self.command(.restore)])
        let lines = try lines(parts)
        #expect(lines.count == 3 && lines[0].contains(#""kind":"begun""#), "\(lines)")
        #expect(try parts.auditReader().verify().isGood)
    }

    @Test func `a new journal's rows follow those of the one before`() throws {
        let parts = try WriterParts()
        try live(parts)
        try parts.folder.remove("journal")
        let next = try WriterParts(over: parts)
        try live(next)
        let verification = try parts.auditReader().verify()
        #expect(verification.isGood && verification.count == 20)
    }

    // MARK: Tampering

    struct Tampering: Sendable, CustomTestStringConvertible {
        let name: String
        let sql: String
        let row: Int64

        var testDescription: String { name }
    }

    @Test(arguments: [
        Tampering(
            name: "another name in a row",
            sql: "UPDATE rows SET line = CAST(replace(line, 'on-call', 'nobody-') AS BLOB) WHERE number = 3",
            row: 3
        ),
        Tampering(name: "a row removed", sql: "DELETE FROM rows WHERE number = 5", row: 5),
        Tampering(name: "the first row removed", sql: "DELETE FROM rows WHERE number = 1", row: 1),
        Tampering(
            name: "a row removed, and the others moved up",
            sql: "DELETE FROM rows WHERE number = 5; UPDATE rows SET number = number - 1 WHERE number > 5",
            row: 5
        ),
        Tampering(
            name: "two rows swapped",
            sql: """
                UPDATE rows SET number = -1 WHERE number = 6; UPDATE rows SET number = 6 WHERE number = 7;
                UPDATE rows SET number = 7 WHERE number = -1
                """,
            row: 6
        ),
        Tampering(
            name: "the texts and hashes of two rows swapped",
            sql: """
                CREATE TEMP TABLE t AS SELECT * FROM rows WHERE number IN (6, 7);
                UPDATE rows SET line = (SELECT line FROM t WHERE number = 7), hash = (SELECT hash FROM t WHERE number = 7)
                    WHERE number = 6;
                UPDATE rows SET line = (SELECT line FROM t WHERE number = 6), hash = (SELECT hash FROM t WHERE number = 6)
                    WHERE number = 7
                """,
            row: 6
        ),
        Tampering(name: "another hash", sql: "UPDATE rows SET hash = zeroblob(32) WHERE number = 4", row: 4),
        Tampering(name: "a hash cut short", sql: "UPDATE rows SET hash = substr(hash, 1, 31) WHERE number = 4", row: 4),
        Tampering(name: "a transition hidden", sql: "UPDATE rows SET history = NULL WHERE number = 4", row: 4),
        Tampering(name: "a row put elsewhere", sql: "UPDATE rows SET seq = 99 WHERE number = 4", row: 4),
        Tampering(name: "a row before the first", sql: "UPDATE rows SET number = 0 WHERE number = 1", row: 1),
    ])
    func `what was changed is found, with the first row that isn't right`(tampering: Tampering) throws {
        let parts = try WriterParts()
        try live(parts)
        try parts.tamperAudit(tampering.sql)
        let verification = try parts.auditReader().verify()
        #expect(!verification.isGood)
        #expect(verification.problem?.number == tampering.row, "\(String(describing: verification.problem))")
        #expect(verification.count == tampering.row - 1)
    }

    @Test func `a chain that was cut and made anew is found by the row that it doesn't fit to`() throws {
        let parts = try WriterParts()
        try live(parts)
        let first = try #require(try parts.auditReader().records(before: 2, limit: 1).first)
        let line = Array("{}".utf8)
        let forged = AuditFile.hash(of: line, after: first.hash)
        try parts.tamperAudit("UPDATE rows SET line = CAST('{}' AS BLOB), hash = x'\(forged)' WHERE number = 2")
        let verification = try parts.auditReader().verify()
        #expect(verification.problem?.number == 2)
    }

    @Test func `rows removed at the end are found by a head that was noted`() throws {
        let parts = try WriterParts()
        try live(parts)
        let reader = try parts.auditReader()
        let head = try reader.verify().head
        let earlier = try #require(try reader.records(before: 8, limit: 1).first)
        #expect(try reader.verify(head: head).notedAt == 10)
        #expect(try reader.verify(head: earlier.hash).notedAt == 7)
        try parts.tamperAudit("DELETE FROM rows WHERE number > 8")
        // The chain alone is right, and that is all that it can say.
        #expect(try reader.verify().isGood)
        #expect(try reader.verify(head: earlier.hash).isGood)
        let verification = try reader.verify(head: head)
        #expect(!verification.isGood && verification.isNotedMissing && verification.problem == nil)
    }

    @Test func `the file itself refuses changes that aren't meant`() throws {
        let parts = try WriterParts()
        try live(parts)
        let database = try Database(path: "\(parts.folder.path)/audit.db", mode: .readWrite)
        #expect(throws: DatabaseError.self) { try database.execute("DELETE FROM rows WHERE number = 3") }
        #expect(throws: DatabaseError.self) { try database.execute("UPDATE rows SET epoch = 'x'") }
        #expect(try parts.auditReader().verify().isGood)
    }

    @Test func `without a file there is nothing to find, and nothing wrong`() throws {
        let folder = try TemporaryFolder()
        let reader = try AuditReader(dataPath: folder.path)
        #expect(try reader.records(before: nil, limit: 10).isEmpty)
        #expect(try reader.verify().isGood)
        #expect(try !reader.verify(head: .sha256([1])).isGood)
        #expect(throws: AuditReader.Failure.self) { _ = try AuditReader(dataPath: "\(folder.path)/none") }
    }
}
