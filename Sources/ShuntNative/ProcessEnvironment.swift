internal import Glibc

/// What the process was started with, and how it ends.
public enum ProcessEnvironment {
    /// The value of an environment variable; nil when it isn't set.
    public static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Ends the process with this status.
    public static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }
}
