public import ShuntCore
public import ShuntSchema
internal import Synchronization

/// Where a running daemon gets its rules from: a folder that it reads again when it is asked to.
///
/// A folder with problems changes nothing: the last good files stay in force, and the problems are kept for whoever
/// asks (`/readyz`, the metric, the dashboard).
public final class RuleSource: Sendable {
    /// What came of a reload.
    public enum Reload: Sendable {
        /// The folder is good, and says something else than before.
        case changed(RuleFiles)
        /// The folder is good, and says what it said before.
        case unchanged(RuleFiles)
        /// The folder has problems; what was in force stays.
        case refused(RuleFilesError)
    }

    /// How the source stands.
    public struct Status: Sendable {
        /// The files in force; nil if there never were good ones.
        public var files: RuleFiles?
        /// When those were read first.
        public var loadedAt: Timestamp?
        /// What was wrong at the last reload; empty if it succeeded.
        public var problems: [RuleProblem] = []
        /// When the folder was read last, good or not.
        public var readAt: Timestamp?

        /// Whether the last reload succeeded: `shunt_rules_last_reload_successful`.
        public var isGood: Bool { readAt != nil && problems.isEmpty }
    }

    fileprivate struct State {
        var status = Status()
        /// Readings are numbered as they begin, so that a slow one can't undo a later one.
        var begun = 0
        var newest = 0
    }

    /// The folder.
    public let path: String
    /// How many groups a rule keeps at most.
    let maximumGroups: Int
    private let retentionMs: Int64
    private let state = Mutex(State())

    /// A source that has read nothing yet.
    ///
    /// - Parameters:
    ///   - path: The rules folder.
    ///   - retentionMs: For how long events are kept, in milliseconds.
    ///   - maximumGroups: How many groups a rule keeps at most, from 1 to `RuleSet.maximumGroupsLimit`.
    public init(path: String, retentionMs: Int64, maximumGroups: Int = RuleSet.builtIn.maximumGroups) {
        self.path = path
        self.maximumGroups = maximumGroups
        self.retentionMs = retentionMs
    }

    /// How the source stands.
    public var status: Status { state.withLock { $0.status } }

    /// Reads the folder again. The files are read without a lock; of two readings at once the later one stands.
    ///
    /// - Parameter now: The wall time, for people.
    public func reload(at now: Timestamp) -> Reload {
        let number = state.withLock { state in
            state.begun += 1
            return state.begun
        }
        do throws(RuleFilesError) {
            let files = try RuleFiles(
                readingFolder: path,
                retentionMs: retentionMs,
                maximumGroups: maximumGroups
            )
            return state.withLock { $0.accept(files, number: number, at: now) }
        } catch {
            state.withLock { $0.refuse(error.problems, number: number, at: now) }
            return .refused(error)
        }
    }
}

extension RuleSource.State {
    fileprivate mutating func accept(_ files: RuleFiles, number: Int, at now: Timestamp) -> RuleSource.Reload {
        if let current = status.files, number < newest { return .unchanged(current) }
        newest = number
        status.readAt = now
        status.problems = []
        if let current = status.files, current.says(files) { return .unchanged(current) }
        status.files = files
        status.loadedAt = now
        return .changed(files)
    }

    fileprivate mutating func refuse(_ problems: [RuleProblem], number: Int, at now: Timestamp) {
        guard number >= newest else { return }
        newest = number
        status.readAt = now
        status.problems = problems
    }
}

extension RuleFiles {
    /// Whether other files say the same.
    fileprivate func says(_ other: RuleFiles) -> Bool {
        ruleSet == other.ruleSet && diagnoses == other.diagnoses
    }
}
