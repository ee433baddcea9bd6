internal import ShuntCore
internal import ShuntSchema

/// A back-test under way: the rules to try and the live ones, folded side by side over the same entries.
struct BacktestRun {
    private static let mostUnreadable = 20

    private let backtest: Backtest
    private let startsAt: Timestamp
    private var candidate: BacktestFold
    private var hasStarted = false
    /// The candidate's entries have numbers of their own, since its ticks are its own.
    private var candidateSeq: UInt64 = 0
    private var tallies: BacktestTallies
    private var traffic: BacktestTraffic
    private var payments: [String: BacktestPayments] = [:]

    private var live: BacktestFold
    /// From when on the live rules are known.
    private var liveKnownFrom: Timestamp?
    /// The rules that were in force all along, unless other ones come before this entry.
    private var assumed: (ruleSet: RuleSet, seq: UInt64)?

    private var firstAt: Timestamp?
    private(set) var lastAt = Timestamp(milliseconds: .min)
    private(set) var lastSeq: UInt64 = 0
    private(set) var lastEventAt: Timestamp?
    private(set) var entryCount = 0
    private var eventCount = 0
    private var unreadable: [JournalReader.Unreadable] = []
    private var unreadableCount = 0

    init(_ backtest: Backtest) {
        self.backtest = backtest
        candidate = BacktestFold(since: backtest.since)
        live = BacktestFold(since: backtest.since)
        tallies = BacktestTallies(backtest.ruleSet)
        traffic = BacktestTraffic(backtest.ruleSet, since: backtest.since)
        startsAt = Self.start(of: backtest)
    }

    /// When the rules to try are put in force: early enough that their windows are full and that what they would still
    /// hold open is open. Not earlier: what they tripped long ago nobody restored, since it never happened.
    private static func start(of backtest: Backtest) -> Timestamp {
        var reachMs: Int64 = 0
        for rule in backtest.ruleSet.rules {
            var windowMs = rule.windowMs
            switch rule.kind {
            // Which groups are new, and what is usual, is only known from the beginning.
            case .newCode, .unusualRate: return Timestamp(milliseconds: .min)
            case .change: windowMs *= 2
            case .burnRate(let burn): windowMs = burn.longWindowMs
            case .inDoubtAge(let ageMs): windowMs = max(windowMs, ageMs)
            case .count, .consecutive, .share, .noSuccess, .inDoubtTotal, .keyLimit, .watchdog: break
            }
            reachMs = max(reachMs, windowMs + rule.alert.holdForMs)
        }
        return backtest.since.advanced(byMs: -reachMs)
    }

    /// Takes the rules of a snapshot for those in force since the journal's oldest entry: other ones would have come
    /// in between.
    mutating func assume(_ snapshot: State) {
        assumed = (snapshot.ruleSet, snapshot.seq)
    }

    mutating func take(_ result: Result<Entry, JournalReader.Unreadable>) {
        switch result {
        case .success(let entry): take(entry)
        case .failure(let error):
            unreadableCount += 1
            if unreadable.count < Self.mostUnreadable { unreadable.append(error) }
        }
    }

    private mutating func take(_ entry: Entry) {
        entryCount += 1
        lastSeq = entry.seq
        lastAt = max(lastAt, entry.at)
        if firstAt == nil {
            firstAt = entry.at
            if let assumed, entry.seq <= assumed.seq { know(assumed.ruleSet, from: entry) }
        }
        foldLive(entry)
        if !hasStarted, lastAt >= startsAt { start() }
        if hasStarted { foldCandidate(entry.input) }
        guard case .event(let event) = entry.input else { return }
        lastEventAt = lastAt
        if lastAt >= backtest.since { eventCount += 1 }
        guard hasStarted, let classification = candidate.state.lastClassification else { return }
        tallies.note(event, meaning: classification, at: lastAt)
        traffic.note(event, meaning: classification, at: lastAt)
    }

    // MARK: The live rules

    private mutating func foldLive(_ entry: Entry) {
        if case .configured = entry.input, let assumed, entry.seq <= assumed.seq {
            // Other rules came in between, so what was assumed of the time before isn't so.
            self.assumed = nil
            live = BacktestFold(since: backtest.since)
            liveKnownFrom = nil
        }
        if liveKnownFrom == nil {
            guard entry.seq == 1 || entry.input.kind == .configured else { return }
            liveKnownFrom = lastAt
        }
        _ = live.apply(entry)
    }

    private mutating func know(_ ruleSet: RuleSet, from entry: Entry) {
        liveKnownFrom = entry.at
        _ = live.apply(Entry(seq: entry.seq - 1, at: entry.at, input: .configured(ruleSet)))
    }

