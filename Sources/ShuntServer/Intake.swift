internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// Turns the body of `POST /v1/events` into events that are ready for the journal, each with a verdict of its own.
///
/// Runs on the HTTP threads. Parsers are kept, one for each thread that may need one, so that a busy daemon
/// allocates none.
final class Intake: Sendable {
    private struct Desk: ~Copyable {
        var document: JSONDocument
        var writer = JSONWriter(capacity: 2048)
    }

    /// On what terms the events of one body are taken.
    private struct Terms {
        let limits: IntakeLimits
        let trust: ReporterTrust
        var clock: ReporterClock
    }

    /// A parser that one thread uses at a time.
    private final class Seat: Sendable {
        let desk: Mutex<Desk>

        init(limits: JSONLimits) {
            desk = Mutex(Desk(document: JSONDocument(limits: limits)))
        }
    }

    /// The memory of bodies up to this size is kept for the next one, in bytes.
    private static let keptBytes = 1 << 20

    private let limits: IntakeLimits
    private let seats: [Seat]

    init(limits: IntakeLimits, threads: Int) {
        self.limits = limits
        // An event has about 40 values; a batch of more than this is not events.
        let json = JSONLimits(values: max(limits.events, 16) * 256, bytes: limits.inflatedBytes)
        seats = (0..<max(1, threads)).map { _ in Seat(limits: json) }
    }

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - trust: how far its reporter can be believed.
    ///   - wallMs: now by the wall clock, to judge the reporter's clock by.
    func read(
        _ body: [UInt8],
        format: BodyFormat,
        trust: ReporterTrust,
        wallMs: Int64
    ) throws(IntakeError) -> IntakeBatch {
        let terms = Terms(limits: limits, trust: trust, clock: ReporterClock(wallMs: wallMs, sentAt: nil))
        for seat in seats {
            let result = seat.desk.withLockIfAvailable { desk in
                Self.read(body, format: format, terms: terms, desk: &desk)
            }
            if let result { return try result.get() }
        }
        return try seats[0].desk.withLock { desk in
            Self.read(body, format: format, terms: terms, desk: &desk)
        }.get()
    }

    private static func read(
        _ body: [UInt8],
        format: BodyFormat,
        terms: Terms,
        desk: inout Desk
    ) -> Result<IntakeBatch, IntakeError> {
        let result: Result<IntakeBatch, IntakeError>
        do throws(IntakeError) {
            switch format {
            case .json: result = .success(try readJSON(body, terms: terms, desk: &desk))
            case .lines: result = .success(try readLines(body, terms: terms, desk: &desk))
            }
        } catch {
            result = .failure(error)
        }
        // A parser keeps what its biggest document needed, and that is many times a usual one.
        if body.count > Self.keptBytes { desk.document.trim() }
        return result
    }

    private static func readJSON(
        _ body: [UInt8],
        terms: Terms,
        desk: inout Desk
    ) throws(IntakeError) -> IntakeBatch {
        do throws(JSONError) {
            try desk.document.parse(body)
        } catch {
            throw .unreadable(error)
        }
        let root = desk.document.root
        var batch = IntakeBatch()
        var terms = terms
        var list: JSONValue?
        switch desk.document.kind(of: root) {
        case .array:
            list = root
        case .object:
            guard let events = desk.document.member("events", of: root) else { break }
            guard desk.document.kind(of: events) == .array else {
                throw .wrongShape("expected /events to be an array of events")
            }
            list = events
            batch.unknownFields += unknownMembers(of: root, in: desk.document)
            if let sent = desk.document.member("sentAt", of: root), !desk.document.isNull(sent) {
                guard let text = desk.document.string(of: sent), let sentAt = Timestamp(rfc3339: text) else {
                    throw .wrongShape("expected /sentAt to be an RFC 3339 time such as 2026-11-30T04:49:00.123Z")
                }
                terms.clock.sentAt = sentAt
            }
        default:
            throw .wrongShape("expected an event, an array of events, or an object with sentAt and events")
        }
        guard let list else {
            take(root, on: terms, desk: &desk, into: &batch)
            return batch
        }
        let count = desk.document.count(of: list)
        guard count <= terms.limits.events else { throw .tooManyEvents(limit: terms.limits.events) }
        batch.events.reserveCapacity(count)
        var elements = desk.document.children(of: list)
        while let element = elements.next(in: desk.document) {
            take(element, on: terms, desk: &desk, into: &batch)
        }
        return batch
    }

    /// How many members of a batch's own object the contract doesn't know.
    private static func unknownMembers(of root: JSONValue, in document: borrowing JSONDocument) -> Int {
        var count = 0
        var members = document.children(of: root)
        while let member = members.next(in: document) {
            if !document.keyEquals("events", of: member), !document.keyEquals("sentAt", of: member) { count += 1 }
        }
        return count
    }

    private static func readLines(
        _ body: [UInt8],
        terms: Terms,
        desk: inout Desk
    ) throws(IntakeError) -> IntakeBatch {
        var batch = IntakeBatch()
        var start = 0
        while start < body.count {
            let end = body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
            let line = start..<end
            start = end + 1
            guard body[line].contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else { continue }
            guard batch.size < terms.limits.events else { throw .tooManyEvents(limit: terms.limits.events) }
            do throws(JSONError) {
                try desk.document.parse(body, in: line)
            } catch {
                // Want of memory says nothing about the line, which mustn't be refused for good.
                if error.code == .outOfMemory { throw .unreadable(error) }
                batch.reject(EventProblem(.invalidJSON, at: "", "\(error)"))
                continue
            }
            take(desk.document.root, on: terms, desk: &desk, into: &batch)
        }
        return batch
    }

