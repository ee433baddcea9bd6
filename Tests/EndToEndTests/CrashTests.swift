import Foundation
import Synchronization
import TestSupport
import Testing

/// kill -9 under load. What was acknowledged is there exactly once, and counts exactly once.
@Suite(.serialized) struct `Killed under load and started again` {
    /// Six kills on each of four folders: the journal that one kill leaves is what the next one starts from.
    @Test(arguments: [11, 22, 33, 44] as [UInt64])
    func `it has lost nothing acknowledged and counted nothing twice: seed`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        var daemon = try await RunningDaemon.start(on: folder)
        for round in 1...6 {
            let load = Load(series: "\(seed)-\(round)")
            // From a kill right at the start to one after most of the batches; then up to 3 ms into what follows.
            let killAfter = Int.random(in: 0...35, using: &random)
            let microseconds = Int.random(in: 0...3000, using: &random)
            try await load.run(against: daemon, killAfter: killAfter, microseconds: microseconds)

            daemon = try await RunningDaemon.start(on: folder)
            try await load.settle(with: daemon)
            try await load.expectExactCount(on: daemon)
        }
        try await daemon.stop()
    }
}

/// The events of one round, some of which the daemon has acknowledged before it was killed.
private final class Load: Sendable {
    /// A batch with two failures that count and eighteen payments that don't.
    struct Batch: Sendable {
        let failures: [SampleEvent]
        let others: [SampleEvent]
        var events: [SampleEvent] { failures + others }
    }

    private struct Progress {
        var unsent: [Batch]
        var acknowledged: [Batch] = []
        var inDoubt: [Batch] = []
    }

    private static let connections = 4
    /// Two failures each: 98 at most, so that the round alone never trips the switch.
    private static let batches = 49

    private let series: String
    private let progress: Mutex<Progress>

    /// Each series has an error code of its own, whose count starts from nothing.
    init(series: String) {
        self.series = series
        let batches = (0..<Self.batches).map { number in
            let timed = number.isMultiple(of: 2) ? SampleEvent.time(secondsFromNow: 0) : nil
            return Batch(
                failures: SampleEvent.failures((number * 2)...(number * 2 + 1), series: "f\(series)") {
                    $0.code = "code-\(series)"
                    $0.occurredAt = timed
                },
                others: SampleEvent.failures((number * 18)...(number * 18 + 17), series: "o\(series)") {
                    $0.outcome = "succeeded"
                    $0.occurredAt = timed
                }
            )
        }
        progress = Mutex(Progress(unsent: batches.reversed()))
    }

    /// Posts over several connections until the daemon is killed under them.
    func run(against daemon: RunningDaemon, killAfter: Int, microseconds: Int) async throws {
        if killAfter == 0 { kill(daemon, afterMicroseconds: microseconds) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.connections {
                group.addTask {
                    while let batch = self.progress.withLock({ $0.unsent.popLast() }) {
                        let reply = try? await daemon.client.post("/v1/events", SampleEvent.array(batch.events))
                        let acknowledged = reply?.status == 202
                        let count = self.progress.withLock { progress in
                            if acknowledged {
                                progress.acknowledged.append(batch)
                            } else {
                                progress.inDoubt.append(batch)
                            }
                            return progress.acknowledged.count
                        }
                        if acknowledged && count == killAfter { self.kill(daemon, afterMicroseconds: microseconds) }
                        if !acknowledged { return }
                    }
                }
            }
        }
        _ = try await daemon.child.end(withinSeconds: 20)
    }

    /// Sends everything again: acknowledged events must all be known, the others may or may not be.
    func settle(with daemon: RunningDaemon) async throws {
        let progress = progress.withLock { $0 }
        for batch in progress.acknowledged {
            let verdict = try await daemon.report(batch.events)
            #expect(verdict.duplicates == batch.events.count, "acknowledged, and lost: series \(series)")
        }
        for batch in progress.inDoubt + progress.unsent {
            let verdict = try await daemon.report(batch.events)
            #expect(verdict.accepted + verdict.duplicates == batch.events.count)
        }
        let again = try await daemon.report(
            (progress.acknowledged + progress.inDoubt).flatMap(\.events).prefix(1000).map { $0 }
        )
        #expect(again.accepted == 0)
    }

    /// The daemon's count for this series is the number of its failures: one short of a hundred it's calm, and the
    /// next one trips. A lost event would make it late, one counted twice early.
    func expectExactCount(on daemon: RunningDaemon) async throws {
        let more = SampleEvent.failures((Self.batches * 2)...98, series: "f\(series)") { $0.code = "code-\(series)" }
        try await daemon.report(more)
        #expect(try await daemon.variant() == "native", "counted twice: series \(series)")
        try await daemon.report(SampleEvent.failures(99...99, series: "f\(series)") { $0.code = "code-\(series)" })
        #expect(try await daemon.variant() == "web", "not counted: series \(series)")
        let restored = try await daemon.restore()
        #expect(restored.status == 200)
    }

    private func kill(_ daemon: RunningDaemon, afterMicroseconds microseconds: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(microseconds)) {
            daemon.child.signal(SIGKILL)
        }
    }
}
