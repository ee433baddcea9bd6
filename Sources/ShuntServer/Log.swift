internal import ShuntNative
internal import ShuntSchema

/// Lines for whoever runs the daemon, on standard error: time, level, message.
enum Log {
    static func info(_ message: String) { write("info", message) }
    static func warning(_ message: String) { write("warning", message) }
    static func error(_ message: String) { write("error", message) }

    private static func write(_ level: String, _ message: String) {
        let now = Timestamp(milliseconds: SystemClock.wallMilliseconds).rfc3339
        StandardStream.error.write("\(now) \(level) \(line(message))\n")
    }

    /// A message as one line. Error codes and environments come from outside: they must not be able to write lines of
    /// their own, or to steer a terminal.
    static func line(_ message: String) -> String {
        var line = ""
        for scalar in message.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                line += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
