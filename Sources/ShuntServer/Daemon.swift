internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// One running Shunt: opens its data, rebuilds its state, serves, and ends in order.
public final class Daemon: Sendable {
    /// How long requests in flight may take to end, in milliseconds.
    static let drainMs: Int64 = 5_000

    private let lock: LockedFolder
    private let engine: Engine
    private let server: HTTPServer
    private let reloader: RuleReloader
    private let outbox: Outbox
    private let history: HistoryKeeper
    private let desk: LookDesk
    private let triage: TriageDesk
    private let dashboard: DashboardEndpoint
    private let listen: ListenAddress

    /// Opens the data folder, rebuilds the state and binds the port. Nothing is served yet.
    public init(_ configuration: Configuration) throws(DaemonError) {
        do {
            try configuration.check()
            let data = try Folder(path: configuration.dataPath)
            lock = try LockedFolder(data)
            let journalFolder = try Folder(path: data.file("journal"))
            let parts = try Self.assemble(configuration, data: data, journalFolder: journalFolder)
            engine = parts.engine
            server = parts.server
            reloader = parts.reloader
            outbox = parts.outbox
            history = parts.history
            desk = parts.desk
            triage = parts.triage
            dashboard = parts.dashboard
            listen = ListenAddress(host: configuration.listen.host, port: parts.server.port)
        } catch let error as DaemonError {
            throw error
        } catch let error as ConfigurationError {
            throw .configuration(error)
        } catch let error as HTTPServerError {
            throw .failed("can't listen on \(configuration.listen): \(error)")
        } catch {
            throw .failed("\(error)")
        }
    }

    /// Serves until the process is asked to end, then drains. Call `ProcessSignals.block()` first.
    public func run(whenReady: (ListenAddress) -> Void) throws(DaemonError) {
        engine.start()
        history.start()
        desk.start()
        outbox.start(triage: NoticeTriage(desk: triage))
        do throws(HTTPServerError) {
            try server.start()
        } catch {
            outbox.stop()
            desk.stop()
            engine.stop()
            history.stop()
            throw .failed("can't serve on \(listen): \(error)")
        }
        reloader.start()
        whenReady(listen)
        while ProcessSignals.wait() == .reload {
            reloader.ask()
            dashboard.load()
        }
        Log.info("stopping: finishing what is in flight")
        reloader.stop()
        server.stop(drainMs: Self.drainMs)
        outbox.stop()
        desk.stop()
        engine.stop()
        history.stop()
        Log.info("stopped: everything acknowledged is durable")
    }

    private struct Parts {
        var engine: Engine
        var server: HTTPServer
        var reloader: RuleReloader
        var outbox: Outbox
        var history: HistoryKeeper
        var desk: LookDesk
        var triage: TriageDesk
        var dashboard: DashboardEndpoint
    }

    private static func assemble(
        _ configuration: Configuration,
        data: Folder,
        journalFolder: Folder
    ) throws -> Parts {
        let signer = try configuration.signing?.signer()
        if let signer { Log.info("documents are signed with \(signer.keys.map(\.id).joined(separator: " and "))") }
        // Read at the start, so that a secret that is missing is seen by who starts the daemon, not at the first alert.
        let channels = try configuration.openChannels()
        if !channels.isEmpty { Log.info("channels: \(channels.map(\.name).joined(separator: ", "))") }
        let snapshots = SnapshotFile(folder: data)
        // A quarter of the connections is kept for reports, however many polls wait.
        let maximumConnections = Self.maximumConnections(fileLimit: ProcessEnvironment.raiseFileLimit())
        let board = Board(
            maximumParked: maximumConnections * 3 / 4,
            spreadMs: configuration.pushSpreadMs,
            isPublic: configuration.arePollsPublic,
            signer: signer
        )
        let metrics = Metrics()
        let health = EngineHealth()
        let keeper = JournalKeeper(
            journalFolder: journalFolder,
            snapshots: snapshots,
            retentionDays: max(2, configuration.retentionDays)
        )

        let beganNs = SystemClock.monotonicNanoseconds
        let audit = AuditTrail(folder: data)
        let outbox = Outbox(
            folder: data,
            channels: channels,
            links: configuration.links,
            routes: configuration.routes,
            metrics: metrics
        )
        let evidence = EvidenceKeeper(journalFolder: journalFolder, audit: audit)
        var recovery = try Recovery(
            journalFolder: journalFolder,
            snapshots: snapshots,
            audit: audit,
            outbox: outbox,
            evidence: evidence
        )
        var clock = ReceiptClock(
            after: recovery.state.at,
            wallMs: SystemClock.wallMilliseconds,
            monotonicNs: SystemClock.monotonicNanoseconds
        )
        let source = RuleSource(
            path: configuration.rulesPath,
            retentionMs: configuration.retentionDays * 86_400_000,
            maximumGroups: configuration.maximumGroups
        )
        let firstMark = FolderMark(of: source.path)
        let triageBook = TriageBook()
        try recovery.settle(try firstRules(source, known: recovery.state.ruleSet, triageBook), clock: &clock)
        outbox.adopt(epoch: recovery.state.epoch, after: recovery.state.seq)
        report(recovery, tookNs: SystemClock.monotonicNanoseconds - beganNs)
        report(audit)
        let named = NamedChannels(configured: channels.map(\.name))
        named.compare(with: recovery.state.ruleSet)
        let lost = recovery.lost
        board.publish(recovery.state)
        metrics.setAlerts(of: recovery.state)
        metrics.add(EventTally(), lastSeq: recovery.state.seq)

        let history = HistoryKeeper(
            journalFolder: journalFolder,
            indexFolder: try Folder(path: data.file("index")),
            state: recovery.state
        )
        let writer = recovery.writer(
            clock: clock,
            board: board,
            metrics: metrics,
            keeper: keeper,
            history: history
        )
        let engine = Engine(writer: writer, health: health)
        let desk = LookDesk(engine: engine)
        let triage = TriageDesk(history: history, journalFolder: journalFolder, book: triageBook)
        let reloader = RuleReloader(
            source: source,
            firstMark: firstMark,
            engine: engine,
            channels: named,
            triageBook: triageBook
        )
        let dashboard = DashboardEndpoint(folder: configuration.dashboardsPath)
        let intake = Intake(limits: configuration.intakeLimits, threads: 16)
        let routes = Routes(
            access: configuration.access,
            board: board,
            metrics: metrics,
            events: EventsEndpoint(
                limits: configuration.intakeLimits,
                intake: intake,
                engine: engine,
                board: board,
                metrics: metrics
            ),
            switches: SwitchesEndpoint(engine: engine, board: board),
            rules: RulesEndpoint(source: source, reloader: reloader),
            explain: ExplainEndpoint(engine: engine),
            alerts: AlertsEndpoint(
                engine: engine,
                outbox: OutboxReader(folder: data),
                desk: desk,
                triage: triage
            ),
            doubts: DoubtsEndpoint(
                engine: engine,
                desk: desk,
                history: history,
                journalFolder: journalFolder
            ),
            audit: AuditEndpoint(reader: AuditReader(folder: data), board: board),
            errors: ErrorsEndpoint(desk: desk, history: history, triage: triage),
            eventQueries: EventsQueryEndpoint(desk: desk, history: history, journalFolder: journalFolder),
            operations: OperationsEndpoint(
                board: board,
                metrics: metrics,
                engineHealth: health,
                keeper: keeper,
                rules: source,
                outbox: outbox,
                channels: named,
                lost: lost,
                startedAtNs: SystemClock.monotonicNanoseconds
            ),
            outlook: OutlookEndpoint(engine: engine),
            dashboard: dashboard
        )
        var transport = HTTPServerConfiguration(
            address: configuration.listen.host,
            port: configuration.listen.port,
            refusal: { Problem.of($0).reply }
        )
        transport.maximumConnections = maximumConnections
        let server = try HTTPServer(configuration: transport, application: routes)
        keeper.start()
        evidence.start()
        return Parts(
            engine: engine,
            server: server,
            reloader: reloader,
            outbox: outbox,
            history: history,
            desk: desk,
            triage: triage,
            dashboard: dashboard
        )
    }

