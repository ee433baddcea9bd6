import ShuntNative
import ShuntServer

/// Alerts and silences as a person reads them, in 80 columns.
struct AlertText {
    private static let width = 80
    let style: TextStyle

    // MARK: Alerts

    /// Two lines an alert.
    func list(_ document: borrowing JSONDocument) -> String {
        guard let list = document.member("alerts", of: document.root), document.count(of: list) > 0 else {
            return "No alerts.\n"
        }
        var lines: [String] = []
        var elements = document.children(of: list)
        while let element = elements.next(in: document) { lines += brief(element, in: document) }
        if let cursor = document.text("nextCursor", of: document.root) {
            lines.append("There are more, before \(cursor); --limit shows them.")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func brief(_ alert: JSONValue, in document: borrowing JSONDocument) -> [String] {
        let id = document.text("id", of: alert) ?? "?"
        let summary = document.text("summary", of: alert) ?? document.text("rule", of: alert) ?? "?"
        let words = [severity(of: alert, in: document), state(of: alert, in: document), id, summary]
        let head = Self.fit(words.joined(separator: "  "))
        return [coloured(head, of: alert, in: document), Self.fit("    " + standing(of: alert, in: document))]
    }

    /// Colours the first word of what payers feel.
    private func coloured(_ line: String, of alert: JSONValue, in document: borrowing JSONDocument) -> String {
        let state = document.text("state", of: alert)
        guard state == "firing" || state == "mitigated", document.text("severity", of: alert) == "critical" else {
            return line
        }
        return style.alarm("critical") + line.dropFirst("critical".count)
    }

    private func severity(of alert: JSONValue, in document: borrowing JSONDocument) -> String {
        Self.padded(document.text("severity", of: alert) ?? "?", to: 8)
    }

    private func state(of alert: JSONValue, in document: borrowing JSONDocument) -> String {
        Self.padded(document.text("state", of: alert) ?? "?", to: 9)
    }

    /// Since when, what the switch did, whose it is, what hides it.
    private func standing(of alert: JSONValue, in document: borrowing JSONDocument) -> String {
        var parts: [String] = []
        if let group = document.member("group", of: alert) {
            document.text("environment", of: group).map { parts.append($0) }
        }
        let start = document.text("startsAt", of: alert) ?? "?"
        parts.append(document.text("endsAt", of: alert).map { "ended \($0)" } ?? "since \(start)")
        if let change = document.member("switch", of: alert) {
            let key = document.text("key", of: change) ?? "?"
            parts.append("\(key): \(document.text("action", of: change) ?? "?")")
        }
        document.text("acknowledgedBy", of: alert).map { parts.append("\($0) has it") }
        if !names("silencedBy", of: alert, in: document).isEmpty { parts.append("silenced") }
        if !names("inhibitedBy", of: alert, in: document).isEmpty { parts.append("inhibited") }
        return parts.joined(separator: ", ")
    }

    /// One alert, a line a fact.
    func whole(_ document: borrowing JSONDocument) -> String {
        let root = document.root
        var lines = brief(root, in: document)
        func add(_ name: String, _ text: String?) {
            guard let text, !text.isEmpty else { return }
            lines.append(Self.fit("  \(Self.padded(name, to: 14))\(text)"))
        }
        add("rule", document.text("rule", of: root))
        add("group", members("group", of: root, in: document))
        add("count", counts(of: root, in: document))
        add("started", document.text("startsAt", of: root))
        add("ended", document.text("endsAt", of: root))
        if let change = document.member("switch", of: root) {
            let version = document.number("version", of: change).map { ", version \($0)" } ?? ""
            let scope = document.text("scope", of: change) ?? "?"
            add("switch", "\(document.text("key", of: change) ?? "?") (\(scope))")
            add("decision", (document.text("action", of: change) ?? "?") + version)
        }
        let refires = document.number("refires", of: root) ?? 0
        if refires > 0 { add("fired again", "\(refires) times within an hour of its end; held longer each time") }
        if let acknowledgement = document.member("acknowledgement", of: root) {
            let until = document.text("until", of: acknowledgement) ?? "?"
            add("acknowledged", "by \(document.text("acknowledgedBy", of: root) ?? "?") until \(until)")
            add("note", document.text("note", of: acknowledgement))
        }
        add("escalated", document.text("escalatedAt", of: root))
        add("silenced by", names("silencedBy", of: root, in: document).joined(separator: ", "))
        add("inhibited by", names("inhibitedBy", of: root, in: document).joined(separator: ", "))
        for line in told(of: root, in: document) { add("told", line) }
        return lines.map { $0 + "\n" }.joined()
    }

    /// What became of each notice: `oncall: firing delivered 2026-11-30T22:05:19.745Z`.
    private func told(of alert: JSONValue, in document: borrowing JSONDocument) -> [String] {
        guard let list = document.member("notifications", of: alert), document.kind(of: list) == .array else {
            return []
        }
        var lines: [String] = []
        var elements = document.children(of: list)
        while let row = elements.next(in: document) {
            let state = document.text("state", of: row) ?? "?"
            let words = [
                (document.text("channel", of: row) ?? "?") + ":", document.text("happening", of: row) ?? "?", state,
                document.text("endedAt", of: row) ?? document.text("nextTryAt", of: row).map { "next \($0)" } ?? "",
            ]
            let isTold = state == "delivered" || state == "repeating" || state == "superseded"
            let answer = isTold ? "" : document.text("answer", of: row) ?? ""
            lines.append((words + [answer.visible]).filter { !$0.isEmpty }.joined(separator: " "))
        }
        return lines
    }

    private func counts(of alert: JSONValue, in document: borrowing JSONDocument) -> String {
        var text = "\(document.number("count", of: alert) ?? 0)"
        if let attempts = document.number("attempts", of: alert) { text += " of \(attempts) attempts" }
        if let threshold = document.number("threshold", of: alert) { text += ", fires at \(threshold)" }
        if let seconds = document.number("windowSec", of: alert) { text += " within \(seconds) s" }
        if let live = document.number("liveCount", of: alert) { text += ", now \(live)" }
        return text
    }

    /// Whose an alert is now.
    func acknowledged(_ document: borrowing JSONDocument) -> String {
        let root = document.root
        let id = document.text("id", of: root) ?? "?"
        let acknowledgement = document.member("acknowledgement", of: root)
        let until = acknowledgement.flatMap { document.text("until", of: $0) } ?? "?"
        let actor = document.text("acknowledgedBy", of: root) ?? "?"
        return Self.fit("\(id) is \(document.text("state", of: root) ?? "?"); \(actor) has it until \(until)") + "\n"
    }

    // MARK: Silences

    /// Silences in force.
    func silences(_ document: borrowing JSONDocument) -> String {
        guard let list = document.member("silences", of: document.root), document.count(of: list) > 0 else {
            return "Nothing is silenced.\n"
        }
        var lines: [String] = []
        var elements = document.children(of: list)
        while let element = elements.next(in: document) { lines += silence(element, in: document) }
        return lines.map { $0 + "\n" }.joined()
    }

    /// One silence.
    func silence(_ document: borrowing JSONDocument) -> String {
        silence(document.root, in: document).map { $0 + "\n" }.joined()
    }

    private func silence(_ silence: JSONValue, in document: borrowing JSONDocument) -> [String] {
        var matchers: [String] = []
        if let list = document.member("matchers", of: silence) {
            var elements = document.children(of: list)
            while let element = elements.next(in: document) {
                let name = document.text("name", of: element) ?? "?"
                let comparison = document.text("op", of: element) ?? "="
                matchers.append("\(name)\(comparison)\(document.text("value", of: element) ?? "?")")
            }
        }
        let id = document.text("id", of: silence) ?? "?"
        let isUntilResolved = document.member("untilResolved", of: silence).flatMap { document.bool(of: $0) } ?? false
        let end = document.text("endsAt", of: silence) ?? "?"
        let until = isUntilResolved ? "until resolved, \(end) at the latest" : "until \(end)"
        let hides = document.number("hidesCount", of: silence).map { ", hides \($0)" } ?? ""
        let comment = document.text("comment", of: silence) ?? ""
        return [
            "\(id)  \(matchers.joined(separator: " "))", "    \(until)\(hides)",
            "    \(document.text("createdBy", of: silence) ?? "?"): \(comment)",
        ]
        .map(Self.fit)
    }

    // MARK: Parts

    private func names(_ key: String, of value: JSONValue, in document: borrowing JSONDocument) -> [String] {
        guard let list = document.member(key, of: value) else { return [] }
        var names: [String] = []
        var elements = document.children(of: list)
        while let element = elements.next(in: document) { names.append(document.string(of: element) ?? "?") }
        return names
    }

    private func members(_ key: String, of value: JSONValue, in document: borrowing JSONDocument) -> String {
        guard let object = document.member(key, of: value) else { return "" }
        var parts: [String] = []
        var members = document.children(of: object)
        while let member = members.next(in: document) {
            parts.append("\(document.key(of: member))=\(document.string(of: member) ?? "")")
        }
        return parts.joined(separator: ", ")
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Cut at 80 columns, without what a terminal would obey: codes come from whoever reports.
    private static func fit(_ line: String) -> String {
        let line = line.visible
        return line.count > width ? line.prefix(width - 1) + "…" : line
    }
}
