import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// The queue in front of the writer, and its thread.
@Suite struct EngineTests {
    private let parts: WriterParts
    private let health = EngineHealth()

    init() throws {
        parts = try WriterParts()
    }

    private func engine() throws -> Engine {
        Engine(writer: try parts.writer(), health: health)
    }

    @Test func `what queued up is one group, answered in order`() throws {
        let engine = try engine()
        let results = Results()
        for number in 0..<50 {
            #expect(engine.submit(results.submission([.failure(id: "\(number)"), .failure(id: "\(number / 2)")])))
        }
        #expect(results.all.isEmpty)
        engine.start()
        #expect(results.wait(for: 50))
        engine.stop()
        #expect(parts.metrics.snapshot.commit.count == 1)
        #expect(results.successes.map(\.accepted).reduce(0, +) == 50)
        #expect(results.successes.first == WorkResult(accepted: 1, duplicates: 1))
        #expect(try parts.numbers() == (1...52).map { $0 })
    }

    @Test func `a group takes so many events and no more`() throws {
        let engine = try engine()
        let results = Results()
        let batch = (0..<1000).map { PaymentEvent.failure("\($0)") }
        for _ in 0..<25 { #expect(engine.submit(results.submission(batch))) }
        engine.start()
        engine.stop()
        #expect(results.successes.count == 25)
        #expect(parts.metrics.snapshot.commit.count == 3)
    }

    @Test func `a queue that is full of events refuses at once, and what it took is finished`() throws {
        let engine = try engine()
        let results = Results()
        let batch = (0..<Engine.maximumQueuedEvents / 10).map { _ in PaymentEvent(outcome: .succeeded) }
        for _ in 0..<10 { #expect(engine.submit(results.submission(batch))) }
        #expect(!engine.submit(results.submission([.failure()])))
        #expect(results.all.isEmpty)
        engine.start()
        #expect(results.wait(for: 10))
        #expect(engine.submit(results.submission([.failure()])))
        engine.stop()
        #expect(results.successes.map(\.accepted).reduce(0, +) == Engine.maximumQueuedEvents + 1)
    }

    @Test func `a queue that is full of bytes refuses at once`() throws {
        let engine = try engine()
        let results = Results()
        var event = PreparedEvent(.failure(id: "big"))
        event.body += [UInt8](repeating: 0x20, count: (1 << 20) - event.body.count)
        for _ in 0..<64 { #expect(engine.submit(results.submission(.events([event])))) }
        #expect(!engine.submit(results.submission(.events([event]))))
        engine.start()
        engine.stop()
        #expect(results.successes.map(\.accepted).reduce(0, +) == 1)
        #expect(results.successes.map(\.duplicates).reduce(0, +) == 63)
    }

    @Test func `an empty batch waits its turn like any other`() throws {
        let engine = try engine()
        let results = Results()
        #expect(engine.submit(results.submission([])))
        engine.start()
        engine.stop()
        #expect(results.successes == [WorkResult()])
    }

    @Test func `stop finishes what is queued, writes a snapshot and takes nothing more`() throws {
        let engine = try engine()
        let results = Results()
        engine.start()
        for number in 0..<200 { #expect(engine.submit(results.submission([.failure(id: "\(number)")]))) }
        engine.stop()
        #expect(results.successes.count == 200)
        #expect(!engine.submit(results.submission([.failure()])))
        engine.stop()
        let recovery = try parts.recover()
        #expect(recovery.folded == 0)
        #expect(recovery.journal.lastSeq == 202)
    }

    @Test func `stop before start hangs nowhere`() throws {
        let engine = try engine()
        engine.stop()
        #expect(!engine.submit(Results().submission([.failure()])))
    }

    @Test func `many threads submit at once, and each event counts once`() throws {
        let engine = try engine()
        let results = Results()
        engine.start()
        // Each event is sent by two of the threads.
        let send: @Sendable (String) -> Void = { name in
            for number in 0..<200 {
                let submission = results.submission([.failure(id: "\(name)-\(number)")])
                while !engine.submit(submission) {}
            }
        }
        let first = WorkerThread { send("a") }
        let second = WorkerThread { send("a") }
        let third = WorkerThread { send("b") }
        let fourth = WorkerThread { send("b") }
        first.join()
        second.join()
        third.join()
        fourth.join()
        #expect(results.wait(for: 800))
        engine.stop()
        #expect(results.successes.map(\.accepted).reduce(0, +) == 400)
        #expect(results.successes.map(\.duplicates).reduce(0, +) == 400)
        #expect(results.successes.map(\.transitions.count).reduce(0, +) == 1)
        #expect(try parts.numbers() == (1...402).map { $0 })
    }

    @Test func `the thread wakes by itself when a deadline comes`() throws {
        let engine = try engine()
        engine.start()
        let watched = (0..<3).map { PaymentEvent.failure(id: "\($0)", environment: "watched") }
        #expect(engine.submit(Results().submission(watched)))
        let signal = Signal()
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        var wasOpen = false
        while HTTPClock.nowNanoseconds < deadlineNs {
            let isOpen = !parts.metrics.snapshot.openAlerts.isEmpty
            if wasOpen, !isOpen { break }
            wasOpen = wasOpen || isOpen
            signal.wait(timeoutMs: 2)
        }
        engine.stop()
        #expect(parts.metrics.snapshot.openAlerts.isEmpty)
        #expect(try parts.inputs().last == .tick)
    }

    @Test func `health follows the last commit`() throws {
        let engine = try engine()
        let results = Results()
        #expect(health.report.isWritable && health.report.isKeepingUp)
        let refusal = try parts.refuseInserts()
        engine.start()
        #expect(engine.submit(results.submission([.failure(id: "a")])))
        #expect(results.wait(for: 1))
        #expect(results.successes.isEmpty)
        let signal = Signal()
        let deadlineNs = HTTPClock.nowNanoseconds + 30_000_000_000
        while health.report.isWritable, HTTPClock.nowNanoseconds < deadlineNs { signal.wait(timeoutMs: 2) }
        #expect(!health.report.isWritable)
        try refusal.execute("DROP TRIGGER refusal")
        while !health.report.isWritable, HTTPClock.nowNanoseconds < deadlineNs { signal.wait(timeoutMs: 2) }
        #expect(health.report.isWritable)
        engine.stop()
        #expect(results.all.count == 1)
    }
}
