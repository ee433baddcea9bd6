import ShuntNative
import ShuntSchema

/// `shunt alerts`.
enum AlertsCommand: Command {
    static let name = "alerts"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--firing", takesValue: false),
            OptionSpec(name: "--rule"),
            OptionSpec(name: "--environment"),
            OptionSpec(name: "--limit"),
            OptionSpec(name: "--note"),
            OptionSpec(name: "--for"),
            OptionSpec(name: "--comment"),
            OptionSpec(name: "--until-resolved", takesValue: false),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt alerts: what fires, what fired, and whose it is.

        Usage: shunt alerts [--firing] [--rule R] [--environment E] [--limit 20]
               shunt alerts show ID
               shunt alerts ack ID [--note N] [--for 1h]
               shunt alerts silence add|list|expire …      as shunt silence

          (nothing)       alerts, newest first: open ones and the last that ended
          show ID         one alert, all of it
          ack ID          it is yours: nobody is reminded and nothing is escalated
                          until your time is over (1h, at most 24h)

          --firing        only what fires now, mitigated or not
          --rule R        only those of this rule
          --environment E only those of this environment
          --note N        what others should know
          --for T         how long it is yours: 30m, 1h, 24h
          --json          print what the daemon answers
        \(DaemonClient.optionsHelp)

        Example:
          shunt alerts --firing
          shunt alerts ack 102-0 --note "calling the bank" --for 2h

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        let words = options.arguments
        switch words.first {
        case nil: return try list(options)
        case "silence": return try SilenceCommand.run(options, words: words.dropFirst())
        case "show", "ack":
            guard words.count == 2 else {
                throw CommandFailure(.usage, "which alert? Expected: shunt alerts \(words[0]) ID")
            }
            return words[0] == "show" ? try show(words[1], options) : try acknowledge(words[1], options)
        default:
            throw CommandFailure(.usage, "unknown \(words[0]); expected show, ack, silence or nothing")
        }
    }

    private static func list(_ options: Options) throws(CommandFailure) -> ExitStatus {
        let limit = min(try options.integer("--limit", minimum: 1) ?? 20, 500)
        var path = "/v1/alerts?limit=\(limit)"
        if options.has("--firing") { path += "&state=firing" }
        if let rule = options["--rule"] { path += "&rule=\(rule.queryEncoded)" }
        if let environment = options["--environment"] { path += "&environment=\(environment.queryEncoded)" }
        var client = try DaemonClient(options)
        let answer = try client.answer(.get, path)
        let style = TextStyle(isColoured: StandardStream.output.isTerminal)
        write(answer.text, AlertText(style: style).list(answer.document), options)
        return .success
    }

    private static func show(_ id: String, _ options: Options) throws(CommandFailure) -> ExitStatus {
        var client = try DaemonClient(options)
        let answer = try client.answer(.get, "/v1/alerts/\(id.queryEncoded)")
        let style = TextStyle(isColoured: StandardStream.output.isTerminal)
        write(answer.text, AlertText(style: style).whole(answer.document), options)
        return .success
    }

    private static func acknowledge(_ id: String, _ options: Options) throws(CommandFailure) -> ExitStatus {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("note", options["--note"])
        writer.field("forSec", try DurationOption.seconds("--for", of: options, most: 86_400))
        writer.endObject()
        var client = try DaemonClient(options)
        let answer = try client.answer(.post, "/v1/alerts/\(id.queryEncoded)/ack", body: writer.bytes)
        write(answer.text, AlertText(style: TextStyle(isColoured: false)).acknowledged(answer.document), options)
        return .success
    }

    static func write(_ json: String, _ text: String, _ options: Options) {
        StandardStream.output.write(options.has("--json") ? json + "\n" : text)
    }
}
