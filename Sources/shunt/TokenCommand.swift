import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt token`.
enum TokenCommand: Command {
    static let name = "token"

    static let options = [
        OptionSpec(name: "--name"), OptionSpec(name: "--role"), OptionSpec(name: "--trust"),
        OptionSpec(name: "--json", takesValue: false),
    ]

    static let help = """
        shunt token: make a token for who reports, reads or operates.

        Usage: shunt token new [--name NAME] [--role report|read|operate]
                               [--trust public|trusted] [--json]

        It prints the token, which is kept nowhere and can't be shown again, and the
        line for shunt.yaml, which holds only its SHA-256.

          --name NAME   what the audit calls whoever has it (default: the role)
          --role ROLE   report sends events, read looks, operate moves payers
                        (default report)
          --trust TRUST public for a token inside an app or a page, trusted for one
                        that stays on servers (default public; for reports only)
          --json        print as JSON

        Example:
          shunt token new --name backend --role report --trust trusted

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments == ["new"] else {
            let found = options.arguments.isEmpty ? "nothing" : options.arguments.joined(separator: " ")
            throw CommandFailure(.usage, "expected shunt token new, found \(found)")
        }
        let role: Role = try word("--role", of: options) ?? .report
        let trust: ReporterTrust? = try word("--trust", of: options)
        guard trust == nil || role == .report else {
            throw CommandFailure(.usage, "--trust is for the role report: \(role.rawValue) reports nothing")
        }
        let token: NewToken
        do throws(ConfigurationError) {
            token = try NewToken(name: options["--name"] ?? role.rawValue, role: role, trust: trust ?? .public)
        } catch {
            throw CommandFailure(.usage, "--\(error)")
        }
        StandardStream.output.write(options.has("--json") ? json(token) : text(token))
        return .success
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ option: String,
        of options: Options
    ) throws(CommandFailure) -> Word? {
        guard let text = options[option] else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "\(option) \(text): expected one of \(words)")
        }
        return word
    }

    private static func text(_ token: NewToken) -> String {
        """
        token:  \(token.text)
        sha256: \(token.sha256)

        The token is kept nowhere: store it now. In shunt.yaml, below tokens:

          \(token.line)

        """
    }

    private static func json(_ token: NewToken) -> String {
        var writer = JSONWriter(capacity: 400)
        writer.beginObject()
        writer.field("token", token.text)
        writer.field("sha256", token.sha256)
        writer.field("name", token.access.name)
        writer.field("role", token.access.role.rawValue)
        if token.access.role == .report { writer.field("trust", token.access.trust.rawValue) }
        writer.field("line", token.line)
        writer.endObject()
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
