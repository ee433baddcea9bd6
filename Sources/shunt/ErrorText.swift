import ShuntNative
import ShuntSchema
import ShuntServer

/// Errors as a person reads them, in 80 columns.
struct ErrorText {
    private static let width = 80
    private static let keyWidth = 19
    /// What the other columns leave.
    private static let amountWidth = 16
    private static let marks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    let style: TextStyle
    let windowSec: Int

    // MARK: The list

    /// A line an error key.
    func list(_ document: borrowing JSONDocument) -> String {
        let root = document.root
        let environment = (document.text("environment", of: root) ?? "?").visible
        var lines = [traffic(document, environment)]
        guard let list = document.member("errors", of: root), document.count(of: list) > 0 else {
            return lines.map { $0 + "\n" }.joined()
        }
        lines.append(
            row("code", "class", "failed", "trend", "share", "payers", "amount", isHead: true)
        )
        var elements = document.children(of: list)
        while let error = elements.next(in: document) {
            let name = key(document.text("domain", of: error) ?? "?", document.text("code", of: error) ?? "?")
            lines.append(
                row(
                    name,
                    document.text("class", of: error) ?? "?",
                    "\(document.number("count", of: error) ?? 0)",
                    sparkline(of: error, in: document),
                    wholePercent("sharePercent", of: error, in: document) ?? "–",
                    "\(document.number("installs", of: error) ?? 0)",
                    shortMoney("amount", of: error, in: document) ?? "–"
                )
            )
        }
        let shown = document.count(of: list)
        if let total = document.number("total", of: root), total > Int64(shown) {
            lines.append("… and \(total - Int64(shown)) more; --limit shows them.")
        }
        if let since = incomplete(of: root, in: document) { lines.append(since) }
        return lines.map { $0 + "\n" }.joined()
    }

    private func traffic(_ document: borrowing JSONDocument, _ environment: String) -> String {
        let root = document.root
        let window = duration(windowSec)
        guard let attempts = document.number("attempts", of: root),
            let succeeded = document.number("succeeded", of: root)
        else { return "\(environment): in \(window); successes aren't reported" }
        let share = attempts > 0 ? "\(succeeded * 1_000 / attempts)" : "0"
        let whole = share.count > 1 ? share.dropLast() : "0"
        return "\(environment): \(MoneyText.grouped("\(attempts)")) payments in \(window), "
            + "\(whole).\(share.suffix(1)) % succeeded"
    }

    private func row(
        _ key: String,
        _ failureClass: String,
        _ count: String,
        _ trend: String,
        _ share: String,
        _ payers: String,
        _ amount: String,
        isHead: Bool = false
    ) -> String {
        let line = [
            padded(key, Self.keyWidth), padded(failureClass, 14), flush(count, 6), padded(trend, 8), flush(share, 5),
            flush(payers, 6), amount,
        ].joined(separator: " ")
        return isHead ? style.strong(line) : line
    }

    /// Domain and code in a column. Where there is no room for both the domain gives way: the code is what people type.
    private func key(_ domain: String, _ code: String) -> String {
        let (domain, code) = (domain.visible, code.visible)
        let room = Self.keyWidth - code.count - 1
        if domain.count <= room { return "\(domain)/\(code)" }
        return room < 2 ? code : "\(domain.prefix(room - 1))…/\(code)"
    }

    /// The series in eight marks, the newest last.
    private func sparkline(of error: JSONValue, in document: borrowing JSONDocument) -> String {
        guard let series = document.member("series", of: error), let points = document.member("points", of: series)
        else { return "" }
        var values: [Int64] = []
        var elements = document.children(of: points)
        while let point = elements.next(in: document) { values.append(document.int64(of: point) ?? 0) }
        guard !values.isEmpty else { return "" }
        let step = max(1, (values.count + 7) / 8)
        let sums = stride(from: 0, to: values.count, by: step).map { start in
            values[start..<min(start + step, values.count)].reduce(0, +)
        }
        let most = max(1, sums.max() ?? 1)
        return String(sums.map { Self.marks[Int($0 * 7 / most)] })
    }

    // MARK: One code

    /// All that is known of a code.
    func whole(_ document: borrowing JSONDocument) -> String {
        var page = TextPage()
        var isFirst = true
        document.forEach("keys", of: document.root) { key in
            if !isFirst { page.add("") }
            isFirst = false
            write(key, of: document.text("code", of: document.root) ?? "?", in: document, to: &page)
        }
        return page.text
    }

