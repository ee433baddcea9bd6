internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `/v1/inDoubt`, and `/v1/attempts/` with what lies below it.
struct DoubtsEndpoint: Sendable {
    static let defaultLimit = 100
    static let maximumLimit = 500
    /// How many events of an attempt are shown that the state has forgotten.
    static let maximumEvents = 100

    let engine: Engine
    let desk: LookDesk
    let history: HistoryKeeper
    let journalFolder: Folder

    // MARK: Looking

    /// What is in doubt in an environment, the oldest first.
    func list(_ request: HTTPRequest, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let environment = try SwitchesEndpoint.environment(request.head)
        let query = LookQuery(request.head)
        let limit = try query.number("limit", 1...Self.maximumLimit, default: Self.defaultLimit)
        let skipped = try query.number("cursor", 0...AttemptLimit.listed, default: 0)
        return try desk.ask(
            request,
            responder: responder,
            facts: { state, at in
                (
                    page: state.attemptsInDoubt(environment: environment, skipping: skipped, limit: limit + 1),
                    summary: state.doubts.first { $0.environment == environment },
                    forgotten: state.forgottenAttempts,
                    at: at
                )
            },
            answer: { facts in
                let (page, summary, forgotten, now) = facts
                var writer = JSONWriter(capacity: 4096)
                writer.beginObject()
                writer.field("environment", environment)
                writer.field("count", summary?.count ?? 0)
                writer.field("notListed", summary?.unlisted ?? 0)
                writer.field("forgotten", forgotten)
                if let since = summary?.oldestSince {
                    writer.field("oldestAgeMs", max(0, now.milliseconds - since.milliseconds))
                }
                writer.key("totals")
                writer.beginArray()
                for total in summary?.totals ?? [] {
                    writer.writeAmount(total.minor, total.currency, count: total.count)
                }
                writer.endArray()
                writer.key("attempts")
                writer.beginArray()
                for attempt in page.prefix(limit) {
                    writer.beginObject()
                    writer.writeMembers(of: attempt, at: now)
                    writer.endObject()
                }
                writer.endArray()
                if page.count > limit { writer.field("nextCursor", String(skipped + limit)) }
                writer.endObject()
                return LookQuery.reply(writer)
            }
        )
    }

    /// One attempt, with its events: the state remembers those that matter now, the index finds those before.
    func get(_ request: HTTPRequest, id: String, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let environment = try SwitchesEndpoint.environment(request.head)
        return try desk.ask(
            request,
            responder: responder,
            facts: { state, at in
                AttemptFacts(attempt: state.attempt(id, environment: environment), seq: state.seq, at: at)
            },
            answer: { facts in
                do {
                    let known = facts.attempt
                    let entries = try known.map { try read($0.seqs) } ?? formerEntries(of: id, environment, facts)
                    guard let attempt = known ?? former(id, environment, entries, at: facts.at) else {
                        return Self.problem(.unknownAttempt, id).reply
                    }
                    var writer = JSONWriter(capacity: 2048)
                    writer.beginObject()
                    writer.writeMembers(of: attempt, at: facts.at)
                    writer.key("events")
                    writer.writeEvents(entries)
                    writer.endObject()
                    return LookQuery.reply(writer)
                } catch {
                    Log.error("an attempt's events can't be read: \(error)")
                    let detail = "the attempt's events can't be read; the log says why"
                    return Problem.retryLater(503, "journalUnreadable", detail).reply
                }
            }
        )
    }

    private struct AttemptFacts: Sendable {
        var attempt: AttemptView?
        var seq: UInt64
        var at: Timestamp
    }

    private func read(_ seqs: [UInt64]) throws -> [Result<Entry, JournalReader.Unreadable>] {
        var reader = JournalReader(folder: journalFolder)
        return try reader.entries(seqs: seqs)
    }

