internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// Follows the journal on a thread of its own, for those who look: keeps the book of what happened lately, and the index
/// by which events are found.
///
/// Neither is part of what is believed. Entries come from the writer as they become durable; what had no room in the
/// queue, or came while nobody ran, is read back from the journal, so nothing is missing in the end. The index says how
/// far it goes in the same transaction that takes it there, so no crash makes it count twice.
final class HistoryKeeper: Sendable {
    /// How many entries wait at most. Those beyond are read back from the journal.
    static let maximumWaiting = 100_000
    /// How many entries' names a run of the index holds.
    static let runEntries = 65_536
    /// How far back failures and attempts are read after a start, in milliseconds: an alert's window and an hour before.
    static let recentMs: Int64 = 75 * 60_000
    /// How long it waits after something couldn't be read or written.
    static let retryDelayMs: Int64 = 1_000
    /// How many entries are folded in before those who look get their turn, and are read before the journal's file is let
    /// go of: at its priority it may be kept from going on, and a log that a reader holds can't start anew.
    private static let portion = 512

    private struct Desk {
        var waiting: [[Entry]] = []
        var count = 0
        /// Entries were left out of the queue; the journal has them.
        var isBehind = false
        /// The last entry that is durable.
        var lastSeq: UInt64 = 0
        var isStopping = false
    }

    /// What is kept, and what of it isn't in the index yet.
    private struct Shelf: ~Copyable {
        var book: HistoryBook
        var index: PendingIndex
    }

    private let journalFolder: Folder
    private let index: EventIndex
    private let desk = Mutex(Desk())
    private let shelf: Mutex<Shelf>
    private let signal = Signal()
    private let thread = Mutex<WorkerThread?>(nil)

    /// - Parameter state: what the journal has come to; what follows is offered.
    init(journalFolder: Folder, indexFolder: Folder, state: State) {
        self.journalFolder = journalFolder
        index = EventIndex(folder: indexFolder)
        var errors = ErrorHistory(maximumKeys: state.ruleSet.maximumGroups)
        let through = index.restore(&errors, at: state.at)
        let since = state.at.advanced(byMs: -Self.recentMs)
        let book = HistoryBook(ruleSet: state.ruleSet, errors: errors, countedThrough: through, completeSince: since)
        shelf = Mutex(Shelf(book: book, index: PendingIndex(through: through, at: state.at)))
        desk.withLock { desk in
            desk.lastSeq = state.seq
            desk.isBehind = state.seq > 0
        }
    }

    func start() {
        thread.withLock { thread in
            thread = WorkerThread(standsBack: true) { [self] in run() }
        }
    }

    /// Ends the thread. What the index lacks is read back at the next start.
    func stop() {
        desk.withLock { $0.isStopping = true }
        signal.set()
        thread.withLock { $0.take() }?.join()
    }

    /// Takes groups of entries that have become durable, in their order.
    func offer(_ groups: [[Entry]]) {
        guard let last = groups.last(where: { !$0.isEmpty })?.last else { return }
        let count = groups.reduce(0) { $0 + $1.count }
        desk.withLock { desk in
            desk.lastSeq = max(desk.lastSeq, last.seq)
            guard !desk.isBehind else { return }
            guard desk.count + count <= Self.maximumWaiting else {
                desk.isBehind = true
                return
            }
            desk.waiting += groups
            desk.count += count
        }
        signal.set()
    }

    // MARK: For those who look

    /// Looks into the book. Keep it short: the thread that follows waits meanwhile.
    func read<Value: Sendable>(_ body: (HistoryBook) -> Value) -> Value {
        shelf.withLock { body($0.book) }
    }

    /// How far it has come, and how far the journal goes.
    var progress: (seq: UInt64, lastSeq: UInt64) {
        let lastSeq = desk.withLock { $0.lastSeq }
        return (shelf.withLock { $0.book.seq }, lastSeq)
    }

    /// Waits until it knows an entry.
    ///
    /// - Returns: whether it does.
    func wait(through seq: UInt64, timeoutMs: Int64) -> Bool {
        let endNs = SystemClock.monotonicNanoseconds + timeoutMs * 1_000_000
        let pause = Signal()
        while shelf.withLock({ $0.book.seq }) < seq {
            guard SystemClock.monotonicNanoseconds < endNs else { return false }
            pause.wait(timeoutMs: 1)
        }
        return true
    }

    /// The entries whose event has a term, newest first: at most so many that come before one.
    func find(_ term: EventTerm, before seq: UInt64 = .max, limit: Int) throws(DatabaseError) -> [UInt64] {
        // First what isn't in a file yet: what goes there meanwhile is found twice, never missed.
        var found = shelf.withLock { $0.index.find(term, before: seq, limit: limit) }
        try index.find(term, before: min(seq, found.last ?? .max), limit: limit, into: &found)
        return found
    }

    // MARK: Following

    private func run() {
        var isFailing = false
        while !desk.withLock({ $0.isStopping }) {
            do {
                try follow()
                if isFailing { Log.info("what happened can be followed again") }
                isFailing = false
                signal.wait(timeoutMs: nil)
            } catch {
                if !isFailing { Log.error("pages of errors and events lag behind: \(error)") }
                isFailing = true
                desk.withLock { $0.isBehind = true }
                signal.wait(timeoutMs: Self.retryDelayMs)
            }
        }
    }

    /// Takes in all that there is.
    private func follow() throws {
        while true {
            let (groups, isBehind, lastSeq, isStopping) = desk.withLock { desk in
                let taken = (desk.waiting, desk.isBehind, desk.lastSeq, desk.isStopping)
                desk.waiting = []
                desk.count = 0
                desk.isBehind = false
                return taken
            }
            if isStopping || groups.isEmpty && !isBehind { return }
            for group in groups { try take(group) }
            if isBehind { try catchUp(through: lastSeq) }
        }
    }

    private func take(_ entries: [Entry]) throws {
        for start in stride(from: 0, to: entries.count, by: Self.portion) {
            let run = shelf.withLock { shelf -> PendingIndex.Run? in
                for entry in entries[start..<min(start + Self.portion, entries.count)] {
                    let error = shelf.book.apply(entry)
                    shelf.index.add(entry, error: error)
                }
                return shelf.index.takeRun(entries: Self.runEntries)
            }
            if let run { try write(run) }
        }
    }

    private func write(_ run: PendingIndex.Run) throws {
        let errors = shelf.withLock { $0.book.errors }
        try index.write(run, of: errors, journalFolder: journalFolder)
        shelf.withLock { $0.index.finish(run) }
    }

    /// Reads back what was left out.
    private func catchUp(through lastSeq: UInt64) throws {
        var reader = JournalReader(folder: journalFolder, portion: Int64(Self.portion))
        let (known, indexed, since) = shelf.withLock { ($0.book.seq, $0.index.through, $0.book.failures.completeSince) }
        var first = known
        if known == 0 {
            // The first time: from where the index ends, or from where what is recent begins.
            first = min(indexed, try reader.lastSeq(until: since))
        }
        var portion: [Entry] = []
        var failure: (any Error)?
        try reader.forEach(after: first, through: lastSeq) { result in
            guard failure == nil, case .success(let entry) = result else { return }
            portion.append(entry)
            guard portion.count >= Self.portion else { return }
            do {
                if desk.withLock({ $0.isStopping }) { throw Stopped() }
                try take(portion)
            } catch {
                failure = error
            }
            portion.removeAll(keepingCapacity: true)
        }
        if failure is Stopped { return }
        if let failure { throw failure }
        try take(portion)
    }

    private struct Stopped: Error {}
}
