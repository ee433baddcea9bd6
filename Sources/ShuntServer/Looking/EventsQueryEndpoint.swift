internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `GET /v1/events` and `GET /v1/events/{id}`: what was reported, newest first.
struct EventsQueryEndpoint: Sendable {
    static let defaultLimit = 50
    static let maximumLimit = 500
    /// How many events are read for one answer: what is asked for may be rare among them.
    static let maximumRead = 5_000
    private static let portion = 500

    let desk: LookDesk
    let history: HistoryKeeper
    let journalFolder: Folder

    func list(_ request: HTTPRequest, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let query = LookQuery(request.head)
        let filter = EventFilter(
            environment: try query.text("environment", limit: EventLimit.name),
            domain: try query.text("domain", limit: EventLimit.errorKey),
            code: try query.text("code", limit: EventLimit.errorKey),
            attemptId: try query.text("attemptId", limit: EventLimit.identifier),
            orderRef: try query.text("orderRef", limit: EventLimit.identifier),
            outcome: try query.word("outcome", Outcome.self)
        )
        let limit = try query.number("limit", 1...Self.maximumLimit, default: Self.defaultLimit)
        let cursor = try query.cursor() ?? .max
        return try desk.ask(request, responder: responder, facts: { state, _ in state.seq }) { seq in
            _ = history.wait(through: seq, timeoutMs: ErrorsEndpoint.freshnessMs)
            do {
                let page = try page(filter, before: min(cursor, seq &+ 1), limit: limit)
                var writer = JSONWriter(capacity: 32_768)
                writer.beginObject()
                writer.key("events")
                writer.beginArray()
                for sample in page.events { writer.write(sample) }
                writer.endArray()
                writer.field("nextCursor", page.next.map { "\($0)" })
                writer.endObject()
                return LookQuery.reply(writer)
            } catch {
                return Self.unreadable(error)
            }
        }
    }

    func get(_ request: HTTPRequest, id: String, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        try desk.ask(request, responder: responder, facts: { state, _ in state.seq }) { seq in
            _ = history.wait(through: seq, timeoutMs: ErrorsEndpoint.freshnessMs)
            do {
                guard let sample = try find(id) else {
                    return Problem(404, "unknownEvent", "no event is called \(id.cut(toUTF8: 64))").reply
                }
                var writer = JSONWriter(capacity: 2_048)
                writer.write(sample)
                return LookQuery.reply(writer)
            } catch {
                return Self.unreadable(error)
            }
        }
    }

    private static func unreadable(_ error: any Error) -> HTTPReply {
        Log.error("events can't be read back: \(error)")
        return Problem.retryLater(503, "journalUnreadable", "events can't be read back; the log says why").reply
    }

    /// An event by its reporter's name of it, else by its number in the journal.
    private func find(_ id: String) throws -> ErrorPage.Sample? {
        var reader = JournalReader(folder: journalFolder)
        let named = try read(try history.find(.eventId(id), limit: 10), &reader).first { $0.event.eventId == id }
        if let named { return named }
        guard let seq = UInt64(id) else { return nil }
        return try read([seq], &reader).first
    }

    private func page(
        _ filter: EventFilter,
        before cursor: UInt64,
        limit: Int
    ) throws -> (events: [ErrorPage.Sample], next: UInt64?) {
        var reader = JournalReader(folder: journalFolder)
        var found: [ErrorPage.Sample] = []
        var read = 0
        var position = cursor
        guard let term = filter.term else {
            var next: UInt64?
            try reader.forEachBack(from: cursor &- 1) { result in
                guard case .success(let entry) = result else { return true }
                position = entry.seq
                read += 1
                if case .event(let event) = entry.input, filter.isMeant(event) {
                    found.append(ErrorPage.Sample(seq: entry.seq, at: entry.at, event: event))
                }
                let isOver = found.count >= limit || read >= Self.maximumRead
                if isOver, position > 1 { next = position }
                return !isOver
            }
            return (found, next)
        }
        while true {
            let seqs = try history.find(term, before: position, limit: Self.portion)
            for event in try self.read(seqs, &reader) {
                position = event.seq
                read += 1
                if filter.isMeant(event.event) { found.append(event) }
                if found.count >= limit { return (found, position) }
            }
            guard seqs.count >= Self.portion, let last = seqs.last else { return (found, nil) }
            position = last
            if read >= Self.maximumRead { return (found, position) }
        }
    }

    /// The events of entries, newest first.
    private func read(_ seqs: [UInt64], _ reader: inout JournalReader) throws -> [ErrorPage.Sample] {
        try reader.entries(seqs: seqs).reversed().compactMap { result in
            guard case .success(let entry) = result, case .event(let event) = entry.input else { return nil }
            return ErrorPage.Sample(seq: entry.seq, at: entry.at, event: event)
        }
    }
}

/// Which events are asked for.
struct EventFilter: Sendable {
    var environment: String?
    var domain: String?
    var code: String?
    var attemptId: String?
    var orderRef: String?
    var outcome: Outcome?

    /// The rarest name that is asked for; nil where none is, and all events are gone through.
    var term: EventTerm? {
        attemptId.map(EventTerm.attempt) ?? orderRef.map(EventTerm.order) ?? code.map(EventTerm.code)
    }

    func isMeant(_ event: PaymentEvent) -> Bool {
        (environment.map { $0 == event.environment } ?? true) && (domain.map { $0 == event.error?.domain } ?? true)
            && (code.map { $0 == event.error?.code } ?? true) && (attemptId.map { $0 == event.attemptId } ?? true)
            && (orderRef.map { $0 == event.orderRef } ?? true) && (outcome.map { $0 == event.outcome } ?? true)
    }
}
