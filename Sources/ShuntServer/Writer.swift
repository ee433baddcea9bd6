internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The writer's own: the state, the journal and the clock that stamps. Lives on one thread.
///
/// The order of a write is fixed: append and commit, fold, publish, answer. A commit that fails leaves the state
/// untouched: nothing was counted, nothing is lost, the callers try again.
struct Writer: ~Copyable {
    /// A snapshot is offered after so many entries: a restart folds that many in about half a second, and syncing a large
    /// snapshot is felt by the commits beside it.
    static let entriesBetweenSnapshots: UInt64 = 500_000
    /// A log beyond this size is started anew by the writer itself, when the keeper doesn't keep up.
    static let maximumLogBytes: Int64 = 256 << 20
    /// How long the writer waits after a failed commit before it writes of its own accord, so that a full disk isn't
    /// hammered.
    static let retryDelayNs: Int64 = 1_000_000_000
    /// How long it waits after it couldn't start the log anew: each try stalls it for as long as a reader holds on.
    static let restartDelayNs: Int64 = 60_000_000_000

    private var state: State
    private var journal: Journal
    private var clock: ReceiptClock
    private let board: Board
    private let metrics: Metrics
    private let keeper: JournalKeeper
    private let audit: AuditTrail?
    private let outbox: Outbox?
    private let evidence: EvidenceKeeper?
    private let history: HistoryKeeper?
    private var lastSnapshotSeq: UInt64
    private var lastSnapshotDay: Int64?
    private var retryAtNs: Int64 = 0
    private var restartAtNs: Int64 = 0
    private var failedGroups = 0

    /// Whether the last commit went well.
    var isWritable: Bool { failedGroups == 0 }

    init(
        state: State,
        journal: consuming Journal,
        clock: ReceiptClock,
        board: Board,
        metrics: Metrics,
        keeper: JournalKeeper,
        audit: AuditTrail? = nil,
        outbox: Outbox? = nil,
        evidence: EvidenceKeeper? = nil,
        history: HistoryKeeper? = nil
    ) {
        lastSnapshotSeq = state.seq
        self.state = state
        self.journal = journal
        self.clock = clock
        self.board = board
        self.metrics = metrics
        self.keeper = keeper
        self.audit = audit
        self.outbox = outbox
        self.evidence = evidence
        self.history = history
    }

    /// Whether something is due now even if nothing comes in: a deadline, or a try whether the journal can be written
    /// again. Without the try a daemon that is sent nothing because it isn't ready would never be ready again.
    mutating func isDue() -> Bool {
        guard SystemClock.monotonicNanoseconds >= retryAtNs else { return false }
        return !isWritable || state.isDue(at: clock.stampNow())
    }

    /// How long the thread may sleep; nil when only a submission can bring work.
    mutating func millisecondsToDeadline() -> Int64? {
        let untilRetry = (retryAtNs - SystemClock.monotonicNanoseconds) / 1_000_000 + 1
        guard isWritable else { return max(untilRetry, 1) }
        guard let deadline = state.deadlineFloor else { return nil }
        return max(deadline.milliseconds - clock.stampNow().milliseconds, untilRetry, 1)
    }

