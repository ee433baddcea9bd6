import ShuntNative
import ShuntSchema

/// `shunt status`.
enum StatusCommand: Command {
    static let name = "status"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--environment"),
            OptionSpec(name: "--check", takesValue: false),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt status: show the switches and how the daemon is.

        Usage: shunt status [--environment production] [--check] [--json] [--url URL]

          --environment E the environment to show (default production)
          --check         tell by the exit status: 0 normal, 1 an alert is firing,
                          2 a switch is degraded, 3 no daemon reached, or
                          none that tells this caller
          --json          print as JSON
        \(DaemonClient.optionsHelp)

        Example:
          shunt status --check || echo "payers are affected"

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.isEmpty else {
            throw CommandFailure(.usage, "unexpected argument \(options.arguments[0])")
        }
        var client = try DaemonClient(options)
        let environment = options["--environment"] ?? "production"
        let switches = try get("/v1/switches?environment=\(environment.queryEncoded)", from: &client, accepts: [200])
        let readiness = try get("/readyz", from: &client, accepts: [200, 503])
        let report = try StatusReport(switches: switches, readiness: readiness)
        let style = TextStyle(isColoured: StandardStream.output.isTerminal)
        StandardStream.output.write(options.has("--json") ? report.json : report.text(style: style, url: client.url))
        guard options.has("--check") else { return .success }
        if report.isDegraded { return .usage }
        guard report.isDetailed else {
            let message = "\(client.url) says nothing of alerts without a token of a reader or an operator (--token)"
            throw CommandFailure(.unreachable, message)
        }
        return report.openAlerts > 0 ? .failure : .success
    }

    private static func get(
        _ path: String,
        from client: inout DaemonClient,
        accepts statuses: [Int]
    ) throws(CommandFailure) -> [UInt8] {
        let response: HTTPTransfer.Response
        do throws(HTTPTransferError) {
            response = try client.get(path)
        } catch {
            throw CommandFailure(.unreachable, "no daemon at \(client.url): \(error)")
        }
        if let refusal = client.refusal(response) { throw refusal }
        guard statuses.contains(response.status) else {
            let body = String(decoding: response.body.prefix(300), as: UTF8.self)
            throw CommandFailure(.failure, "\(client.url)\(path) answers \(response.status): \(body)")
        }
        return response.body
    }
}

/// How text is set on a terminal; plain where nobody looks at it.
struct TextStyle {
    var isColoured: Bool

    func strong(_ text: String) -> String { isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    /// Something that payers feel. The word says so too: colour is never alone.
    func alarm(_ text: String) -> String { isColoured ? "\u{1B}[1;31m\(text)\u{1B}[0m" : text }
}

/// What `shunt status` shows.
struct StatusReport {
    private struct Row {
        var key: String
        var state: String
        var variant: String
        var since: String
        var summary: String?
        var narrower: Int
    }

    private let switchesJSON: [UInt8]
    private let readinessJSON: [UInt8]
    private let environment: String
    private let version: Int64
    private var rows: [Row] = []
    private let isReady: Bool
    /// Whether the daemon says more than whether it is ready.
    let isDetailed: Bool
    private let daemonVersion: String
    private let uptimeSec: Int64
    private let lastSeq: Int64
    private let journalBytes: Int64
    let openAlerts: Int64

    var isDegraded: Bool { rows.contains { $0.state != "normal" || $0.narrower > 0 } }

