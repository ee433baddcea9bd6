import ShuntNative
import ShuntSchema

/// `shunt silence`.
enum SilenceCommand: Command {
    static let name = "silence"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--for"),
            OptionSpec(name: "--comment"),
            OptionSpec(name: "--until-resolved", takesValue: false),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt silence: keep alerts from being told for a while.

        Usage: shunt silence add MATCHER… --for 2h --comment C
               shunt silence list
               shunt silence expire ID

          add             what all matchers fit isn't told; it fires, ends and moves
                          payers all the same. A matcher is NAME=VALUE or NAME!=VALUE,
                          with rule, severity or an attribute that rules group by
          list            silences in force, and how many alerts each one hides now
          expire ID       end one now; what still fires is told at once

          --for T         how long: 90s, 30m, 2h, at most 7d
          --until-resolved  until what it hid has ended, at most for --for, or 7d
          --comment C     why; kept in the audit
          --json          print what the daemon answers
        \(DaemonClient.optionsHelp)

        Example:
          shunt silence add error.code=8771 environment=production --for 30m \\
            --comment "certificate is being renewed"

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        try run(options, words: options.arguments[...])
    }

    /// - Parameter words: what follows `silence`.
    static func run(_ options: Options, words: ArraySlice<String>) throws(CommandFailure) -> ExitStatus {
        let rest = Array(words.dropFirst())
        switch words.first {
        case "add": return try add(rest, options)
        case "list":
            guard rest.isEmpty else { throw CommandFailure(.usage, "unexpected argument \(rest[0])") }
            return try list(options)
        case "expire":
            guard rest.count == 1 else {
                throw CommandFailure(.usage, "which silence? Expected: shunt silence expire ID")
            }
            return try expire(rest[0], options)
        case let word?: throw CommandFailure(.usage, "unknown \(word); expected add, list or expire")
        case nil: throw CommandFailure(.usage, "expected add, list or expire")
        }
    }

    private static func add(_ matchers: [String], _ options: Options) throws(CommandFailure) -> ExitStatus {
        guard !matchers.isEmpty else {
            throw CommandFailure(.usage, "which alerts? Expected matchers such as error.code=8771 or rule=new-code")
        }
        guard let comment = options["--comment"], !comment.isEmpty else {
            throw CommandFailure(.usage, "why? Expected --comment \"…\", for those who come after")
        }
        let seconds = try DurationOption.seconds("--for", of: options, most: 7 * 86_400)
        guard seconds != nil || options.has("--until-resolved") else {
            throw CommandFailure(.usage, "how long? Expected --for 2h, or --until-resolved: a silence always ends")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("matchers")
        writer.beginArray()
        for matcher in matchers { try write(matcher, to: &writer) }
        writer.endArray()
        writer.field("forSec", seconds)
        writer.field("untilResolved", options.has("--until-resolved"))
        writer.field("comment", comment)
        writer.endObject()
        var client = try DaemonClient(options)
        let answer = try client.answer(.post, "/v1/silences", body: writer.bytes)
        let text = AlertText(style: TextStyle(isColoured: false)).silence(answer.document)
        AlertsCommand.write(answer.text, text, options)
        return .success
    }

    private static func write(_ matcher: String, to writer: inout JSONWriter) throws(CommandFailure) {
        guard let place = matcher.firstIndex(of: "="), place != matcher.startIndex else {
            throw CommandFailure(.usage, "\(matcher): expected a matcher such as error.code=8771 or severity!=critical")
        }
        var name = matcher[..<place]
        let isUnequal = name.hasSuffix("!")
        if isUnequal { name.removeLast() }
        writer.beginObject()
        writer.field("name", String(name))
        writer.field("op", isUnequal ? "!=" : "=")
        writer.field("value", String(matcher[matcher.index(after: place)...]))
        writer.endObject()
    }

    private static func list(_ options: Options) throws(CommandFailure) -> ExitStatus {
        var client = try DaemonClient(options)
        let answer = try client.answer(.get, "/v1/silences")
        let text = AlertText(style: TextStyle(isColoured: false)).silences(answer.document)
        AlertsCommand.write(answer.text, text, options)
        return .success
    }

    private static func expire(_ id: String, _ options: Options) throws(CommandFailure) -> ExitStatus {
        var client = try DaemonClient(options)
        let answer = try client.answer(.delete, "/v1/silences/\(id.queryEncoded)")
        AlertsCommand.write(answer.text, "\(id) is over; what it hid and still fires is told now\n", options)
        return .success
    }
}
