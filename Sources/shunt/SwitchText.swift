import ShuntNative

/// Switches as a person reads them, in 80 columns.
struct SwitchText {
    private static let width = 80
    let style: TextStyle

    // MARK: Documents

    /// Of a document of all switches, or of one.
    func document(_ document: borrowing JSONDocument, isFull: Bool) -> String {
        let root = document.root
        let environment = document.text("environment", of: root) ?? "?"
        let version = document.number("version", of: root) ?? 0
        var lines = ["\(environment), version \(version)"]
        if let list = document.member("switches", of: root) {
            var elements = document.children(of: list)
            while let element = elements.next(in: document) { lines += status(element, in: document, isFull: isFull) }
        } else {
            lines += status(root, in: document, isFull: isFull)
        }
        return lines.map { Self.fit($0) + "\n" }.joined()
    }

    private func status(_ value: JSONValue, in document: borrowing JSONDocument, isFull: Bool) -> [String] {
        let key = document.text("key", of: value) ?? "?"
        let mode = document.text("mode", of: value).map { "  (\($0))" } ?? ""
        let since = document.text("since", of: value).map { "  since \($0)" } ?? ""
        var lines = ["\(key)  \(route(of: value, in: document))\(since)\(mode)"]
        if let reason = document.member("reason", of: value), let summary = document.text("summary", of: reason) {
            lines.append("  \(summary)")
        }
        lines += override(of: value, in: document)
        guard let scopes = document.member("scopes", of: value) else { return lines }
        let count = document.count(of: scopes)
        guard isFull || count <= 3 else { return lines + ["  \(count) slices aren't normal: shunt switch show \(key)"] }
        var slices = document.children(of: scopes)
        while let slice = slices.next(in: document) {
            lines.append("  \(match(of: slice, in: document)): \(route(of: slice, in: document))")
            lines += override(of: slice, in: document).map { "  " + $0 }
        }
        return lines
    }

    /// `DEGRADED → web`, and for how many.
    private func route(of value: JSONValue, in document: borrowing JSONDocument) -> String {
        let state = document.text("state", of: value) ?? "?"
        let variant = document.text("variant", of: value) ?? "?"
        let percent = document.number("percent", of: value).map { $0 < 100 ? " for \($0) %" : "" } ?? ""
        return "\(state == "normal" ? state : style.alarm(state.uppercased())) → \(variant)\(percent)"
    }

    private func override(of value: JSONValue, in document: borrowing JSONDocument) -> [String] {
        guard let override = document.member("override", of: value) else { return [] }
        let variant = document.text("variant", of: override) ?? "?"
        let end = document.text("endsAt", of: override) ?? "?"
        let summary = document.text("summary", of: override) ?? ""
        return ["  overridden: \(variant) until \(end)", "  \(summary)"]
    }

    private func match(of value: JSONValue, in document: borrowing JSONDocument) -> String {
        guard let match = document.member("match", of: value) else { return "" }
        var parts: [String] = []
        var members = document.children(of: match)
        while let member = members.next(in: document) {
            parts.append("\(document.key(of: member))=\(document.string(of: member) ?? "")")
        }
        return parts.joined(separator: ", ")
    }

    // MARK: Moves

    /// What a move did.
    func moved(_ document: borrowing JSONDocument) -> String {
        var lines: [String] = []
        if let list = document.member("moved", of: document.root) {
            var elements = document.children(of: list)
            while let element = elements.next(in: document) {
                let scope = document.text("scope", of: element) ?? ""
                let from = document.text("from", of: element) ?? "?"
                let to = document.text("to", of: element) ?? "?"
                let variant = document.text("variant", of: element) ?? "?"
                let version = document.number("version", of: element) ?? 0
                let step = from == to ? to : "\(from) → \(to)"
                lines.append("\(scope): \(step), payers get \(variant), version \(version)")
            }
        }
        return lines.map { Self.fit($0) + "\n" }.joined()
    }

    /// What a switch did, newest first.
    func history(_ document: borrowing JSONDocument, of key: String) -> String {
        var lines: [String] = []
        if let list = document.member("transitions", of: document.root) {
            var elements = document.children(of: list)
            while let element = elements.next(in: document) {
                let at = document.text("at", of: element) ?? "?"
                let from = document.text("from", of: element) ?? "?"
                let to = document.text("to", of: element) ?? "?"
                let variant = document.text("variant", of: element) ?? "?"
                let version = document.number("version", of: element) ?? 0
                let cause = document.text("cause", of: element).map { " (\($0))" } ?? ""
                lines.append("\(at)  version \(version)  \(from) → \(to), \(variant)\(cause)")
                if let reason = document.text("reason", of: element) { lines.append("  \(reason)") }
                if let evidence = evidence(of: element, in: document) { lines.append("  \(evidence)") }
            }
        }
        if lines.isEmpty {
            lines = ["\(key) hasn't moved yet"]
        } else {
            lines.append("shunt explain --version N says more, and replays the decision.")
        }
        return lines.map { Self.fit($0) + "\n" }.joined()
    }

    /// What decided in figures, e.g. `count 100 (limit 100), installs 20 or more (limit 10); os.version 17.4.1 93 %`.
    private func evidence(of transition: JSONValue, in document: borrowing JSONDocument) -> String? {
        var parts: [String] = []
        if let evidence = document.member("evidence", of: transition),
            let list = document.member("conditions", of: evidence)
        {
            var elements = document.children(of: list)
            while let element = elements.next(in: document), parts.count < 2 {
                guard let value = document.number("value", of: element) else { continue }
                let total = document.number("total", of: element).map { " of \($0)" } ?? ""
                let limit = document.number("limit", of: element).map { " (limit \($0))" } ?? ""
                let name = document.text("name", of: element) ?? "?"
                // So many more than are asked for aren't counted.
                let isCapped = name == "installs" && value >= 2 * (document.number("limit", of: element) ?? .max / 2)
                parts.append("\(name) \(value)\(isCapped ? " or more" : "")\(total)\(limit)")
            }
        }
        let common = document.member("capsule", of: transition).flatMap { mostCommon(in: $0, document) }
        let all = [parts.joined(separator: ", "), common ?? ""].filter { !$0.isEmpty }
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    /// The attribute that most of the failures have in common.
    private func mostCommon(in capsule: JSONValue, _ document: borrowing JSONDocument) -> String? {
        guard let failures = document.number("failures", of: capsule), failures > 0,
            let list = document.member("dimensions", of: capsule)
        else { return nil }
        var dimensions = document.children(of: list)
        guard let first = dimensions.next(in: document), let values = document.member("values", of: first) else {
            return nil
        }
        var elements = document.children(of: values)
        guard let top = elements.next(in: document), let count = document.number("count", of: top) else { return nil }
        return "\(document.text("name", of: first) ?? "?") \(document.text("value", of: top) ?? "?") "
            + "\(count * 100 / failures) %"
    }

    /// Cut at 80 columns, not counting what only colours it; without what a terminal would obey.
    private static func fit(_ line: String) -> String {
        guard line.count > width, !line.contains("\u{1B}") else { return line }
        return String(line.prefix(width - 1)) + "…"
    }
}
