import ShuntNative
import ShuntSchema
import ShuntServer

/// `shunt drill`.
enum DrillCommand: Command {
    static let name = "drill"

    static let options =
        DaemonClient.options + [
            OptionSpec(name: "--failures"), OptionSpec(name: "--timeout"),
            OptionSpec(name: "--json", takesValue: false),
        ]

    static let help = """
        shunt drill: an alert that is tried out from end to end.

        Usage: shunt drill [--failures 200] [--timeout 60] [--json]

        Sends marked failures of a made-up code through intake, rules, alerts and every
        channel, and says how long each hop took. They are of the environment drill, in
        which no switch moves payers; their messages say that they are a drill. The
        alert ends by itself.

          --failures N   how many failures to send, 1 to 1000 (default 200)
          --timeout S    how long to wait for the channels, in seconds (default 60)
          --json         print as JSON
        \(DaemonClient.optionsHelp)

        Exit status: 0 every channel has it, 1 something hasn't, 3 no daemon.

        Example:
          shunt drill --url https://shunt.example.com --token "$SHUNT_TOKEN"

        """

    static func run(_ options: Options) throws(CommandFailure) -> ExitStatus {
        guard options.arguments.isEmpty else {
            throw CommandFailure(.usage, "shunt drill takes no arguments, found \(options.arguments[0].visible)")
        }
        let count = try options.integer("--failures", minimum: 1) ?? 200
        guard count <= 1000 else { throw CommandFailure(.usage, "--failures: expected 1 to 1000, found \(count)") }
        let timeout = try options.integer("--timeout", minimum: 1) ?? 60
        var client = try DaemonClient(options)
        var drill = Drill(code: "drill-" + Digest.sha256(SecureRandom.bytes(16)).hexadecimal.prefix(8))
        let beganNs = SystemClock.monotonicNanoseconds
        _ = try client.answer(.post, "/v1/events", body: drill.events(count))
        drill.intakeMs = (SystemClock.monotonicNanoseconds - beganNs) / 1_000_000
        let endNs = beganNs + Int64(timeout) * 1_000_000_000
        let pause = Signal()
        repeat {
            try drill.look(&client)
            if drill.isOver { break }
            pause.wait(timeoutMs: 100)
        } while SystemClock.monotonicNanoseconds < endNs
        StandardStream.output.write(options.has("--json") ? drill.json : drill.text(failures: count))
        return drill.isDelivered ? .success : .failure
    }
}

/// What a drill has come to.
struct Drill {
    /// The made-up code, by which its alerts are known.
    let code: String
    var intakeMs: Int64 = 0
    private(set) var alerts: [DrillAlert] = []
    /// How often in a row nothing new was seen: notices come about with the alert, channel by channel.
    private var quietLooks = 0

    init(code: String) {
        self.code = code
    }

    /// An alert that it fired.
    struct DrillAlert: Equatable {
        var id: String
        var rule: String
        var startsAt: Timestamp
        var decision: String?
        var deliveries: [DrillDelivery] = []
    }

    /// What became of it in a channel.
    struct DrillDelivery: Equatable {
        var channel: String
        var state: String
        var tries: Int64
        /// From the receipt of the crossing failure to the first try, and to the end, in milliseconds.
        var firstTriedMs: Int64?
        var endedMs: Int64?
        var answer: String

        var isDelivered: Bool { state == "delivered" || state == "repeating" && endedMs != nil }
        var isOver: Bool { isDelivered || state == "refused" || state == "superseded" || state == "dropped" }
    }

    /// Whether every channel that was told has it.
    var isDelivered: Bool {
        let deliveries = alerts.flatMap(\.deliveries)
        return !deliveries.isEmpty && deliveries.allSatisfy { $0.isDelivered || $0.state == "superseded" }
    }

    /// Whether nothing more is to be expected.
    var isOver: Bool {
        quietLooks >= 10 && alerts.flatMap(\.deliveries).allSatisfy(\.isOver)
    }

    /// The failures: as many attempts from as many installs.
    func events(_ count: Int) -> [UInt8] {
        var writer = JSONWriter(capacity: count * 200)
        writer.beginArray()
        for number in 0..<count {
            writer.beginObject()
            writer.field("eventId", "\(code)-\(number)")
            writer.field("environment", PaymentEvent.drillEnvironment)
            writer.field("source", "shunt drill")
            writer.field("stage", "precheck")
            writer.key("error")
            writer.beginObject()
            writer.field("domain", "shunt")
            writer.field("code", code)
            writer.endObject()
            writer.field("attemptId", "\(code)-\(number)")
            writer.field("installId", "\(code)-\(number)")
            writer.endObject()
        }
        writer.endArray()
        return writer.bytes
    }

