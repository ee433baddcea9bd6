import ShuntNative

/// Attempts as a person reads them, in 80 columns.
struct AttemptText {
    /// What is in doubt, two lines each.
    func list(_ document: borrowing JSONDocument) -> String {
        let root = document.root
        var page = TextPage()
        let environment = document.text("environment", of: root) ?? "?"
        let count = document.number("count", of: root) ?? 0
        guard count > 0 else {
            page.add("\(environment): nothing is in doubt.")
            return page.text
        }
        let oldest = document.number("oldestAgeMs", of: root).map { ", the oldest for \(Self.duration($0))" } ?? ""
        page.add("\(environment): \(count) in doubt\(oldest)")
        document.forEach("totals", of: root) { total in
            let attempts = document.number("attempts", of: total) ?? 0
            page.add("\(document.text("text", of: total) ?? "?") in \(attempts) attempts", indentation: 2)
        }
        document.forEach("attempts", of: root) { attempt in
            page.add("")
            page.add(head(of: attempt, in: document))
            let age = document.number("ageMs", of: attempt).map(Self.duration) ?? "?"
            page.add("for \(age): \(standing(of: attempt, in: document))", indentation: 2)
        }
        if let cursor = document.text("nextCursor", of: root) {
            page.add("")
            page.add("There are more, behind \(cursor); --limit shows them.")
        }
        let unlisted = document.number("notListed", of: root) ?? 0
        if unlisted > 0 { page.add("\(unlisted) more found no room in the list and are only counted.") }
        return page.text
    }

    /// One attempt, with its events.
    func whole(_ document: borrowing JSONDocument) -> String {
        let root = document.root
        var page = TextPage()
        page.add(head(of: root, in: document))
        page.add("money    \(standing(of: root, in: document))", indentation: 2)
        let isAllowed = document.member("webAllowed", of: root).flatMap { document.bool(of: $0) } ?? false
        page.add("web      \(isAllowed ? "may be tried" : "must not be tried for this order")", indentation: 2)
        document.forEach("findings", of: root) { finding in
            page.add("finding  \(document.string(of: finding) ?? "?")", indentation: 2)
        }
        document.forEach("events", of: root) { entry in
            page.add("\(document.text("at", of: entry) ?? "?") \(event(entry, in: document))", indentation: 2)
        }
        return page.text
    }

    /// What became of it.
    func settled(_ document: borrowing JSONDocument) -> String {
        var page = TextPage()
        let root = document.root
        page.add("\(document.text("attemptId", of: root) ?? "?") is \(document.text("money", of: root) ?? "?") now.")
        return page.text
    }

    private func head(of attempt: JSONValue, in document: borrowing JSONDocument) -> String {
        var parts = [document.text("attemptId", of: attempt) ?? "?"]
        if let order = document.text("orderRef", of: attempt), order != parts[0] { parts.append("order \(order)") }
        if let amount = document.member("amount", of: attempt), let text = document.text("text", of: amount) {
            parts.append(text)
        }
        return parts.joined(separator: ", ")
    }

    private func standing(of attempt: JSONValue, in document: borrowing JSONDocument) -> String {
        func word(_ name: String) -> String { document.text(name, of: attempt) ?? "?" }
        var parts = ["\(word("money")) (\(word("reason")))", "at \(word("stage"))"]
        if let error = document.member("error", of: attempt) {
            parts.append("\(document.text("domain", of: error) ?? "?")/\(document.text("code", of: error) ?? "?")")
        }
        parts.append("do: \(word("advice"))")
        return parts.joined(separator: ", ")
    }

    private func event(_ entry: JSONValue, in document: borrowing JSONDocument) -> String {
        if let settled = document.member("settled", of: entry) {
            let words = ["result", "actor", "note"].map { document.text($0, of: settled) ?? "?" }
            return "settled as \(words[0]) by \(words[1]): \(words[2])"
        }
        guard let event = document.member("event", of: entry) else {
            return "can't be read: \(document.text("unreadable", of: entry) ?? "?")"
        }
        var parts = ["source", "stage", "outcome"].compactMap { document.text($0, of: event) }
        if let error = document.member("error", of: event) {
            parts.append("\(document.text("domain", of: error) ?? "?")/\(document.text("code", of: error) ?? "?")")
        }
        return parts.joined(separator: " ")
    }

    private static func duration(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
    }
}
