import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt channels`.
enum ChannelsCommand: Command {
    static let name = "channels"

    static let options = [
        OptionSpec(name: "--config", variable: "SHUNT_CONFIG"), OptionSpec(name: "--resolve", takesValue: false),
        OptionSpec(name: "--json", takesValue: false),
    ]

    static let help = """
        shunt channels: who is told of alerts, and whether that works.

        Usage: shunt channels list [--config shunt.yaml] [--json]
               shunt channels test NAME [--resolve] [--config shunt.yaml] [--json]

        test sends a message through the channel, for real, marked as a test, and
        says what the receiver answered and how long it took. list reads every
        secret and says which can't be. No secret is ever printed.

          --config FILE  the configuration (default ./shunt.yaml; SHUNT_CONFIG)
          --resolve      test: tell that the test is over, which closes the incident
                         that one has opened at PagerDuty or Alertmanager
          --json         print as JSON

        Exit status: 0 delivered, 1 not delivered, 78 wrong configuration.

        Example:
          shunt channels test oncall --config /etc/shunt/shunt.yaml

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        let configuration: Configuration
        switch options.arguments.first {
        case "list" where options.arguments.count == 1:
            guard !options.has("--resolve") else {
                throw CommandFailure(.usage, "--resolve is no option of channels list")
            }
            configuration = try read(options)
            return list(configuration, asJSON: options.has("--json"))
        case "test" where options.arguments.count == 2:
            configuration = try read(options)
            return try test(options.arguments[1], configuration, options)
        default:
            let found = options.arguments.isEmpty ? "nothing" : options.arguments.joined(separator: " ")
            let expected = "expected shunt channels list or shunt channels test NAME"
            throw CommandFailure(.usage, "\(expected), found \(found.visible)")
        }
    }

    private static func read(_ options: Options) throws(CommandFailure) -> Configuration {
        do throws(ConfigurationError) {
            return try ConfigurationFile.read(options["--config"])
        } catch {
            throw CommandFailure(.configuration, error.description)
        }
    }

    // MARK: List

    private static func list(_ configuration: Configuration, asJSON: Bool) -> ExitStatus {
        let lines = ChannelCheck.list(configuration)
        StandardStream.output.write(asJSON ? json(lines) : text(lines))
        return lines.contains { $0.problem != nil } ? .configuration : .success
    }

    private static func text(_ lines: [ChannelCheck.Line]) -> String {
        guard !lines.isEmpty else { return "No channels are configured: nobody is told of alerts.\n" }
        let nameWidth = lines.map(\.name.count).max() ?? 0
        let kindWidth = lines.map(\.kind.count).max() ?? 0
        return lines.map { line in
            let name = line.name + String(repeating: " ", count: nameWidth - line.name.count)
            let kind = line.kind + String(repeating: " ", count: kindWidth - line.kind.count)
            let rest = line.problem.map { "can't be used: \($0)" } ?? line.target ?? ""
            return "\(name)  \(kind)  \(line.language)  \(rest)\n"
        }.joined()
    }

    private static func json(_ lines: [ChannelCheck.Line]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for line in lines {
            writer.beginObject()
            writer.field("name", line.name)
            writer.field("kind", line.kind)
            writer.field("language", line.language)
            writer.field("target", line.target)
            writer.field("problem", line.problem)
            writer.endObject()
        }
        writer.endArray()
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    // MARK: Test

    private static func test(
        _ name: String,
        _ configuration: Configuration,
        _ options: Options
    ) throws(CommandFailure) -> ExitStatus {
        let outcome: ChannelCheck.Outcome?
        do throws(ConfigurationError) {
            outcome = try ChannelCheck.test(name, isOver: options.has("--resolve"), in: configuration)
        } catch {
            throw CommandFailure(.configuration, error.description)
        }
        guard let outcome else {
            let meant = ChannelCheck.nearest(to: name, in: configuration).map { "; did you mean \($0)?" } ?? ""
            throw CommandFailure(.failure, "no channel is called \(name.visible)\(meant)")
        }
        StandardStream.output.write(options.has("--json") ? json(name, outcome) : text(name, outcome))
        return outcome.isDelivered ? .success : .failure
    }

    private static func text(_ name: String, _ outcome: ChannelCheck.Outcome) -> String {
        var text = "\(name): \(outcome.verdict) in \(outcome.durationMs) ms\n"
        if let reason = outcome.reason { text += "  reason:   \(reason)\n" }
        if !outcome.answer.isEmpty { text += "  answer:   \(outcome.answer)\n" }
        if let failure = outcome.templateFailure {
            text += "  template: \(failure), so the built-in text was sent\n"
        }
        return text
    }

    private static func json(_ name: String, _ outcome: ChannelCheck.Outcome) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("channel", name)
        writer.field("verdict", outcome.verdict)
        writer.field("reason", outcome.reason)
        writer.field("durationMs", outcome.durationMs)
        writer.field("answer", outcome.answer)
        writer.field("templateFailure", outcome.templateFailure)
        writer.endObject()
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
