internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// PagerDuty, by its Events API v2: incidents for alerts, change events for switches that moved.
///
/// Source: https://developer.pagerduty.com/docs/events-api-v2
struct PagerDutyDialect: ChannelDialect {
    var base = Self.defaultBase
    /// The integration's routing key.
    var routingKey: Secret

    static let defaultBase = "https://events.pagerduty.com"
    static let summaryLimit = 1024

    /// "A few minutes", as the documentation of 429 has it, would be too long for a page; one is what the rate is
    /// counted over.
    private static let limitedMs: Int64 = 60_000

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        if notice.happening == .switchMoved {
            return [message("/v2/change/enqueue") { write(changeOf: notice, in: text, to: &$0) }]
        }
        return [message("/v2/enqueue") { write(eventOf: notice, in: text, to: &$0) }]
    }

    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict {
        // Not even 200: only 202 says that the event is queued.
        if answer.status == 202 { return .delivered }
        if answer.status == 429 {
            let afterMs = answer.retryAfterMs(now: now) ?? Self.limitedMs
            return .retry(afterMs: afterMs, reason: "HTTP 429: \(answer.firstLine)")
        }
        return answer.verdictOnStatus(dead: [401, 403, 410], now: now)
            ?? .retry(afterMs: nil, maximumTries: 3, reason: "expected HTTP 202, found \(answer.status)")
    }

    private func message(_ path: String, _ write: (inout JSONWriter) -> Void) -> OutboundMessage {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.field("routing_key", routingKey.text)
        write(&writer)
        writer.endObject()
        return .http(OutboundRequest(url: OutboundURL.joined(base, path), json: writer.bytes))
    }

    private static func action(_ happening: Notice.Happening) -> String {
        switch happening {
        case .resolved: "resolve"
        case .acknowledged: "acknowledge"
        case .firing, .warning, .reminder, .mitigated, .escalated, .switchMoved: "trigger"
        }
    }

    private func write(eventOf notice: Notice, in text: NoticeText, to writer: inout JSONWriter) {
        let action = Self.action(notice.happening)
        writer.field("event_action", action)
        writer.field("dedup_key", IncidentKey.text(of: notice))
        guard action == "trigger" else { return }
        writer.field("client", "Shunt")
        writer.field("client_url", notice.link)
        writer.key("payload")
        writer.beginObject()
        writer.field("summary", MessageText.clamped(text.title, units: Self.summaryLimit))
        writer.field("source", MessageText.line(notice.environment))
        let severity = notice.happening == .warning ? Severity.warning : notice.alert?.severity ?? .info
        writer.field("severity", severity.rawValue)
        writer.field("timestamp", notice.alert?.startsAt ?? notice.at)
        writer.field("component", notice.move.map { MessageText.line($0.key) })
        writer.field("group", notice.errorKey.map { MessageText.line($0) })
        writer.field("class", notice.alert.map { MessageText.line($0.rule) })
        Self.details(text, to: &writer)
        writer.endObject()
        Self.links(text, to: &writer)
    }

    private func write(changeOf notice: Notice, in text: NoticeText, to writer: inout JSONWriter) {
        writer.key("payload")
        writer.beginObject()
        writer.field("summary", MessageText.clamped(text.title, units: Self.summaryLimit))
        writer.field("source", MessageText.line(notice.environment))
        writer.field("timestamp", notice.move?.at ?? notice.at)
        Self.details(text, to: &writer)
        writer.endObject()
        Self.links(text, to: &writer)
    }

    /// By their labels, since PagerDuty shows the names as they are.
    private static func details(_ text: NoticeText, to writer: inout JSONWriter) {
        writer.key("custom_details")
        writer.beginObject()
        if !text.impact.isEmpty { writer.field("Impact", text.impact) }
        for (number, fact) in text.facts.enumerated() {
            writer.field(fact.label.isEmpty ? "Line \(number + 1)" : fact.label, fact.value)
        }
        writer.endObject()
    }

    private static func links(_ text: NoticeText, to writer: inout JSONWriter) {
        guard !text.links.isEmpty else { return }
        writer.key("links")
        writer.beginArray()
        for link in text.links.prefix(10) {
            writer.beginObject()
            writer.field("href", link.url)
            writer.field("text", text.language.linkLabel(link.name))
            writer.endObject()
        }
        writer.endArray()
    }
}
