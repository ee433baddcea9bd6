import ShuntNative
import ShuntSchema

/// A move of a switch by hand: what it asks the daemon for, and whether a person means it.
struct SwitchMove {
    private let options: Options
    private let verb: String
    private let key: String
    private let argument: String?
    private let reason: String
    private let environment: String
    private let scope: [(name: String, value: String)]
    private let seconds: Int64?

    init(_ options: Options, verb: String, key: String, argument: String?) throws(CommandFailure) {
        guard let reason = options["--reason"], !reason.isEmpty else {
            throw CommandFailure(.usage, "why? Expected --reason \"…\", for those who come after")
        }
        self.options = options
        self.verb = verb
        self.key = key
        self.argument = argument
        self.reason = reason
        environment = options["--environment"] ?? PaymentEvent.defaultEnvironment
        scope = try Self.scope(options["--scope"])
        seconds = try Self.seconds(options["--for"])
        if seconds != nil, verb != "override" { throw CommandFailure(.usage, "--for belongs to override") }
        if verb == "mode", !scope.isEmpty { throw CommandFailure(.usage, "a mode is one for all slices") }
    }

    /// Asks whoever should be asked, then the daemon.
    func perform() throws(CommandFailure) -> ExitStatus {
        var client = try DaemonClient(options)
        try confirm(&client)
        let path = "/v1/switches/\(key.queryEncoded)/\(verb == "clear" ? "override" : verb)"
        let answer = try client.answer(verb == "clear" ? .delete : .post, path, body: body)
        StandardStream.output.write(
            options.has("--json")
                ? answer.text + "\n" : SwitchText(style: TextStyle(isColoured: false)).moved(answer.document)
        )
        return .success
    }

    private var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("reason", reason)
        if verb == "override" {
            writer.field("variant", argument)
            if let seconds { writer.field("expiresInSec", seconds) }
        }
        if verb == "mode" { writer.field("mode", argument) }
        writer.key("scope")
        writer.beginObject()
        writer.field("environment", environment)
        for attribute in scope { writer.field(attribute.name, attribute.value) }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// Sending payers back to a route that failed wants a second thought.
    private func confirm(_ client: inout DaemonClient) throws(CommandFailure) {
        guard verb == "restore" || verb == "override" || verb == "clear" else { return }
        let path = "/v1/switches/\(key.queryEncoded)?environment=\(environment.queryEncoded)"
        let answer = try client.answer(.get, path)
        let facts = SwitchFacts(answer.document)
        if verb == "override", facts.degradedVariants.contains(argument ?? "") || facts.isCalm { return }
        guard !facts.isCalm else { return }
        let payers =
            scope.isEmpty
            ? environment : "\(environment), " + scope.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
        let now = "\(key) is \(facts.state) (\(facts.variant)) there"
        let question = "This lets payers of \(payers) go the normal way again while \(now)."
        guard !options.has("--yes") else { return }
        guard StandardInput.isTerminal, StandardStream.error.isTerminal else {
            throw CommandFailure(.usage, "\(question) Say --yes if that is meant")
        }
        StandardStream.error.write("\(question)\nGo on? [y/N] ")
        let reply = StandardInput.readLine()?.lowercased() ?? ""
        guard reply == "y" || reply == "yes" else { throw CommandFailure(.failure, "nothing was changed") }
    }

    // MARK: Options

    private static func scope(_ text: String?) throws(CommandFailure) -> [(name: String, value: String)] {
        guard let text else { return [] }
        var attributes: [(name: String, value: String)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, !pair[0].isEmpty else {
                throw CommandFailure(.usage, "--scope \(text): expected attributes such as region=CN,psp=unionpay")
            }
            attributes.append((pair[0], pair[1]))
        }
        return attributes
    }

    private static func seconds(_ text: String?) throws(CommandFailure) -> Int64? {
        guard let text else { return nil }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()), number > 0,
            number <= 86_400 / unit
        else { throw CommandFailure(.usage, "--for \(text): expected a time such as 90s, 30m or 1h, at most 24h") }
        return number * unit
    }
}

/// What matters of a switch before it is moved, from its document.
struct SwitchFacts {
    var state = "?"
    var variant = "?"
    var isCalm = true
    var degradedVariants: [String] = []

    init(_ document: borrowing JSONDocument) {
        let root = document.root
        state = document.text("state", of: root) ?? "?"
        variant = document.text("variant", of: root) ?? "?"
        isCalm = state == "normal" && document.member("override", of: root) == nil
        if state != "normal" { degradedVariants.append(variant) }
        guard let scopes = document.member("scopes", of: root) else { return }
        var slices = document.children(of: scopes)
        while let slice = slices.next(in: document) {
            isCalm = false
            degradedVariants.append(document.text("variant", of: slice) ?? "")
        }
    }
}
