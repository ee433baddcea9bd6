internal import Glibc

/// Signals as plain return values: blocked everywhere, and waited for by one thread.
public enum ProcessSignals {
    /// What a signal asks for.
    public enum Request: Sendable {
        /// SIGTERM or SIGINT: end.
        case terminate
        /// SIGHUP: read the configuration again.
        case reload
    }

    /// Blocks them for this thread and all that it starts; before any other thread is started. A write to a closed
    /// pipe or socket then is an error of that write, too.
    public static func block() {
        var set = waitable
        unsafe sigaddset(&set, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Sleeps until a signal comes.
    public static func wait() -> Request {
        var set = waitable
        var number: Int32 = 0
        while unsafe sigwait(&set, &number) != 0 {}
        return number == SIGHUP ? .reload : .terminate
    }

    private static var waitable: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
        return set
    }
}
