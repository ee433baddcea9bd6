import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// A decision, replayed from the journal, is the same one; whatever was changed is named.
@Suite struct DecisionReplayTests {
    private static func failures(_ series: String) -> Submission {
        Results().submission(
            (0..<3).map { number in
                var event = PaymentEvent(error: ErrorReport(domain: "verify", code: "8771"))
                event.eventId = "\(series)-\(number)"
                event.region = "CN"
                return event
            }
        )
    }

    private static func command(_ action: SwitchCommand.Action) -> Submission {
        let command = SwitchCommand(
            action: action,
            key: "apple-pay",
            scope: Scope(environment: "production"),
            actor: "on-call",
            reason: "why",
            origin: "192.0.2.7"
        )
        return Results().submission(.command(command))
    }

    /// Versions 2 and 4 are a rule's trips, 3 is a restore, 5 a mode and 6 other switches.
    private func live(_ parts: WriterParts, finishes: Bool = true) throws {
        var writer = try parts.writer()
        writer.process([Self.failures("a")])
        writer.process([Self.command(.restore)])
        writer.process([Self.failures("b")])
        writer.process([Self.command(.mode(.dryRun))])
        var other = WriterParts.rules
        other.switches[0].minimumDwellMs = 1
        writer.process([Results().submission(.configure(other))])
        if finishes { writer.finish() } else { parts.evidence.stop() }
    }

    private func replay(_ parts: WriterParts, _ version: UInt64) throws -> DecisionReport {
        try DecisionReplay(dataPath: parts.folder.path, version: version).run()
    }

    @Test func `every version comes out as it is stored, the founding one and one of rule files too`() throws {
        let parts = try WriterParts()
        try live(parts)
        let kinds: [[String]] = [
            ["founded", "rules"], ["transition"], ["command", "transition"], ["transition"], ["command", "transition"],
            ["rules"],
        ]
        for version in 1...6 {
            let report = try replay(parts, UInt64(version))
            #expect(report.isSame, "version \(version): \(report.differences)")
            #expect(report.version == UInt64(version) && report.startSeq == 0 && report.unreadable.isEmpty)
            let told = report.rows.compactMap { row in
                row.stored.map { String(decoding: $0, as: UTF8.self) }?
                    .split(separator: "\"kind\":\"").dropFirst().first?.prefix { $0 != "\"" }
            }
            #expect(told.map(String.init) == kinds[version - 1], "version \(version)")
            #expect((report.capsule != nil) == (version == 2 || version == 4))
        }
    }

