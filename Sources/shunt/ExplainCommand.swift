import ShuntNative
import ShuntSchema

/// `shunt explain`.
enum ExplainCommand: Command {
    static let name = "explain"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--domain"),
            OptionSpec(name: "--environment"),
            OptionSpec(name: "--stage"),
            OptionSpec(name: "--version"),
            OptionSpec(name: "--data", variable: "SHUNT_DATA"),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt explain: say what a code means and what holds each rule back, or why
        payers were moved.

        Usage: shunt explain CODE [--domain D] [--environment E] [--stage S]
                             [--json] [--url URL]
               shunt explain --version N [--data FOLDER] [--json]

          --domain D      the code's namespace (default: each that is counted or
                          known)
          --environment E where it happens (default: everywhere)
          --stage S       how far the attempts had come, e.g. charge (default: any)
          --version N     replay what made version N of the switches from the journal,
                          and hold it against what the audit says
          --data FOLDER   the daemon's data, for --version (default ./shunt-data;
                          SHUNT_DATA); works beside a running daemon
          --json          print as JSON
        \(DaemonClient.optionsHelp)

        A code that begins with -- comes after a --. With --version the exit status is
        0 where the replay comes to the same decision for the same reasons, and 1 where
        it doesn't: each difference is named.

        Examples:
          shunt explain 8771 --domain verify --environment production
          shunt explain --version 2 --data /var/lib/shunt

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        if options.has("--version") { return try DecisionCommand.run(options) }
        guard let code = options.arguments.first else {
            throw CommandFailure(.usage, "which code? Expected: shunt explain CODE, or shunt explain --version N")
        }
        guard !options.isGiven("--data") else {
            throw CommandFailure(.usage, "--data goes with --version; a code is explained by the daemon (--url)")
        }
        guard options.arguments.count == 1 else {
            throw CommandFailure(.usage, "unexpected argument \(options.arguments[1]); expected one code")
        }
        var target = "/v1/explain?code=\(code.queryEncoded)"
        for name in ["domain", "environment", "stage"] {
            if let value = options["--\(name)"] { target += "&\(name)=\(value.queryEncoded)" }
        }
        var client = try DaemonClient(options)
        let response: HTTPTransfer.Response
        do throws(HTTPTransferError) {
            response = try client.get(target)
        } catch {
            throw CommandFailure(.unreachable, "no daemon at \(client.url): \(error)")
        }
        if let refusal = client.refusal(response) { throw refusal }
        let report = try ExplainReport(response, url: client.url)
        let style = TextStyle(isColoured: StandardStream.output.isTerminal)
        StandardStream.output.write(options.has("--json") ? report.json : report.text(style: style))
        return .success
    }
}

/// What `shunt explain` shows.
struct ExplainReport: ~Copyable {
    private let body: [UInt8]
    private var document = JSONDocument()

    init(_ response: HTTPTransfer.Response, url: String) throws(CommandFailure) {
        body = response.body
        do throws(JSONError) {
            try document.parse(body)
        } catch {
            throw CommandFailure(.failure, "\(url) answers \(response.status) with what can't be read: \(error)")
        }
        guard response.status == 200 else {
            let detail = document.text("detail", of: document.root) ?? "no reason given"
            throw CommandFailure(response.status == 400 ? .usage : .failure, detail)
        }
    }

    var json: String { String(decoding: body, as: UTF8.self) + "\n" }

    func text(style: TextStyle) -> String {
        var page = TextPage()
        let root = document.root
        forEach("domains", of: root) { write($0, code: document.text("code", of: root) ?? "?", to: &page, style) }
        let omitted = document.number("omittedDomains", of: root) ?? 0
        if omitted > 0 { page.add("… and \(omitted) more domains; --domain shows one") }
        return page.text
    }

    private func write(_ domain: JSONValue, code: String, to page: inout TextPage, _ style: TextStyle) {
        if !page.text.isEmpty { page.add("") }
        page.add("\(word("domain", domain)) \(code): \(word("class", domain))", style: style.strong)
        page.add(word("why", domain), indentation: 2)
        page.add(
            "weight \(word("switchWeight", domain)), money \(word("money", domain)), retry \(word("retry", domain))",
            indentation: 2
        )
        if let row = document.member("row", of: domain), let note = document.text("note", of: row) {
            page.add(note, indentation: 2)
        }
        for (stages, meaning) in otherStages(of: domain) {
            page.add("at \(stages.joined(separator: ", ")): \(meaning)", indentation: 2)
        }
        forEach("rules", of: domain) { write($0, to: &page, style) }
    }

