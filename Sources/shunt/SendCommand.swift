import ShuntNative
import ShuntSchema

/// `shunt send`.
enum SendCommand: Command {
    static let name = "send"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--batch"),
            OptionSpec(name: "--retry-for"),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt send: send events from a file or standard input.

        Usage: shunt send FILE|- [--url URL] [--batch 500] [--retry-for 30] [--json]

        FILE holds events as JSON: one a line (NDJSON), an array, an envelope with
        "events", or a single event. Bad events are named and left out; the others
        are sent. When it is interrupted, the same command goes on where it stopped
        (FILE.sending keeps the place), and no event counts twice.

          --batch N       events a request, 1 to 1000 (default 500)
          --retry-for SEC how long a daemon that went away is waited for (default 30)
          --json          print the result as JSON
        \(DaemonClient.optionsHelp)

        Exit status: 0 all taken or known before, 1 some were not, 3 no daemon reached.

        Example:
          shunt send failures.ndjson
          tail -n 100 app.log | shunt send -

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.count == 1 else {
            throw CommandFailure(.usage, "expected one FILE, or - for standard input")
        }
        let path = options.arguments[0]
        let batch = try options.integer("--batch", minimum: 1) ?? 500
        guard batch <= 1000 else { throw CommandFailure(.usage, "--batch \(batch): expected at most 1000") }
        let patienceSec = try options.integer("--retry-for", minimum: 0) ?? 30
        var source = try EventSource(path: path)
        let progress = SendProgress(of: path, size: source.size)
        var sender = EventSender(
            client: try DaemonClient(options),
            progress: progress,
            batchSize: batch,
            patienceMs: Int64(patienceSec) * 1000
        )
        try sender.sendAll(of: &source)
        StandardStream.output.write(options.has("--json") ? sender.tally.json : sender.tally.text)
        return sender.tally.rejected == 0 ? .success : .failure
    }
}

/// What became of the events of one run.
struct SendTally {
    var sent = 0
    var accepted = 0
    var duplicates = 0
    var rejected = 0
    var late = 0

    var text: String {
        var parts = ["\(accepted) accepted"]
        if duplicates > 0 { parts.append("\(duplicates) known before") }
        if late > 0 { parts.append("\(late) too late to count") }
        if rejected > 0 { parts.append("\(rejected) rejected") }
        return "sent \(sent) events: \(parts.joined(separator: ", "))\n"
    }

    var json: String {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.field("sent", sent)
        writer.field("accepted", accepted)
        writer.field("duplicates", duplicates)
        writer.field("late", late)
        writer.field("rejected", rejected)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}