    /// Takes a group through all steps. An empty one stands for the passing of time.
    mutating func process(_ group: [Submission]) {
        if !group.isEmpty, group.allSatisfy(\.isLook) {
            // Questions in close order mustn't keep what is due from happening.
            if isDue() { process([]) }
            answer(group, with: repeatElement(.success(WorkResult()), count: group.count), at: clock.stampNow())
            return
        }
        let at = clock.stampNow()
        var batches: [AppendedBatch]
        do throws(DatabaseError) {
            batches = try append(group, at: at)
        } catch {
            journal.abandonGroup()
            // Once: while a disk is full every group fails, and fast.
            if isWritable { Log.error("the journal can't be written, callers are told to come again: \(error)") }
            failedGroups += 1
            retryAtNs = SystemClock.monotonicNanoseconds + Self.retryDelayNs
            metrics.commitFailed()
            let failure = WorkFailure(reason: "\(error)")
            answer(group, with: repeatElement(.failure(failure), count: group.count), at: at)
            return
        }
        if !isWritable {
            Log.info("the journal can be written again, after \(failedGroups) groups that couldn't be")
            failedGroups = 0
        }
        var consequences = Consequences()
        let moved = fold(&batches, &consequences)
        if moved { metrics.polled(status: 200, count: board.publish(state)) }
        let publishedNs = HTTPClock.nowNanoseconds
        for (submission, batch) in zip(group, batches) {
            if !batch.result.transitions.isEmpty { metrics.detected(afterNs: publishedNs - submission.receivedAtNs) }
        }
        // Payers are moved by now, and whoever is answered finds it in the audit.
        audit?.record(consequences.auditRows)
        evidence?.offer(consequences.jobs)
        outbox?.record(consequences.notices)
        answer(group, with: batches.map { .success($0.result) }, at: at)
        // Nobody who was answered waits for it: whoever looks waits until it has come so far.
        history?.offer(batches.map(\.entries))
        maintain()
    }

    /// The last snapshot, before the process ends.
    mutating func finish() {
        keeper.stop()
        evidence?.stop()
        // Beyond it nobody would look for rows that the audit lacks, nor for capsules or notices.
        let isTold = outbox?.settle() ?? true
        let isAuditComplete = audit?.finish() ?? true
        if isAuditComplete, isTold, evidence?.isComplete ?? true { keeper.write(state) }
    }

    /// What a submission, or the passing of time, appended.
    private struct AppendedBatch {
        var entries: [Entry] = []
        var result = WorkResult()
    }

    /// What entries make to be written besides.
    private struct Consequences {
        var auditRows: [AuditRow] = []
        var jobs: [EvidenceJob] = []
        var notices: [OutboxItem] = []
    }

    private mutating func append(_ group: [Submission], at: Timestamp) throws(DatabaseError) -> [AppendedBatch] {
        let longestWindowMs = state.ruleSet.longestWindowMs
        var batches: [AppendedBatch] = []
        batches.reserveCapacity(group.count)
        let beganNs = SystemClock.monotonicNanoseconds
        try journal.beginGroup(at: at)
        if group.isEmpty {
            let seq = try journal.append(.tick, at: at)
            batches.append(AppendedBatch(entries: [Entry(seq: seq, at: at, input: .tick)]))
        }
        for submission in group {
            var batch = AppendedBatch()
            switch submission.work {
            case .look: break
            case .command(let command):
                let seq = try journal.append(.command(command), at: at)
                batch.entries.append(Entry(seq: seq, at: at, input: .command(command)))
            case .alertCommand(let command):
                let seq = try journal.append(.alertCommand(command), at: at)
                batch.entries.append(Entry(seq: seq, at: at, input: .alertCommand(command)))
            case .settle(let command):
                let seq = try journal.append(.settle(command), at: at)
                batch.entries.append(Entry(seq: seq, at: at, input: .settle(command)))
            case .configure(let ruleSet):
                guard ruleSet != state.ruleSet else { break }
                let seq = try journal.append(.configured(ruleSet), at: at)
                batch.entries.append(Entry(seq: seq, at: at, input: .configured(ruleSet)))
                batch.result.isConfigured = true
            case .events(let events):
                batch.entries.reserveCapacity(events.count)
                for prepared in events {
                    let isLate = PaymentEvent.isLate(prepared.occurredAt, at: at, windowMs: longestWindowMs)
                    let flags = isLate ? prepared.flags.union(.late) : prepared.flags
                    guard let seq = try journal.append(prepared, flags: flags, at: at) else {
                        batch.result.duplicates += 1
                        continue
                    }
                    batch.entries.append(Entry(seq: seq, at: at, input: prepared.input))
                    batch.result.accepted += 1
                    if isLate { batch.result.late += 1 }
                }
            }
            batches.append(batch)
        }
        try journal.commitGroup()
        metrics.committed(inNs: SystemClock.monotonicNanoseconds - beganNs)
        return batches
    }

