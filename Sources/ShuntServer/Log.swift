internal import ShuntNative
internal import ShuntSchema

/// Lines for whoever runs the daemon, on standard error: time, level, message.
enum Log {
    static func info(_ message: String) { write("info", message) }
    static func warning(_ message: String) { write("warning", message) }
    static func error(_ message: String) { write("error", message) }

    private static func write(_ level: String, _ message: String) {
        let now = Timestamp(milliseconds: SystemClock.wallMilliseconds).rfc3339
        StandardStream.error.write("\(now) \(level) \(message)\n")
    }
}
