internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Rebuilds what a daemon knew: the last snapshot, then every entry that came after it.
struct Recovery: ~Copyable {
    private(set) var state = State()
    private(set) var journal: Journal
    /// How many entries were folded anew.
    private(set) var folded = 0
    /// Entries that can't be read, as a person must know.
    private(set) var unreadable: [JournalReader.Unreadable] = []
    /// What the audit tells of and the journal doesn't have any more, as a person must know; nil where all is there.
    private(set) var lost: String?

    private let audit: AuditTrail?
    private let outbox: Outbox?
    private let evidence: EvidenceKeeper?

    /// - Parameters:
    ///   - audit: gets back the rows that it should have and hasn't; none of them twice.
    ///   - outbox: gets back what it should tell and hasn't taken in; none of it twice.
    ///   - evidence: the same for capsules.
    init(
        journalFolder: Folder,
        snapshots: SnapshotFile,
        audit: AuditTrail? = nil,
        outbox: Outbox? = nil,
        evidence: EvidenceKeeper? = nil
    ) throws {
        self.audit = audit
        self.outbox = outbox
        self.evidence = evidence
        journal = Journal(folder: journalFolder)
        var reader = JournalReader(folder: journalFolder)
        switch snapshots.read() {
        case .none: break
        case .state(let snapshot): state = snapshot
        case .unusable(let reason):
            Log.warning("the snapshot is left aside, because \(reason); the whole journal is folded instead")
            snapshots.setAside()
        }
        var state = self.state
        var folded = 0
        var unreadable: [JournalReader.Unreadable] = []
        var lastSeq = state.seq
        var rows: [AuditRow] = []
        var known: (epoch: String, isKnown: Bool)?
        try reader.forEach(after: state.seq) { result in
            switch result {
            case .success(let entry):
                // What it wants done was done, or will be by the outbox: a replay only rebuilds.
                let effects = state.apply(entry)
                let new = AuditRow.rows(of: entry, effects: effects, in: state)
                rows += new
                evidence?.offer(EvidenceJob.jobs(of: new, ruleSet: state.ruleSet))
                if known?.epoch != state.epoch {
                    known = (state.epoch, outbox?.knows(epoch: state.epoch) ?? false)
                }
                if let outbox, known?.isKnown == true {
                    outbox.record(outbox.maker.items(of: entry, effects: effects, in: state))
                }
                if rows.count >= Self.auditPortion {
                    audit?.record(rows)
                    rows.removeAll(keepingCapacity: true)
                }
                lastSeq = max(lastSeq, entry.seq)
                folded += 1
            case .failure(let error):
                lastSeq = max(lastSeq, error.seq)
                unreadable.append(error)
            }
        }
        audit?.record(rows)
        self.state = state
        self.folded = folded
        self.unreadable = unreadable
        journal.resume(after: lastSeq)
        var recent: [EventIdentity] = []
        try reader.forEachRecentIdentity(limit: RecentIdentities.defaultCapacity) { recent.append($0) }
        for identity in recent { journal.remember(identity) }
        if let end = audit?.end(of: state.epoch), end.seq > lastSeq || end.version > state.switches.version {
            lost =
                "the audit tells of entry \(end.seq) and version \(end.version) of journal \(state.epoch), which "
                + "ends at entry \(lastSeq) and version \(state.switches.version): a part of the journal is gone"
        }
    }

    /// Founds a new journal, and puts the rules in force if they differ from those that the journal knows.
    mutating func settle(_ ruleSet: RuleSet, clock: inout ReceiptClock) throws(DatabaseError) {
        var inputs: [Input] = []
        if state.epoch.isEmpty {
            if journal.lastSeq > 0 {
                Log.error(
                    "the journal's beginning is gone and there is no usable snapshot: a new epoch begins, and every "
                        + "switch that was moved before the days that are kept is normal again"
                )
            }
            inputs.append(.founded(epoch: Self.newEpoch()))
        } else {
            if let lost {
                Log.error("\(lost); a new epoch begins, so that no version stands for two different documents")
                inputs.append(.founded(epoch: Self.newEpoch()))
            }
            // A switch or an alert waits for a time, and the time while nobody ran isn't to be taken for time that passed.
            if state.nextDeadline != nil { inputs.append(.started) }
        }
        if state.ruleSet != ruleSet { inputs.append(.configured(ruleSet)) }
        guard !inputs.isEmpty else { return }
        let at = clock.stampNow()
        try journal.beginGroup(at: at)
        var entries: [Entry] = []
        for input in inputs { entries.append(Entry(seq: try journal.append(input, at: at), at: at, input: input)) }
        try journal.commitGroup()
        for entry in entries {
            let effects = state.apply(entry)
            let rows = AuditRow.rows(of: entry, effects: effects, in: state)
            audit?.record(rows)
            evidence?.offer(EvidenceJob.jobs(of: rows, ruleSet: state.ruleSet))
            if let outbox {
                outbox.adopt(epoch: state.epoch, after: entry.seq - 1)
                outbox.record(outbox.maker.items(of: entry, effects: effects, in: state))
            }
        }
    }

    /// How many rows are given to the audit at a time.
    private static let auditPortion = 1_000

    /// Hands over what was rebuilt.
    consuming func writer(
        clock: ReceiptClock,
        board: Board,
        metrics: Metrics,
        keeper: JournalKeeper,
        history: HistoryKeeper? = nil
    ) -> Writer {
        Writer(
            state: state,
            journal: journal,
            clock: clock,
            board: board,
            metrics: metrics,
            keeper: keeper,
            audit: audit,
            outbox: outbox,
            evidence: evidence,
            history: history
        )
    }

    private static func newEpoch() -> String {
        Digest(bytes: SecureRandom.bytes(Digest.byteCount)).map { String($0.hexadecimal.prefix(8)) } ?? "0"
    }
}
