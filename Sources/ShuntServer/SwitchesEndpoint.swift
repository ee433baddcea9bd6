internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `/v1/switches` and what lies below it; streams are in a file of their own.
struct SwitchesEndpoint: Sendable {
    /// The longest body of a command.
    static let maximumCommandBytes = 16 << 10
    /// How long a long-poll may wait, in seconds; a longer wish is cut, so that proxies don't cut it first.
    static let maximumWaitSec: Int64 = 60
    static let maximumReasonBytes = 1_000

    let engine: Engine
    let board: Board

    // MARK: Polls

    func get(_ head: HTTPRequestHead, key: String?, responder: HTTPResponder) throws(Problem) -> HTTPOutcome {
        let environment = try Self.environment(head)
        guard let published = board.document(environment: environment) else { throw Self.notReady }
        guard let current = published.representation(of: key) else { throw Self.unknownSwitch(key ?? "") }
        if let key, let attributes = Self.attributes(head) {
            return .reply(try Self.decision(of: key, in: published.document, for: attributes))
        }
        guard head.query("after") != nil || head.query("waitSec") != nil else {
            return .reply(current.reply(ifNoneMatch: head.header("If-None-Match")))
        }
        return try longPoll(head, environment: environment, key: key, current: current, responder: responder)
    }

    private func longPoll(
        _ head: HTTPRequestHead,
        environment: String,
        key: String?,
        current: Representation,
        responder: HTTPResponder
    ) throws(Problem) -> HTTPOutcome {
        guard let after = head.query("after").flatMap({ UInt64($0) }) else {
            throw Problem(400, "invalidAfter", "expected after to be the version that the client has")
        }
        guard let waitSec = Int64(head.query("waitSec") ?? "0"), waitSec >= 0 else {
            throw Problem(400, "invalidWait", "expected waitSec to be a number of seconds, 0 or more")
        }
        guard waitSec > 0 else {
            let isNew = board.document(environment: environment).map { $0.version != after } ?? false
            return .reply(isNew ? current.found : current.notModified)
        }
        switch board.poll(environment: environment, key: key, after: after, responder: responder) {
        case nil: throw Self.notReady
        case .answer(let published): return .reply((published.representation(of: key) ?? current).found)
        case .full:
            throw .retryLater(503, "tooManyWaiting", "too many polls wait already; poll without waitSec", afterSec: 5)
        case .parked(let published):
            let deadline = HTTPClock.nowNanoseconds + min(waitSec, Self.maximumWaitSec) * 1_000_000_000
            let timeoutReply = (published.representation(of: key) ?? current).notModified
            return .parked(deadlineNanoseconds: deadline, timeoutReply: timeoutReply)
        }
    }

    static func environment(_ head: HTTPRequestHead) throws(Problem) -> String {
        guard let environment = head.query("environment") else { return PaymentEvent.defaultEnvironment }
        guard !environment.isEmpty, environment.utf8.count <= EventLimit.name else {
            throw Problem(400, "invalidEnvironment", "expected environment to be 1 to \(EventLimit.name) bytes")
        }
        return environment
    }

    /// The attributes of one payer, when the query names any.
    private static func attributes(_ head: HTTPRequestHead) -> [String: String]? {
        let pairs = head.queryPairs.filter { !["environment", "after", "waitSec"].contains($0.name) }
        guard !pairs.isEmpty else { return nil }
        return Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private static func decision(
        of key: String,
        in document: SwitchDocument,
        for attributes: [String: String]
    ) throws(Problem) -> HTTPReply {
        guard let status = document.switches.first(where: { $0.key == key }) else { throw unknownSwitch(key) }
        let decision = status.decision(for: attributes)
        var writer = JSONWriter(capacity: 160)
        writer.beginObject()
        writer.field("key", key)
        writer.field("variant", decision.variant)
        writer.field("reason", decision.decidedBy)
        writer.field("state", decision.state.rawValue)
        writer.field("version", document.version)
        writer.endObject()
        let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + CrossOrigin.fields
        return HTTPReply(status: 200, headers: fields, body: writer.bytes)
    }

    // MARK: Commands

    func command(
        _ request: HTTPRequest,
        from caller: Caller,
        key: String,
        verb: SwitchCommand.Verb,
        responder: HTTPResponder
    ) throws(Problem) -> HTTPOutcome {
        let body = try SwitchCommandBody(request, verb: verb)
        guard let published = board.document(environment: body.scope.environment) else { throw Self.notReady }
        guard published.representation(of: key) != nil else { throw Self.unknownSwitch(key) }
        let command = SwitchCommand(
            action: body.action,
            key: key,
            scope: body.scope,
            actor: caller.actor(from: request.head),
            reason: body.reason,
            origin: "\(request.head.remoteAddress)"
        )
        let submission = Submission(
            work: .command(command),
            receivedAtNs: request.receivedAtNanoseconds,
            responder: responder,
            reply: { result in
                switch result {
                case .success(let work): Self.reply(to: command, work)
                case .failure: Self.notDurable.reply
                }
            }
        )
        guard engine.submit(submission) else {
            throw .retryLater(503, "overloaded", "too much waits to be written; nothing was changed")
        }
        let deadline = request.receivedAtNanoseconds + EventsEndpoint.patienceNs
        return .parked(deadlineNanoseconds: deadline, timeoutReply: Self.notDurable.reply)
    }

    private static func reply(to command: SwitchCommand, _ work: WorkResult) -> HTTPReply {
        guard let last = work.transitions.last else {
            let hold = work.refusal ?? .unknownSwitch
            let detail = "\(hold.sentence(switch: command.key)) in \(command.scope.text)"
            return Problem(409, hold.rawValue, detail).reply
        }
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.field("key", command.key)
        writer.field("version", last.version)
        writer.key("moved")
        writer.beginArray()
        for transition in work.transitions {
            writer.beginObject()
            writer.field("scope", transition.scope.text)
            writer.field("cause", transition.cause.rawValue)
            writer.field("from", transition.from.rawValue)
            writer.field("to", transition.to.rawValue)
            writer.field("variant", transition.variant)
            writer.field("version", transition.version)
            writer.field("at", transition.at)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return HTTPReply(status: 200, headers: fields, body: writer.bytes)
    }

    private static let notDurable = Problem.retryLater(
        503,
        "notDurable",
        "the journal couldn't be written in time; look at the switch, then try again"
    )
    static let notReady = Problem.retryLater(503, "notReady", "the daemon is starting")

    private static func unknownSwitch(_ key: String) -> Problem {
        Problem(404, "unknownSwitch", "no switch is called \(key.cut(toUTF8: 64))")
    }
}