    init(switches: [UInt8], readiness: [UInt8]) throws(CommandFailure) {
        switchesJSON = switches
        readinessJSON = readiness
        var document = JSONDocument()
        var ready = JSONDocument()
        do throws(JSONError) {
            try document.parse(switches)
            try ready.parse(readiness)
        } catch {
            throw CommandFailure(.failure, "the daemon's answer can't be read: \(error)")
        }
        let root = document.root
        environment = document.text("environment", of: root) ?? "?"
        version = document.number("version", of: root) ?? 0
        if let list = document.member("switches", of: root) {
            var elements = document.children(of: list)
            while let element = elements.next(in: document) {
                let reason = document.member("reason", of: element)
                rows.append(
                    Row(
                        key: document.text("key", of: element) ?? "?",
                        state: document.text("state", of: element) ?? "?",
                        variant: document.text("variant", of: element) ?? "?",
                        since: document.text("since", of: element) ?? "?",
                        summary: reason.flatMap { document.text("summary", of: $0) },
                        narrower: document.member("scopes", of: element).map { document.count(of: $0) } ?? 0
                    )
                )
            }
        }
        isReady = ready.member("ready", of: ready.root).flatMap { ready.bool(of: $0) } ?? false
        isDetailed = ready.member("checks", of: ready.root) != nil
        daemonVersion = ready.text("version", of: ready.root) ?? "?"
        uptimeSec = ready.number("uptimeSec", of: ready.root) ?? 0
        lastSeq = ready.number("lastSeq", of: ready.root) ?? 0
        journalBytes = ready.number("journalBytes", of: ready.root) ?? 0
        openAlerts = ready.number("openAlerts", of: ready.root) ?? 0
    }

    var json: String {
        "{\"switches\":\(String(decoding: switchesJSON, as: UTF8.self)),"
            + "\"daemon\":\(String(decoding: readinessJSON, as: UTF8.self))}\n"
    }

    /// At most ten lines of 80 columns.
    func text(style: TextStyle, url: String) -> String {
        let name = isDetailed ? "Shunt \(daemonVersion)" : "Shunt"
        var lines = [style.strong("\(name) at \(url), \(environment), version \(version)")]
        for row in rows.prefix(3) {
            let isNormal = row.state == "normal"
            let state = isNormal ? row.state : style.alarm(row.state.uppercased())
            lines.append("\(row.key)  \(state) → \(row.variant)  since \(row.since)")
            if let summary = row.summary { lines.append("  \(summary)") }
            if row.narrower > 0 { lines.append("  \(row.narrower) narrower scopes aren't normal") }
        }
        if rows.count > 3 { lines.append("… and \(rows.count - 3) more switches (--json shows all)") }
        let alerts = openAlerts == 1 ? "1 open alert" : "\(openAlerts) open alerts"
        guard isDetailed else {
            let readiness = isReady ? "ready" : style.alarm("NOT READY")
            lines.append("\(readiness); the rest needs a token of a reader (--token)")
            return lines.prefix(10).map { Self.fit($0) + "\n" }.joined()
        }
        lines.append("\(alerts); \(isReady ? "ready" : style.alarm("NOT READY")), up \(Self.duration(uptimeSec))")
        lines.append("journal: \(lastSeq) entries, \(journalBytes / 1024) KiB")
        return lines.prefix(10).map { Self.fit($0) + "\n" }.joined()
    }

    /// Cuts a line at 80 columns, not counting what only colours it.
    private static func fit(_ line: String) -> String {
        guard line.count > 80, !line.contains("\u{1B}") else { return line }
        return String(line.prefix(79)) + "…"
    }

    private static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension JSONDocument {
    func text(_ key: String, of value: JSONValue) -> String? {
        member(key, of: value).flatMap { string(of: $0) }
    }

    func number(_ key: String, of value: JSONValue) -> Int64? {
        member(key, of: value).flatMap { int64(of: $0) }
    }

    /// Goes through a member that is a list; through nothing where there is none.
    func forEach(_ key: String, of value: JSONValue, _ body: (JSONValue) -> Void) {
        guard let list = member(key, of: value), kind(of: list) == .array else { return }
        var elements = children(of: list)
        while let element = elements.next(in: self) { body(element) }
    }
}

extension String {
    /// The text as a query's value.
    var queryEncoded: String {
        var result = ""
        for byte in utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isPlain || "-._~".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
