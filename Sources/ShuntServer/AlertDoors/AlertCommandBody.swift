internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// What an operator's request about alerts asks for.
enum AlertCommandBody {
    private static let maximumTextBytes = SwitchesEndpoint.maximumReasonBytes

    /// `{"note", "forSec"}`, all of it optional.
    static func acknowledgement(of id: String, _ request: HTTPRequest) throws(Problem) -> AlertCommand.Action {
        let document = try object(request)
        let most = Acknowledgement.maximumMs / 1000
        let seconds = try seconds("forSec", in: document, most: most) ?? Acknowledgement.standingMs / 1000
        let note = try text("note", in: document) ?? ""
        return .acknowledge(alert: id, note: note, forMs: seconds * 1000)
    }

    /// `{"matchers", "endsAt" | "forSec" | "untilResolved", "comment"}`.
    ///
    /// When it begins isn't asked: it begins when it is received, whatever a browser's clock says.
    static func silence(_ request: HTTPRequest) throws(Problem) -> SilenceRequest {
        let document = try object(request)
        guard let comment = try text("comment", in: document), !comment.isEmpty else {
            throw Problem(422, "commentMissing", "expected /comment: why this is done, for those who come after")
        }
        let isUntilResolved = document.member("untilResolved", of: document.root).flatMap { document.bool(of: $0) }
        return SilenceRequest(
            matchers: try matchers(in: document),
            end: try end(in: document, isUntilResolved: isUntilResolved ?? false),
            isUntilResolved: isUntilResolved ?? false,
            comment: comment
        )
    }

    // MARK: Parts

    private static func object(_ request: HTTPRequest) throws(Problem) -> JSONDocument {
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(request.body)
        } catch {
            throw Problem.of(.unreadable(error))
        }
        guard document.kind(of: document.root) == .object else {
            throw Problem(422, "wrongShape", "expected an object")
        }
        return document
    }

    private static func end(
        in document: borrowing JSONDocument,
        isUntilResolved: Bool
    ) throws(Problem) -> SilenceRequest.End {
        if let text = try text("endsAt", in: document) {
            guard let end = Timestamp(rfc3339: text) else {
                throw Problem(422, "invalidTime", "expected /endsAt: a time such as 2026-11-30T04:49:00Z")
            }
            return .at(end)
        }
        if let seconds = try seconds("forSec", in: document, most: Silence.maximumMs / 1000) {
            return .after(ms: seconds * 1000)
        }
        guard isUntilResolved else {
            throw Problem(422, "endMissing", "expected /endsAt, /forSec or /untilResolved: a silence always ends")
        }
        return .after(ms: Silence.maximumMs)
    }

    private static func matchers(in document: borrowing JSONDocument) throws(Problem) -> [AlertMatcher] {
        guard let list = document.member("matchers", of: document.root), document.kind(of: list) == .array,
            (1...Silence.maximumMatchers).contains(document.count(of: list))
        else {
            throw Problem(422, "noMatchers", "expected /matchers: 1 to \(Silence.maximumMatchers) of {name, value, op}")
        }
        var matchers: [AlertMatcher] = []
        var elements = document.children(of: list)
        while let element = elements.next(in: document) {
            matchers.append(try matcher(element, matchers.count, in: document))
        }
        return matchers
    }

    private static func matcher(
        _ element: JSONValue,
        _ number: Int,
        in document: borrowing JSONDocument
    ) throws(Problem) -> AlertMatcher {
        let place = "/matchers/\(number)"
        func text(_ name: String) -> String? {
            document.member(name, of: element).flatMap { document.string(of: $0) }
        }
        guard let name = text("name"), AlertMatcher.names.contains(name) else {
            let name = text("name").map { ", found \($0.cut(toUTF8: 64))" } ?? ""
            let detail = "expected \(place)/name: rule, severity or an attribute that rules group by\(name)"
            throw Problem(422, "unknownAttribute", detail)
        }
        guard let value = text("value"), !value.isEmpty, value.utf8.count <= maximumTextBytes else {
            throw Problem(422, "wrongShape", "expected \(place)/value: a text of 1 to \(maximumTextBytes) bytes")
        }
        let word = text("op") ?? "="
        // Refused rather than taken and never true.
        guard let comparison = AlertMatcher.Comparison(rawValue: word) else {
            let words = AlertMatcher.Comparison.allCases.map(\.rawValue).joined(separator: " or ")
            throw Problem(422, "unknownOperator", "expected \(place)/op: \(words), found \(word.cut(toUTF8: 16))")
        }
        return AlertMatcher(name: name, comparison: comparison, value: value)
    }

    private static func text(_ name: String, in document: borrowing JSONDocument) throws(Problem) -> String? {
        guard let given = document.member(name, of: document.root), !document.isNull(given) else { return nil }
        guard let text = document.string(of: given) else {
            throw Problem(422, "wrongShape", "expected /\(name): a text")
        }
        return text.cut(toUTF8: maximumTextBytes)
    }

    private static func seconds(
        _ name: String,
        in document: borrowing JSONDocument,
        most: Int64
    ) throws(Problem) -> Int64? {
        guard let given = document.member(name, of: document.root), !document.isNull(given) else { return nil }
        guard let seconds = document.int64(of: given), (1...most).contains(seconds) else {
            throw Problem(422, "outOfRange", "expected /\(name): 1 to \(most) seconds")
        }
        return seconds
    }
}