    /// Folds what is durable now; says whether apps are to be told something else.
    private mutating func fold(
        _ batches: inout [AppendedBatch],
        _ consequences: inout Consequences
    ) -> Bool {
        let before = state.switches.version
        var alertsChanged = false
        var tally = EventTally()
        for number in batches.indices {
            for entry in batches[number].entries {
                let effects = state.apply(entry)
                let rows = AuditRow.rows(of: entry, effects: effects, in: state)
                if !rows.isEmpty {
                    consequences.auditRows += rows
                    consequences.jobs += EvidenceJob.jobs(of: rows, ruleSet: state.ruleSet)
                }
                if let outbox { consequences.notices += outbox.maker.items(of: entry, effects: effects, in: state) }
                if case .event(let event) = entry.input {
                    tally.count(event, meaning: state.lastClassification?.failureClass ?? .unknown)
                }
                if case .command = entry.input { batches[number].result.refusal = state.lastRefusal }
                if case .alertCommand = entry.input, let answer = state.lastAlertAnswer {
                    batches[number].result.alertAnswer = AlertAnswer(answer, in: state)
                }
                if case .settle(let command) = entry.input {
                    batches[number].result.settlement = state.settlement(of: command)
                }
                for effect in effects {
                    switch effect.kind {
                    case .switchMoved(let transition):
                        batches[number].result.transitions.append(transition)
                        metrics.moved(transition)
                        Log.warning(transition.logLine)
                    case .alertChanged(let change):
                        alertsChanged = true
                        Log.warning(change.logLine)
                    }
                }
            }
            tally.count(batches[number].result)
        }
        metrics.add(tally, lastSeq: state.seq)
        if alertsChanged { metrics.setAlerts(of: state) }
        return state.switches.version != before
    }

    /// Answers a whole group with one wake-up a loop.
    private func answer(
        _ group: [Submission],
        with results: some Sequence<Result<WorkResult, WorkFailure>>,
        at: Timestamp
    ) {
        var completions: [(responder: HTTPResponder, reply: HTTPReply)] = []
        completions.reserveCapacity(group.count)
        for (submission, result) in zip(group, results) {
            let reply: HTTPReply
            if case .look(let look) = submission.work {
                reply = look(state, at)
            } else {
                reply = submission.reply(result)
            }
            if let responder = submission.responder { completions.append((responder, reply)) }
        }
        HTTPResponder.complete(completions)
    }

    private func isSnapshotDue(day: Int64) -> Bool {
        state.seq - lastSnapshotSeq >= Self.entriesBetweenSnapshots || day != lastSnapshotDay
    }

    private mutating func maintain() {
        guard let day = journal.currentDay else { return }
        // Once a day at least, because the keeper removes no day that isn't in a snapshot. None while rows of the audit
        // or capsules or notices wait: the journal behind it is what they'd be brought back from.
        let isAuditComplete = audit?.settle() ?? true
        let isTold = outbox?.settle() ?? true
        if isAuditComplete, isTold, evidence?.isComplete ?? true, isSnapshotDue(day: day) {
            lastSnapshotSeq = state.seq
            lastSnapshotDay = day
            keeper.offer(state)
        }
        keeper.follow(day: day)
        if keeper.logBytes(ofDay: day) > Self.maximumLogBytes, SystemClock.monotonicNanoseconds >= restartAtNs {
            do throws(DatabaseError) {
                try journal.restartLog()
            } catch {
                restartAtNs = SystemClock.monotonicNanoseconds + Self.restartDelayNs
                Log.warning("the journal's log can't be started anew yet: \(error)")
            }
        }
    }
}
