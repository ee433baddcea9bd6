internal import CLinux

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
        shunt_block_signals()
    }

    /// Sleeps until a signal comes.
    public static func wait() -> Request {
        shunt_wait_for_signal() == 1 ? .reload : .terminate
    }
}
