internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `GET /v1/errors` and `GET /v1/errors/{code}`.
struct ErrorsEndpoint: Sendable {
    static let defaultLimit = 100
    static let maximumLimit = 1_000
    static let defaultWindowSec = 300
    static let maximumWindowSec = 86_400
    /// For how long an answer waits until the book knows all that was acknowledged before the question.
    static let freshnessMs: Int64 = 2_000

    let desk: LookDesk
    let history: HistoryKeeper
    let triage: TriageDesk

    /// The error keys of an environment, the most frequent first.
    func list(_ request: HTTPRequest, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let query = LookQuery(request.head)
        let environment = try query.text("environment", limit: EventLimit.name) ?? PaymentEvent.defaultEnvironment
        let windowSec = try query.number("windowSec", 1...Self.maximumWindowSec, default: Self.defaultWindowSec)
        let limit = try query.number("limit", 1...Self.maximumLimit, default: Self.defaultLimit)
        let failureClass = try query.word("class", FailureClass.self)
        let skipped = Int(clamping: try query.cursor() ?? 0)
        return try desk.ask(request, responder: responder, facts: { ($0.seq, $1) }) { facts in
            let (seq, at) = facts
            _ = history.wait(through: seq, timeoutMs: Self.freshnessMs)
            let page = history.read { book in
                ErrorList(
                    book,
                    environment: environment,
                    windowMs: Int64(windowSec) * 1_000,
                    at: max(at, book.at),
                    failureClass: failureClass,
                    skipped: skipped,
                    limit: limit
                )
            }
            var writer = JSONWriter(capacity: 65_536)
            writer.write(page)
            return LookQuery.reply(writer)
        }
    }

    /// All that is known of a code.
    func get(_ request: HTTPRequest, code: String, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let query = LookQuery(request.head)
        guard code.utf8.count <= EventLimit.errorKey, !code.utf8.contains(0) else {
            throw Problem(404, "unknownCode", "no error has a code of more than \(EventLimit.errorKey) bytes")
        }
        let question = ErrorQuestion(
            code: code,
            domain: try query.text("domain", limit: EventLimit.errorKey),
            environment: try query.text("environment", limit: EventLimit.name),
            windowMs: Int64(try query.number("windowSec", 1...3_600, default: Self.defaultWindowSec)) * 1_000,
            language: try query.word("lang", NoticeLanguage.self) ?? .english
        )
        return try desk.ask(request, responder: responder, facts: { ErrorFacts(question, in: $0, at: $1) }) { facts in
            _ = history.wait(through: facts.seq, timeoutMs: Self.freshnessMs)
            guard let page = triage.page(question, facts) else {
                return Problem(404, "unknownCode", "no event had the code \(code.cut(toUTF8: 64))").reply
            }
            var writer = JSONWriter(capacity: 16_384)
            writer.write(page, language: question.language)
            return LookQuery.reply(writer)
        }
    }
}

/// What is asked about a code.
struct ErrorQuestion: Sendable {
    var code: String
    /// The code's namespace; nil for all that have it.
    var domain: String?
    /// Where payers are; nil for everywhere.
    var environment: String?
    /// What counts as now, in milliseconds.
    var windowMs: Int64
    /// The language of texts.
    var language: NoticeLanguage
}

/// What an answer about a code needs of the state.
struct ErrorFacts: Sendable {
    /// How many alerts are told of, the newest.
    static let maximumAlerts = 20

    struct AlertFacts: Sendable {
        var id: String
        var rule: String
        var state: String
        var severity: String
        var environment: String
        var domain: String?
        var startsAt: Timestamp
        var endsAt: Timestamp?
        var switchKey: String?
        var decision: String
    }

    struct SwitchFacts: Sendable {
        var key: String
        var scope: Scope
        var state: String
        var variant: String
        var since: Timestamp
        var version: UInt64
    }

    var seq: UInt64
    var at: Timestamp
    var catalogue: Catalogue
    var alerts: [AlertFacts] = []
    var switches: [SwitchFacts] = []

    init(_ question: ErrorQuestion, in state: State, at: Timestamp) {
        seq = state.seq
        self.at = at
        catalogue = state.catalogue
        let alerts = (state.openAlerts + state.alertBook.ended).filter { alert in
            alert.group.contains { $0.name == Dimension.errorCode.rawValue && $0.value == question.code }
        }
        self.alerts = alerts.sorted { $0.startsAt > $1.startsAt }.prefix(Self.maximumAlerts).map { alert in
            let rule = state.ruleSet.rules.first { $0.id == alert.rule }
            return AlertFacts(
                id: alert.id,
                rule: alert.rule,
                state: alert.stateName,
                severity: alert.severity.rawValue,
                environment: alert.group.first?.value ?? PaymentEvent.defaultEnvironment,
                domain: alert.group.first { $0.name == Dimension.errorDomain.rawValue }?.value,
                startsAt: alert.startsAt,
                endsAt: alert.endsAt,
                switchKey: rule?.trip?.switchKey,
                decision: alert.decision.name
            )
        }
        for machine in state.switches.allMachines where machine.phase != .normal {
            guard let definition = state.ruleSet.switchDefinition(machine.key) else { continue }
            switches.append(
                SwitchFacts(
                    key: machine.key,
                    scope: machine.scope,
                    state: machine.phase.rawValue,
                    variant: definition.degradedVariant,
                    since: machine.since,
                    version: machine.stateVersion
                )
            )
        }
    }
}