    @Test func `a version that isn't there is named with the one that the journal ends at`() throws {
        let parts = try WriterParts()
        try live(parts)
        #expect(throws: DecisionReplayError.unknownVersion(7, last: 6, seq: 11, stored: nil)) {
            _ = try replay(parts, 7)
        }
        let folder = try TemporaryFolder()
        #expect(throws: DecisionReplayError.noJournal("\(folder.path)/journal")) {
            _ = try DecisionReplay(dataPath: folder.path, version: 2).run()
        }
        #expect(throws: DecisionReplayError.noFolder("\(folder.path)/none")) {
            _ = try DecisionReplay(dataPath: "\(folder.path)/none", version: 2).run()
        }
    }

    struct Tampering: Sendable, CustomTestStringConvertible {
        let name: String
        let sql: String
        let paths: [String]

        var testDescription: String { name }
    }

    @Test(arguments: [
        Tampering(
            name: "another count",
            sql: """
                UPDATE rows SET line = CAST(replace(line, '"value":3,"limit":3', '"value":4,"limit":3') AS BLOB)
                    WHERE number = 3
                """,
            paths: ["evidence.conditions[0].value", "hash"]
        ),
        Tampering(
            name: "another cause",
            sql: """
                UPDATE rows SET line = CAST(replace(line, 'ruleTrips', 'operatorTrips') AS BLOB)
                    WHERE number = 3
                """,
            paths: ["cause", "hash"]
        ),
        Tampering(
            name: "another region in the capsule",
            sql: "UPDATE capsules SET line = CAST(replace(line, 'CN', 'US') AS BLOB)",
            paths: ["capsule.dimensions[0].values[0].value"]
        ),
        Tampering(
            name: "a sample gone",
            sql: """
                UPDATE capsules SET line = CAST(replace(line, ',{"seq":5,"eventId":"a-2"}', '') AS BLOB)
                """,
            paths: ["capsule.samples[2]"]
        ),
        Tampering(name: "no capsule", sql: "DELETE FROM capsules", paths: ["capsule"]),
        Tampering(
            name: "no row",
            sql: "DELETE FROM rows WHERE number = 3",
            paths: ["row", "capsule"]
        ),
        Tampering(
            name: "what isn't JSON",
            sql: "UPDATE rows SET line = CAST('?' AS BLOB) WHERE number = 3",
            paths: ["row", "hash"]
        ),
    ])
    func `what was changed is named, with both values`(tampering: Tampering) throws {
        let parts = try WriterParts()
        try live(parts)
        try parts.tamperAudit(tampering.sql)
        let report = try replay(parts, 2)
        #expect(!report.isSame)
        #expect(report.differences.map(\.path) == tampering.paths, "\(report.differences)")
        var writer = JSONWriter()
        report.write(to: &writer)
        var document = JSONDocument()
        try document.parse(writer.bytes)
        #expect(document.member("isSame", of: document.root).flatMap { document.bool(of: $0) } == false)
    }

    @Test func `a row whose chain was made anew is still held against the journal`() throws {
        let parts = try WriterParts()
        try live(parts)
        let reader = try parts.auditReader()
        let records = try reader.records(before: nil, limit: 100).reversed()
        var previous = AuditFile.origin
        for record in records {
            let text = String(decoding: record.line, as: UTF8.self)
            let line = Array(text.replacing("\"variant\":\"web\"", with: "\"variant\":\"app\"").utf8)
            let hash = AuditFile.hash(of: line, after: previous)
            try parts.tamperAudit(
                "UPDATE rows SET line = x'\(line.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())', "
                    + "hash = x'\(hash)' WHERE number = \(record.number)"
            )
            previous = hash
        }
        let report = try replay(parts, 2)
        #expect(report.differences.map(\.path) == ["variant"], "the chain alone would have believed it")
    }

    @Test func `where the beginning is gone it starts at the snapshot, and says when it can't`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        writer.process([Self.failures("a")])
        writer.finish()
        let next = try WriterParts(over: parts)
        var again = try next.writer()
        again.process([Self.command(.restore)])
        next.evidence.stop()
        // The first entries, as if their day had been removed.
        let name = try #require(try Folder(path: "\(parts.folder.path)/journal").names().first { $0.hasSuffix(".db") })
        let database = try Database(path: "\(parts.folder.path)/journal/\(name)", mode: .readWrite)
        try database.execute("DELETE FROM entries WHERE seq <= 3")
        let report = try replay(parts, 3)
        #expect(report.isSame && report.startSeq == 5, "\(report.differences)")
        do {
            _ = try replay(parts, 2)
            Issue.record("there is nothing to replay it from")
        } catch let error as DecisionReplayError {
            guard case .daysRemoved(2, _, let stored?) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(String(decoding: stored, as: UTF8.self).contains(#""version":2,"#))
        }
    }

    @Test func `where the beginning is gone an older decision starts at the snapshot of its day`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        writer.process([Self.failures("a")])
        parts.evidence.stop()
        SnapshotShelf(data: try parts.folder.folder()).keep(try parts.recover().state)
        writer.process([Self.command(.restore)])
        writer.process([Self.failures("b")])
        writer.finish()
        let name = try #require(try Folder(path: "\(parts.folder.path)/journal").names().first { $0.hasSuffix(".db") })
        let database = try Database(path: "\(parts.folder.path)/journal/\(name)", mode: .readWrite)
        try database.execute("DELETE FROM entries WHERE seq <= 5")
        for version in [3, 4] as [UInt64] {
            let report = try replay(parts, version)
            #expect(report.isSame && report.startSeq == 5, "version \(version): \(report.differences)")
        }
        #expect(throws: DecisionReplayError.self) { _ = try replay(parts, 2) }
    }

    @Test func `it works beside a writer, and tells how far it is`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        for batch in 0..<13 {
            let events = (0..<1000).map { number in
                var event = PaymentEvent(outcome: .succeeded)
                event.eventId = "\(batch)-\(number)"
                return event
            }
            writer.process([Results().submission(events)])
        }
        writer.process([Self.failures("a")])
        parts.evidence.stop()
        var shares: [Double?] = []
        let report = try DecisionReplay(dataPath: parts.folder.path, version: 2).run { shares.append($0.share) }
        #expect(report.isSame && shares.count == 1)
        #expect(shares.first.flatMap(\.self).map { $0 > 0.5 && $0 < 1 } == true)
        writer.process([Self.command(.restore)])
        #expect(try replay(parts, 3).isSame)
    }
}
