import ShuntNative
import Synchronization
import Testing

/// Real threads, and the signal that wakes them.
@Suite struct WorkerThreadTests {
    @Test func `join waits for the thread's end`() {
        let holder = Counter()
        let thread = WorkerThread {
            for _ in 0..<100_000 { holder.count.withLock { $0 += 1 } }
        }
        thread.join()
        #expect(holder.count.withLock { $0 } == 100_000)
    }

    @Test func `many threads count exactly`() {
        let holder = Counter()
        let first = WorkerThread { holder.add(10_000) }
        let second = WorkerThread { holder.add(10_000) }
        let third = WorkerThread { holder.add(10_000) }
        first.join()
        second.join()
        third.join()
        #expect(holder.count.withLock { $0 } == 30_000)
    }

    @Test func `a thread that nobody joins frees what it held`() {
        let ended = Signal()
        let holder = Counter()
        for _ in 0..<200 {
            _ = WorkerThread {
                holder.add(1)
                ended.set()
            }
        }
        let deadline = HTTPClock.nowNanoseconds + 30_000_000_000
        while holder.count.withLock({ $0 }) < 200, HTTPClock.nowNanoseconds < deadline { ended.wait(timeoutMs: 1_000) }
        #expect(holder.count.withLock { $0 } == 200)
    }

    @Test func `a signal that is set before the wait isn't lost`() {
        let signal = Signal()
        signal.set()
        #expect(signal.wait(timeoutMs: 0))
        #expect(!signal.wait(timeoutMs: 0))
    }

    @Test func `a signal that is set many times is one, however often`() {
        let signal = Signal()
        // More than the pipe behind it holds.
        for _ in 0..<100_000 { signal.set() }
        var waits = 0
        while signal.wait(timeoutMs: 0) { waits += 1 }
        #expect(waits > 0)
        #expect(waits < 1000)
        signal.set()
        #expect(signal.wait(timeoutMs: 0))
    }

    @Test func `a signal wakes a thread that sleeps`() {
        let signal = Signal()
        let holder = Counter()
        let thread = WorkerThread {
            if signal.wait(timeoutMs: 60_000) { holder.add(1) }
        }
        signal.set()
        thread.join()
        #expect(holder.count.withLock { $0 } == 1)
    }

    @Test func `negative and huge times are bounds like others`() {
        let signal = Signal()
        #expect(!signal.wait(timeoutMs: .min))
        signal.set()
        #expect(signal.wait(timeoutMs: .max))
    }

    @Test func `a signal closes its pipe`() throws {
        // As many as the usual limit of descriptors allows twice over.
        for _ in 0..<4_000 { Signal().set() }
    }

    private final class Counter: Sendable {
        let count = Mutex(0)

        func add(_ times: Int) {
            for _ in 0..<times { count.withLock { $0 += 1 } }
        }
    }
}
