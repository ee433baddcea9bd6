import ShuntNative
import ShuntSchema

/// `shunt switch`.
enum SwitchCommandTool: Command {
    static let name = "switch"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--environment"),
            OptionSpec(name: "--scope"),
            OptionSpec(name: "--reason"),
            OptionSpec(name: "--for"),
            OptionSpec(name: "--limit"),
            OptionSpec(name: "--yes", takesValue: false),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt switch: look at switches, and move them by hand.

        Usage: shunt switch list|show|history [KEY]
               shunt switch override KEY VARIANT --reason R [--for 1h]
               shunt switch clear|trip|restore KEY --reason R
               shunt switch mode KEY armed|dryRun|disarmed --reason R

          list            all switches, a line each
          show KEY        one switch: its slices, overrides and reasons
          history KEY     what it did, newest first (--limit 20)
          override        everybody takes this variant until the override ends, at most
                          24h; rules go on beneath it
          clear           end an override now
          trip, restore   move the switch itself; restore also unlocks it
          mode            what rules may do: armed, dryRun (all but move payers),
                          disarmed (nothing)

          --environment E the environment (default production)
          --scope A=B,…   a slice of it, e.g. region=CN
          --reason R      why; kept in the audit, and needed for every move
          --for T         how long an override holds: 90s, 30m, 1h (the default)
          --yes           don't ask before payers go the normal way again
          --json          print what the daemon answers
        \(DaemonClient.optionsHelp)

        Example:
          shunt switch override apple-pay web --for 30m --reason "bank maintenance"

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        let words = options.arguments
        guard let verb = words.first else { throw CommandFailure(.usage, "expected list, show, history or a move") }
        switch verb {
        case "list", "show": return try look(options, key: try key(words, of: verb, isNeeded: verb == "show"))
        case "history": return try history(options, key: try key(words, of: verb, isNeeded: true) ?? "")
        case "override", "mode":
            guard words.count == 3 else {
                let what = verb == "mode" ? "armed, dryRun or disarmed" : "a variant"
                throw CommandFailure(.usage, "expected a switch and \(what): shunt switch \(verb) KEY …")
            }
            return try SwitchMove(options, verb: verb, key: words[1], argument: words[2]).perform()
        case "clear", "trip", "restore":
            let key = try key(words, of: verb, isNeeded: true) ?? ""
            return try SwitchMove(options, verb: verb, key: key, argument: nil).perform()
        default:
            throw CommandFailure(
                .usage,
                "unknown \(verb); expected list, show, history, override, clear, trip, restore or mode"
            )
        }
    }

    private static func key(_ words: [String], of verb: String, isNeeded: Bool) throws(CommandFailure) -> String? {
        guard words.count <= 2 else { throw CommandFailure(.usage, "unexpected argument \(words[2])") }
        if words.count == 2 { return words[1] }
        guard !isNeeded else { throw CommandFailure(.usage, "which switch? Expected: shunt switch \(verb) KEY") }
        return nil
    }

    // MARK: Looking

    private static func look(_ options: Options, key: String?) throws(CommandFailure) -> ExitStatus {
        let environment = (options["--environment"] ?? PaymentEvent.defaultEnvironment).queryEncoded
        let path = key.map { "/v1/switches/\($0.queryEncoded)" } ?? "/v1/switches"
        var client = try DaemonClient(options)
        let answer = try client.answer(.get, "\(path)?environment=\(environment)")
        if options.has("--json") {
            StandardStream.output.write(answer.text + "\n")
        } else {
            let style = TextStyle(isColoured: StandardStream.output.isTerminal)
            StandardStream.output.write(SwitchText(style: style).document(answer.document, isFull: key != nil))
        }
        return .success
    }

    private static func history(_ options: Options, key: String) throws(CommandFailure) -> ExitStatus {
        let limit = try options.integer("--limit", minimum: 1) ?? 20
        var client = try DaemonClient(options)
        let answer = try client.answer(.get, "/v1/switches/\(key.queryEncoded)/history?limit=\(min(limit, 500))")
        if options.has("--json") {
            StandardStream.output.write(answer.text + "\n")
        } else {
            StandardStream.output.write(
                SwitchText(style: TextStyle(isColoured: false)).history(answer.document, of: key)
            )
        }
        return .success
    }
}
