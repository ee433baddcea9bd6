import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// What the book says equals what a recount of the entries says.
@Suite struct HistoryBookTests {
    private static let start: Int64 = 1_800_000_000_000

    private static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: start + milliseconds) }

    private static func book(capacity: Int = 100_000) -> HistoryBook {
        HistoryBook(
            ruleSet: RuleSet(rules: [], switches: []),
            errors: ErrorHistory(maximumKeys: 50),
            completeSince: Timestamp(milliseconds: start - 1),
            failures: capacity,
            attempts: capacity
        )
    }

    /// Payments of two environments: repeated attempts, amounts of three currencies, some without a name or an amount.
    private static func entries(seed: UInt64, count: Int) -> [Entry] {
        var random = SeededGenerator(seed: seed)
        var nowMs: Int64 = 0
        return (1...UInt64(count)).map { seq in
            nowMs += Int64(random.below(400))
            var event = PaymentEvent(outcome: random.pick([.failed, .failed, .succeeded, .attempted]))
            if event.outcome == .failed {
                event.error = ErrorReport(
                    domain: random.pick(["verify", "bank"]),
                    code: "\(random.below(1 + random.below(9)))"
                )
            }
            event.environment = random.oneIn(4) ? "sandbox" : "production"
            event.attemptId = random.oneIn(10) ? nil : "attempt-\(random.below(count / 2))"
            event.installId = random.oneIn(10) ? nil : "install-\(random.below(40))"
            event.route = random.pick(["native", "native", "web", nil])
            if !random.oneIn(5) {
                event.amount = Amount(
                    minor: Int64(random.below(100_000)),
                    currency: random.pick(["CNY", "JPY", "KWD"])
                )
            }
            event.app = AppInfo(version: random.pick(["4.1.0", "4.2.0", nil]))
            return Entry(seq: seq, at: at(nowMs), input: .event(event))
        }
    }

    private static func event(_ entry: Entry) -> PaymentEvent? {
        if case .event(let event) = entry.input { event } else { nil }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `tallies equal a recount of the window, sandbox apart`(seed: UInt64) throws {
        let entries = Self.entries(seed: seed, count: 2_000)
        var book = Self.book()
        for entry in entries { book.apply(entry) }
        let now = try #require(entries.last).at
        for environment in ["production", "sandbox"] {
            let windowMs: Int64 = 100_000
            let tallies = ErrorTallies(book, environment: environment, windowMs: windowMs, at: now)
            #expect(tallies.countedSince == now.advanced(byMs: -windowMs))
            let window = entries.filter { $0.at > now.advanced(byMs: -windowMs) }.compactMap(Self.event)
                .filter { $0.environment == environment }
            let failures = window.filter { $0.outcome == .failed }
            #expect(!failures.isEmpty)
            #expect(tallies.rows.map(\.count).reduce(0, +) == failures.count)
            #expect(tallies.rows.map(\.count) == tallies.rows.map(\.count).sorted(by: >))
            for row in tallies.rows {
                let key = book.errors.records[row.number].key
                let own = failures.filter { $0.error?.domain == key.domain && $0.error?.code == key.code }
                #expect(row.count == own.count)
                #expect(row.installs == Set(own.compactMap(\.installId)).count)
                // The first report of an attempt tells its amount.
                var known: Set<String> = []
                var amounts: [String: Int128] = [:]
                var attempts = 0
                for event in own {
                    guard let name = event.attemptId ?? event.installId.map({ "install \($0)" }) else {
                        attempts += 1
                        event.amount.map { amounts[$0.currency, default: 0] += Int128($0.minor) }
                        continue
                    }
                    // Without a name, the install and the minute stand for the attempt: too coarse for this recount.
                    guard event.attemptId != nil else { continue }
                    guard known.insert(name).inserted else { continue }
                    attempts += 1
                    event.amount.map { amounts[$0.currency, default: 0] += Int128($0.minor) }
                }
                if !own.contains(where: { $0.attemptId == nil && $0.installId != nil }) {
                    #expect(row.attempts == attempts)
                    #expect(row.amounts == amounts)
                }
            }
        }
    }

    @Test(arguments: [5, 6] as [UInt64])
    func `shares of attempts take an attempt's last word, and each attempt once`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var book = Self.book()
        var outcomes: [Int: Set<Outcome>] = [:]
        for seq in 1...UInt64(900) {
            let attempt = random.below(300)
            var event = PaymentEvent(outcome: random.pick([.failed, .succeeded, .attempted]))
            if event.outcome == .failed { event.error = ErrorReport(code: "1") }
            event.attemptId = "\(attempt)"
            outcomes[attempt, default: []].insert(event.outcome)
            book.apply(Entry(seq: seq, at: Self.at(Int64(seq)), input: .event(event)))
        }
        let tallies = ErrorTallies(book, environment: "production", windowMs: 10_000, at: Self.at(1_000))
        let all = try #require(tallies.attempts)
        #expect(all.attempts == outcomes.count)
        #expect(all.succeeded == outcomes.values.filter { $0.contains(.succeeded) }.count)
        #expect(all.failed == outcomes.values.filter { $0.contains(.failed) && !$0.contains(.succeeded) }.count)
    }

    @Test func `where only failures are reported nothing is said of a share`() {
        var book = Self.book()
        for seq in 1...UInt64(10) { book.apply(Entry(seq: seq, at: Self.at(1), input: .event(.failure("1")))) }
        #expect(ErrorTallies(book, environment: "production", windowMs: 10_000, at: Self.at(2)).attempts == nil)
    }

    @Test func `an event exactly one window old is out, and one that came late is in no window`() {
        var book = HistoryBook(
            ruleSet: RuleSet(rules: [.counting(windowMs: 60_000)], switches: []),
            errors: ErrorHistory(maximumKeys: 50),
            completeSince: Self.at(-1)
        )
        book.apply(Entry(seq: 1, at: Self.at(0), input: .event(.failure("1"))))
        book.apply(Entry(seq: 2, at: Self.at(1), input: .event(.failure("1"))))
        var late = PaymentEvent.failure("1")
        late.occurredAt = Self.at(-60_000)
        book.apply(Entry(seq: 3, at: Self.at(1), input: .event(late)))
        let tallies = ErrorTallies(book, environment: "production", windowMs: 60_000, at: Self.at(60_000))
        #expect(tallies.rows.map(\.count) == [1])
        #expect(book.errors.records.map(\.total) == [3])
    }

    @Test func `an entry that it knows changes nothing, so following from further back is safe`() {
        let entries = Self.entries(seed: 9, count: 300)
        var book = Self.book()
        for entry in entries { book.apply(entry) }
        let totals = book.errors.records.map(\.total)
        for entry in entries { book.apply(entry) }
        #expect(book.errors.records.map(\.total) == totals)
        #expect(book.failures.count == entries.filter { Self.event($0)?.outcome == .failed }.count)
    }

    @Test func `what has no room leaves with its segment, and the book says since when it is complete`() throws {
        var book = Self.book(capacity: 16_384)
        let count: UInt64 = 40_000
        for seq in 1...count {
            var event = PaymentEvent.failure("1")
            event.deviceModel = "model-\(seq)"
            book.apply(Entry(seq: seq, at: Self.at(Int64(seq) * 10), input: .event(event)))
        }
        #expect(book.failures.count <= 16_384)
        #expect(book.failures.completeSince > Self.at(0))
        #expect(book.attempts.completeSince > Self.at(0))
        let now = Self.at(Int64(count) * 10)
        let tallies = ErrorTallies(book, environment: "production", windowMs: 3_600_000, at: now)
        #expect(tallies.countedSince == book.failures.completeSince)
        // By whole minutes, which all of them fall into.
        #expect(tallies.rows.map(\.count) == [Int(count)])
        #expect(tallies.rows.first?.attempts ?? 0 <= 16_384)
    }

    @Test func `errors beyond the limit are counted together, and the first ones stay what they are`() {
        var book = Self.book()
        for seq in 1...UInt64(100) {
            book.apply(Entry(seq: seq, at: Self.at(Int64(seq)), input: .event(.failure("\(seq)"))))
        }
        #expect(book.errors.records.count == 51)
        #expect(book.errors.records.last?.key.code == ErrorHistory.overflowCode)
        #expect(book.errors.records.last?.total == 50)
        #expect(book.errors.records.first?.total == 1)
    }

    @Test(arguments: [7, 8] as [UInt64])
    func `what attributes failures have equals a recount, now and before`(seed: UInt64) throws {
        let entries = Self.entries(seed: seed, count: 1_500)
        var book = Self.book()
        for entry in entries { book.apply(entry) }
        let end = try #require(entries.last).at
        let middle = end.advanced(byMs: -120_000)
        for (since, until) in [(middle, end), (Self.at(-1), middle)] {
            let selection = book.failures.select(after: since, until: until) { $0.value(.environment) == "production" }
            let meant = entries.filter { $0.at > since && $0.at <= until }.compactMap(Self.event)
                .filter { $0.outcome == .failed && $0.environment == "production" }
            #expect(selection.count == meant.count)
            for dimension in [Dimension.appVersion, .errorCode, .route, .amountCurrency] {
                var counts: [String: Int] = [:]
                for event in meant {
                    let meaning = book.catalogue.classify(event)
                    if let value = dimension.value(in: event, meaning: meaning) { counts[value, default: 0] += 1 }
                }
                #expect(
                    Dictionary(uniqueKeysWithValues: selection.values(of: dimension).map { ($0.value, $0.count) })
                        == counts
                )
            }
            let series = selection.series(from: since, stepMs: 10_000, points: 60)
            #expect(series.reduce(0, +) == meant.count)
        }
    }

    @Test func `a row of the log is enough for a rule's conditions`() throws {
        var event = PaymentEvent.failure("8771")
        event.environment = "sandbox"
        event.stage = .charge
        event.installId = "install"
        event.error?.httpStatus = 503
        event.error?.subcode = "x"
        event.durationMs = 8_012
        event.bodyBytes = 9_000
        event.app = AppInfo(bundleId: "b", version: "4.2.0", build: "812")
        event.os = OSInfo(name: "iOS", version: "17.4.1")
        event.amount = Amount(minor: 39_900, currency: "CNY")
        event.region = "CN"
        event.psp = "unionpay"
        event.network = "chinaUnionPay"
        event.paymentMethod = "applePay"
        event.route = "native"
        event.merchantId = "merchant.example"
        event.deviceModel = "iPhone15,3"
        event.requestHost = "pay.example.com"
        event.tokenVersion = "RSA_v1"
        var book = Self.book()
        book.apply(Entry(seq: 1, at: Self.at(1), input: .event(event)))
        var seen = 0
        _ = book.failures.select(after: Self.at(0), until: Self.at(1)) { row in
            let (kept, meaning) = row.failure
            let whole = book.catalogue.classify(event)
            #expect(kept.installId != nil)
            for dimension in Dimension.allCases {
                #expect(
                    dimension.value(in: kept, meaning: meaning) == dimension.value(in: event, meaning: whole),
                    "\(dimension)"
                )
            }
            seen += 1
            return true
        }
        #expect(seen == 1)
    }

    @Test func `what the other route saved is what succeeded there beyond what is usual`() {
        var book = Self.book()
        var seq: UInt64 = 0
        func succeed(_ count: Int, minute: Int64) {
            for _ in 0..<count {
                seq += 1
                var event = PaymentEvent(outcome: .succeeded)
                event.route = "web"
                book.apply(Entry(seq: seq, at: Self.at(minute * 60_000), input: .event(event)))
            }
        }
        for minute in 0..<Int64(60) { succeed(2, minute: minute) }
        for minute in Int64(60)..<70 { succeed(30, minute: minute) }
        func saved(_ route: String) -> Int? {
            book.routes.saved(
                environment: "production",
                route: route,
                from: Self.at(60 * 60_000),
                until: Self.at(69 * 60_000)
            )
        }
        #expect(saved("web") == 280)
        #expect(saved("native") == nil)
    }
}

extension Rule {
    fileprivate static func counting(windowMs: Int64) -> Rule {
        Rule(
            id: "r",
            description: "r",
            groupBy: [],
            count: .events,
            threshold: 1_000,
            windowMs: windowMs,
            alert: AlertPolicy(severity: .info, resolveBelow: 1, holdForMs: 1_000)
        )
    }
}
