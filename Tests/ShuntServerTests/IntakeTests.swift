import ShuntNative
import ShuntSchema
import TestSupport
import Testing

@testable import ShuntServer

/// A body: how many events it may hold, and what becomes of each.
@Suite struct IntakeTests {
    private static let wallMs = Moment.noon.milliseconds
    private static let minimal = #"{"error":{"code":"8771"}}"#
    private static let bad = #"{"error":{}}"#

    private func read(
        _ text: String,
        _ format: BodyFormat = .json,
        limits: IntakeLimits = IntakeLimits(),
        trust: ReporterTrust = .trusted
    ) throws -> IntakeBatch {
        let intake = Intake(limits: limits, threads: 1)
        return try intake.read(Array(text.utf8), format: format, trust: trust, wallMs: Self.wallMs)
    }

    private func error(_ text: String, _ format: BodyFormat = .json, limits: IntakeLimits = IntakeLimits())
        -> IntakeError?
    {
        #expect(throws: IntakeError.self) { _ = try read(text, format, limits: limits) }
    }

    private func list(_ count: Int, _ event: String = minimal) -> String {
        "[\(Array(repeating: event, count: count).joined(separator: ","))]"
    }

    @Test func `one event, an array and a batch are all taken`() throws {
        for text in [
            Self.minimal, "[\(Self.minimal)]", #"{"events":[\#(Self.minimal)]}"#,
            #"{"sentAt":null,"events":[\#(Self.minimal)]}"#,
        ] {
            let batch = try read(text)
            #expect(batch.events.map(\.event) == [PaymentEvent(error: ErrorReport(code: "8771"))])
            #expect(batch.rejections.isEmpty)
            #expect(batch.size == 1)
        }
        #expect(try read("[]").size == 0)
        #expect(try read(#"{"events":[]}"#).size == 0)
    }

