internal import CLinux
internal import Glibc

/// A thread of our own, for loops that block.
public struct WorkerThread: ~Copyable, Sendable {
    private let thread: pthread_t

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread.
    ///
    /// - Parameter standsBack: whether it leaves the processor to others that want it: for upkeep that nobody waits for.
    public init(standsBack: Bool = false, _ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let standingBack: @Sendable () -> Void = {
            shunt_stand_back()
            run()
        }
        let body = unsafe Unmanaged.passRetained(Body(run: standsBack ? standingBack : run)).toOpaque()
        let result = unsafe pthread_create(&thread, nil, workerThreadMain, body)
        // Nothing works without threads, and the system refuses them only when it is out of memory.
        precondition(result == 0, "the system refused to start a thread")
        self.thread = thread
    }

    deinit {
        // Nobody joins it any more: the system then frees what it needed when it ends.
        pthread_detach(thread)
    }

    /// Waits until the thread has ended.
    public consuming func join() {
        let thread = thread
        discard self
        pthread_join(thread, nil)
    }

    fileprivate static func run(_ body: UnsafeMutableRawPointer?) {
        guard let body = unsafe body else { return }
        unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
    }
}

private func workerThreadMain(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    unsafe WorkerThread.run(body)
    return nil
}

/// Wakes one sleeping thread; a wake-up that comes before the sleep isn't lost.
public final class Signal: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// A signal that isn't set.
    public init() {
        var ends: [Int32] = [-1, -1]
        let result = unsafe pipe(&ends)
        precondition(result == 0, "the system is out of file descriptors")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Sets the signal. From any thread; never blocks.
    public func set() {
        var one: UInt8 = 1
        // A full pipe is set already.
        _ = unsafe write(writeEnd, &one, 1)
    }

    /// Sleeps until the signal is set, and clears it.
    ///
    /// - Parameter timeoutMs: for how long at most; nil for ever.
    /// - Returns: whether it was set.
    @discardableResult
    public func wait(timeoutMs: Int64? = nil) -> Bool {
        let timeout = timeoutMs.map { Int32(clamping: max(0, $0)) } ?? -1
        guard shunt_wait_readable(readEnd, timeout) == 1 else { return false }
        var marks = [UInt8](repeating: 0, count: 256)
        return unsafe marks.withUnsafeMutableBytes { unsafe read(readEnd, $0.baseAddress, $0.count) } > 0
    }
}
