internal import Glibc

/// The machine's two clocks.
public enum SystemClock {
    /// The wall clock, in milliseconds since the Unix epoch. It can jump.
    public static var wallMilliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds since the machine started, time asleep included. It never goes back.
    public static var monotonicNanoseconds: Int64 {
        let time = read(CLOCK_BOOTTIME)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Nanoseconds of a core's time that the calling thread has used; what other processes take isn't in it.
    public static var threadNanoseconds: Int64 {
        let time = read(CLOCK_THREAD_CPUTIME_ID)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}

extension SystemClock {
    /// Does nothing for so many milliseconds. For commands that wait for another process, never for loops that serve.
    public static func sleep(milliseconds: Int64) {
        _ = usleep(UInt32(clamping: max(0, milliseconds) * 1000))
    }
}
