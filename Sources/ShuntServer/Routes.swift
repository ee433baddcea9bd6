internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The daemon's face to the world: from requests to what answers them.
final class Routes: HTTPApplication {
    private let access: AccessControl
    private let board: Board
    private let metrics: Metrics
    private let events: EventsEndpoint
    private let switches: SwitchesEndpoint
    private let flags: OFREPEndpoint
    private let rules: RulesEndpoint
    private let explain: ExplainEndpoint
    private let alerts: AlertsEndpoint
    private let doubts: DoubtsEndpoint
    private let audit: AuditEndpoint
    private let errors: ErrorsEndpoint
    private let eventQueries: EventsQueryEndpoint
    private let operations: OperationsEndpoint
    private let outlook: OutlookEndpoint
    private let dashboard: DashboardEndpoint

    init(
        access: AccessControl,
        board: Board,
        metrics: Metrics,
        events: EventsEndpoint,
        switches: SwitchesEndpoint,
        rules: RulesEndpoint,
        explain: ExplainEndpoint,
        alerts: AlertsEndpoint,
        doubts: DoubtsEndpoint,
        audit: AuditEndpoint,
        errors: ErrorsEndpoint,
        eventQueries: EventsQueryEndpoint,
        operations: OperationsEndpoint,
        outlook: OutlookEndpoint,
        dashboard: DashboardEndpoint
    ) {
        self.access = access
        self.board = board
        self.metrics = metrics
        self.events = events
        self.switches = switches
        flags = OFREPEndpoint(board: board)
        self.rules = rules
        self.explain = explain
        self.alerts = alerts
        self.doubts = doubts
        self.audit = audit
        self.errors = errors
        self.eventQueries = eventQueries
        self.operations = operations
        self.outlook = outlook
        self.dashboard = dashboard
    }

