import ShuntNative
import ShuntServer

/// `shunt serve`.
enum ServeCommand: Command {
    static let name = "serve"

    static let options = [
        OptionSpec(name: "--config", variable: "SHUNT_CONFIG"),
        OptionSpec(name: "--listen", variable: "SHUNT_LISTEN"),
        OptionSpec(name: "--data", variable: "SHUNT_DATA"),
        OptionSpec(name: "--rules", variable: "SHUNT_RULES"),
        OptionSpec(name: "--dashboards", variable: "SHUNT_DASHBOARDS"),
    ]

    static let help = """
        shunt serve: run the daemon until SIGTERM or SIGINT.

        Usage: shunt serve [--config shunt.yaml] [--listen 127.0.0.1:8710]
                           [--data ./shunt-data] [--rules ./rules]
                           [--dashboards ./dashboards]

          --config FILE          the configuration: tokens, limits and what follows;
                                 ./shunt.yaml if it is there (SHUNT_CONFIG)
          --listen ADDRESS:PORT  where to listen; port 0 takes a free one
                                 (SHUNT_LISTEN)
          --data FOLDER          where everything durable is kept; made when it
                                 isn't there (SHUNT_DATA)
          --rules FOLDER         rule files; read again on SIGHUP and when one changes.
                                 What it doesn't have is built in (SHUNT_RULES)
          --dashboards FOLDER    where the web page at / comes from, out of its folder
                                 web; read again on SIGHUP (SHUNT_DASHBOARDS)

        An option counts before the environment, and that before the file. With no
        tokens it serves loopback addresses only. It prints one line when it is ready,
        then a few commands to try; its log goes to standard error.

        Example:
          shunt serve --listen 127.0.0.1:9000 --data /var/lib/shunt

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.isEmpty else {
            throw CommandFailure(.usage, "unexpected argument \(options.arguments[0])")
        }
        let configuration = try configuration(options)
        ProcessSignals.block()
        do throws(DaemonError) {
            let daemon = try Daemon(configuration)
            try daemon.run { listen in
                StandardStream.output.write("shunt: ready on http://\(listen)\n" + hints(listen, configuration))
            }
            return .success
        } catch {
            switch error {
            case .configuration(let error): throw CommandFailure(.configuration, error.description)
            case .dataInUse(let message), .failed(let message): throw CommandFailure(.failure, message)
            }
        }
    }

    /// The file's settings, and over them those of the environment and the options; all that is wrong is told at once.
    private static func configuration(_ options: Options) throws(CommandFailure) -> Configuration {
        var configuration = Configuration()
        var problems: [String] = []
        do throws(ConfigurationError) {
            configuration = try ConfigurationFile.read(options["--config"])
        } catch {
            problems.append(error.description)
        }
        do throws(ConfigurationError) {
            if let listen = options["--listen"] { configuration.listen = try ListenAddress(parsing: listen) }
        } catch {
            problems.append(error.description)
        }
        guard problems.isEmpty else { throw CommandFailure(.configuration, problems.joined(separator: "\n")) }
        if let data = options["--data"] { configuration.dataPath = data }
        if let rules = options["--rules"] { configuration.rulesPath = rules }
        if let dashboards = options["--dashboards"] { configuration.dashboardsPath = dashboards }
        return configuration
    }

    private static func hints(_ listen: ListenAddress, _ configuration: Configuration) -> String {
        let shunt = CommandLine.arguments.first ?? "shunt"
        guard !configuration.tokens.isEmpty else {
            return """
                With no tokens configured, every role is open to this machine, and only to it.
                Three commands to try:
                  curl -s http://\(listen)/v1/switches
                  curl -s http://\(listen)/v1/events -H 'Content-Type: application/json' \\
                    -d '{"error":{"domain":"verify","code":"8771"}}'
                  \(shunt) status --url http://\(listen)

                """
        }
        let count = configuration.tokens.count
        let polls = configuration.arePollsPublic ? "only polls of the switches need none" : "polls need one as well"
        return """
            \(count) \(count == 1 ? "token is" : "tokens are") configured; \(polls).
            To try it, with the token of a reader or an operator in SHUNT_TOKEN:
              \(shunt) status --url http://\(listen)

            """
    }
}
