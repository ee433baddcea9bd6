internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `GET /v1/explain`: what a code means, and what holds each rule back.
struct ExplainEndpoint: Sendable {
    /// How long the writer may take to come to it; it waits behind at most one commit.
    static let patienceNs: Int64 = 10_000_000_000

    let engine: Engine

    func get(_ request: HTTPRequest, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let question = try Self.question(request.head)
        let late = Problem.retryLater(503, "overloaded", "the writer is too busy to be asked; nothing was changed")
        let submission = Submission(
            work: .look { state, at in Self.reply(state.explain(question, at: at)) },
            receivedAtNs: request.receivedAtNanoseconds,
            responder: responder,
            reply: { _ in late.reply }
        )
        guard engine.submit(submission) else { throw late }
        return .parked(
            deadlineNanoseconds: request.receivedAtNanoseconds + Self.patienceNs,
            timeoutReply: late.reply
        )
    }

    private static func question(_ head: HTTPRequestHead) throws(Problem) -> FailureQuestion {
        let query = LookQuery(head)
        guard let code = try query.text("code", limit: EventLimit.errorKey) else {
            throw Problem(400, "codeMissing", "expected code: the error's code, e.g. ?code=8771")
        }
        var question = FailureQuestion(code: code)
        question.domain = try query.text("domain", limit: EventLimit.errorKey)
        question.environment = try query.text("environment", limit: EventLimit.name)
        question.stage = try query.word("stage", Stage.self)
        return question
    }

    private static func reply(_ explanation: CodeExplanation) -> HTTPReply {
        var writer = JSONWriter(capacity: 4096)
        writer.write(explanation)
        return LookQuery.reply(writer)
    }
}

// MARK: - JSON

extension JSONWriter {
    fileprivate mutating func write(_ explanation: CodeExplanation) {
        beginObject()
        field("code", explanation.question.code)
        field("environment", explanation.question.environment)
        field("stage", explanation.question.stage?.rawValue)
        field("at", explanation.at)
        key("domains")
        beginArray()
        for domain in explanation.domains { write(domain) }
        endArray()
        field("omittedDomains", explanation.omittedDomains)
        endObject()
    }

    private mutating func write(_ domain: DomainExplanation) {
        beginObject()
        field("domain", domain.domain)
        field("known", domain.meaning.isKnown)
        field("counted", domain.isCounted)
        writeFields(of: domain.meaning)
        let why = domain.explanation.sentence
        field("why", domain.meaning.isKnown ? why : "unknown, counted apart: \(why)")
        if let row = domain.explanation.row {
            key("row")
            write(row)
        }
        if let wrapper = domain.explanation.wrapper {
            key("wrapper")
            beginObject()
            field("domain", wrapper.domain)
            field("code", wrapper.code)
            endObject()
        }
        field("signature", domain.explanation.signature?.id)
        key("otherStages")
        beginArray()
        for other in domain.otherStages {
            beginObject()
            field("stage", other.stage.rawValue)
            writeFields(of: other.meaning)
            endObject()
        }
        endArray()
        key("rules")
        beginArray()
        for rule in domain.rules { write(rule) }
        endArray()
        endObject()
    }

    private mutating func writeFields(of meaning: Classification) {
        field("class", meaning.failureClass.rawValue)
        field("retry", meaning.retry.rawValue)
        field("switchWeight", meaning.switchWeight.rawValue)
        field("money", meaning.money.rawValue)
        field("reason", meaning.reason.rawValue)
    }

    private mutating func write(_ row: CatalogueMatch) {
        beginObject()
        field("system", row.system)
        field("domain", row.key.domain)
        field("code", row.key.code)
        field("name", row.entry.name)
        field("owner", row.owner.rawValue)
        if !row.entry.note.isEmpty { field("note", row.entry.note) }
        if let overridden = row.overrides {
            key("overrides")
            beginObject()
            field("name", overridden.name)
            field("class", overridden.failureClass.rawValue)
            field("switchWeight", overridden.switchWeight.rawValue)
            endObject()
        }
        endObject()
    }

    private mutating func write(_ explanation: RuleExplanation) {
        let rule = explanation.rule
        beginObject()
        field("id", rule.id)
        field("description", rule.description)
        field("kind", rule.kind.name.rawValue)
        field("count", rule.count.rawValue)
        field("threshold", rule.threshold)
        field("windowMs", rule.windowMs)
        field("maxPerInstall", rule.maximumPerInstall)
        field("installsRequired", rule.require.installs)
        field("trips", rule.trip?.switchKey)
        field("matches", explanation.match.rawValue)
        key("depends")
        beginArray()
        for condition in explanation.depends { string(condition) }
        endArray()
        key("holds")
        write(explanation.holds, of: rule)
        key("groups")
        beginArray()
        for group in explanation.groups { write(group, of: rule) }
        endArray()
        field("omittedGroups", explanation.omittedGroups)
        endObject()
    }

    /// Where a group of a rule stands.
    mutating func write(_ group: GroupExplanation, of rule: Rule) {
        beginObject()
        key("group")
        beginObject()
        for attribute in group.group { field(attribute.name, attribute.value) }
        endObject()
        field("count", group.count)
        field("missing", group.missing)
        field("installs", group.installs)
        field("shared", group.isShared)
        if let alert = group.alert {
            key("alert")
            beginObject()
            field("id", alert.id)
            field("state", alert.phase.rawValue)
            field("startsAt", alert.startsAt)
            field("decision", alert.decision.name)
            if case .tripped(let version) = alert.decision { field("version", version) }
            endObject()
        }
        key("holds")
        write(group.holds, of: rule)
        endObject()
    }

    private mutating func write(_ holds: [RuleHold], of rule: Rule) {
        beginArray()
        for hold in holds {
            beginObject()
            field("name", hold.name)
            field("detail", hold.sentence(for: rule))
            endObject()
        }
        endArray()
    }
}
