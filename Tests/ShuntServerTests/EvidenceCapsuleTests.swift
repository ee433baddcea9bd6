import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// What is read back from the journal about a transition: what is in it, and that no crash loses it.
@Suite struct EvidenceCapsuleTests {
    /// Trips by three failures after five successes, and is restored and tripped by a person.
    private func live(_ parts: WriterParts) throws {
        var writer = try parts.writer()
        writer.process([Results().submission((0..<5).map { number in Self.event("good-\(number)", fails: false) })])
        let failures = (0..<3).map { number in
            Self.event("bad-\(number)") { event in
                event.app = AppInfo()
                event.app?.version = number == 0 ? "4.1.9" : "4.2.0"
                event.region = "CN"
            }
        }
        writer.process([Results().submission(failures)])
        writer.process([Results().submission(.command(Self.restore))])
        writer.finish()
    }

    private static let restore = SwitchCommand(
        action: .restore,
        key: "apple-pay",
        scope: Scope(environment: "production"),
        actor: "on-call",
        reason: "fixed"
    )

    private static func event(
        _ id: String,
        fails: Bool = true,
        _ change: (inout PaymentEvent) -> Void = { _ in }
    ) -> PaymentEvent {
        var event = PaymentEvent(
            outcome: fails ? .failed : .succeeded,
            error: fails ? ErrorReport(domain: "verify", code: "8771") : nil
        )
        event.eventId = id
        change(&event)
        return event
    }

