import ShuntNative
import ShuntServer

/// What made a version, as a person reads it, in 80 columns.
struct DecisionText {
    /// Longer values are cut where differences are told.
    private static let mostOfValue = 120

    private let report: DecisionReport
    private let style: TextStyle

    init(_ report: DecisionReport, style: TextStyle) {
        self.report = report
        self.style = style
    }

    var text: String {
        var page = TextPage()
        page.add("version \(report.version), entry \(report.seq) of journal \(report.epoch)", style: style.strong)
        for row in report.rows { Self.write(row.stored ?? row.replayed, to: &page) }
        if let capsule = report.capsule { Self.writeCapsule(capsule.stored ?? capsule.replayed, to: &page) }
        page.add("")
        for entry in report.unreadable { page.add("left out, since it can't be read: \(entry)") }
        let beginning = report.startSeq == 0 ? "" : " since the snapshot of entry \(report.startSeq)"
        if report.isSame {
            page.add("replayed from the journal\(beginning): the same decision")
            return page.text
        }
        let count = report.differences.count
        page.add("replayed from the journal\(beginning): \(count == 1 ? "1 difference" : "\(count) differences")")
        for difference in report.differences {
            page.add(
                "\(difference.path): stored \(Self.cut(difference.stored)), replayed \(Self.cut(difference.replayed))"
            )
        }
        return page.text
    }

    /// What the audit says of a version that can't be replayed.
    static func stored(_ line: [UInt8]) -> String {
        var page = TextPage()
        write(line, to: &page)
        return page.text
    }

    private static func cut(_ value: String?) -> String {
        guard let value else { return "nothing" }
        return value.count > mostOfValue ? value.prefix(mostOfValue - 1) + "…" : value
    }

    // MARK: Rows

    private static func write(_ line: [UInt8], to page: inout TextPage) {
        var document = JSONDocument()
        guard (try? document.parse(line)) != nil, document.kind(of: document.root) == .object else {
            page.add("a row that can't be read", indentation: 2)
            return
        }
        let row = DecisionRow(document: document)
        page.add(row.heading)
        for line in row.lines { page.add(line, indentation: 2) }
        let conditions = row.conditions
        guard !conditions.isEmpty else { return }
        page.add("")
        page.add("conditions")
        for condition in conditions { page.add(condition, indentation: 2) }
    }

    // MARK: Capsules

    private static func writeCapsule(_ line: [UInt8], to page: inout TextPage) {
        var document = JSONDocument()
        guard (try? document.parse(line)) != nil, document.kind(of: document.root) == .object else {
            page.add("a capsule that can't be read")
            return
        }
        let root = document.root
        let failures = document.number("failures", of: root) ?? 0
        let isComplete = document.member("isComplete", of: root).flatMap { document.bool(of: $0) } ?? false
        page.add("")
        page.add("\(isComplete ? "" : "not all are told: ")\(failures) failures")
        if let list = document.member("dimensions", of: root) {
            var elements = document.children(of: list)
            while let element = elements.next(in: document) {
                let name = document.text("name", of: element) ?? "?"
                page.add(
                    "\(name.padded(to: 17)) \(values(of: element, in: document, failures: failures))",
                    indentation: 2
                )
            }
        }
        let samples = samples(in: document)
        guard !samples.isEmpty else { return }
        page.add("")
        page.add("samples")
        page.add(samples.joined(separator: ", "), indentation: 2)
    }

    private static func values(
        of dimension: JSONValue,
        in document: borrowing JSONDocument,
        failures: Int64
    ) -> String {
        guard let list = document.member("values", of: dimension) else { return "" }
        var parts: [String] = []
        var elements = document.children(of: list)
        while let element = elements.next(in: document) {
            let count = document.number("count", of: element) ?? 0
            let percent = failures > 0 ? count * 100 / failures : 0
            parts.append("\(document.text("value", of: element) ?? "?") \(percent) %")
        }
        return parts.joined(separator: ", ")
    }

    private static func samples(in document: borrowing JSONDocument) -> [String] {
        guard let list = document.member("samples", of: document.root) else { return [] }
        var samples: [String] = []
        var elements = document.children(of: list)
        while let element = elements.next(in: document) {
            let seq = document.number("seq", of: element) ?? 0
            samples.append(document.text("eventId", of: element) ?? "entry \(seq)")
        }
        return samples
    }
}

extension String {
    /// With spaces behind it, so that columns stand below each other.
    fileprivate func padded(to width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self
    }
}

/// A row of the audit, taken out of its JSON.
private struct DecisionRow: ~Copyable {
    let document: JSONDocument

    init(document: consuming JSONDocument) {
        self.document = document
    }

    private func text(_ name: String) -> String? { document.text(name, of: document.root) }

    private var evidence: JSONValue? { document.member("evidence", of: document.root) }

    private func told(_ name: String) -> String? { evidence.flatMap { document.text(name, of: $0) } }
    private func number(_ name: String) -> Int64? { evidence.flatMap { document.number(name, of: $0) } }

    /// The switch and its slice.
    private var subject: String {
        var scope = [text("environment") ?? "?"]
        if let match = document.member("match", of: document.root) { scope += pairs(of: match, separator: "=") }
        return "\(text("switch") ?? "?") (\(scope.joined(separator: ", ")))"
    }

    private func pairs(of object: JSONValue, separator: String) -> [String] {
        var pairs: [String] = []
        var members = document.children(of: object)
        while let member = members.next(in: document) {
            pairs.append("\(document.key(of: member))\(separator)\(document.string(of: member) ?? "")")
        }
        return pairs
    }

