internal import ShuntCore
internal import ShuntNative
public import ShuntSchema

/// Decides again what made a version: folds the journal from its oldest usable point and holds what comes out against
/// what is stored.
///
/// Nothing is written, so it works beside a running daemon.
public struct DecisionReplay: Sendable {
    /// The daemon's data folder.
    public var dataPath: String
    /// The version of the switches.
    public var version: UInt64

    /// A replay that hasn't run yet.
    public init(dataPath: String, version: UInt64) {
        self.dataPath = dataPath
        self.version = version
    }

    /// How far a replay has come.
    public struct Progress: Equatable, Sendable {
        /// The share of the entries that are folded, from 0 to 1; nil where it isn't known how many there are.
        public var share: Double?
        /// The time that the last of them was received at.
        public var at: Timestamp
    }

    /// So many entries are folded between two calls of `onProgress`.
    static let entriesBetweenCalls = 10_000

    /// Runs it.
    ///
    /// - Parameter onProgress: Is told from time to time how far it has come.
    public func run(onProgress: (Progress) -> Void = { _ in }) throws(DecisionReplayError) -> DecisionReport {
        do {
            return try replay(onProgress)
        } catch let error as DecisionReplayError {
            throw error
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private func replay(_ onProgress: (Progress) -> Void) throws -> DecisionReport {
        guard let data = try Folder(existing: dataPath) else { throw DecisionReplayError.noFolder(dataPath) }
        let journalPath = data.file("journal")
        guard let journal = try Folder(existing: journalPath) else { throw DecisionReplayError.noJournal(journalPath) }
        var reader = JournalReader(folder: journal)
        guard let firstDay = try reader.days().first else { throw DecisionReplayError.noJournal(journalPath) }
        let extent = try reader.extent()
        let audit = AuditReader(folder: data)
        let stored = try audit.records(ofVersion: version)
        guard let start = try start(data, isWhole: extent.first == 1) else {
            throw DecisionReplayError.daysRemoved(
                version,
                firstDay: Timestamp(milliseconds: firstDay * 86_400_000),
                stored: stored.last?.line
            )
        }
        var run = DecisionRun(from: start, to: version)
        let last = stored.compactMap { AuditRow.place(ofLine: $0.line)?.seq }.max()
        // Where the audit knows the entry, what comes after it needn't be read, unless the audit is wrong.
        for end in [last, extent.last ?? .max].compactMap(\.self) where !run.isDone && end > run.lastSeq {
            try reader.forEach(after: run.lastSeq, through: end) { result in
                run.take(result)
                guard run.entryCount % Self.entriesBetweenCalls == 0, !run.isDone else { return }
                onProgress(Progress(share: share(of: run.lastSeq, from: start.seq, to: end), at: run.state.at))
            }
        }
        guard run.isDone else {
            throw DecisionReplayError.unknownVersion(
                version,
                last: run.state.switches.version,
                seq: run.lastSeq,
                stored: stored.last?.line
            )
        }
        var report = DecisionReport(version: version, run: run, startSeq: start.seq)
        try report.compare(run.rows, with: audit)
        if let job = EvidenceJob.jobs(of: run.rows, ruleSet: run.state.ruleSet).first {
            report.compare(try job.capsule(from: journal))
        }
        return report
    }

    /// The oldest state from which the version can be reached: the journal's beginning, else the snapshot before the
    /// version; nil where there is none any more.
    private func start(_ data: Folder, isWhole: Bool) throws -> State? {
        if isWhole { return State() }
        if let kept = try SnapshotShelf(data: data).state(before: version) { return kept }
        guard case .state(let snapshot) = SnapshotFile(folder: data).read(), snapshot.switches.version < version,
            version > SwitchBank.firstVersion
        else { return nil }
        return snapshot
    }

    private func share(of seq: UInt64, from first: UInt64, to end: UInt64) -> Double? {
        guard end < UInt64(Int64.max), end > first, seq >= first else { return nil }
        return min(1, Double(seq - first) / Double(end - first))
    }
}

/// A replay under way.
struct DecisionRun {
    private let version: UInt64
    private(set) var state: State
    private(set) var lastSeq: UInt64
    private(set) var entryCount = 0
    private(set) var isDone = false
    /// What the audit must say of the version, the transition last.
    private(set) var rows: [AuditRow] = []
    private(set) var seq: UInt64 = 0
    private(set) var unreadable: [JournalReader.Unreadable] = []

    init(from start: State, to version: UInt64) {
        self.version = version
        state = start
        lastSeq = start.seq
    }

    mutating func take(_ result: Result<Entry, JournalReader.Unreadable>) {
        guard !isDone else { return }
        switch result {
        case .success(let entry): take(entry)
        case .failure(let error):
            lastSeq = max(lastSeq, error.seq)
            unreadable.append(error)
        }
    }

    private mutating func take(_ entry: Entry) {
        let before = state.switches.version
        let effects = state.apply(entry)
        lastSeq = entry.seq
        entryCount += 1
        if version == SwitchBank.firstVersion {
            // The first definitions are what version 1 means.
            if entry.input.kind == .founded || entry.input.kind == .configured {
                rows += AuditRow.rows(of: entry, effects: effects, in: state).filter { $0.historyOf == nil }
            }
            isDone = entry.input.kind == .configured
        } else if before < version, state.switches.version >= version {
            let all = AuditRow.rows(of: entry, effects: effects, in: state)
            let moves = all.filter { $0.isTransition(to: version) }
            // Without one, the switches were defined anew; with one that a person made, the command belongs to it.
            let isByOther = moves.contains { !$0.isOfCommand }
            rows = (isByOther ? [] : all.filter { $0.historyOf == nil }) + moves
            isDone = true
        }
        if isDone { seq = entry.seq }
    }
}

extension AuditRow {
    fileprivate func isTransition(to version: UInt64) -> Bool {
        if case .transition(let transition, _) = content { transition.version == version } else { false }
    }

    fileprivate var isOfCommand: Bool {
        if case .transition(_, let command) = content { command != nil } else { false }
    }

    /// The place that a row's text tells.
    static func place(ofLine line: [UInt8]) -> Place? {
        var document = JSONDocument()
        guard (try? document.parse(line)) != nil, let seq = document.member("seq", of: document.root),
            let index = document.member("index", of: document.root),
            let seq = document.int64(of: seq), let index = document.int64(of: index)
        else { return nil }
        return Place(seq: UInt64(clamping: seq), index: Int(index))
    }
}

/// Why a decision can't be replayed.
public enum DecisionReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no data folder.
    case noFolder(String)
    /// The data folder has no journal.
    case noJournal(String)
    /// The journal never got to that version; with what the audit says of it, if it says something.
    case unknownVersion(UInt64, last: UInt64, seq: UInt64, stored: [UInt8]?)
    /// The days of the journal that made the version are removed; with what the audit says of it.
    case daysRemoved(UInt64, firstDay: Timestamp, stored: [UInt8]?)
    /// What the system or the database said.
    case unreadable(String)

    /// What was looked for, where, and what was found.
    public var description: String {
        switch self {
        case .noFolder(let path): "\(path): there is no such data folder"
        case .noJournal(let path): "\(path): there is no journal; expected one that shunt serve --data has written"
        case .unknownVersion(let version, let last, let seq, nil):
            "there is no version \(version): the journal ends at version \(last), with entry \(seq)"
        case .unknownVersion(let version, let last, let seq, _?):
            "the audit tells of version \(version), but the journal ends at version \(last), with entry \(seq): "
                + "a part of it is gone"
        case .daysRemoved(let version, let firstDay, _):
            "version \(version) can't be replayed: the days of the journal before \(firstDay.dateText) are removed, "
                + "and no usable snapshot lies between them and the decision"
        case .unreadable(let reason): "the data can't be read: \(reason)"
        }
    }
}