    private func capsules(_ parts: WriterParts) throws -> [String] {
        try parts.auditReader().records(before: nil, limit: 1_000).reversed().compactMap { record in
            record.capsule.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func `it has the failures that were counted, what they have in common, and their names`() throws {
        let parts = try WriterParts()
        try live(parts)
        let capsules = try capsules(parts)
        #expect(capsules.count == 1, "a person's restore was decided by no failures")
        let capsule = try #require(capsules.first)
        #expect(capsule.hasPrefix(#"{"version":2,"seq":10,"index":1,"failures":3,"isComplete":true,"#), "\(capsule)")
        #expect(capsule.contains(#"{"name":"region","values":[{"value":"CN","count":3}]}"#))
        #expect(
            capsule.contains(
                #"{"name":"app.version","values":[{"value":"4.2.0","count":2},{"value":"4.1.9","count":1}]}"#
            )
        )
        #expect(
            capsule.contains(#"{"seq":8,"eventId":"bad-0"},{"seq":9,"eventId":"bad-1"},{"seq":10,"eventId":"bad-2"}"#)
        )
        #expect(!capsule.contains("good-"))
        #expect(parts.folder.exists("snapshot"), "nothing waits, so the last snapshot was written")
    }

    @Test func `one that a crash has kept from being written comes back, the same`() throws {
        let parts = try WriterParts()
        try live(parts)
        let before = try capsules(parts)
        let head = try parts.auditReader().verify().head
        for sql in ["DELETE FROM capsules", "DELETE FROM rows; DELETE FROM capsules", "DROP TABLE capsules"] {
            try parts.tamperAudit(sql)
            if parts.folder.exists("snapshot") { try parts.folder.remove("snapshot") }
            for _ in 1...2 {
                let next = try WriterParts(over: parts)
                _ = try next.recover()
                next.evidence.stop()
                #expect(next.evidence.isComplete)
            }
            #expect(try capsules(parts) == before, "\(sql)")
            let verification = try parts.auditReader().verify()
            #expect(verification.isGood && verification.head == head)
        }
    }

    @Test func `while one waits no snapshot is made, and nothing else is held up`() throws {
        let parts = try WriterParts()
        var writer = try parts.writer()
        try parts.tamperAudit(
            "CREATE TRIGGER refusal BEFORE INSERT ON capsules BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
        writer.process([Results().submission((0..<3).map { Self.event("bad-\($0)") })])
        #expect(parts.board.document(environment: "production")?.version == 2)
        #expect(!parts.evidence.isComplete)
        writer.finish()
        #expect(!parts.folder.exists("snapshot"))
        #expect(try capsules(parts).isEmpty)
        try parts.tamperAudit("DROP TRIGGER refusal")
        let next = try WriterParts(over: parts)
        var again = try next.writer()
        again.process([])
        again.finish()
        #expect(try capsules(parts).count == 1)
        #expect(parts.folder.exists("snapshot"))
    }

    @Test func `a writer's thread reads it back beside the writer`() throws {
        let parts = try WriterParts()
        parts.evidence.start()
        var writer = try parts.writer()
        writer.process([Results().submission((0..<3).map { Self.event("bad-\($0)") })])
        let signal = Signal()
        for _ in 0..<600 where !parts.evidence.isComplete { signal.wait(timeoutMs: 50) }
        #expect(parts.evidence.isComplete)
        #expect(try capsules(parts).count == 1)
        writer.finish()
    }

    private static let forged: [(String, String)] = [
        ("another value", "UPDATE capsules SET line = CAST(replace(line, '4.2.0', '4.2.1') AS BLOB)"),
        ("another hash", "UPDATE capsules SET hash = zeroblob(32)"),
        ("a capsule of another row", "UPDATE capsules SET seq = 11, place = 1"),
    ]

    @Test(arguments: forged)
    func `one that was changed is found by the audit's own check`(name: String, sql: String) throws {
        let parts = try WriterParts()
        try live(parts)
        #expect(try parts.auditReader().verify().isGood)
        try parts.tamperAudit(sql)
        let verification = try parts.auditReader().verify()
        #expect(!verification.isGood, "\(name)")
        #expect(verification.problem?.reason.hasPrefix("its capsule") == true, "\(name)")
    }

    @Test func `the file itself refuses changes that aren't meant`() throws {
        let parts = try WriterParts()
        try live(parts)
        let database = try Database(path: "\(parts.folder.path)/audit.db", mode: .readWrite)
        #expect(throws: DatabaseError.self) { try database.execute("DELETE FROM capsules") }
        #expect(throws: DatabaseError.self) { try database.execute("UPDATE capsules SET epoch = 'x'") }
    }

    @Test func `no more than twenty are named, spread from the first to the last`() throws {
        var tally = EvidenceTally()
        let meaning = CatalogueSource().built().classify(Self.event("x"))
        for number in (1...100).reversed() {
            tally.add(Self.event("e-\(number)"), seq: UInt64(number), meaning: meaning)
        }
        let samples = tally.samples
        #expect(samples.count == 20 && samples.first?.eventId == "e-1" && samples.last?.eventId == "e-100")
        #expect(samples.map(\.seq) == samples.map(\.seq).sorted())
        var one = EvidenceTally()
        #expect(one.samples.isEmpty && one.dimensions.isEmpty)
        one.add(Self.event("only"), seq: 7, meaning: meaning)
        #expect(one.samples.map(\.seq) == [7])
    }

    @Test func `of many values the three most frequent are told, and long ones are cut`() {
        var tally = EvidenceTally()
        let meaning = CatalogueSource().built().classify(Self.event("x"))
        for (region, count) in [("DE", 1), ("CN", 5), ("US", 3), ("FR", 2)] {
            for _ in 0..<count { tally.add(Self.event("e") { $0.region = region }, seq: 1, meaning: meaning) }
        }
        tally.add(Self.event("e") { $0.deviceModel = String(repeating: "x", count: 5000) }, seq: 1, meaning: meaning)
        let region = tally.dimensions.first { $0.name == "region" }
        #expect(region?.values.map(\.value) == ["CN", "US", "FR"])
        let model = tally.dimensions.first { $0.name == "deviceModel" }
        #expect(model?.values.first?.value.utf8.count == EvidenceCapsule.maximumValueBytes)
    }
}
