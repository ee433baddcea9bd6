import ShuntNative
import ShuntServer

/// `shunt errors`.
enum ErrorsCommand: Command {
    static let name = "errors"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--domain"),
            OptionSpec(name: "--environment"),
            OptionSpec(name: "--class"),
            OptionSpec(name: "--window"),
            OptionSpec(name: "--limit"),
            OptionSpec(name: "--lang"),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt errors: which payments fail, and all that is known of a code.

        Usage: shunt errors [--window 5m] [--environment E] [--class C] [--limit 20]
               shunt errors CODE [--domain D] [--environment E] [--window 5m]

          (nothing)       error keys by how often they failed lately
          CODE            what a code means and what to do: counts, money, where it
                          fails, likely causes, newest events, alerts

          --window T      what counts as lately: 30s to 24h, of one code at most 1h
                          (default 5m)
          --environment E where payers are (default production; of a code everywhere)
          --domain D      the code's namespace (default: all that have it)
          --class C       only errors of this class, e.g. merchantConfig
          --limit N       how many error keys (default 20)
          --lang en|zh    the language of causes and steps (default en)
          --json          print what the daemon answers
        \(DaemonClient.optionsHelp)

        A code that begins with -- comes after a --.

        Examples:
          shunt errors --window 1h
          shunt errors 8771

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.count <= 1 else {
            throw CommandFailure(.usage, "unexpected argument \(options.arguments[1]); expected one code")
        }
        let windowSec = Int(try DurationOption.seconds("--window", of: options, most: 86_400) ?? 300)
        var query = ["windowSec=\(windowSec)"]
        for name in ["environment", "class", "domain", "lang"] {
            if let value = options["--\(name)"] { query.append("\(name)=\(value.queryEncoded)") }
        }
        let page = ErrorText(style: TextStyle(isColoured: StandardStream.output.isTerminal), windowSec: windowSec)
        var client = try DaemonClient(options)
        if let code = options.arguments.first {
            let path = "/v1/errors/\(code.queryEncoded)?\(query.joined(separator: "&"))"
            let answer = try client.answer(.get, path)
            AlertsCommand.write(answer.text, page.whole(answer.document), options)
        } else {
            let limit = min(try options.integer("--limit", minimum: 1) ?? 20, 1_000)
            let answer = try client.answer(.get, "/v1/errors?limit=\(limit)&\(query.joined(separator: "&"))")
            AlertsCommand.write(answer.text, page.list(answer.document), options)
        }
        return .success
    }
}