    /// The events of an attempt or order that the state has forgotten, the newest of very many.
    private func formerEntries(
        of id: String,
        _ environment: String,
        _ facts: AttemptFacts
    ) throws -> [Result<Entry, JournalReader.Unreadable>] {
        _ = history.wait(through: facts.seq, timeoutMs: ErrorsEndpoint.freshnessMs)
        var seqs = try history.find(.attempt(id), limit: Self.maximumEvents)
        if seqs.isEmpty { seqs = try history.find(.order(id), limit: Self.maximumEvents) }
        return try read(seqs).filter { result in
            guard case .success(let entry) = result, case .event(let event) = entry.input else { return false }
            return event.environment == environment && (event.attemptId == id || event.orderRef == id)
        }
    }

    /// Where a forgotten attempt stands: the same fold over its own events.
    private func former(
        _ id: String,
        _ environment: String,
        _ entries: [Result<Entry, JournalReader.Unreadable>],
        at: Timestamp
    ) -> AttemptView? {
        guard !entries.isEmpty else { return nil }
        let ruleSet = history.read { $0.ruleSet }
        var state = State()
        let rules = RuleSet(rules: [], switches: [], catalogue: ruleSet.catalogue, payments: ruleSet.payments)
        var first = Timestamp(milliseconds: 0)
        if case .success(let entry)? = entries.first { first = entry.at }
        _ = state.apply(Entry(seq: 1, at: first, input: .configured(rules)))
        for case .success(let entry) in entries { _ = state.apply(entry) }
        _ = state.apply(Entry(seq: state.seq + 1, at: at, input: .tick))
        return state.attempt(id, environment: environment)
    }

    // MARK: Settling

    /// A person says how an attempt ended: `{"result", "note"}`.
    func settle(
        _ request: HTTPRequest,
        from caller: Caller,
        id: String,
        responder: HTTPResponder
    ) throws(Problem) -> HTTPOutcome {
        let environment = try SwitchesEndpoint.environment(request.head)
        let (result, note) = try Self.body(request)
        let command = SettleCommand(
            attempt: id,
            environment: environment,
            result: result,
            note: note,
            actor: caller.actor(from: request.head),
            origin: "\(request.head.remoteAddress)"
        )
        let submission = Submission(
            work: .settle(command),
            receivedAtNs: request.receivedAtNanoseconds,
            responder: responder,
            reply: { result in
                guard case .success(let work) = result, let settlement = work.settlement else {
                    return Self.notDurable.reply
                }
                switch settlement {
                case .failure(let refusal): return Self.problem(refusal, id).reply
                case .success(let attempt):
                    var writer = JSONWriter(capacity: 512)
                    writer.beginObject()
                    writer.writeMembers(of: attempt, at: attempt.lastAt)
                    writer.endObject()
                    return LookQuery.reply(writer)
                }
            }
        )
        guard engine.submit(submission) else {
            throw .retryLater(503, "overloaded", "too much waits to be written; nothing was changed")
        }
        let deadline = request.receivedAtNanoseconds + EventsEndpoint.patienceNs
        return .parked(deadlineNanoseconds: deadline, timeoutReply: Self.notDurable.reply)
    }

    private static func body(_ request: HTTPRequest) throws(Problem) -> (result: Settlement, note: String) {
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(request.body)
        } catch {
            throw Problem.of(.unreadable(error))
        }
        func text(_ name: String) -> String? {
            document.member(name, of: document.root).flatMap { document.string(of: $0) }
        }
        guard document.kind(of: document.root) == .object else {
            throw Problem(422, "wrongShape", "expected an object")
        }
        guard let word = text("result"), let result = Settlement(rawValue: word) else {
            let words = Settlement.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(422, "unknownResult", "expected /result to be one of \(words)")
        }
        guard let note = text("note"), !note.isEmpty else {
            throw Problem(422, "noteMissing", "expected /note: how you know, for those who come after")
        }
        return (result, note.cut(toUTF8: SwitchesEndpoint.maximumReasonBytes))
    }

    private static func problem(_ refusal: SettleRefusal, _ id: String) -> Problem {
        Problem(refusal == .unknownAttempt ? 404 : 409, refusal.rawValue, "\(id.cut(toUTF8: 64)): \(refusal.sentence)")
    }

    private static let notDurable = Problem.retryLater(
        503,
        "notDurable",
        "the journal couldn't be written in time; look at the attempt, then try again"
    )
}

/// How many attempts a cursor can count over.
private enum AttemptLimit {
    static let listed = 100_000
}
