import ShuntNative
import ShuntServer

/// `shunt serve`.
enum ServeCommand: Command {
    static let name = "serve"

    static let options = [
        OptionSpec(name: "--listen", variable: "SHUNT_LISTEN"),
        OptionSpec(name: "--data", variable: "SHUNT_DATA"),
        OptionSpec(name: "--rules", variable: "SHUNT_RULES"),
    ]

    static let help = """
        shunt serve: run the daemon until SIGTERM or SIGINT.

        Usage: shunt serve [--listen 127.0.0.1:8710] [--data ./shunt-data]
                           [--rules ./rules]

          --listen ADDRESS:PORT  where to listen; port 0 takes a free one
                                 (SHUNT_LISTEN)
          --data FOLDER          where everything durable is kept; made when it
                                 isn't there (SHUNT_DATA)
          --rules FOLDER         rule files; read again on SIGHUP and when one changes.
                                 What it doesn't have is built in (SHUNT_RULES)

        With no tokens it serves loopback addresses only. It prints one line when it
        is ready, then a few commands to try; its log goes to standard error.

        Example:
          shunt serve --listen 127.0.0.1:9000 --data /var/lib/shunt

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.isEmpty else {
            throw CommandFailure(.usage, "unexpected argument \(options.arguments[0])")
        }
        var configuration = Configuration()
        do throws(ConfigurationError) {
            if let listen = options["--listen"] { configuration.listen = try ListenAddress(parsing: listen) }
            if let data = options["--data"] { configuration.dataPath = data }
            if let rules = options["--rules"] { configuration.rulesPath = rules }
        } catch {
            throw CommandFailure(.configuration, error.description)
        }
        ProcessSignals.block()
        do throws(DaemonError) {
            let daemon = try Daemon(configuration)
            try daemon.run { listen in
                StandardStream.output.write("shunt: ready on http://\(listen)\n" + hints(listen))
            }
            return .success
        } catch {
            switch error {
            case .configuration(let error): throw CommandFailure(.configuration, error.description)
            case .dataInUse(let message), .failed(let message): throw CommandFailure(.failure, message)
            }
        }
    }

    private static func hints(_ listen: ListenAddress) -> String {
        """
        With no tokens configured, every role is open to this machine, and only to it.
        Three commands to try:
          curl -s http://\(listen)/v1/switches
          curl -s http://\(listen)/v1/events -H 'Content-Type: application/json' \\
            -d '{"error":{"domain":"verify","code":"8771"}}'
          \(CommandLine.arguments.first ?? "shunt") status --url http://\(listen)

        """
    }
}
