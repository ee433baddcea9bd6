import ShuntNative

/// `shunt send`.
enum SendCommand: Command {
    static let name = "send"
    static let options: [OptionSpec] = []
    static let help = ""

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        throw CommandFailure(.usage, "not there yet")
    }
}
