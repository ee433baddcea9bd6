import ShuntCore
import ShuntSchema
import TestSupport

/// Journals with a bit of everything: equal, late and reversed times, attempts seen again, more groups than fit,
/// commands, changed rules, ticks at any time, and attempts in any order of their events.
struct RandomJournal {
    static let windowMs: Int64 = 1000

    private var random: SeededGenerator
    private var nowMs: Int64 = 1_800_000_000_000

    static func entries(seed: UInt64, count: Int) -> [Entry] {
        var journal = RandomJournal(random: SeededGenerator(seed: seed))
        return (1...UInt64(count)).map { journal.entry(seq: $0) }
    }

    private mutating func entry(seq: UInt64) -> Entry {
        switch random.below(20) {
        case 0..<8: break
        case 8..<17: nowMs += Int64(random.below(40))
        case 17: nowMs += Int64(random.below(3)) * Self.windowMs
        case 18: nowMs += Int64(random.below(400))
        default: nowMs -= Int64(random.below(60))
        }
        return Entry(seq: seq, at: Timestamp(milliseconds: nowMs), input: input(seq: seq))
    }

    private mutating func input(seq: UInt64) -> Input {
        if seq == 1 { return .founded(epoch: "random") }
        if seq == 2 { return .configured(Self.ruleSets[0]) }
        switch random.below(60) {
        case 0: return .configured(random.pick(Self.ruleSets))
        case 1...3: return .command(command())
        case 4...6: return .tick
        case 7: return .alertCommand(alertCommand(seq: seq))
        case 8: return .settle(settlement())
        case 9 where random.oneIn(4): return .started
        default: return .event(event())
        }
    }

    private mutating func command() -> SwitchCommand {
        let region = ScopeAttribute(name: "region", value: random.pick(["CN", "US"]))
        return SwitchCommand(
            action: random.oneIn(4) ? .trip : .restore,
            key: random.pick(["apple-pay", "apple-pay", "card", "unheard-of"]),
            scope: Scope(environment: environment(), attributes: random.oneIn(3) ? [region] : []),
            actor: "on-call",
            reason: "test"
        )
    }

    /// Silences of some alerts, for a while; acknowledgements that seldom meet one.
    private mutating func alertCommand(seq: UInt64) -> AlertCommand {
        let id = "\(seq - min(seq, UInt64(random.below(60))))-\(random.below(2))"
        let matchers = [
            AlertMatcher(name: "rule", value: random.pick(["burst", "installs", "watch", "share"])),
            AlertMatcher(name: "environment", comparison: .unequal, value: "sandbox"),
            AlertMatcher(name: "error.code", value: "1"),
        ]
        let request = SilenceRequest(
            matchers: Array(matchers.prefix(1 + random.below(3)).suffix(2)),
            end: .after(ms: Int64(random.below(20_000))),
            isUntilResolved: random.oneIn(3),
            comment: "test"
        )
        let action: AlertCommand.Action =
            switch random.below(4) {
            case 0: .acknowledge(alert: id, note: "mine", forMs: 5000)
            case 1: .expire(silence: id)
            default: .silence(request)
            }
        return AlertCommand(action: action, actor: "on-call")
    }

    private mutating func settlement() -> SettleCommand {
        SettleCommand(
            attempt: random.oneIn(4) ? "order-\(random.below(20))" : "attempt-\(random.below(40))",
            environment: environment(),
            result: random.pick(Settlement.allCases),
            note: "asked the bank",
            actor: "mei"
        )
    }

    /// How far an attempt came, what was to be paid, and the provider's name of it.
    private mutating func describe(_ event: inout PaymentEvent) {
        if random.oneIn(3) { event.stage = random.pick(Stage.allCases) }
        if random.oneIn(9) { event.psp = "unionpay" }
        if random.oneIn(4) {
            let minor = random.pick([80, 8000, 100, 1000, -5] as [Int64])
            event.amount = Amount(minor: minor, currency: random.pick(["JPY", "CNY"]))
        }
        if random.oneIn(6) { event.pspReference = "psp-\(random.below(9))" }
        if random.oneIn(30) {
            event.context = [ContextEntry(key: "settled", value: .string(random.pick(Settlement.allCases).rawValue))]
        }
    }

    private mutating func environment() -> String {
        random.pick(["production", "production", "production", "sandbox", "test"])
    }

