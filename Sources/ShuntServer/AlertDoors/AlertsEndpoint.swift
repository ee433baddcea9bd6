internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `/v1/alerts` and what lies below it.
struct AlertsEndpoint: Sendable {
    static let defaultLimit = 100
    static let maximumLimit = 500

    let engine: Engine
    let outbox: OutboxReader
    let desk: LookDesk
    let triage: TriageDesk

    // MARK: Looking

    /// Alerts, newest first: those that are open, and the last that ended.
    func list(_ request: HTTPRequest, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let page = try AlertPage(request.head)
        return try look(request, responder) { state, _ in
            let found = page.select(state.openAlerts + state.alertBook.ended)
            var writer = JSONWriter(capacity: 4096)
            writer.beginObject()
            writer.key("alerts")
            writer.beginArray()
            for alert in found.prefix(page.limit) { writer.write(AlertView(alert, in: state)) }
            writer.endArray()
            if found.count > page.limit { writer.field("nextCursor", found[page.limit - 1].id) }
            writer.endObject()
            return Self.reply(writer)
        }
    }

    /// One alert, with what is known of its failures and what became of its notices.
    func get(_ request: HTTPRequest, id: String, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let language = try LookQuery(request.head).word("lang", NoticeLanguage.self) ?? .english
        return try desk.ask(
            request,
            responder: responder,
            facts: { state, at in state.alert(id).map { (AlertView($0, in: state), state.seq, at) } },
            answer: { facts in
                guard let (view, seq, at) = facts else { return Self.problem(.unknownAlert, id).reply }
                _ = triage.history.wait(through: seq, timeoutMs: ErrorsEndpoint.freshnessMs)
                let known = triage.triage(AlertQuestion(view.alert, at: at, seq: seq))
                do throws(DatabaseError) {
                    var writer = JSONWriter(capacity: 4_096)
                    writer.write(
                        view,
                        triage: known,
                        language: language,
                        notifications: try outbox.deliveries(ofAlert: id)
                    )
                    return Self.reply(writer)
                } catch {
                    let detail = "what became of its notices can't be read: \(error)"
                    return Problem.retryLater(503, "outboxUnreadable", detail).reply
                }
            }
        )
    }

    /// Silences in force, and what each one hides now.
    func silences(_ request: HTTPRequest, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        try look(request, responder) { state, _ in
            var writer = JSONWriter(capacity: 1024)
            writer.beginObject()
            writer.key("silences")
            writer.beginArray()
            let open = state.openAlerts
            for silence in state.alertBook.silences { writer.write(silence, hiding: open.filter(silence.covers)) }
            writer.endArray()
            writer.endObject()
            return Self.reply(writer)
        }
    }

    private func look(
        _ request: HTTPRequest,
        _ responder: HTTPResponder,
        _ look: @escaping Submission.Look
    ) throws(Problem) -> HTTPOutcome {
        let submission = Submission(
            work: .look(look),
            receivedAtNs: request.receivedAtNanoseconds,
            responder: responder,
            reply: { _ in SwitchesEndpoint.notReady.reply }
        )
        guard engine.submit(submission) else {
            throw .retryLater(503, "overloaded", "too much waits to be written; ask again")
        }
        let deadline = request.receivedAtNanoseconds + EventsEndpoint.patienceNs
        let late = Problem.retryLater(503, "tooSlow", "the alerts couldn't be looked at in time")
        return .parked(deadlineNanoseconds: deadline, timeoutReply: late.reply)
    }

    // MARK: Commands

    func acknowledge(
        _ request: HTTPRequest,
        from caller: Caller,
        id: String,
        responder: HTTPResponder
    ) throws(Problem) -> HTTPOutcome {
        let action = try AlertCommandBody.acknowledgement(of: id, request)
        return try command(action, request, from: caller, responder: responder)
    }

    func silence(
        _ request: HTTPRequest,
        from caller: Caller,
        responder: HTTPResponder
    ) throws(Problem) -> HTTPOutcome {
        let action = AlertCommand.Action.silence(try AlertCommandBody.silence(request))
        return try command(action, request, from: caller, responder: responder)
    }

    func expire(
        _ request: HTTPRequest,
        from caller: Caller,
        id: String,
        responder: HTTPResponder
    ) throws(Problem) -> HTTPOutcome {
        try command(.expire(silence: id), request, from: caller, responder: responder)
    }

    private func command(
        _ action: AlertCommand.Action,
        _ request: HTTPRequest,
        from caller: Caller,
        responder: HTTPResponder
    ) throws(Problem) -> HTTPOutcome {
        let command = AlertCommand(
            action: action,
            actor: caller.actor(from: request.head),
            origin: "\(request.head.remoteAddress)"
        )
        let submission = Submission(
            work: .alertCommand(command),
            receivedAtNs: request.receivedAtNanoseconds,
            responder: responder,
            reply: { result in
                guard case .success(let work) = result, let answer = work.alertAnswer else {
                    return Self.notDurable.reply
                }
                return Self.reply(to: action, answer)
            }
        )
        guard engine.submit(submission) else {
            throw .retryLater(503, "overloaded", "too much waits to be written; nothing was changed")
        }
        let deadline = request.receivedAtNanoseconds + EventsEndpoint.patienceNs
        return .parked(deadlineNanoseconds: deadline, timeoutReply: Self.notDurable.reply)
    }

    private static func reply(to action: AlertCommand.Action, _ answer: AlertAnswer) -> HTTPReply {
        var writer = JSONWriter(capacity: 512)
        switch answer {
        case .refused(let refusal): return problem(refusal, action.subject).reply
        case .alert(let alert):
            writer.beginObject()
            writer.field("id", alert.id)
            writer.field("rule", alert.rule)
            writer.field("state", alert.stateName)
            writer.writeAcknowledgement(of: alert)
            writer.endObject()
        case .silence(let silence):
            writer.write(silence, hiding: nil)
            return reply(writer, status: 201)
        case .expired:
            writer.beginObject()
            writer.field("id", action.subject)
            writer.field("state", "expired")
            writer.endObject()
        }
        return reply(writer)
    }

    private static func problem(_ refusal: AlertRefusal, _ id: String?) -> Problem {
        let subject = id.map { "\($0.cut(toUTF8: 64)): " } ?? ""
        return Problem(status(of: refusal), refusal.rawValue, subject + refusal.sentence)
    }

    private static func status(of refusal: AlertRefusal) -> Int {
        switch refusal {
        case .unknownAlert, .unknownSilence: 404
        case .alreadyResolved, .notFiring, .tooManySilences: 409
        case .endsInPast, .endsTooLate, .noMatchers: 422
        }
    }

    private static func reply(_ writer: JSONWriter, status: Int = 200) -> HTTPReply {
        let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return HTTPReply(status: status, headers: fields, body: writer.bytes)
    }

    private static let notDurable = Problem.retryLater(
        503,
        "notDurable",
        "the journal couldn't be written in time; look at the alerts, then try again"
    )
}

extension AlertCommand.Action {
    /// The alert or the silence that it names.
    fileprivate var subject: String? {
        switch self {
        case .acknowledge(let alert, _, _): alert
        case .expire(let silence): silence
        case .silence: nil
        }
    }
}
