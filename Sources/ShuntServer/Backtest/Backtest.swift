public import ShuntCore
internal import ShuntNative
public import ShuntSchema

/// Folds the journal through other rules, beside the rules that were live, and says how they would have differed.
///
/// The journal is read from its beginning and nothing is written, so it works beside a running daemon.
public struct Backtest: Sendable {
    /// The daemon's data folder.
    public var dataPath: String
    /// The rules to try.
    public var ruleSet: RuleSet
    /// What began before isn't reported.
    public var since: Timestamp
    /// The wall time.
    public var now: Timestamp

    /// A back-test that hasn't run yet.
    public init(dataPath: String, ruleSet: RuleSet, since: Timestamp, now: Timestamp) {
        self.dataPath = dataPath
        self.ruleSet = ruleSet
        self.since = since
        self.now = now
    }

    /// How far a back-test has come.
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
    public func run(onProgress: (Progress) -> Void = { _ in }) throws(BacktestError) -> BacktestReport {
        do {
            return try fold(onProgress)
        } catch let error as BacktestError {
            throw error
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private func fold(_ onProgress: (Progress) -> Void) throws -> BacktestReport {
        guard let data = try Folder(existing: dataPath) else { throw BacktestError.noFolder(dataPath) }
        let journalPath = data.file("journal")
        guard let journal = try Folder(existing: journalPath) else { throw BacktestError.noJournal(journalPath) }
        var reader = JournalReader(folder: journal)
        guard try !reader.days().isEmpty else { throw BacktestError.noJournal(journalPath) }
        let extent = try reader.extent()
        var run = BacktestRun(self)
        // Where the beginning is gone, the snapshot may know which rules were in force all along.
        if extent.first != 1, case .state(let snapshot) = SnapshotFile(folder: data).read() { run.assume(snapshot) }
        try reader.forEach(after: 0, through: extent.last ?? .max) { result in
            run.take(result)
            guard run.entryCount % Self.entriesBetweenCalls == 0 else { return }
            onProgress(Progress(share: share(of: run.lastSeq, extent), at: run.lastAt))
        }
        guard let lastEventAt = run.lastEventAt else { throw BacktestError.noEvents(journalPath) }
        guard lastEventAt >= since else {
            throw BacktestError.noEventsSince(journalPath, since: since, lastAt: lastEventAt)
        }
        return run.report()
    }

    private func share(of seq: UInt64, _ extent: (first: UInt64?, last: UInt64?)) -> Double? {
        guard let first = extent.first, let last = extent.last, last > first, seq >= first else { return nil }
        return min(1, Double(seq - first) / Double(last - first))
    }

    /// Reads where a back-test begins: so long ago (`7d`, `12h`, `30m`), or a time as RFC 3339 has it.
    ///
    /// - Returns: nil for anything else.
    public static func start(_ text: String, before now: Timestamp) -> Timestamp? {
        if let milliseconds = DurationText.milliseconds(text) { return now.advanced(byMs: -milliseconds) }
        return Timestamp(rfc3339: text)
    }

    /// What was probably meant by a text that `start` can't read.
    public static func suggestion(for text: String) -> String? {
        DurationText.meant(by: text)
    }
}

/// Why there is nothing to report.
public enum BacktestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no data folder.
    case noFolder(String)
    /// The data folder has no journal.
    case noJournal(String)
    /// The journal has no payment event.
    case noEvents(String)
    /// Its last event was received before the stretch that was asked for.
    case noEventsSince(String, since: Timestamp, lastAt: Timestamp)
    /// What the system or the database said.
    case unreadable(String)

    /// What was looked for, where, and what was found.
    public var description: String {
        switch self {
        case .noFolder(let path): "\(path): there is no such data folder"
        case .noJournal(let path): "\(path): there is no journal; expected one that shunt serve --data has written"
        case .noEvents(let path): "\(path): the journal has no payment event"
        case .noEventsSince(let path, let since, let lastAt):
            "\(path): no payment event since \(since.rfc3339); the last one was received at \(lastAt.rfc3339)"
        case .unreadable(let reason): "the journal can't be read: \(reason)"
        }
    }
}