    private func write(
        _ key: JSONValue,
        of code: String,
        in document: borrowing JSONDocument,
        to page: inout TextPage
    ) {
        let domain = document.text("domain", of: key) ?? "?"
        let environment = document.text("environment", of: key) ?? "?"
        let name = document.text("name", of: key).map { ": \($0)" } ?? ""
        page.add("\(domain)/\(code) in \(environment)\(name)", style: style.strong)
        func add(_ label: String, _ text: String?) {
            guard let text, !text.isEmpty else { return }
            page.add(padded(label, 12) + text, indentation: 2)
        }
        add("class", meaning(of: key, in: document))
        add("note", document.text("note", of: key) ?? document.text("say", of: key))
        add("seen", seen(of: key, in: document))
        add("counts", counts(of: key, in: document))
        add("hit", impact(of: key, in: document))
        add("last hour", sparkline(of: key, in: document))
        document.forEach("causes", of: key) { cause in add("where", document.text("text", of: cause)) }
        document.forEach("diagnoses", of: key) { write($0, in: document, to: &page) }
        document.forEach("breakdown", of: key) { attribute in
            add(document.text("name", of: attribute) ?? "?", values(of: attribute, in: document))
        }
        document.forEach("environments", of: key) { other in
            guard let name = document.text("environment", of: other), name != environment else { return }
            add("elsewhere", "\(name): \(document.number("twentyFourHours", of: other) ?? 0) in 24 h")
        }
        document.forEach("alerts", of: key) { alert in
            let words = ["id", "state", "rule", "decision"].map { document.text($0, of: alert) ?? "?" }
            add("alert", "\(words[0]) \(words[1]), \(words[2]), switch: \(words[3])")
        }
        document.forEach("switches", of: key) { change in
            let words = ["key", "scope", "state", "variant", "since"].map { document.text($0, of: change) ?? "?" }
            add("switch", "\(words[0]) (\(words[1])) \(words[2]) → \(words[3]) since \(words[4])")
        }
        document.forEach("samples", of: key) { sample in
            let event = document.member("event", of: sample)
            let parts = ["eventId", "attemptId", "orderRef", "stage"].compactMap { name in
                event.flatMap { document.text(name, of: $0) }
            }
            add("event", "\(document.text("receivedAt", of: sample) ?? "?") \(parts.joined(separator: " "))")
        }
    }

    private func meaning(of key: JSONValue, in document: borrowing JSONDocument) -> String {
        func word(_ name: String) -> String { document.text(name, of: key) ?? "?" }
        return "\(word("class")); money \(word("money")), retry \(word("retry")), weight \(word("switchWeight"))"
    }

    private func seen(of key: JSONValue, in document: borrowing JSONDocument) -> String {
        let times = ["firstSeenAt", "lastSeenAt"].map { document.text($0, of: key) ?? "?" }
        return "first \(times[0]), last \(times[1])"
    }

    private func counts(of key: JSONValue, in document: borrowing JSONDocument) -> String? {
        guard let counts = document.member("counts", of: key) else { return nil }
        func number(_ name: String) -> String { MoneyText.grouped("\(document.number(name, of: counts) ?? 0)") }
        let total = MoneyText.grouped("\(document.number("total", of: key) ?? 0)")
        return "\(number("window")) in \(duration(windowSec)), \(number("oneHour")) in 1 h, "
            + "\(number("twentyFourHours")) in 24 h, \(total) in all"
    }

    private func impact(of key: JSONValue, in document: borrowing JSONDocument) -> String {
        var parts = ["\(document.number("attempts", of: key) ?? 0) attempts"]
        if let share = percent("sharePercent", of: key, in: document) { parts.append("\(share) of all") }
        if let installs = document.number("installs", of: key), installs > 0 { parts.append("\(installs) payers") }
        if let money = money("amount", of: key, in: document) { parts.append("\(money) failed") }
        return parts.joined(separator: ", ")
    }

