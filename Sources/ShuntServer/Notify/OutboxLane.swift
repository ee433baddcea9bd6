internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema
internal import Synchronization

/// Tells one channel what is meant for it, on a thread of its own.
///
/// Before anything is on the wire the row says so, durably; after it, what came of it. So what a crash leaves in doubt
/// is one notice a channel, and that is sent again under the same identity.
final class OutboxLane: Sendable {
    /// Nothing is put off for longer: a time further ahead means that the wall clock was put back.
    private static let horizonMs: Int64 = 2 * 3_600_000
    /// How long it waits after the file couldn't be read or written.
    private static let retryDelayMs: Int64 = 1_000
    /// How often it looks though nobody woke it.
    private static let longestWaitMs: Int64 = 60_000
    /// For so long after its end Alertmanager is told again that an alert is over.
    private static let resolvedRepeatsMs: Int64 = 5 * 60_000

    private let channel: Channel
    private let others: [String]
    private let path: String
    private let sender: ChannelSender
    private let schedule: RetrySchedule
    private let metrics: Metrics
    private let signal = Signal()
    private let isStopping = Mutex(false)
    private let triage = Mutex<NoticeTriage?>(nil)
    private let thread = Mutex<WorkerThread?>(nil)

    var name: String { channel.name }

    /// - Parameter others: the other channels, in the order of the configuration; what this one can't take goes to the
    ///   first of them.
    init(
        channel: Channel,
        others: [String],
        path: String,
        sender: ChannelSender,
        schedule: RetrySchedule,
        metrics: Metrics
    ) {
        self.channel = channel
        self.others = others
        self.path = path
        self.sender = sender
        self.schedule = schedule
        self.metrics = metrics
    }

    /// - Parameters:
    ///   - triage: completes notices before they are sent; nil sends them as they are.
    ///   - wake: wakes the other lanes, when something was passed to one of them.
    func start(triage: NoticeTriage?, wake: @escaping @Sendable () -> Void) {
        self.triage.withLock { $0 = triage }
        thread.withLock { thread in
            thread = WorkerThread { [self] in run(wake) }
        }
    }

    func wake() { signal.set() }

    func askToStop() {
        isStopping.withLock { $0 = true }
        signal.set()
    }

    func join() { thread.withLock { $0.take() }?.join() }

    private func run(_ wake: () -> Void) {
        var isFailing = false
        while !isStopping.withLock({ $0 }) {
            do throws(DatabaseError) {
                let file = try OutboxFile(path: path, busyTimeoutMs: 5_000)
                if isFailing { Log.info("the channel \(name) can be told again: the outbox can be read") }
                isFailing = false
                try work(file, wake)
            } catch {
                if !isFailing { Log.error("the channel \(name) can't be told, its notices wait: \(error)") }
                isFailing = true
                signal.wait(timeoutMs: Self.retryDelayMs)
            }
        }
    }

    private func work(_ file: borrowing OutboxFile, _ wake: () -> Void) throws(DatabaseError) {
        var prunedMs: Int64 = 0
        while !isStopping.withLock({ $0 }) {
            let nowMs = SystemClock.wallMilliseconds
            if nowMs - prunedMs >= 3_600_000 || nowMs < prunedMs {
                prunedMs = nowMs
                let dropped = try file.prune(channel: name, nowMs: nowMs)
                if dropped > 0 {
                    Log.error("the channel \(name) is so far behind that \(dropped) notices were dropped")
                }
            }
            if let job = try file.due(channel: name, nowMs: nowMs, horizonMs: Self.horizonMs) {
                try attend(job, file, wake)
                if channel.kind.pauseMs > 0 { pause(channel.kind.pauseMs) }
                continue
            }
            let nextMs = try file.nextDueMs(channel: name).map { max(1, $0 - nowMs) } ?? Self.longestWaitMs
            signal.wait(timeoutMs: min(nextMs, Self.longestWaitMs))
        }
    }

