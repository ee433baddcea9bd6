import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// A writer with everything around it, on real files.
struct WriterParts {
    let folder: TemporaryFolder
    let board: Board
    let metrics = Metrics()
    let keeper: JournalKeeper
    let snapshots: SnapshotFile
    let audit: AuditTrail
    let outbox: Outbox
    let evidence: EvidenceKeeper

    init(board: Board = Board(maximumParked: 8), channels: [Channel] = [], routes: [NoticeRoute] = []) throws {
        try self.init(board: board, folder: try TemporaryFolder(), channels: channels, routes: routes)
    }

    /// As a process that comes after another would start.
    init(over parts: WriterParts, channels: [Channel] = []) throws {
        try self.init(board: Board(maximumParked: 8), folder: parts.folder, channels: channels, routes: [])
    }

    private init(board: Board, folder: TemporaryFolder, channels: [Channel], routes: [NoticeRoute]) throws {
        self.board = board
        self.folder = folder
        outbox = Outbox(
            folder: try folder.folder(),
            channels: channels,
            links: LinkTemplates(),
            routes: routes,
            metrics: metrics
        )
        audit = AuditTrail(folder: try folder.folder())
        snapshots = SnapshotFile(folder: try folder.folder())
        let journalFolder = try Folder(path: "\(folder.path)/journal")
        evidence = EvidenceKeeper(journalFolder: journalFolder, audit: audit)
        keeper = JournalKeeper(journalFolder: journalFolder, snapshots: snapshots, retentionDays: 30)
    }

    /// Three failures trip a switch, in `production` and `sandbox`; in `watched` they only fire an alert, which ends soon.
    static let rules = RuleSet(
        rules: [
            Rule(
                id: "burst",
                description: "burst",
                match: [Condition(.environment, .noneOf(["watched"]))],
                groupBy: [],
                count: .events,
                threshold: 3,
                windowMs: 60_000,
                alert: AlertPolicy(severity: .critical, resolveBelow: 1, holdForMs: 1000),
                trip: Trip(switchKey: "apple-pay")
            ),
            Rule(
                id: "watch",
                description: "watch",
                match: [Condition(.environment, .oneOf(["watched"]))],
                groupBy: [],
                count: .events,
                threshold: 3,
                windowMs: 100,
                alert: AlertPolicy(severity: .info, resolveBelow: 1, holdForMs: 50)
            ),
        ],
        switches: [SwitchDefinition(key: "apple-pay", normalVariant: "native", degradedVariant: "web")]
    )

    func recover() throws -> Recovery {
        let journalFolder = try Folder(path: "\(folder.path)/journal")
        return try Recovery(
            journalFolder: journalFolder,
            snapshots: snapshots,
            audit: audit,
            outbox: outbox,
            evidence: evidence
        )
    }

    /// Follows the journal from what a recovery has come to.
    func history(of state: State) throws -> HistoryKeeper {
        HistoryKeeper(
            journalFolder: try journalFolder(),
            indexFolder: try Folder(path: "\(folder.path)/index"),
            state: state
        )
    }

    func journalFolder() throws -> Folder { try Folder(path: "\(folder.path)/journal") }

    /// A writer over what the folder holds.
    ///
    /// - Parameter history: makes what follows it, of what the journal has come to.
    func writer(
        _ rules: RuleSet = Self.rules,
        history: (State) throws -> HistoryKeeper? = { _ in nil }
    ) throws -> sending Writer {
        var recovery = try recover()
        var clock = ReceiptClock(
            after: recovery.state.at,
            wallMs: SystemClock.wallMilliseconds,
            monotonicNs: SystemClock.monotonicNanoseconds
        )
        try recovery.settle(rules, clock: &clock)
        outbox.adopt(epoch: recovery.state.epoch, after: recovery.state.seq)
        board.publish(recovery.state)
        let history = try history(recovery.state)
        return recovery.writer(clock: clock, board: board, metrics: metrics, keeper: keeper, history: history)
    }

    /// Has SQLite refuse every new entry, until the trigger is dropped again.
    func refuseInserts() throws -> Database {
        let names = try Folder(path: "\(folder.path)/journal").names().filter { $0.hasSuffix(".db") }
        let database = try Database(path: "\(folder.path)/journal/\(try #require(names.last))", mode: .readWrite)
        try database.execute(
            "CREATE TRIGGER refusal BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
        return database
    }

    /// Waits as the writer's thread does until something is due; false when that takes half a minute.
    func waitUntilDue(_ writer: inout Writer) -> Bool {
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        let signal = Signal()
        while HTTPClock.nowNanoseconds < deadlineNs {
            if writer.isDue() { return true }
            signal.wait(timeoutMs: min(writer.millisecondsToDeadline() ?? 1_000, 1_000))
        }
        return false
    }

    /// What reads the audit.
    func auditReader() throws -> AuditReader { try AuditReader(dataPath: folder.path) }

    /// Changes the audit as somebody would who can write to the folder.
    func tamperAudit(_ sql: String) throws {
        let database = try Database(path: "\(folder.path)/audit.db", mode: .readWrite)
        try database.execute(
            "DROP TRIGGER IF EXISTS rows_update; DROP TRIGGER IF EXISTS rows_delete; "
                + "DROP TRIGGER IF EXISTS capsules_update; DROP TRIGGER IF EXISTS capsules_delete; \(sql)"
        )
    }

    /// What the journal holds.
    func inputs() throws -> [Input] {
        var reader = JournalReader(folder: try Folder(path: "\(folder.path)/journal"))
        var inputs: [Input] = []
        try reader.forEach(after: 0) { if case .success(let entry) = $0 { inputs.append(entry.input) } }
        return inputs
    }

    /// The numbers that the journal holds.
    func numbers() throws -> [UInt64] {
        var reader = JournalReader(folder: try Folder(path: "\(folder.path)/journal"))
        var numbers: [UInt64] = []
        try reader.forEach(after: 0) { if case .success(let entry) = $0 { numbers.append(entry.seq) } }
        return numbers
    }

    /// A restart would believe what the writer believes: compares by the writer's own last snapshot.
    func expectReplayEquals(_ writer: consuming Writer) throws {
        let replayed = try recover().state
        writer.finish()
        guard case .state(let live) = snapshots.read() else {
            Issue.record("there is no snapshot")
            return
        }
        #expect(replayed.digest == live.digest)
        #expect(replayed == live)
    }
}