    mutating func look(_ client: inout DaemonClient) throws(CommandFailure) {
        let answer = try client.answer(.get, "/v1/alerts?environment=drill&state=firing&limit=500")
        var found: [DrillAlert] = []
        for alert in Self.elements("alerts", of: answer.document.root, in: answer.document) {
            let group = answer.document.member("group", of: alert)
            guard let group, answer.document.text("error.code", of: group) == code,
                let id = answer.document.text("id", of: alert), let rule = answer.document.text("rule", of: alert),
                let startsAt = answer.document.text("startsAt", of: alert).flatMap({ Timestamp(rfc3339: $0) })
            else { continue }
            let action = answer.document.member("switch", of: alert)
            let decision = action.flatMap { answer.document.text("action", of: $0) }
            found.append(DrillAlert(id: id, rule: rule, startsAt: startsAt, decision: decision))
        }
        for number in found.indices {
            let one = try client.answer(.get, "/v1/alerts/\(found[number].id.queryEncoded)")
            found[number].deliveries = Self.deliveries(of: found[number], in: one.document)
        }
        quietLooks = found == alerts ? quietLooks + 1 : 0
        alerts = found
    }

    private static func deliveries(of alert: DrillAlert, in document: borrowing JSONDocument) -> [DrillDelivery] {
        var deliveries: [DrillDelivery] = []
        for row in elements("notifications", of: document.root, in: document) {
            func afterMs(_ key: String) -> Int64? {
                let time = document.text(key, of: row).flatMap { Timestamp(rfc3339: $0) }
                return time.map { max(0, $0.milliseconds - alert.startsAt.milliseconds) }
            }
            deliveries.append(
                DrillDelivery(
                    channel: document.text("channel", of: row) ?? "",
                    state: document.text("state", of: row) ?? "",
                    tries: document.number("tries", of: row) ?? 0,
                    firstTriedMs: afterMs("firstTriedAt"),
                    endedMs: afterMs("endedAt"),
                    answer: document.text("answer", of: row) ?? ""
                )
            )
        }
        return deliveries
    }

    private static func elements(
        _ key: String,
        of value: JSONValue,
        in document: borrowing JSONDocument
    ) -> [JSONValue] {
        guard let list = document.member(key, of: value), document.kind(of: list) == .array else { return [] }
        var elements: [JSONValue] = []
        var children = document.children(of: list)
        while let child = children.next(in: document) { elements.append(child) }
        return elements
    }

    // MARK: Telling

    /// Lines of at most 80 columns.
    func text(failures: Int) -> String {
        var lines = ["\(code): \(failures) marked failures in the environment drill; no payer moved", ""]
        lines.append(Self.line("intake", "durable and counted", "\(intakeMs) ms"))
        if alerts.isEmpty { lines.append(Self.line("rules", "no alert fired; shunt explain \(code) says why", "-")) }
        for alert in alerts {
            lines.append(Self.line("alert", "\(alert.id)  \(alert.rule)", ""))
            if let decision = alert.decision { lines.append(Self.line("switch", Self.words(of: decision), "")) }
            if alert.deliveries.isEmpty { lines.append(Self.line("channels", "nobody is told of it", "-")) }
            for delivery in alert.deliveries {
                let time = (delivery.endedMs ?? delivery.firstTriedMs).map { "\($0) ms" } ?? "-"
                let tries = delivery.tries > 1 ? ", \(delivery.tries) tries" : ""
                let state = delivery.isDelivered ? "delivered" : delivery.state
                lines.append(Self.line("  \(delivery.channel)", state + tries, time))
                if !delivery.isDelivered, !delivery.answer.isEmpty {
                    lines.append("            " + String(delivery.answer.visible.prefix(66)))
                }
            }
        }
        lines.append("")
        let isTimed = alerts.contains { !$0.deliveries.isEmpty }
        let missing = isTimed ? "not every channel has it" : "nobody would have heard of it: see channels in shunt.yaml"
        let result = isDelivered ? "every channel has it" : missing
        lines.append(isTimed ? "\(result); times from the receipt of the crossing failure" : result)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func words(of decision: String) -> String {
        decision == "wouldHaveTripped" ? "would have tripped; moves nobody here" : decision
    }

    private static func line(_ hop: String, _ what: String, _ time: String) -> String {
        let hop = String(hop.visible.prefix(20))
        let what = String(what.visible.prefix(44))
        let gap = String(repeating: " ", count: max(1, 12 - hop.count))
        let rest = String(repeating: " ", count: max(1, 66 - 12 - what.count - max(0, hop.count - 11)))
        return time.isEmpty ? hop + gap + what : hop + gap + what + rest + time
    }

    var json: String {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.field("code", code)
        writer.field("intakeMs", intakeMs)
        writer.field("delivered", isDelivered)
        writer.key("alerts")
        writer.beginArray()
        for alert in alerts {
            writer.beginObject()
            writer.field("id", alert.id)
            writer.field("rule", alert.rule)
            writer.field("startsAt", alert.startsAt)
            writer.field("decision", alert.decision)
            writer.key("notifications")
            writer.beginArray()
            for delivery in alert.deliveries {
                writer.beginObject()
                writer.field("channel", delivery.channel)
                writer.field("state", delivery.state)
                writer.field("tries", delivery.tries)
                writer.field("firstTriedMs", delivery.firstTriedMs)
                writer.field("endedMs", delivery.endedMs)
                writer.field("answer", delivery.answer)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}
