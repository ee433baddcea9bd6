import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt audit`.
enum AuditCommand: Command {
    static let name = "audit"

    static let options = [
        OptionSpec(name: "--data", variable: "SHUNT_DATA"), OptionSpec(name: "--head"), OptionSpec(name: "--limit"),
        OptionSpec(name: "--json", takesValue: false),
    ]

    static let help = """
        shunt audit: who moved payers, when, from where and why.

        Usage: shunt audit list [--data FOLDER] [--limit N] [--json]
               shunt audit verify [--data FOLDER] [--head HASH] [--json]

        It reads the data folder, beside a running daemon too. Each row is chained to
        the one before by its hash, so verify finds any that was changed, removed or
        put elsewhere. Rows removed at the end leave no trace: note the head that it
        prints somewhere else, and give it as --head the next time.

          --data FOLDER  the daemon's data (default ./shunt-data; SHUNT_DATA)
          --head HASH    a head that was noted earlier, which must be in the chain
          --limit N      how many rows, the newest (default 20)
          --json         list: a line of JSON for each row; verify: an object

        Exit status of verify: 0 all is right, 1 the first row that isn't is named.

        Example:
          shunt audit verify --data /var/lib/shunt

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.count == 1, let verb = options.arguments.first, ["list", "verify"].contains(verb) else {
            let found = options.arguments.isEmpty ? "nothing" : options.arguments.joined(separator: " ")
            throw CommandFailure(.usage, "expected shunt audit list or shunt audit verify, found \(found)")
        }
        let other = verb == "list" ? "--head" : "--limit"
        guard !options.has(other) else { throw CommandFailure(.usage, "\(other) is no option of audit \(verb)") }
        let limit = try options.integer("--limit", minimum: 1) ?? 20
        let head = try noted(options["--head"])
        do throws(AuditReader.Failure) {
            let reader = try AuditReader(dataPath: options["--data"] ?? "./shunt-data")
            if verb == "list" {
                let records = try reader.records(before: nil, limit: limit)
                StandardStream.output.write(options.has("--json") ? json(records) : AuditText.lines(records))
                return .success
            }
            let verification = try reader.verify(head: head)
            StandardStream.output.write(options.has("--json") ? json(verification) : text(verification))
            return verification.isGood ? .success : .failure
        } catch {
            throw CommandFailure(.failure, error.description)
        }
    }

    private static func noted(_ text: String?) throws(CommandFailure) -> Digest? {
        guard let text else { return nil }
        guard let head = Digest(hexadecimal: text) else {
            throw CommandFailure(
                .usage,
                "--head \(text.visible): expected 64 hexadecimal digits, as verify prints them"
            )
        }
        return head
    }

    private static func text(_ verification: AuditVerification) -> String {
        var lines: [String] = []
        if let problem = verification.problem {
            lines.append("row \(problem.number): \(problem.reason)")
            lines.append("The \(verification.count) before it are right.")
        } else {
            lines.append("\(verification.count) rows, all of them right and in their places")
        }
        if verification.isNotedMissing {
            lines.append("The noted head is that of no row: rows were removed at the end, or all")
            lines.append("were written anew.")
        } else if let number = verification.notedAt, verification.problem == nil {
            lines.append("the noted head is that of row \(number); \(verification.count - number) came after it")
        }
        lines.append("head of row \(verification.count):")
        lines.append(verification.head.hexadecimal)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func json(_ verification: AuditVerification) -> String {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.field("isGood", verification.isGood)
        writer.field("rows", verification.count)
        writer.field("head", verification.head.hexadecimal)
        if let number = verification.notedAt { writer.field("notedHeadAt", number) }
        if let problem = verification.problem {
            writer.field("badRow", problem.number)
            writer.field("reason", problem.reason)
        } else if verification.isNotedMissing {
            writer.field("reason", "the noted head is that of no row")
        }
        writer.endObject()
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func json(_ records: [AuditReader.Record]) -> String {
        var writer = JSONWriter(capacity: 4096)
        for record in records {
            writer.beginObject()
            writer.field("hash", record.hash.hexadecimal)
            writer.key("row")
            writer.json(record.line)
            writer.endObject()
            writer.endLine()
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