    /// The rules to start with. Bad files never keep a daemon down that has rules of its journal: payers depend on it.
    /// A new one, on which nobody depends yet, says what is wrong and doesn't start.
    private static func firstRules(
        _ source: RuleSource,
        known: RuleSet,
        _ triageBook: TriageBook
    ) throws -> RuleSet {
        var known = known
        // The limit isn't the rules' own.
        let isNew = known == RuleSet(rules: [], switches: [])
        known.maximumGroups = source.maximumGroups
        switch source.reload(at: Timestamp(milliseconds: SystemClock.wallMilliseconds)) {
        case .changed(let files), .unchanged(let files):
            triageBook.swap(files.diagnoses)
            if files.hasFolder { return files.ruleSet }
            // A folder that is gone (another working directory, a mount that is missing) mustn't quietly take the rules
            // and the catalogue away that protected payers until now. The built-in rules have no catalogue.
            guard known.catalogue != CatalogueSource() else {
                Log.info("there is no folder \(files.path): the built-in rules are in force")
                return files.ruleSet
            }
            Log.error("there is no folder \(files.path), so the rules of the last run stay in force")
            return known
        case .refused(let error):
            guard !isNew else {
                throw ConfigurationError("the rules in \(source.path) have problems:\n\(error)")
            }
            Log.error("the rules in \(source.path) have problems, so those of the last run stay in force")
            error.log()
            return known
        }
    }

    /// As many as the system lets the process have, but for the files that the journal needs; at most 16,384.
    static func maximumConnections(fileLimit: Int?) -> Int {
        min(16_384, max(64, (fileLimit ?? 1024) - 128))
    }

    /// A log is often kept elsewhere, where who changes the audit doesn't reach it.
    private static func report(_ audit: AuditTrail) {
        guard let head = audit.head else { return }
        Log.info("the audit has \(head.number) rows, its head is \(head.hash)")
    }

    private static func report(_ recovery: borrowing Recovery, tookNs: Int64) {
        for entry in recovery.unreadable.prefix(10) {
            Log.error("entry \(entry.seq) of the journal can't be read and was left out: \(entry.reason)")
        }
        if recovery.unreadable.count > 10 { Log.error("… and \(recovery.unreadable.count - 10) more entries") }
        let seconds = Double(tookNs / 1_000_000) / 1000
        Log.info(
            "state rebuilt in \(seconds) s: \(recovery.folded) entries folded after the snapshot, "
                + "last entry \(recovery.state.seq), version \(recovery.state.switches.version), "
                + "\(recovery.state.troubleCount) open alerts"
        )
    }
}

/// Why a daemon can't run.
public enum DaemonError: Error, Sendable {
    /// It must not run as configured: exit 78.
    case configuration(ConfigurationError)
    /// The data folder is another daemon's.
    case dataInUse(String)
    /// Something of the machine failed.
    case failed(String)
}

/// The data folder, held so that no other daemon writes to it.
private final class LockedFolder: Sendable {
    private let lock: FileLock

    init(_ folder: Folder) throws {
        guard let lock = try FileLock.take(path: folder.file("lock")) else {
            throw DaemonError.dataInUse("the data folder \(folder.path) is in use by another daemon")
        }
        self.lock = lock
    }
}
