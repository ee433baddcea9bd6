import ShuntCore
import ShuntNative
import ShuntSchema
import Synchronization
import Testing

@testable import ShuntServer

/// Everything behind one port, put together as the daemon does it, with rules that trip soon.
final class TestServer: Sendable {
    let parts: WriterParts
    let triageBook: TriageBook
    let engine: Engine
    let port: UInt16
    let history: HistoryKeeper
    private let desk: LookDesk
    private let server: HTTPServer
    private let reloader: RuleReloader

    init(
        limits: IntakeLimits = IntakeLimits(),
        rules: RuleSet = WriterParts.rules,
        access: AccessControl = AccessControl(tokens: [], arePollsPublic: true),
        arePollsPublic: Bool = true,
        startsEngine: Bool = true,
        spreadMs: Int64 = 0,
        signer: DocumentSigner? = nil,
        dashboards: String = ""
    ) throws {
        let board = Board(maximumParked: 8, spreadMs: spreadMs, isPublic: arePollsPublic, signer: signer)
        let parts = try WriterParts(board: board)
        let health = EngineHealth()
        var followed: HistoryKeeper?
        let writer = try parts.writer(rules) { state in
            followed = try parts.history(of: state)
            return followed
        }
        let engine = Engine(writer: writer, health: health)
        let history = try #require(followed)
        let desk = LookDesk(engine: engine)
        let source = RuleSource(path: "\(parts.folder.path)/rules", retentionMs: .max)
        let named = NamedChannels(configured: [])
        let triageBook = TriageBook()
        let triage = TriageDesk(history: history, journalFolder: try parts.journalFolder(), book: triageBook)
        self.triageBook = triageBook
        let reloader = RuleReloader(
            source: source,
            firstMark: FolderMark(of: source.path),
            engine: engine,
            channels: named,
            triageBook: triageBook
        )
        let routes = Routes(
            access: access,
            board: parts.board,
            metrics: parts.metrics,
            events: EventsEndpoint(
                limits: limits,
                intake: Intake(limits: limits, threads: 2),
                engine: engine,
                board: parts.board,
                metrics: parts.metrics
            ),
            switches: SwitchesEndpoint(engine: engine, board: parts.board),
            rules: RulesEndpoint(source: source, reloader: reloader),
            explain: ExplainEndpoint(engine: engine),
            alerts: AlertsEndpoint(
                engine: engine,
                outbox: OutboxReader(folder: try parts.folder.folder()),
                desk: desk,
                triage: triage
            ),
            doubts: DoubtsEndpoint(
                engine: engine,
                desk: desk,
                history: history,
                journalFolder: try parts.journalFolder()
            ),
            audit: AuditEndpoint(reader: try parts.auditReader(), board: parts.board),
            errors: ErrorsEndpoint(desk: desk, history: history, triage: triage),
            eventQueries: EventsQueryEndpoint(
                desk: desk,
                history: history,
                journalFolder: try parts.journalFolder()
            ),
            operations: OperationsEndpoint(
                board: parts.board,
                metrics: parts.metrics,
                engineHealth: health,
                keeper: parts.keeper,
                rules: source,
                outbox: parts.outbox,
                channels: named,
                lost: nil,
                startedAtNs: SystemClock.monotonicNanoseconds
            ),
            outlook: OutlookEndpoint(engine: engine),
            dashboard: DashboardEndpoint(folder: dashboards)
        )
        let configuration = HTTPServerConfiguration(refusal: { Problem.of($0).reply })
        server = try HTTPServer(configuration: configuration, application: routes)
        port = server.port
        self.parts = parts
        self.engine = engine
        self.history = history
        self.desk = desk
        self.reloader = reloader
        if startsEngine { engine.start() }
        history.start()
        desk.start()
        reloader.start()
        try server.start()
    }

    /// Ends all threads; everything that was submitted is done then.
    func stop() {
        reloader.stop()
        server.stop(drainMs: 1_000)
        desk.stop()
        engine.stop()
        history.stop()
    }

    var board: Board { parts.board }

    func request(_ target: String, headers: [(String, String)] = [], body: String? = nil) -> HTTPTransfer.Request {
        var fields = headers.map { HTTPTransfer.Header($0.0, $0.1) }
        if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
            fields.append(HTTPTransfer.Header("Content-Type", "application/json"))
        }
        return HTTPTransfer.Request(
            method: body == nil ? "GET" : "POST",
            url: "http://127.0.0.1:\(port)\(target)",
            headers: fields,
            body: body.map { Array($0.utf8) }
        )
    }

    func get(_ target: String, headers: [(String, String)] = []) throws -> HTTPTransfer.Response {
        var transfer = HTTPTransfer()
        return try transfer.perform(request(target, headers: headers))
    }

    func put(_ target: String) throws -> HTTPTransfer.Response {
        var asked = request(target, body: "{}")
        asked.method = "PUT"
        var transfer = HTTPTransfer()
        return try transfer.perform(asked)
    }

    func post(_ target: String, _ body: String, headers: [(String, String)] = []) throws -> HTTPTransfer.Response {
        var transfer = HTTPTransfer()
        return try transfer.perform(request(target, headers: headers, body: body))
    }

    /// Waits until so many long-polls are parked; false when that takes half a minute.
    func waitForParked(_ count: Int) -> Bool {
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        let signal = Signal()
        while board.parkedCount != count, HTTPClock.nowNanoseconds < deadlineNs { signal.wait(timeoutMs: 2) }
        return board.parkedCount == count
    }
}

/// A long-poll on a thread of its own.
final class WaitingPoll: Sendable {
    private let thread = Mutex<WorkerThread?>(nil)
    private let result = Mutex<HTTPTransfer.Response?>(nil)

    init(_ request: HTTPTransfer.Request) {
        thread.withLock { thread in
            thread = WorkerThread { [self] in
                var transfer = HTTPTransfer()
                let response = try? transfer.perform(request)
                result.withLock { $0 = response }
            }
        }
    }

    /// What it was answered, once it is.
    func answer() -> HTTPTransfer.Response? {
        thread.withLock { $0.take() }?.join()
        return result.withLock { $0 }
    }
}

extension HTTPTransfer.Response {
    var text: String { String(decoding: body, as: UTF8.self) }
}