    var heading: String {
        let at = text("at") ?? "?"
        switch text("kind") {
        case "transition":
            let (from, to) = (text("from") ?? "?", text("to") ?? "?")
            let step = from == to ? to : "\(from) → \(to)"
            return "\(at)  \(subject): \(step), payers get \(text("variant") ?? "?")"
        case "command":
            return "\(at)  \(text("actor") ?? "?") from \(text("origin") ?? "?"): \(text("action") ?? "?") \(subject)"
        case "founded": return "\(at)  the journal is founded: all switches are normal"
        case "rules": return "\(at)  rules come into force, and with them their switches"
        case let kind: return "\(at)  \(kind ?? "?")"
        }
    }

    var lines: [String] {
        switch text("kind") {
        case "transition": transitionLines
        case "command": ["reason: \(text("reason") ?? "")"]
        case "rules": ["SHA-256 \(text("rulesSha256") ?? "?")"]
        default: []
        }
    }

    private var transitionLines: [String] {
        var lines = ["\(text("cause") ?? "?"): \(text("reason") ?? "")"]
        switch told("ground") {
        case "rule":
            lines.append(
                "rule \(text("rule") ?? "?"), alert \(text("alert") ?? "?"), decision \(told("decision") ?? "?")"
            )
            lines.append("rule's SHA-256 \(told("ruleSha256") ?? "?")")
            if let evidence, let group = document.member("group", of: evidence) {
                lines.append("group \(pairs(of: group, separator: " ").joined(separator: ", "))")
            }
            if let since = told("since") { lines.append("counted since \(since)") }
        case "probe":
            let percent = number("percent").map { ", \($0) % of installs tried" } ?? ""
            lines.append("\(told("state") ?? "?") since \(told("since") ?? "?")\(percent)")
        case "timer":
            lines.append(
                "timer \(told("timer") ?? "?") of version \(number("setUnder") ?? 0), due at \(told("dueAt") ?? "?")"
            )
        case "command": lines.append("by \(text("actor") ?? "?") from \(text("origin") ?? "?")")
        case "ruleFiles": lines.append("by the rule files")
        default: lines.append("no evidence is stored with it")
        }
        if let level = number("level") { lines.append("level \(level)") }
        return lines
    }

    /// A line for each condition: whether it holds, its name, and its number against its limit.
    var conditions: [String] {
        guard let evidence, let list = document.member("conditions", of: evidence) else { return [] }
        var lines: [String] = []
        var elements = document.children(of: list)
        while let element = elements.next(in: document) {
            let condition = DecisionCondition(
                name: document.text("name", of: element) ?? "?",
                standing: document.text("standing", of: element) ?? "?",
                value: document.number("value", of: element),
                total: document.number("total", of: element),
                limit: document.number("limit", of: element),
                counting: told("counting") ?? "failures",
                windowMs: number("windowMs") ?? 0
            )
            lines.append(condition.line)
        }
        return lines
    }
}

/// One condition in words.
private struct DecisionCondition {
    var name: String
    var standing: String
    var value: Int64?
    var total: Int64?
    var limit: Int64?
    var counting: String
    var windowMs: Int64

    var line: String {
        let mark =
            switch standing {
            case "holds": "yes"
            case "fails": "no "
            default: "-  "
            }
        return "\(mark) \(name.padded(to: 21)) \(sentence)"
    }

    private var sentence: String {
        switch standing {
        case "notRequired": return "not required"
        case "noDenominator": return "not judged: no denominator"
        case "tooFewAttempts" where total != nil: return "not judged: only \(total ?? 0) attempts are known"
        case "tooFewAttempts": return "not judged: too few attempts are known"
        default: break
        }
        let (value, total, limit) = (value ?? 0, total ?? 0, limit ?? 0)
        return switch name {
        case "count": "\(value) \(counting) within \(duration(windowMs)); threshold \(limit)"
        case "attempts": "\(value) attempts; at least \(limit)"
        case "attemptsWithoutSuccess": "\(value) attempts and no success; at least \(limit)"
        case "share": "\(value) of \(total) attempts failed; at least \(limit) %"
        case "increase": "\(value) failed, \(total) in the window before; \(limit) % more"
        case "burnRate": "\(value) of \(total) attempts failed; \(limit / 10).\(limit % 10) times what is allowed"
        case "unusualRate": "\(value) failed; by chance once in \(limit) windows"
        // So many more than are asked for aren't counted.
        case "installs": "\(value)\(value >= 2 * limit ? " or more" : "") distinct installs; at least \(limit)"
        case "trusted": "\(value) told by trusted reporters; at least \(limit)"
        case "publicInstalls": "\(value) distinct installs; at least \(limit) for apps' own tokens"
        case "otherRoute": "\(value) of \(total) attempts failed there; at most \(limit) %"
        case "blastRadius": "\(value) % of payers moved; at most \(limit) %"
        case "normalMs": "normal for \(duration(value)); at least \(duration(limit))"
        case "trips": "trip \(value) within the lock's time; number \(limit) locks"
        case "failures": "\(value) attempts failed; \(limit) are bad"
        case "failedInstalls": "from \(value) installs; \(limit) are bad"
        case "failureShareAtMost": "\(percent(value)) % at most; below \(percent(limit)) % is good"
        case "unknowns": "try \(value) that nobody could judge; after \(limit) a person is asked"
        default: "\(value) of \(limit)"
        }
    }

    private func percent(_ hundredths: Int64) -> String {
        let rest = hundredths % 100
        return rest == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private func duration(_ milliseconds: Int64) -> String {
        if milliseconds % 3_600_000 == 0 { return "\(milliseconds / 3_600_000) h" }
        if milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
