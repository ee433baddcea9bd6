import ShuntSchema
import TestSupport

/// Events with everything that an event may hold: absent, ordinary and extreme.
struct RandomEvent {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// Texts that JSON, UTF-8, SQL or a screen may trip over. None is one that redaction would take out.
    static let texts = [
        "8771", "05", "5", "-0", "007", "ÄÖ", "中国银联", "e\u{301}", "\u{e9}", "👩‍👩‍👧‍👦", "\u{202E}txt", "\u{7f}", "a\"b\\c/d",
        "tab\tline\nreturn\r", "\u{1}\u{1f}", "\u{85}\u{2028}\u{2029}", "\u{10FFFF}", "\u{FEFF}bom", "' OR 1=1 --", " ",
        "~/~1",
        "{\"a\":1}", "null", "true", "1e999", "\u{FFFD}",
    ]

    mutating func text(_ limit: Int = 64) -> String {
        switch random.below(8) {
        case 0: String(repeating: "x", count: limit)
        case 1: String(repeating: "é", count: limit / 2)
        case 2: "id-\(random.next())"
        default: random.pick(Self.texts)
        }
    }

    mutating func maybe(_ limit: Int = 64) -> String? { random.oneIn(3) ? nil : text(limit) }

    mutating func time() -> Timestamp {
        let times: [Int64] = [
            0, 1, 999, 86_399_999, 951_782_400_000, 4_107_542_399_999, 253_402_300_799_999,
            1_800_000_000_000 + Int64(random.below(1_000_000_000)),
        ]
        return Timestamp(milliseconds: random.pick(times))
    }

    mutating func count() -> Int64 { random.pick([0, 1, 2, 8012, .max]) }

    mutating func event() -> PaymentEvent {
        var event = PaymentEvent(outcome: random.pick(Outcome.allCases))
        if event.outcome == .failed || random.oneIn(3) { event.error = error() }
        event.eventId = maybe(256)
        event.occurredAt = random.oneIn(4) ? nil : time()
        event.source = text()
        event.environment = text()
        event.paymentMethod = maybe()
        event.network = maybe()
        event.psp = maybe()
        event.route = maybe()
        event.stage = random.pick(Stage.allCases)
        event.attemptId = maybe(256)
        event.orderRef = maybe(256)
        event.pspReference = maybe(256)
        event.installId = maybe(256)
        event.traceId = maybe(256)
        event.switchVersion = random.oneIn(3) ? nil : UInt64(count())
        if random.oneIn(2) { event.app = AppInfo(bundleId: maybe(256), version: maybe(), build: maybe()) }
        if random.oneIn(2) { event.os = OSInfo(name: maybe(), version: maybe()) }
        event.deviceModel = maybe(256)
        event.region = maybe()
        event.merchantId = maybe(256)
        if random.oneIn(2) {
            event.amount = Amount(
                minor: random.pick([.min, -1, 0, 1, 39_900, .max]),
                currency: random.pick(["CNY", "XXX"])
            )
        }
        event.durationMs = random.oneIn(3) ? nil : count()
        event.bodyBytes = random.oneIn(3) ? nil : count()
        event.tokenVersion = maybe()
        event.requestHost = maybe(256)
        event.context = context()
        if event.outcome == .succeeded || event.outcome == .attempted, random.oneIn(3) {
            let times = [time(), time()].sorted()
            event.counts = Counts(from: times[0], to: times[1], count: random.pick([1, 57, 1_000_000_000]))
        }
        return event
    }

    private mutating func error() -> ErrorReport {
        var error = ErrorReport(domain: text(200), code: text(200))
        error.subcode = maybe(200)
        error.message = maybe(4096)
        error.httpStatus = random.oneIn(3) ? nil : random.pick([0, 200, 503, 999])
        error.underlying = (0..<random.pick([0, 0, 1, 2, 16])).map { _ in
            UnderlyingError(domain: text(200), code: text(200))
        }
        return error
    }

    private mutating func context() -> [ContextEntry] {
        var entries: [ContextEntry] = []
        for _ in 0..<random.pick([0, 1, 3, 32]) {
            let key = "\(random.pick(["", "k-", "ключ ", "a/b~c", "\"quoted\" "]))\(entries.count)"
            entries.append(ContextEntry(key: key, value: scalar()))
        }
        return entries.sorted { $0.key < $1.key }
    }

    private mutating func scalar() -> Scalar {
        let numbers: [Double] = [
            0.1, -0.0, 1e300, -1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.0, 123_456_789.123,
            9_007_199_254_740_992, 1.8446744073709552e19,
        ]
        switch random.below(5) {
        case 0: return .integer(random.pick([.min, -1, 0, 1, .max]))
        case 1: return .number(random.pick(numbers))
        case 2: return .bool(random.oneIn(2))
        case 3: return .null
        default: return .string(random.oneIn(5) ? "" : text(1024))
        }
    }
}

extension PaymentEvent {
    /// Canonical JSON.
    var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// A failure of one attempt.
    static func failure(
        _ code: String = "8771",
        id: String? = nil,
        occurredAt: Timestamp? = nil,
        environment: String = "production",
        attempt: String? = nil
    ) -> PaymentEvent {
        var event = PaymentEvent(error: ErrorReport(domain: "verify", code: code))
        event.eventId = id
        event.occurredAt = occurredAt
        event.environment = environment
        event.attemptId = attempt ?? id
        return event
    }
}
