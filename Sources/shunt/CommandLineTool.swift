import ShuntNative
import ShuntServer

/// The statuses that every command ends with.
enum ExitStatus: Int32 {
    case success = 0
    case failure = 1
    case usage = 2
    case unreachable = 3
    case configuration = 78
}

/// Finds the command and lets it run.
enum CommandLineTool {
    private static let commands: [any Command.Type] = [
        ServeCommand.self, SendCommand.self, StatusCommand.self, ExplainCommand.self, RulesCommand.self,
        SwitchCommandTool.self, ErrorsCommand.self, InDoubtCommand.self, AttemptCommand.self, AlertsCommand.self,
        SilenceCommand.self, ChannelsCommand.self,
        DrillCommand.self, TokenCommand.self, KeygenCommand.self, AuditCommand.self, LocaliseCommand.self,
    ]

    static func run(_ arguments: [String]) -> ExitStatus {
        guard let name = arguments.first else {
            StandardStream.error.write(overview)
            return .usage
        }
        switch name {
        case "--help", "-h", "help":
            return help(for: arguments.dropFirst().first)
        case "--version", "-V", "version":
            StandardStream.output.write("shunt \(Shunt.version)\n")
            return .success
        default:
            break
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            let names = commands.map { $0.name }.joined(separator: ", ")
            StandardStream.error.write(
                "shunt: there is no command \(name); expected one of \(names), or --help\n"
            )
            return .usage
        }
        return run(command, Array(arguments.dropFirst()))
    }

    private static func run(_ command: any Command.Type, _ arguments: [String]) -> ExitStatus {
        if arguments.contains("--help") || arguments.contains("-h") {
            StandardStream.output.write(command.help)
            return .success
        }
        do throws(CommandFailure) {
            return try command.run(try Options(arguments, known: command.options))
        } catch {
            StandardStream.error.write("shunt \(command.name): \(error.message)\n")
            return error.status
        }
    }

    private static func help(for name: String?) -> ExitStatus {
        guard let name else {
            StandardStream.output.write(overview)
            return .success
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            StandardStream.error.write("shunt: there is no command \(name)\n")
            return .usage
        }
        StandardStream.output.write(command.help)
        return .success
    }

    private static let overview = """
        shunt: sees payment failures first and moves payers to another track.

        Usage: shunt COMMAND [OPTIONS]

          serve    run the daemon
          send     send events from a file or standard input
          status   show the switches and how the daemon is
          explain  say what a code means and what holds each rule back
          rules    check, test and back-test the files that say what to watch
          switch   look at switches, and move them by hand
          errors   which payments fail, and all that is known of a code
          localise say what failures in a table have in common
          in-doubt payments of which nobody knows whether money moved
          attempt  where the money of one stands; settle it
          alerts   look at alerts, and take one upon yourself
          silence  keep alerts from being told for a while
          token    make a token for who reports, reads or operates
          audit    say who moved payers, and whether nobody has changed that since
          channels show who is told of alerts, and try one out
          keygen   make a key that the switches' documents are signed with

        shunt COMMAND --help tells more, with examples. shunt --version tells the
        version. Exit status: 0 done, 1 failed, 2 wrong usage, 3 no daemon reached,
        78 wrong configuration.

        Example:
          shunt serve --data ./shunt-data &
          shunt status

        """
}

/// One command of `shunt`.
protocol Command: SendableMetatype {
    static var name: String { get }
    static var help: String { get }
    static var options: [OptionSpec] { get }
    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus
}

/// Why a command ends early.
struct CommandFailure: Error {
    var status: ExitStatus
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}
