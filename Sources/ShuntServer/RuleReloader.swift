internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// Reads the rules folder again when it is asked to, or when a file in it has changed, and puts good rules in force.
///
/// Works on a thread of its own: reading files must hold up neither a poll nor a report. A folder with problems
/// changes nothing.
final class RuleReloader: Sendable {
    /// How often it looks whether a file has changed.
    static let intervalMs: Int64 = 2_000

    private struct Desk {
        var waiting: [HTTPResponder] = []
        var isAsked = false
        var isStopping = false
    }

    let source: RuleSource
    private let engine: Engine
    private let channels: NamedChannels
    private let triageBook: TriageBook
    private let desk = Mutex(Desk())
    private let signal = Signal()
    private let thread = Mutex<WorkerThread?>(nil)

    private let firstMark: FolderMark

    /// A reloader of a source.
    ///
    /// - Parameter firstMark: how the folder looked before it was read the first time: a file that changed since is
    ///   read again.
    init(
        source: RuleSource,
        firstMark: FolderMark,
        engine: Engine,
        channels: NamedChannels,
        triageBook: TriageBook
    ) {
        self.source = source
        self.firstMark = firstMark
        self.engine = engine
        self.channels = channels
        self.triageBook = triageBook
    }

    func start() {
        thread.withLock { thread in
            thread = WorkerThread { [self] in run() }
        }
    }

    func stop() {
        desk.withLock { $0.isStopping = true }
        signal.set()
        thread.withLock { $0.take() }?.join()
    }

    /// Asks for a reload; the responder, if any, is answered when its outcome is in force.
    func ask(_ responder: HTTPResponder? = nil) {
        desk.withLock { desk in
            desk.isAsked = true
            if let responder { desk.waiting.append(responder) }
        }
        signal.set()
    }

    private func run() {
        var known = firstMark
        var seen = known
        while true {
            signal.wait(timeoutMs: Self.intervalMs)
            let (waiting, isAsked, isStopping) = desk.withLock { desk in
                defer {
                    desk.waiting = []
                    desk.isAsked = false
                }
                return (desk.waiting, desk.isAsked, desk.isStopping)
            }
            if isStopping { return }
            let now = FolderMark(of: source.path)
            // Twice the same: whoever is writing files has finished.
            let hasChanged = now != known && now == seen
            seen = now
            guard isAsked || hasChanged else { continue }
            known = now
            reload(waiting)
        }
    }

    private func reload(_ waiting: [HTTPResponder]) {
        switch source.reload(at: Timestamp(milliseconds: SystemClock.wallMilliseconds)) {
        case .refused(let error):
            Log.error("the rules in \(source.path) have problems, so those in force stay")
            error.log()
            let reply = Problem.of(error).reply
            HTTPResponder.complete(waiting.map { ($0, reply) })
        case .changed(let files) where !files.hasFolder, .unchanged(let files) where !files.hasFolder:
            Log.error("there is no folder \(source.path), so the rules in force stay")
            let problem = Problem(422, "rulesMissing", "there is no folder \(source.path); the rules in force stay")
            HTTPResponder.complete(waiting.map { ($0, problem.reply) })
        case .changed(let files), .unchanged(let files):
            // Unchanged files are handed on too: the writer compares with what is in force, and that may have failed
            // to become durable the last time.
            put(files, inForceFor: waiting)
        }
    }

    private func put(_ files: RuleFiles, inForceFor waiting: [HTTPResponder]) {
        // Advice needs no journal, so it is in force before the rules are.
        triageBook.swap(files.diagnoses)
        let ruleSet = files.ruleSet
        let others = waiting.dropFirst()
        let submission = Submission(
            work: .configure(ruleSet),
            receivedAtNs: HTTPClock.nowNanoseconds,
            responder: waiting.first,
            reply: { [channels] result in
                if case .success = result { channels.compare(with: ruleSet) }
                let reply = Self.reply(result, ruleSet: ruleSet)
                HTTPResponder.complete(others.map { ($0, reply) })
                return reply
            }
        )
        if !engine.submit(submission) {
            let reply = Problem.retryLater(503, "overloaded", "too much waits to be written; nothing was changed").reply
            HTTPResponder.complete(waiting.map { ($0, reply) })
        }
    }

    private static func reply(_ result: Result<WorkResult, WorkFailure>, ruleSet: RuleSet) -> HTTPReply {
        switch result {
        case .failure:
            return Problem.retryLater(503, "notDurable", "the journal couldn't be written; the old rules stay").reply
        case .success(let work):
            if work.isConfigured { Log.info("other rules are in force: \(ruleSet.rules.map(\.id))") }
            var writer = JSONWriter(capacity: 128)
            writer.beginObject()
            writer.field("changed", work.isConfigured)
            writer.field("rules", ruleSet.rules.count)
            writer.field("switches", ruleSet.switches.count)
            writer.endObject()
            let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
            return HTTPReply(status: 200, headers: fields, body: writer.bytes)
        }
    }
}

extension RuleFilesError {
    /// Writes the problems to the log, a line each.
    func log() {
        for problem in problems.prefix(20) { Log.error(problem.description) }
        if problems.count > 20 { Log.error("… and \(problems.count - 20) more; shunt rules check lists them all") }
    }
}

/// What tells one state of a rules folder from another: names, sizes and times of change.
struct FolderMark: Equatable, Sendable {
    private var marks: [String] = []

    init(of path: String) {
        for folder in [path, "\(path)/alerts", "\(path)/catalogue", "\(path)/triage"] {
            guard let folder = try? Folder(existing: folder), let names = try? folder.names() else { continue }
            for name in names where name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
                marks.append("\(folder.file(name)) \(folder.size(of: name)) \(folder.changedNanoseconds(of: name))")
            }
        }
    }
}
