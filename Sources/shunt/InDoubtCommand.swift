import ShuntNative
import ShuntSchema

/// `shunt in-doubt`.
enum InDoubtCommand: Command {
    static let name = "in-doubt"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--environment"),
            OptionSpec(name: "--limit"),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt in-doubt: payments of which nobody knows whether money moved, the oldest
        first. Ask the provider about each, then settle it.

        Usage: shunt in-doubt [--environment E] [--limit 20] [--json]

          --environment E where payers are (default production)
          --limit N       how many (default 20)
          --json          print what the daemon answers
        \(DaemonClient.optionsHelp)

        Example:
          shunt in-doubt
          shunt attempt settle INT-2024-0001 --result paid --note "bank's statement"

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.isEmpty else {
            throw CommandFailure(.usage, "unexpected argument \(options.arguments[0]); shunt attempt ID shows one")
        }
        let limit = min(try options.integer("--limit", minimum: 1) ?? 20, 500)
        var path = "/v1/inDoubt?limit=\(limit)"
        if let environment = options["--environment"] { path += "&environment=\(environment.queryEncoded)" }
        var client = try DaemonClient(options)
        let answer = try client.answer(.get, path)
        AlertsCommand.write(answer.text, AttemptText().list(answer.document), options)
        return .success
    }
}

/// `shunt attempt`.
enum AttemptCommand: Command {
    static let name = "attempt"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--environment"),
            OptionSpec(name: "--result"),
            OptionSpec(name: "--note"),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt attempt: where the money of one attempt stands, and what may be done.

        Usage: shunt attempt ID [--environment E] [--json]
               shunt attempt settle ID --result R --note N [--environment E]

          ID              an attemptId, or an orderRef: the order's last attempt
          settle ID       say how it ended, for the audit

          --result R      paid, notPaid, reversed or refunded
          --note N        how you know
          --environment E where the payer is (default production)
          --json          print what the daemon answers
        \(DaemonClient.optionsHelp)

        Examples:
          shunt attempt INT-2024-0001
          shunt attempt settle INT-2024-0001 --result notPaid --note "query says 34"

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        let words = options.arguments
        let query = options["--environment"].map { "?environment=\($0.queryEncoded)" } ?? ""
        if words.first == "settle" {
            guard words.count == 2 else {
                throw CommandFailure(.usage, "which attempt? Expected: shunt attempt settle ID --result R --note N")
            }
            return try settle(words[1], query, options)
        }
        guard words.count == 1 else {
            throw CommandFailure(.usage, "which attempt? Expected: shunt attempt ID")
        }
        var client = try DaemonClient(options)
        let answer = try client.answer(.get, "/v1/attempts/\(words[0].queryEncoded)\(query)")
        AlertsCommand.write(answer.text, AttemptText().whole(answer.document), options)
        return .success
    }

    private static func settle(
        _ id: String,
        _ query: String,
        _ options: Options
    ) throws(CommandFailure) -> ExitStatus {
        guard let result = options["--result"] else {
            throw CommandFailure(.usage, "--result is missing; expected paid, notPaid, reversed or refunded")
        }
        guard let note = options["--note"] else {
            throw CommandFailure(.usage, "--note is missing: how you know, for those who come after")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("result", result)
        writer.field("note", note)
        writer.endObject()
        var client = try DaemonClient(options)
        let answer = try client.answer(.post, "/v1/attempts/\(id.queryEncoded)/settle\(query)", body: writer.bytes)
        AlertsCommand.write(answer.text, AttemptText().settled(answer.document), options)
        return .success
    }
}