    /// Waits, whoever wakes it; only the end of the process cuts it short.
    private func pause(_ milliseconds: Int64) {
        let endNs = SystemClock.monotonicNanoseconds + milliseconds * 1_000_000
        while !isStopping.withLock({ $0 }) {
            let leftMs = (endNs - SystemClock.monotonicNanoseconds) / 1_000_000
            guard leftMs > 0 else { return }
            signal.wait(timeoutMs: leftMs)
        }
    }

    private func attend(
        _ job: OutboxFile.Job,
        _ file: borrowing OutboxFile,
        _ wake: () -> Void
    ) throws(DatabaseError) {
        let beganMs = SystemClock.wallMilliseconds
        guard try file.beginSending(job, nowMs: beganMs) else { return }
        let notice = triage.withLock { $0 }?.complete(job.notice, language: channel.language) ?? job.notice
        let report = sender.send(notice, through: channel)
        metrics.notified(report, channel: name)
        let nowMs = SystemClock.wallMilliseconds
        let answer = report.verdict.reason ?? report.answer
        if report.verdict == .delivered {
            try finish(job, file, answer: answer, nowMs: nowMs)
            return
        }
        let elapsedMs = max(0, nowMs - (job.deliveredAtMs ?? job.firstAtMs ?? beganMs))
        let pauseMs = schedule.pauseMs(
            after: report.verdict,
            tries: job.tries + 1,
            elapsedMs: elapsedMs,
            id: job.notice.id
        )
        if let pauseMs {
            Log.warning(
                "notice \(job.notice.id) through \(name): try \(job.tries + 1) failed, next in \(pauseMs) ms: \(answer)"
            )
            try file.putOff(
                job,
                channel: name,
                untilMs: nowMs + pauseMs,
                answer: answer,
                isDelivered: false,
                nowMs: nowMs
            )
            return
        }
        try giveUp(job, file, report.verdict, answer: answer, nowMs: nowMs, wake)
    }

    private func finish(
        _ job: OutboxFile.Job,
        _ file: borrowing OutboxFile,
        answer: String,
        nowMs: Int64
    ) throws(DatabaseError) {
        if !job.isRepeat {
            let tries = job.tries == 0 ? "" : " at try \(job.tries + 1)"
            Log.info("notice \(job.notice.id) through \(name): \(job.notice.happening.rawValue) delivered\(tries)")
        }
        let isOverLongAgo = nowMs - (job.firstAtMs ?? nowMs) >= Self.resolvedRepeatsMs
        guard let repeatMs = channel.kind.repeatMs, job.notice.alert != nil,
            job.notice.happening != .resolved || !isOverLongAgo
        else {
            try file.end(job.number, state: "delivered", answer: answer, nowMs: nowMs)
            return
        }
        try file.putOff(
            job,
            channel: name,
            untilMs: nowMs + repeatMs,
            answer: answer,
            isDelivered: true,
            nowMs: nowMs
        )
    }

    /// This channel can't take it: the next one gets it, and a person hears why.
    private func giveUp(
        _ job: OutboxFile.Job,
        _ file: borrowing OutboxFile,
        _ verdict: DeliveryVerdict,
        answer: String,
        nowMs: Int64,
        _ wake: () -> Void
    ) throws(DatabaseError) {
        let next = try file.pass(job, from: name, to: others, nowMs: nowMs)
        let consequence = next.map { "it goes to \($0) instead" } ?? "there is no other channel"
        Log.error("notice \(job.notice.id) can't be delivered through \(name), \(consequence): \(answer)")
        if let repeatMs = channel.kind.repeatMs, case .retry = verdict {
            // It only forgets what it isn't told of: it must hear of it when it is back.
            try file.putOff(
                job,
                channel: name,
                untilMs: nowMs + repeatMs,
                answer: answer,
                isDelivered: false,
                nowMs: nowMs
            )
        } else {
            try file.end(job.number, state: "refused", answer: answer, nowMs: nowMs)
        }
        if next != nil { wake() }
    }
}