    // MARK: The rules to try

    private mutating func start() {
        hasStarted = true
        fold(.founded(epoch: "backtest"))
        fold(.configured(backtest.ruleSet))
        // What people had moved by then they would have moved with other rules too.
        for definition in backtest.ruleSet.switches {
            for machine in live.state.switches.allMachines
            where machine.key == definition.key && machine.phase != .normal && machine.reason?.kind == "operator" {
                fold(
                    .command(
                        SwitchCommand(
                            action: .trip,
                            key: machine.key,
                            scope: machine.scope,
                            actor: "operator",
                            reason: machine.reason?.summary ?? ""
                        )
                    )
                )
            }
        }
    }

    private mutating func foldCandidate(_ input: Input) {
        // What became due while the daemon was away didn't happen then.
        if input.kind != .started { advanceCandidate(to: lastAt) }
        switch input {
        // It has rules and deadlines of its own.
        case .founded, .configured, .tick: break
        // It is about alerts of other rules, by identities that these don't have.
        case .alertCommand: break
        case .command(let command) where backtest.ruleSet.switchDefinition(command.key) == nil: break
        default: fold(input)
        }
    }

    private mutating func fold(_ input: Input) {
        note(candidate.apply(Entry(seq: nextCandidateSeq(), at: lastAt, input: input)))
    }

    private mutating func nextCandidateSeq() -> UInt64 {
        candidateSeq += 1
        return candidateSeq
    }

    private mutating func advanceCandidate(to end: Timestamp) {
        var seq = candidateSeq
        let changes = candidate.advance(to: end) {
            seq += 1
            return seq
        }
        candidateSeq = seq
        note(changes)
    }

    private mutating func note(_ changes: [BacktestFold.Change]) {
        for change in changes {
            switch change {
            case .opened(let alert): tallies.open(alert)
            case .ended(let alert):
                let counted = tallies.close(alert)
                guard alert.endsAt.map({ $0 >= backtest.since }) ?? false else { continue }
                if payments.count < 2 * BacktestFold.mostKept { payments[alert.id] = counted }
            }
        }
    }

    // MARK: The report

    /// What came of it. Nothing may be taken any more.
    mutating func report() -> BacktestReport {
        let until = max(backtest.now, lastAt)
        advanceCandidate(to: until)
        if liveKnownFrom != nil {
            var seq = lastSeq
            _ = live.advance(to: until) {
                seq += 1
                return seq
            }
        }
        let (alerts, trips) = candidate.results(until: until)
        let tripsByAlert = Dictionary(grouping: trips) { $0.reason.alert }
        for alert in alerts where alert.endsAt == nil { payments[alert.id] = tallies.close(alert) }
        var report = BacktestReport(since: backtest.since, until: until)
        if let firstAt, firstAt > backtest.since { report.journalBeginsAt = firstAt }
        report.eventCount = eventCount
        report.entryCount = entryCount
        report.unreadableCount = unreadableCount
        report.unreadable = unreadable.map { "entry \($0.seq): \($0.reason)" }
        report.omittedAlertCount = candidate.omittedCount
        report.liveKnownFrom = liveKnownFrom
        let comparison = BacktestComparison(live: live, knownFrom: liveKnownFrom, until: until)
        let all = alerts.map { alert in
            comparison.alert(
                alert,
                trips: tripsByAlert[alert.id] ?? [],
                payments: payments[alert.id],
                ruleSet: backtest.ruleSet
            )
        }
        report.alerts = all.filter { $0.startsAt >= backtest.since }
        report.openBefore = all.filter { $0.startsAt < backtest.since }
        let liveAlerts = comparison.alerts.filter { $0.startsAt >= backtest.since }
        report.liveAlertCount = liveAlerts.count + live.omittedCount
        report.liveTripCount = liveAlerts.filter { !$0.trips.isEmpty }.count
        report.missed = liveAlerts.filter { alert in !all.contains { $0.overlaps(alert) } }
        let blindZones = traffic.finish()
        report.rules = backtest.ruleSet.rules.filter { $0.kind != .watchdog }.map { rule in
            let own = report.alerts.filter { $0.rule == rule.id }
            let trips = own.flatMap(\.trips)
            return BacktestRule(
                rule: rule.id,
                alertCount: own.count,
                tripCount: trips.count,
                degradedMs: trips.reduce(0) { $0 + $1.lastsUntil.milliseconds - $1.at.milliseconds },
                blindZone: blindZones[rule.id]
            )
        }
        return report
    }
}