    private mutating func event() -> PaymentEvent {
        // Few codes are frequent and many are rare, as in life.
        let code = "\(random.below(1 + random.below(12)))"
        var event = PaymentEvent.failure(code, domain: random.pick(["verify", "verify", "pay"]))
        event.environment = environment()
        event.outcome = random.oneIn(4) ? random.pick(Outcome.allCases) : .failed
        event.trust = random.oneIn(4) ? .public : .trusted
        event.route = random.pick([nil, nil, "native", "web"])
        event.network = random.pick([nil, "visa", "chinaUnionPay"])
        event.region = random.pick([nil, "CN", "US"])
        if !random.oneIn(4) { event.attemptId = "attempt-\(random.below(40))" }
        if random.oneIn(3) { event.orderRef = "order-\(random.below(20))" }
        if !random.oneIn(3) { event.installId = "install-\(random.below(9))" }
        describe(&event)
        if random.oneIn(3) {
            let agesMs = [0, 10, Self.windowMs - 1, Self.windowMs, Self.windowMs + 1, 100_000, -5000]
            event.occurredAt = Timestamp(milliseconds: nowMs - random.pick(agesMs))
        }
        if random.oneIn(20) {
            event.counts = Counts(from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: nowMs), count: 5)
        }
        return event
    }

    private static let switches = [
        SwitchDefinition(key: "apple-pay", normalVariant: "native", degradedVariant: "web"),
        SwitchDefinition(key: "card", normalVariant: "form", degradedVariant: "hosted"),
    ]

    private static let burst = Rule(
        id: "burst",
        description: "An error code",
        groupBy: [.errorDomain, .errorCode],
        count: .attempts,
        threshold: 6,
        windowMs: windowMs,
        alert: AlertPolicy(
            severity: .critical,
            resolveBelow: 3,
            holdForMs: 300,
            warnAtPercent: 50,
            renotifyEveryMs: 60_000,
            channels: ["oncall"],
            escalateAfterMs: 90_000,
            escalateTo: ["lead"]
        ),
        trip: Trip(switchKey: "apple-pay")
    )

    private static let installs = Rule(
        id: "installs",
        description: "Many installs of a region",
        match: [Condition(.network, .noneOf(["visa"]))],
        groupBy: [.region, .environment],
        count: .installs,
        threshold: 4,
        windowMs: 700,
        alert: AlertPolicy(severity: .warning, resolveBelow: 4, holdForMs: 0, forMs: 150),
        trip: Trip(switchKey: "card", scope: [.region])
    )

    private static let watch = Rule(
        id: "watch",
        description: "Every event of a network, for the record",
        match: [Condition(.network, .oneOf(["chinaUnionPay", "visa"]))],
        groupBy: [.network],
        count: .events,
        threshold: 9,
        windowMs: windowMs,
        alert: AlertPolicy(severity: .info, resolveBelow: 1, holdForMs: 50, forMs: 30, warnAtPercent: 60)
    )

    private static func rate(_ kind: RuleKind, threshold: Int, by groupBy: [Dimension], trips: Bool = false) -> Rule {
        Rule(
            id: kind.name.rawValue,
            description: "A rate",
            kind: kind,
            groupBy: groupBy,
            count: .attempts,
            threshold: threshold,
            windowMs: kind.name == .unusualRate ? 3_600_000 : 3 * windowMs,
            alert: AlertPolicy(severity: .warning, resolveBelow: 1, holdForMs: 700, forMs: trips ? 0 : 90),
            trip: trips ? Trip(switchKey: "card") : nil
        )
    }

    private static let rates: [Rule] = {
        var strict = burst
        strict.require = Requirements(installs: 2, share: 20, webShare: 40)
        let burn = BurnRate(allowedPpm: 100_000, tenths: 25, longWindowMs: 60_000, attempts: 20)
        return [
            strict,
            rate(.share(percent: 60, attempts: 8), threshold: 5, by: [.region], trips: true),
            rate(.noSuccess(attempts: 12), threshold: 12, by: []),
            rate(.change(percent: 50), threshold: 6, by: [.errorCode]),
            rate(.burnRate(burn), threshold: 1, by: [.errorDomain], trips: true),
            rate(.unusualRate(oneIn: 1000), threshold: 3, by: [.errorCode]),
            rate(.consecutive, threshold: 5, by: [.network]),
            rate(.watchdog, threshold: 1, by: []),
        ]
    }()

    private static func doubts(_ kind: RuleKind, threshold: Int, forMs: Int64 = 0) -> Rule {
        Rule(
            id: kind.name.rawValue,
            description: "Money in doubt",
            kind: kind,
            match: [Condition(.environment, .noneOf(["test"]))],
            groupBy: [],
            count: .attempts,
            threshold: threshold,
            windowMs: 3_600_000,
            alert: AlertPolicy(severity: .warning, resolveBelow: 1, holdForMs: 60, forMs: forMs)
        )
    }

    private static let findings = Rule(
        id: "findings",
        description: "What events say together",
        match: [Condition(.errorDomain, .oneOf([Finding.domain]))],
        groupBy: [.errorCode],
        count: .attempts,
        threshold: 2,
        windowMs: windowMs,
        alert: AlertPolicy(severity: .critical, resolveBelow: 1, holdForMs: 20)
    )

    private static let doubtRules = [
        doubts(.inDoubtAge(ms: 900), threshold: 2), doubts(.inDoubtTotal(minor: 9000, currency: "JPY"), threshold: 1),
        findings,
    ]

    /// Rule sets that follow upon one another: some rules stay, some count differently, some trip something else.
    static let ruleSets: [RuleSet] = {
        var wider = burst
        wider.threshold = 9
        var unbound = installs
        unbound.trip = nil
        var lost = burst
        lost.trip = Trip(switchKey: "unheard-of")
        lost.alert.holdForMs = 20
        return [
            RuleSet(
                rules: [burst, installs, watch] + doubtRules,
                switches: switches,
                maximumGroups: 14,
                payments: PaymentPolicy(patienceMs: 700, queryAfterMs: 90)
            ),
            RuleSet(rules: [wider, unbound], switches: switches, maximumGroups: 5),
            RuleSet(rules: [watch, lost], switches: switches, maximumGroups: 40),
            RuleSet(rules: [burst, installs], switches: [switches[1]], maximumGroups: 14),
            RuleSet(
                rules: rates + [doubts(.inDoubtAge(ms: 300), threshold: 1, forMs: 200)],
                switches: switches,
                maximumGroups: 9,
                payments: PaymentPolicy(patienceMs: 50, queryAfterMs: 2000)
            ),
        ]
    }()
}

/// What a fold makes of entries.
struct Fold {
    var state: State
    var effects: [Effect] = []

    init(_ entries: some Sequence<Entry>, from state: State = State()) {
        self.state = state
        for entry in entries { effects += self.state.apply(entry) }
    }
}