    @Test(arguments: [
        Row("5", "expected an event"), Row("null", "expected an event"), Row(#""text""#, "expected an event"),
        Row(#"{"events":5}"#, "/events"), Row(#"{"events":null}"#, "/events"),
        Row(#"{"events":[],"sentAt":5}"#, "/sentAt"), Row(#"{"events":[],"sentAt":"now"}"#, "/sentAt"),
    ])
    func `another shape is refused as a whole`(row: Row<String>) {
        guard case .wrongShape(let detail) = error(row.name) else {
            Issue.record("expected a wrong shape")
            return
        }
        #expect(detail.contains(row.value))
    }

    @Test func `what isn't JSON is refused with the byte where reading stopped`() {
        guard case .unreadable(let unreadable) = error("[\(Self.minimal),}") else {
            Issue.record("expected unreadable JSON")
            return
        }
        #expect(unreadable.offset == 27)
    }

    @Test func `good events beside bad ones are taken, and each bad one keeps its number`() throws {
        let batch = try read("[\(Self.minimal),\(Self.bad),5,\(Self.minimal),[]]")
        #expect(batch.events.count == 2)
        #expect(batch.rejections.map(\.index) == [1, 2, 4])
        #expect(batch.rejections.map(\.problem.code) == [.missing, .wrongType, .wrongType])
        #expect(batch.rejectionCounts == ["missing": 1, "wrongType": 2])
        #expect(batch.size == 5)
    }

    @Test func `a batch may hold as many events as its limit, good or bad, and no more`() throws {
        var limits = IntakeLimits()
        limits.events = 5
        #expect(try read(list(5), limits: limits).size == 5)
        #expect(try read(list(5, Self.bad), limits: limits).size == 5)
        #expect(error(list(6), limits: limits) == .tooManyEvents(limit: 5))
        let lines = Array(repeating: Self.minimal, count: 5).joined(separator: "\n")
        #expect(try read(lines + "\n\n", .lines, limits: limits).size == 5)
        #expect(error(lines + "\n5", .lines, limits: limits) == .tooManyEvents(limit: 5))
    }

    @Test func `an event may have as many bytes as its limit, and no more`() throws {
        var limits = IntakeLimits()
        limits.eventBytes = 100
        let frame = #"{"error":{"code":"1","message":""}}"#
        let fitting = #"{"error":{"code":"1","message":"\#(String(repeating: "m", count: 100 - frame.utf8.count))"}}"#
        let tooLong = #"{"error":{"code":"1","message":"\#(String(repeating: "m", count: 101 - frame.utf8.count))"}}"#
        for format in [BodyFormat.json, .lines] {
            #expect(try read("  \(fitting)  ", format, limits: limits).events.count == 1)
            let batch = try read(tooLong, format, limits: limits)
            #expect(batch.rejections.map(\.problem.code) == [.tooLarge])
            #expect(batch.rejections.map(\.problem.pointer) == [""])
        }
    }

    @Test func `lines are read one by one, and a bad one costs only itself`() throws {
        let text =
            "\(Self.minimal)\r\n\n  \n{\"error\"\n\(Self.minimal) \(Self.minimal)\nnull\n\u{FEFF}5\n\(Self.minimal)"
        let batch = try read(text, .lines)
        #expect(batch.events.count == 2)
        #expect(batch.rejections.map(\.index) == [1, 2, 3, 4])
        #expect(batch.rejections.map(\.problem.code) == [.invalidJSON, .invalidJSON, .wrongType, .invalidJSON])
        #expect(try read("", .lines).size == 0)
        #expect(try read("\n\r\n  \n", .lines).size == 0)
    }

    @Test func `unknown members of a batch and of its events are counted together`() throws {
        #expect(try read(#"{"events":[{"error":{"code":"1"},"x":1}],"sentAt":null,"y":1,"z":2}"#).unknownFields == 3)
        #expect(try read(#"{"error":{"code":"1"},"sentAt":"2026-11-30T12:00:00Z"}"#).unknownFields == 1)
    }

    /// What is kept must be the event itself, whether it is written anew or kept as it was sent.
    private func expectKept(_ batch: IntakeBatch, _ comment: String) throws {
        for prepared in batch.events {
            var document = JSONDocument()
            try document.parse(prepared.body)
            var decoder = EventDecoder(door: .journal)
            let kept = try decoder.decode(document.root, in: document)
            #expect(kept == prepared.event, "\(comment)")
            #expect(decoder.isFaithful == true, "\(comment)")
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `what is kept reads back as the event, however it was sent`(seed: UInt64) throws {
        var random = RandomEvent(seed: seed)
        for number in 0..<200 {
            let text = String(decoding: random.event().json, as: UTF8.self)
            try expectKept(try read(text), "event \(number)")
            // The same event with white space, as people and other writers send it.
            let spaced = " \n" + text.replacing(",\"", with: " ,\r\n\t\"") + "  "
            try expectKept(try read(spaced), "spaced event \(number)")
        }
    }

    private static let told =
        #""source":"ios","environment":"production","stage":"charge","outcome":"failed","error":{"domain":"d","code":"1"}"#

    @Test(arguments: [
        Row("as it is", told), Row("in another order", #""region":"CN",\#(told)"#),
        Row("with null", #"\#(told),"region":null"#), Row("with an empty text", #"\#(told),"region":"""#),
    ])
    func `a report that says exactly what is kept is kept as it was sent`(row: Row<String>) throws {
        let text = "{\(row.value)}"
        let batch = try read(text)
        #expect(batch.events.first?.body == Array(text.utf8))
        try expectKept(batch, row.name)
    }

    @Test(arguments: [
        Row("a member that nobody knows", #"\#(told),"x":1"#),
        Row("a card number", #"\#(told),"orderRef":"4111111111111111""#),
        Row("a card number behind escapes", #"\#(told),"orderRef":"\u0034111111111111111""#),
        Row("a key that must not be kept", #"\#(told),"context":{"cvv":"123"}"#),
        Row("a member of a member", #"\#(told),"app":{"version":"1","x":1}"#),
        Row("no source", String(told.dropFirst(#""source":"ios","#.count))),
        Row("an empty source", #""source":"",\#(told.dropFirst(#""source":"ios","#.count))"#),
        Row("no domain", told.replacing(#""domain":"d","#, with: "")),
        Row("a null domain", told.replacing(#""domain":"d""#, with: #""domain":null"#)),
        Row(
            "an underlying error without domain",
            told.replacing(#""code":"1""#, with: #""code":"1","underlying":[{"code":2}]"#)
        ),
        Row(
            "a text that is cut",
            told.replacing(#""code":"1""#, with: #""code":"1","message":"\#(String(repeating: "x", count: 4097))""#)
        ),
        Row("white space without end", told + String(repeating: " ", count: 4096)),
    ])
    func `anything else is written anew`(row: Row<String>) throws {
        let text = "{\(row.value)}"
        let batch = try read(text)
        let prepared = try #require(batch.events.first)
        #expect(prepared.body == prepared.event.json)
        #expect(prepared.body != Array(text.utf8))
        try expectKept(batch, row.name)
    }

    @Test func `what is kept is canonical, and recognised by its id and time`() throws {
        let id = "01234567-89ab-cdef-fedc-ba9876543210"
        let batch = try read(#"{"occurredAt":"2026-11-30T13:00:00+01:00","error":{"code":5},"eventId":"\#(id)"}"#)
        let prepared = try #require(batch.events.first)
        #expect(prepared.body == prepared.event.json)
        #expect(prepared.identity == EventIdentity(eventId: id))
        #expect(prepared.dedupeAt == Moment.noon.milliseconds)
        #expect(prepared.flags == [])
        let plain = try #require(try read(Self.minimal).events.first)
        #expect(plain.identity == nil && plain.dedupeAt == 0)
    }

    // MARK: The reporter's clock

    struct Sent: Sendable {
        /// How far the reporter's clock is from ours.
        var errorMs: Int64
        var isCorrected: Bool
    }

    @Test(arguments: [
        Row("right", Sent(errorMs: 0, isCorrected: false)),
        Row("10 minutes ahead", Sent(errorMs: 600_000, isCorrected: false)),
        Row("a little more than 10 minutes ahead", Sent(errorMs: 600_001, isCorrected: true)),
        Row("10 minutes behind", Sent(errorMs: -600_000, isCorrected: false)),
        Row("a little more than 10 minutes behind", Sent(errorMs: -600_001, isCorrected: true)),
        Row("an hour ahead", Sent(errorMs: 3_600_000, isCorrected: true)),
        Row("in 1970", Sent(errorMs: -Moment.noon.milliseconds, isCorrected: true)),
    ])
    func `a clock that is wrong by more than ten minutes is corrected and flagged`(row: Row<Sent>) throws {
        let sentAt = Moment.noon.advanced(byMs: row.value.errorMs)
        let occurredAt = Timestamp(milliseconds: max(0, sentAt.milliseconds - 1000))
        let batch = try read(
            #"{"sentAt":"\#(sentAt.rfc3339)","events":[{"error":{"code":"1"},"eventId":"a","occurredAt":"\#(occurredAt.rfc3339)"}]}"#
        )
        let prepared = try #require(batch.events.first)
        let expected = row.value.isCorrected ? occurredAt.advanced(byMs: -row.value.errorMs) : occurredAt
        #expect(prepared.event.occurredAt == expected)
        #expect(prepared.flags.contains(.clockCorrected) == row.value.isCorrected)
        // A retry has another `sentAt` and the same `occurredAt`.
        #expect(prepared.dedupeAt == occurredAt.milliseconds)
    }

    @Test(
        arguments: ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
        ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
    )
    func `absurd clocks still make a time that can be read back`(sentAt: String, occurredAt: String) throws {
        let batch = try read(
            #"{"sentAt":"\#(sentAt)","events":[{"error":{"code":"1"},"occurredAt":"\#(occurredAt)"}]}"#
        )
        let prepared = try #require(batch.events.first)
        var document = JSONDocument()
        try document.parse(prepared.body)
        var decoder = EventDecoder(door: .journal)
        #expect(try decoder.decode(document.root, in: document) == prepared.event)
    }

    @Test func `events without a time aren't corrected`() throws {
        let batch = try read(#"{"sentAt":"1999-01-01T00:00:00Z","events":[\#(Self.minimal)]}"#)
        #expect(batch.events.first?.event.occurredAt == nil)
        #expect(batch.events.first?.flags == [])
    }

    // MARK: Redaction

    @Test func `keys that redaction makes equal stay apart, so that the event can be read back`() throws {
        let batch = try read(
            #"{"error":{"code":"1"},"context":{"jane@example.org":1,"john@example.org":2,"plain":3,"zoe@example.org":4}}"#
        )
        let prepared = try #require(batch.events.first)
        #expect(prepared.flags.contains(.redacted))
        #expect(Set(prepared.event.context.map(\.key)).count == 4)
        var document = JSONDocument()
        try document.parse(prepared.body)
        var decoder = EventDecoder(door: .journal)
        #expect(try decoder.decode(document.root, in: document) == prepared.event)
    }

    @Test func `a text that redaction makes longer than its limit can be read back`() throws {
        let addresses = Array(repeating: "a@b.co", count: 36).joined(separator: " ")
        let batch = try read(
            #"{"error":{"code":"1"},"merchantId":"\#(addresses)","region":"\#(addresses.prefix(60))"}"#
        )
        let prepared = try #require(batch.events.first)
        #expect((prepared.event.merchantId?.utf8.count ?? 0) > EventLimit.identifier)
        var document = JSONDocument()
        try document.parse(prepared.body)
        var decoder = EventDecoder(door: .journal)
        #expect(try decoder.decode(document.root, in: document) == prepared.event)
    }

    // MARK: Threads and memory

    @Test func `many threads read at once, with fewer parsers than threads`() throws {
        let intake = Intake(limits: IntakeLimits(), threads: 2)
        let body = Array(list(50).utf8)
        let failures = FailureCount()
        let read: @Sendable () -> Void = {
            for _ in 0..<40 {
                let batch = try? intake.read(body, format: .json, trust: .trusted, wallMs: Self.wallMs)
                if batch?.events.count != 50 { failures.add() }
            }
        }
        let first = WorkerThread(read)
        let second = WorkerThread(read)
        let third = WorkerThread(read)
        let fourth = WorkerThread(read)
        first.join()
        second.join()
        third.join()
        fourth.join()
        #expect(failures.count == 0)
    }

    @Test func `a parser is as good as new after a body that was too much`() throws {
        let intake = Intake(limits: IntakeLimits(), threads: 1)
        let big = Array("[\(String(repeating: "5,", count: 700_000))5]".utf8)
        #expect(throws: IntakeError.self) {
            _ = try intake.read(big, format: .json, trust: .trusted, wallMs: Self.wallMs)
        }
        let body = Array(list(3).utf8)
        #expect(try intake.read(body, format: .json, trust: .trusted, wallMs: Self.wallMs).events.count == 3)
    }
}