    private static func take(
        _ value: JSONValue,
        on terms: Terms,
        desk: inout Desk,
        into batch: inout IntakeBatch
    ) {
        do throws(EventProblem) {
            let size = desk.document.sourceRange(of: value).count
            guard size <= terms.limits.eventBytes else {
                let limit = terms.limits.eventBytes
                throw EventProblem(.tooLarge, at: "", "expected at most \(limit) bytes, found \(size)")
            }
            var decoder = EventDecoder()
            var event = try decoder.decode(value, in: desk.document)
            event.trust = terms.trust
            // One install is one voice: without it, whoever holds a public token could speak as a crowd.
            guard terms.trust == .trusted || event.installId != nil else {
                let expected = "expected the install that reports: events of a public token need one"
                throw EventProblem(.missing, at: "/installId", expected)
            }
            batch.unknownFields += decoder.unknownFields
            batch.take(
                prepare(event, clock: terms.clock) { event, flags in
                    // Most reports say exactly what is kept, so that writing them anew would only reorder them.
                    if flags.isEmpty, decoder.isFaithful, size <= keptAsSentBytes {
                        return desk.document.source(of: value)
                    }
                    desk.writer.reset()
                    event.write(to: &desk.writer)
                    return desk.writer.bytes
                }
            )
        } catch {
            batch.reject(error)
        }
    }

    /// A longer text is written anew even if it says exactly what is kept: it may be mostly white space.
    private static let keptAsSentBytes = 4096

    private static func prepare(
        _ event: PaymentEvent,
        clock: ReporterClock,
        body: (PaymentEvent, EntryFlags) -> [UInt8]
    ) -> PreparedEvent {
        var event = event
        var flags: EntryFlags = []
        let identity = event.eventId.map(EventIdentity.init(eventId:))
        let dedupeAt = event.occurredAt?.milliseconds ?? 0
        if let occurredAt = event.occurredAt, let corrected = clock.correct(occurredAt) {
            event.occurredAt = corrected
            flags.insert(.clockCorrected)
        }
        if !event.redact().isEmpty {
            event.orderContext()
            flags.insert(.redacted)
        }
        return PreparedEvent(
            event,
            body: body(event, flags),
            identity: identity,
            dedupeAt: dedupeAt,
            flags: flags
        )
    }
}

/// How a body is laid out.
enum BodyFormat: Sendable {
    /// One JSON text.
    case json
    /// A JSON text a line.
    case lines
}

/// What a request may hold at most.
struct IntakeLimits: Sendable, Equatable {
    /// Bytes of the body as sent.
    var wireBytes = 1 << 20
    /// Bytes of the body after decompression.
    var inflatedBytes = 8 << 20
    /// Events in a batch.
    var events = 1_000
    /// Bytes of one event.
    var eventBytes = 64 << 10
}

/// Why a whole body isn't taken.
enum IntakeError: Error, Equatable {
    /// It isn't JSON.
    case unreadable(JSONError)
    /// It is JSON, but neither an event nor a batch.
    case wrongShape(String)
    /// It holds more events than a batch may.
    case tooManyEvents(limit: Int)
}

/// The verdicts on the events of one body.
struct IntakeBatch {
    struct Rejection {
        /// The event's number in the body, from 0.
        var index: Int
        var problem: EventProblem
    }

    var events: [PreparedEvent] = []
    private(set) var rejections: [Rejection] = []
    /// How many events the body held, good and bad.
    private(set) var size = 0
    var unknownFields = 0

    mutating func take(_ event: PreparedEvent) {
        events.append(event)
        size += 1
    }

    mutating func reject(_ problem: EventProblem) {
        rejections.append(Rejection(index: size, problem: problem))
        size += 1
    }

    /// The environments of its events.
    var environments: Set<String> {
        var found: Set<String> = []
        var last: String?
        // Nearly always one, which needs no hash.
        for event in events where event.environment != last {
            found.insert(event.environment)
            last = event.environment
        }
        return found
    }

    /// How many were rejected, by the code of the reason.
    var rejectionCounts: [String: Int] {
        rejections.reduce(into: [:]) { $0[$1.problem.code.rawValue, default: 0] += 1 }
    }
}

/// The reporter's clock against ours: corrected only where `sentAt` shows a gross error.
struct ReporterClock {
    /// A clock that is wrong by more than this is corrected, in milliseconds.
    static let grossErrorMs: Int64 = 10 * 60_000

    /// Now by our wall clock, in milliseconds since 1970.
    let wallMs: Int64
    /// When the body was sent, by the reporter's clock; nil where it doesn't say.
    var sentAt: Timestamp?

    private var errorMs: Int64 {
        sentAt.map { $0.milliseconds.subtractingReportingOverflow(wallMs).partialValue } ?? 0
    }

    /// The corrected time, or nil when the clock is good enough.
    func correct(_ time: Timestamp) -> Timestamp? {
        let errorMs = errorMs
        guard errorMs.magnitude > UInt64(Self.grossErrorMs) else { return nil }
        // Two absurd times make a third one, which must still be one that can be written and read again.
        return min(max(time.advanced(byMs: -errorMs), EventLimit.times.lowerBound), EventLimit.times.upperBound)
    }
}