    private func write(_ diagnosis: JSONValue, in document: borrowing JSONDocument, to page: inout TextPage) {
        let matched = count("matched", of: diagnosis, in: document)
        let others = ["unmatched", "unknown"].map { count($0, of: diagnosis, in: document) }
        let all = others.reduce(matched, +)
        let id = document.text("id", of: diagnosis) ?? "?"
        let facts = "[\(id), matches \(matched) of \(all) facts]"
        page.add("likely      \(document.text("cause", of: diagnosis) ?? "?") \(facts)", indentation: 2)
        document.forEach("verify", of: diagnosis) { check in
            page.add("verify   \(document.text("check", of: check) ?? "?")", indentation: 4)
            if let command = document.text("command", of: check) { page.add("$ \(command)", indentation: 13) }
        }
        if let step = document.text("nextStep", of: diagnosis) { page.add("do next  \(step)", indentation: 4) }
        document.forEach("unknown", of: diagnosis) { fact in
            page.add("unknown  \(document.string(of: fact) ?? "?")", indentation: 4)
        }
    }

    private func values(of attribute: JSONValue, in document: borrowing JSONDocument) -> String {
        var parts: [String] = []
        document.forEach("values", of: attribute) { value in
            guard parts.count < 3 else { return }
            let share = share("share", of: value, in: document) ?? "?"
            let usual = self.share("baselineShare", of: value, in: document).map { " (normally \($0))" } ?? ""
            parts.append("\(document.text("value", of: value) ?? "?") \(share)\(usual)")
        }
        return parts.joined(separator: ", ")
    }

    // MARK: Words

    private func incomplete(of root: JSONValue, in document: borrowing JSONDocument) -> String? {
        guard let since = document.text("countedSince", of: root), let at = document.text("at", of: root),
            let start = Timestamp(rfc3339: since), let end = Timestamp(rfc3339: at),
            end.milliseconds - start.milliseconds < Int64(windowSec) * 1_000
        else { return nil }
        return "Attempts, payers and amounts are counted since \(since)."
    }

    /// Sums in their currencies.
    private func sums(_ name: String, of value: JSONValue, in document: borrowing JSONDocument) -> [(Int128, String)] {
        var sums: [(Int128, String)] = []
        document.forEach(name, of: value) { sum in
            guard let currency = document.text("currency", of: sum), let number = document.member("minor", of: sum),
                let minor = document.numberText(of: number).flatMap({ Int128($0) })
            else { return }
            sums.append((minor, currency))
        }
        return sums
    }

    private func money(_ name: String, of value: JSONValue, in document: borrowing JSONDocument) -> String? {
        let sums = sums(name, of: value, in: document)
        return sums.isEmpty ? nil : sums.map { MoneyText.text($0, $1) }.joined(separator: " + ")
    }

    /// The first sum and how many more there are; without its decimals where there is no room for them.
    private func shortMoney(_ name: String, of value: JSONValue, in document: borrowing JSONDocument) -> String? {
        let sums = sums(name, of: value, in: document)
        guard let (minor, currency) = sums.first else { return nil }
        let more = sums.count > 1 ? " +\(sums.count - 1)" : ""
        let whole = MoneyText.text(minor, currency)
        if whole.count + more.count <= Self.amountWidth { return whole + more }
        return padded((whole.split(separator: ".").first.map(String.init) ?? whole) + more, Self.amountWidth)
    }

    private func percent(_ name: String, of value: JSONValue, in document: borrowing JSONDocument) -> String? {
        document.member(name, of: value).flatMap { document.numberText(of: $0) }.map { "\($0) %" }
    }

    private func wholePercent(_ name: String, of value: JSONValue, in document: borrowing JSONDocument) -> String? {
        document.member(name, of: value).flatMap { document.double(of: $0) }.map { "\(Int($0.rounded())) %" }
    }

    private func share(_ name: String, of value: JSONValue, in document: borrowing JSONDocument) -> String? {
        guard let share = document.member(name, of: value).flatMap({ document.double(of: $0) }) else { return nil }
        return "\(Int((share * 100).rounded())) %"
    }

    private func count(_ name: String, of value: JSONValue, in document: borrowing JSONDocument) -> Int {
        document.member(name, of: value).map { document.count(of: $0) } ?? 0
    }

    private func duration(_ seconds: Int) -> String {
        if seconds % 3_600 == 0 { return "\(seconds / 3_600) h" }
        return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        let cut = text.count > width ? text.prefix(width - 1) + "…" : text
        return cut + String(repeating: " ", count: max(0, width - cut.count))
    }

    private func flush(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