    /// The stages at which the code means something else, those that mean the same together.
    private func otherStages(of domain: JSONValue) -> [(stages: [String], meaning: String)] {
        var result: [(stages: [String], meaning: String)] = []
        forEach("otherStages", of: domain) { other in
            let meaning =
                "\(word("class", other)), weight \(word("switchWeight", other)), money \(word("money", other)), "
                + "retry \(word("retry", other))"
            if let place = result.firstIndex(where: { $0.meaning == meaning }) {
                result[place].stages.append(word("stage", other))
            } else {
                result.append(([word("stage", other)], meaning))
            }
        }
        return result
    }

    private func write(_ rule: JSONValue, to page: inout TextPage, _ style: TextStyle) {
        let matches =
            switch word("matches", rule) {
            case "yes": "looks at it"
            case "depends": "may look at it"
            default: "doesn't look at it"
            }
        let trips = document.text("trips", of: rule).map { ", trips \($0)" } ?? ""
        page.add("")
        page.add("rule \(word("id", rule))\(trips): \(matches)", indentation: 2, style: style.strong)
        var conditions: [String] = []
        forEach("depends", of: rule) { conditions.append(document.string(of: $0) ?? "?") }
        if !conditions.isEmpty { page.add("if \(conditions.joined(separator: "; "))", indentation: 4) }
        writeHolds(of: rule, indentation: 4, to: &page)
        forEach("groups", of: rule) { write($0, of: rule, to: &page, style) }
        let omitted = document.number("omittedGroups", of: rule) ?? 0
        if omitted > 0 { page.add("… and \(omitted) more groups", indentation: 4) }
    }

    private func write(_ group: JSONValue, of rule: JSONValue, to page: inout TextPage, _ style: TextStyle) {
        var values: [String] = []
        forEach("group", of: group) { values.append(document.string(of: $0) ?? "?") }
        let count = document.number("count", of: group) ?? 0
        let threshold = document.number("threshold", of: rule) ?? 0
        let isReached = count >= threshold
        let shared = document.member("shared", of: group).flatMap { document.bool(of: $0) } ?? false
        page.add(
            "\(values.joined(separator: " ")): \(isReached ? "at least " : "")\(count) of \(threshold) "
                + "\(word("count", rule))\(shared ? ", other errors too" : "")",
            indentation: 4,
            style: isReached ? style.alarm : { $0 }
        )
        if let alert = document.member("alert", of: group) {
            let version = document.number("version", of: alert).map { ", version \($0)" } ?? ""
            page.add(
                "alert \(word("id", alert)) is \(word("state", alert)) since \(word("startsAt", alert)), "
                    + "switch decision \(word("decision", alert))\(version)",
                indentation: 6
            )
        }
        writeHolds(of: group, indentation: 6, to: &page)
    }

    private func writeHolds(of value: JSONValue, indentation: Int, to page: inout TextPage) {
        forEach("holds", of: value) {
            page.add("\(word("name", $0)): \(word("detail", $0))", indentation: indentation)
        }
    }

    private func word(_ key: String, _ value: JSONValue) -> String { document.text(key, of: value) ?? "?" }

    private func forEach(_ key: String, of value: JSONValue, _ body: (JSONValue) -> Void) {
        guard let list = document.member(key, of: value) else { return }
        var elements = document.children(of: list)
        while let element = elements.next(in: document) { body(element) }
    }
}

/// Lines of at most 80 columns.
struct TextPage {
    private static let width = 80

    private(set) var text = ""

    /// Adds a paragraph, broken at spaces where it has them. What comes from events can't steer the terminal: control
    /// characters are shown as a mark.
    mutating func add(_ paragraph: String, indentation: Int = 0, style: (String) -> String = { $0 }) {
        let indent = String(repeating: " ", count: indentation)
        var line = ""
        var start = indent
        let clean = String(paragraph.map { Self.isControl($0) ? "\u{FFFD}" : $0 })
        func end() -> String {
            let finished = line.isEmpty ? "\n" : "\(start)\(style(line))\n"
            start = indent + "  "
            line = ""
            return finished
        }
        for word in clean.split(separator: " ", omittingEmptySubsequences: false) {
            var rest = word
            if !line.isEmpty, start.count + line.count + 1 + rest.count > Self.width { text += end() }
            while start.count + rest.count > Self.width {
                let room = Self.width - start.count
                line = String(rest.prefix(room))
                rest = rest.dropFirst(room)
                text += end()
            }
            line += line.isEmpty ? String(rest) : " " + rest
        }
        text += end()
    }

    private static func isControl(_ character: Character) -> Bool {
        character.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
