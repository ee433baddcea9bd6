internal import CLinux
internal import Glibc

/// What the process was started with, and how it ends.
public enum ProcessEnvironment {
    /// The value of an environment variable; nil when it isn't set.
    public static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Lets the process hold as many files and connections as its hard limit allows.
    ///
    /// - Returns: how many that is; nil when the system doesn't say.
    public static func raiseFileLimit() -> Int? {
        let limit = shunt_raise_file_limit()
        return limit > 0 ? Int(limit) : nil
    }

    /// Ends the process with this status.
    public static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }
}
