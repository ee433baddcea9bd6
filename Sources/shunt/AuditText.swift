import ShuntNative
import ShuntServer

/// The audit's rows for a person: two lines each, of at most 80 columns.
enum AuditText {
    private static let width = 80

    static func lines(_ records: [AuditReader.Record]) -> String {
        guard !records.isEmpty else { return "The audit has no rows yet.\n" }
        var document = JSONDocument()
        return records.map { record in
            guard (try? document.parse(record.line)) != nil, document.kind(of: document.root) == .object else {
                return "\(record.number)  can't be read; shunt audit verify says more\n"
            }
            return text(record.number, AuditRowText(document)) + "\n"
        }.joined()
    }

    private static func text(_ number: Int64, _ row: AuditRowText) -> String {
        let first = ["\(number)", row.at, row.kind, row.subject].filter { !$0.isEmpty }.joined(separator: "  ")
        let second = "    " + row.detail
        return [first, second].filter { !$0.allSatisfy(\.isWhitespace) }.map(cut).joined(separator: "\n")
    }

    /// Cut to the width, and without what a terminal would obey.
    private static func cut(_ line: String) -> String {
        let line = line.visible
        return line.count > width ? line.prefix(width - 1) + "…" : line
    }
}

/// What a row says, taken out of its JSON.
private struct AuditRowText {
    var at = ""
    var kind = ""
    /// The switch and its scope.
    var subject = ""
    var detail = ""

    init(_ document: borrowing JSONDocument) {
        func text(_ name: String) -> String? {
            document.member(name, of: document.root).flatMap { document.string(of: $0) }
        }
        at = text("at") ?? ""
        kind = text("kind") ?? ""
        var scope: [String] = [text("environment") ?? ""]
        if let match = document.member("match", of: document.root) {
            var members = document.children(of: match)
            while let member = members.next(in: document) {
                scope.append("\(document.key(of: member))=\(document.string(of: member) ?? "")")
            }
        }
        if let key = text("switch") { subject = "\(key) (\(scope.joined(separator: ", ")))" }
        let actor = text("actor").map { $0 + (text("origin").map { " from \($0)" } ?? "") + ": " } ?? ""
        let reason = text("reason").map { ": \($0)" } ?? ""
        switch kind {
        case "command":
            let what = [text("action"), text("variant") ?? text("mode")].compactMap { $0 }.joined(separator: " ")
            let result = text("result").map { $0 == "done" ? "" : " (refused: \($0))" } ?? ""
            detail = actor + what + result + reason
        case "alertCommand":
            subject = text("alert") ?? text("silence") ?? ""
            let result = text("result").map { $0 == "done" ? "" : " (refused: \($0))" } ?? ""
            detail = actor + (text("action") ?? "") + result + reason
        case "settle":
            subject = "\(text("attempt") ?? "") (\(text("environment") ?? ""))"
            let result = text("result").map { $0 == "done" ? "" : " (refused: \($0))" } ?? ""
            detail = actor + (text("settlement") ?? "") + result + reason
        case "transition":
            detail = "\(text("from") ?? "") → \(text("to") ?? ""), \(text("variant") ?? "") (\(text("cause") ?? ""))"
            detail += reason
        case "rules": detail = "sha256 \(text("rulesSha256") ?? "")"
        case "begun": detail = "the journal is older than the audit; what was before isn't in it"
        default: detail = text("epoch").map { "epoch \($0)" } ?? ""
        }
    }
}
