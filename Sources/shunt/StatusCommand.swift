import ShuntNative

/// `shunt status`.
enum StatusCommand: Command {
    static let name = "status"
    static let options: [OptionSpec] = []
    static let help = ""

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        throw CommandFailure(.usage, "not there yet")
    }
}
