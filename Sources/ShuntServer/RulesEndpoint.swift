internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// `GET /v1/rules` and `POST /v1/rules/reload`.
struct RulesEndpoint: Sendable {
    /// How long a reload may take.
    static let patienceNs: Int64 = 15_000_000_000

    let source: RuleSource
    let reloader: RuleReloader

    func reload(_ request: HTTPRequest, responder: HTTPResponder) -> HTTPOutcome {
        reloader.ask(responder)
        let late = Problem.retryLater(503, "notReady", "the rules are still being read; look at /v1/rules")
        return .parked(
            deadlineNanoseconds: request.receivedAtNanoseconds + Self.patienceNs,
            timeoutReply: late.reply
        )
    }

    /// What is loaded, and what was wrong at the last reload.
    func list() -> HTTPReply {
        let status = source.status
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.field("folder", source.path)
        writer.field("lastReloadSuccessful", status.isGood)
        writer.field("readAt", status.readAt)
        writer.field("loadedAt", status.loadedAt)
        if let files = status.files {
            writer.key("origin")
            writer.beginObject()
            writer.field("rules", files.rulesOrigin.rawValue)
            writer.field("switches", files.switchesOrigin.rawValue)
            writer.field("catalogue", files.catalogueOrigin.rawValue)
            writer.endObject()
            writer.key("rules")
            writer.beginArray()
            for rule in files.ruleSet.rules { Self.write(rule, to: &writer) }
            writer.endArray()
            writer.key("switches")
            writer.beginArray()
            for definition in files.ruleSet.switches { writer.string(definition.key) }
            writer.endArray()
            writer.field("catalogueRows", files.catalogueRowCount)
        }
        writer.key("problems")
        writer.write(status.problems)
        writer.endObject()
        let fields = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return HTTPReply(status: 200, headers: fields, body: writer.bytes)
    }

    private static func write(_ rule: Rule, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", rule.id)
        writer.field("description", rule.description)
        writer.field("kind", rule.kind.name.rawValue)
        writer.key("groupBy")
        writer.beginArray()
        for dimension in rule.groupBy { writer.string(dimension.rawValue) }
        writer.endArray()
        writer.field("count", rule.count.rawValue)
        writer.field("threshold", rule.threshold)
        writer.field("windowSec", rule.windowMs / 1000)
        writer.field("severity", rule.alert.severity.rawValue)
        writer.field("trips", rule.trip?.switchKey)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes what is wrong in rule files.
    mutating func write(_ problems: [RuleProblem]) {
        beginArray()
        for problem in problems {
            beginObject()
            field("file", problem.file)
            field("line", problem.line)
            field("column", problem.column)
            field("code", problem.code.rawValue)
            field("detail", problem.message)
            endObject()
        }
        endArray()
    }
}
