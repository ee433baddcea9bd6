internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// What is to be told to channels, and the threads that tell it: one for each channel, so that a slow one delays no
/// other.
///
/// An item comes from an entry that is durable already, so the journal can bring back any that a crash has kept from
/// being written, as long as no snapshot lies beyond its entry: none is made while items wait. Trouble with the outbox
/// holds up neither events nor switches.
final class Outbox: Sendable {
    /// How many items wait at most while the file can't be written.
    static let maximumWaiting = 10_000
    /// How long it is left alone after it couldn't be written.
    static let retryDelayNs: Int64 = 1_000_000_000

    private struct Desk: ~Copyable {
        var file: OutboxFile?
        var waiting: [OutboxItem] = []
        /// Items were dropped: none may follow before they are back.
        var isLeftToRestart = false
        var isFailing = false
        var retryAtNs: Int64 = 0
    }

    /// Makes the items.
    let maker: NoticeMaker
    private let folder: Folder
    private let lanes: [OutboxLane]
    private let desk = Mutex(Desk())

    init(
        folder: Folder,
        channels: [Channel],
        links: LinkTemplates,
        routes: [NoticeRoute],
        metrics: Metrics,
        sender: ChannelSender = ChannelSender(),
        schedule: RetrySchedule = .page
    ) {
        self.folder = folder
        maker = NoticeMaker(
            channels: channels.map { NoticeMaker.ChannelSummary(name: $0.name, kind: $0.kind) },
            links: links,
            routes: routes
        )
        let names = channels.map(\.name)
        lanes = channels.map { channel in
            OutboxLane(
                channel: channel,
                others: names.filter { $0 != channel.name },
                path: folder.file(OutboxFile.name),
                sender: sender,
                schedule: schedule,
                metrics: metrics
            )
        }
    }

    /// Whether effects of this journal were ever taken in, so that a replay brings back what a crash kept from it. What
    /// happened before there was an outbox isn't told.
    func knows(epoch: String) -> Bool {
        guard !lanes.isEmpty else { return false }
        return desk.withLock { desk in
            do throws(DatabaseError) {
                try open(&desk)
                return try desk.file?.knows(epoch: epoch) ?? false
            } catch {
                Log.error("the outbox can't be read: \(error)")
                return false
            }
        }
    }

    /// Notes that what comes after an entry is to be told.
    func adopt(epoch: String, after seq: UInt64) {
        guard !lanes.isEmpty, !knows(epoch: epoch) else { return }
        let place = OutboxItem.Place(seq: seq, index: .max)
        record([OutboxItem(epoch: epoch, place: place, subject: "", channels: [])])
    }

    /// Begins to tell what waits.
    ///
    /// - Parameter triage: completes notices before they are sent; nil sends them as they are.
    func start(triage: NoticeTriage? = nil) {
        guard !lanes.isEmpty else { return }
        desk.withLock { desk in
            do throws(DatabaseError) {
                try open(&desk)
                let nowMs = SystemClock.wallMilliseconds
                let stale = try desk.file?.resume(nowMs: nowMs) ?? 0
                if stale > 0 { Log.warning("\(stale) notices waited for more than a day, and aren't told any more") }
                let known = lanes.map(\.name)
                for name in try desk.file?.waitingChannels() ?? [] where !known.contains(name) {
                    let count = try desk.file?.close(channel: name, passingTo: known, nowMs: nowMs) ?? 0
                    Log.warning("the channel \(name) isn't configured any more: \(count) notices go elsewhere")
                }
            } catch {
                Log.error("the outbox can't be opened, its notices wait: \(error)")
            }
        }
        for lane in lanes { lane.start(triage: triage, wake: { [self] in wake(except: lane.name) }) }
    }

    /// Ends the threads; what is on its way may take as long as its time-out. What waits is told after the next start.
    func stop() {
        for lane in lanes { lane.askToStop() }
        for lane in lanes { lane.join() }
    }

    /// Takes items in the order in which they came about, and writes what waits.
    func record(_ items: [OutboxItem]) {
        guard !items.isEmpty else { return }
        desk.withLock { desk in
            guard !desk.isLeftToRestart else { return }
            desk.waiting += items
            write(&desk)
            guard desk.waiting.count > Self.maximumWaiting else { return }
            Log.error("the outbox can't be written for too long: the rest of it is told after a restart")
            desk.waiting = []
            desk.isLeftToRestart = true
        }
        wake()
    }

    /// Writes what waits, and says whether nothing is missing any more.
    func settle() -> Bool {
        desk.withLock { desk in
            if !desk.waiting.isEmpty { write(&desk) }
            return desk.waiting.isEmpty && !desk.isLeftToRestart
        }
    }

    /// How many notices wait or are on their way, and how long the oldest has by now, in milliseconds.
    func backlog() -> (count: Int, ageMs: Int64) {
        guard !lanes.isEmpty else { return (0, 0) }
        do throws(DatabaseError) {
            let file = try OutboxFile(path: folder.file(OutboxFile.name), busyTimeoutMs: 100)
            let backlog = try file.backlog()
            let ageMs = backlog.oldestMs.map { max(0, SystemClock.wallMilliseconds - $0) } ?? 0
            return (backlog.count, ageMs)
        } catch {
            return (0, 0)
        }
    }

    private func wake(except name: String? = nil) {
        for lane in lanes where lane.name != name { lane.wake() }
    }

    private func write(_ desk: inout Desk) {
        guard SystemClock.monotonicNanoseconds >= desk.retryAtNs else { return }
        do throws(DatabaseError) {
            try open(&desk)
            try desk.file?.append(desk.waiting, nowMs: SystemClock.wallMilliseconds)
            desk.waiting.removeAll(keepingCapacity: true)
            if desk.isFailing { Log.info("the outbox can be written again, and nothing of it is missing") }
            desk.isFailing = false
        } catch {
            if !desk.isFailing { Log.error("the outbox can't be written, its notices wait: \(error)") }
            desk.isFailing = true
            desk.retryAtNs = SystemClock.monotonicNanoseconds + Self.retryDelayNs
            desk.file = nil
        }
    }

    private func open(_ desk: inout Desk) throws(DatabaseError) {
        guard desk.file == nil else { return }
        // Whoever holds a lock for longer keeps the writer from events; the items can wait.
        desk.file = try OutboxFile(path: folder.file(OutboxFile.name), busyTimeoutMs: 100)
    }
}