    func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        guard let route = Route(path: head.path, method: head.method) else {
            return .refuse(Self.notFound(head.path).reply)
        }
        // It comes without the token of the request that it asks about.
        if head.method == .options, isCrossOrigin(route) { return .refuse(CrossOrigin.preflight(route)) }
        do throws(Problem) {
            return .accept(maximumBodyBytes: try judge(head, at: route))
        } catch {
            return .refuse(reply(error, at: route))
        }
    }

    func respond(to request: HTTPRequest, responder: HTTPResponder) -> HTTPOutcome {
        let head = request.head
        guard let route = Route(path: head.path, method: head.method) else {
            return .reply(Self.notFound(head.path).reply)
        }
        do throws(Problem) {
            // Again, because nothing but the head came through the door: a hash and some comparisons.
            let caller = try caller(request.head, at: route)
            switch route {
            case .events:
                let fields = isCrossOrigin(route) ? CrossOrigin.fields : []
                return try events.post(request, from: caller, fields: fields, responder: responder)
            case .switches:
                return counted(at: route) { () throws(Problem) in
                    try switches.get(request.head, key: nil, responder: responder)
                }
            case .switchStream:
                return try switches.stream(request.head, responder: responder)
            case .oneSwitch(let key):
                return counted(at: route) { () throws(Problem) in
                    try switches.get(request.head, key: key, responder: responder)
                }
            case .flags:
                return counted(at: route) { () throws(Problem) in .reply(try flags.evaluateAll(request)) }
            case .oneFlag(let key):
                return counted(at: route) { () throws(Problem) in .reply(try flags.evaluate(request, key: key)) }
            case .switchCommand(let key, let named):
                let verb = request.head.method == .delete ? .clear : named
                return try switches.command(request, from: caller, key: key, verb: verb, responder: responder)
            case .switchHistory(let key):
                return .reply(try audit.history(request.head, key: key))
            case .alerts:
                return try alerts.list(request, responder: responder)
            case .oneAlert(let id):
                return try alerts.get(request, id: id, responder: responder)
            case .alertAcknowledgement(let id):
                return try alerts.acknowledge(request, from: caller, id: id, responder: responder)
            case .inDoubt:
                return try doubts.list(request, responder: responder)
            case .oneAttempt(let id):
                return try doubts.get(request, id: id, responder: responder)
            case .settlement(let id):
                return try doubts.settle(request, from: caller, id: id, responder: responder)
            case .silences:
                return try alerts.silences(request, responder: responder)
            case .newSilence:
                return try alerts.silence(request, from: caller, responder: responder)
            case .oneSilence(let id):
                return try alerts.expire(request, from: caller, id: id, responder: responder)
            case .audit:
                return .reply(try audit.list(request.head))
            case .rules:
                return .reply(rules.list())
            case .rulesReload:
                return rules.reload(request, responder: responder)
            case .explain:
                return try explain.get(request, responder: responder)
            case .errors:
                return try errors.list(request, responder: responder)
            case .oneError(let code):
                return try errors.get(request, code: code, responder: responder)
            case .eventList:
                return try eventQueries.list(request, responder: responder)
            case .oneEvent(let id):
                return try eventQueries.get(request, id: id, responder: responder)
            case .health:
                return .reply(operations.health)
            case .readiness:
                return .reply(operations.readiness(isDetailed: access.mayRead(request.head)))
            case .metrics:
                return .reply(operations.metricsPage())
            case .openAPI:
                return .reply(operations.openAPI)
            case .outlook:
                return try outlook.get(request, responder: responder)
            case .callersAccess:
                return .reply(AccessEndpoint(access: access).get(request.head))
            case .dashboard:
                return .reply(dashboard.page(request.head))
            case .dashboardFile(let path):
                return .reply(try dashboard.asset(request.head, path: path))
            }
        } catch {
            return .reply(reply(error, at: route))
        }
    }

    func ended(_ responder: HTTPResponder, reason: HTTPParkedEnd) {
        switch board.forget(responder) {
        case .poll?: if reason != .clientLeft { metrics.polled(status: 304) }
        case .stream?: metrics.streamEnded(reason)
        case nil: break
        }
    }

    /// Refuses what can be refused by its head; else the size of the body that is read.
    private func judge(_ head: HTTPRequestHead, at route: Route) throws(Problem) -> Int {
        guard head.method == route.method || route.isDeletable && head.method == .delete else {
            throw Problem(
                405,
                "methodNotAllowed",
                "expected \(route.allow) at this address",
                headers: [("Allow", isCrossOrigin(route) ? "\(route.allow), OPTIONS" : route.allow)]
            )
        }
        _ = try caller(head, at: route)
        if let accept = head.header("Accept"), !MediaType.accepts(accept, route.mediaType) {
            let media = route.mediaType
            throw Problem(406, "notAcceptable", "answers here are \(media.type)/\(media.subtype)")
        }
        guard route.method == .post else { return 0 }
        switch route {
        case .events:
            try judgeBody(head, of: route)
            return events.limits.wireBytes
        case .flags, .oneFlag:
            // Without a body it's the context that is missing, and that has a word of its own.
            if head.hasBody { try judgeBody(head, of: route) }
            // The transport would refuse it too, but not in the form of these addresses.
            guard head.declaredLength ?? 0 <= OFREPEndpoint.maximumBodyBytes else { throw Problem.of(.bodyTooLarge) }
            return OFREPEndpoint.maximumBodyBytes
        default:
            // A DELETE may say all in its query.
            if !route.bodyTypes.isEmpty, head.hasBody || !route.isDeletable { try judgeBody(head, of: route) }
            return SwitchesEndpoint.maximumCommandBytes
        }
    }

    /// Whether pages of other origins may use the address.
    private func isCrossOrigin(_ route: Route) -> Bool {
        CrossOrigin.isOpen(route.access, hasTokens: access.hasTokens)
    }

    /// A refusal as clients of the address expect it.
    private func reply(_ problem: Problem, at route: Route) -> HTTPReply {
        var problem = problem
        if isCrossOrigin(route) { problem.headers += CrossOrigin.fields }
        return route.isOFREP ? problem.ofrepReply : problem.reply
    }

    /// Who asks, if they may.
    private func caller(_ head: HTTPRequestHead, at route: Route) throws(Problem) -> Caller {
        do throws(AccessControl.Refusal) {
            return try access.judge(head, for: route.access).get()
        } catch {
            metrics.refused(error)
            throw access.problem(error, for: route.access)
        }
    }

    private func judgeBody(_ head: HTTPRequestHead, of route: Route) throws(Problem) {
        let expected = route.bodyTypes.joined(separator: " or ")
        // A missing type is refused too: it is what lets a foreign web page post without asking.
        guard let field = head.header("Content-Type") else {
            throw Problem(415, "unsupportedMediaType", "expected Content-Type: \(expected)")
        }
        let media = MediaType(field)
        guard route.bodyTypes.contains(media.name) else {
            throw Problem(415, "unsupportedMediaType", "expected Content-Type: \(expected), found \(media.name)")
        }
        guard media.charset ?? "utf-8" == "utf-8" else {
            throw Problem(415, "unsupportedCharset", "expected UTF-8, found \(media.charset ?? "")")
        }
        guard let coding = head.header("Content-Encoding")?.lowercased(), coding != "identity" else { return }
        guard coding == "gzip", case .events = route else {
            throw Problem(
                415,
                "unsupportedContentEncoding",
                "expected gzip or no Content-Encoding",
                headers: [("Accept-Encoding", "gzip")]
            )
        }
    }

    /// Counts the answer to a poll. A parked one isn't answered yet: it's counted by whoever wakes it, or at its end.
    private func counted(at route: Route, _ poll: () throws(Problem) -> HTTPOutcome) -> HTTPOutcome {
        let outcome: HTTPOutcome
        do throws(Problem) {
            outcome = try poll()
        } catch {
            outcome = .reply(reply(error, at: route))
        }
        if case .reply(let reply) = outcome { metrics.polled(status: reply.status) }
        return outcome
    }

    private static func notFound(_ path: String) -> Problem {
        Problem(404, "notFound", "nothing is at \(path.cut(toUTF8: 100))")
    }
}
