internal import ShuntCore
internal import ShuntSchema

/// The body of a webhook: `{"type", "timestamp", "data"}`, as Standard Webhooks suggest it.
///
/// The texts in it are cut to a line each, so that it stays below the 20 KB that receivers may count on.
enum WebhookBody {
    static func type(of notice: Notice) -> String {
        notice.happening == .switchMoved ? "payments.switch.moved" : "payments.alert.\(notice.happening.rawValue)"
    }

    static func bytes(of notice: Notice, in text: NoticeText) -> [UInt8] {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.field("type", type(of: notice))
        writer.field("timestamp", notice.at)
        writer.key("data")
        writer.beginObject()
        writer.field("id", notice.id)
        writer.field("happening", notice.happening.rawValue)
        if notice.isTest { writer.field("test", true) }
        writer.field("environment", notice.environment)
        writer.field("title", text.title)
        writer.key("lines")
        writer.beginArray()
        for line in text.lines.prefix(20) { writer.string(line) }
        writer.endArray()
        if let alert = notice.alert { write(alert, of: notice, to: &writer) }
        write(notice.failures, to: &writer)
        if let move = notice.move { write(move, to: &writer) }
        if let closing = notice.closing { write(closing, to: &writer) }
        writer.field("actor", notice.actor.map { MessageText.line($0) })
        writer.field("where", notice.location.map { MessageText.line($0) })
        writer.field("likelyCause", notice.cause.map { MessageText.line($0) })
        writer.field("nextStep", notice.nextStep.map { MessageText.line($0) })
        if !notice.links.isEmpty {
            writer.key("links")
            writer.beginObject()
            for link in notice.links.prefix(10) { writer.field(link.name, link.url) }
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ alert: Notice.AlertFacts, of notice: Notice, to writer: inout JSONWriter) {
        writer.key("alert")
        writer.beginObject()
        writer.field("id", alert.id)
        writer.field("rule", alert.rule)
        writer.field("description", MessageText.line(alert.description))
        writer.field("severity", alert.severity.rawValue)
        writer.field("code", notice.errorKey.map { MessageText.line($0) })
        write(alert.group, as: "group", to: &writer)
        writer.field("startsAt", alert.startsAt)
        writer.field("endsAt", alert.endsAt)
        writer.endObject()
    }

    private static func write(_ failures: Notice.FailureFacts, to writer: inout JSONWriter) {
        guard failures != Notice.FailureFacts() else { return }
        writer.key("failures")
        writer.beginObject()
        writer.field("count", failures.count)
        writer.field("usual", failures.usual)
        writer.field("windowMs", failures.windowMs)
        writer.field("threshold", failures.threshold)
        writer.field("attempts", failures.attempts)
        writer.field("sharePercent", failures.sharePercent)
        writer.field("payers", failures.payers)
        write(failures.amounts, to: &writer)
        writer.endObject()
    }

    private static func write(_ move: Notice.MoveFacts, to writer: inout JSONWriter) {
        writer.key("switch")
        writer.beginObject()
        writer.field("key", move.key)
        if let scope = move.scope {
            let slice = [ScopeAttribute(name: "environment", value: scope.environment)] + scope.attributes
            write(slice, as: "scope", to: &writer)
        }
        writer.field("variant", move.variant)
        writer.field("version", move.version)
        writer.field("at", move.at)
        writer.field("decision", move.decision?.name)
        writer.field("cause", move.cause?.rawValue)
        writer.field("reason", move.reason.map { MessageText.line($0) })
        writer.field("nextStep", move.nextStep?.name)
        writer.field("percent", move.nextStep?.percent)
        writer.field("nextStepAt", move.nextStepAt)
        writer.endObject()
    }

    private static func write(_ closing: Notice.ClosingFacts, to writer: inout JSONWriter) {
        writer.key("closing")
        writer.beginObject()
        writer.field("failed", closing.failed)
        write(closing.amounts, to: &writer)
        writer.field("saved", closing.saved)
        writer.field("ending", closing.ending?.name)
        writer.field("endedBy", closing.ending?.person.map { MessageText.line($0) })
        writer.endObject()
    }

    private static func write(_ attributes: [ScopeAttribute], as name: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.beginObject()
        for attribute in attributes.prefix(20) {
            writer.field(attribute.name, MessageText.line(attribute.value, limit: 200))
        }
        writer.endObject()
    }

    private static func write(_ amounts: [Notice.Amount], to writer: inout JSONWriter) {
        guard !amounts.isEmpty else { return }
        writer.key("amounts")
        writer.beginArray()
        for amount in amounts.prefix(20) {
            writer.beginObject()
            writer.field("minor", amount.minor)
            writer.field("currency", amount.currency)
            writer.endObject()
        }
        writer.endArray()
    }
}
