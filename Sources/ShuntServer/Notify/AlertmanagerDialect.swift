internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Alertmanager, by its API v2: every peer is told, none through a load balancer.
///
/// Source: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
struct AlertmanagerDialect: ChannelDialect {
    /// The peers' base URLs.
    var urls: [String]
    /// A bearer token, for one behind a proxy.
    var token: Secret?

    /// A firing alert must be told again at least so often, in milliseconds: Alertmanager ends what it doesn't hear of.
    static let resendMs: Int64 = 60_000

    /// Three resends may fail before Alertmanager would end an alert that still fires (prometheus#5277).
    static let lifeMs = 3 * resendMs

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        guard let alert = AlertmanagerLabels.alert(of: notice) else { return [] }
        let body = Self.body(alert, of: notice, in: text, at: now)
        let headers = token.map { [HTTPTransfer.Header("Authorization", "Bearer \($0.text)")] } ?? []
        return urls.map { base in
            .http(OutboundRequest(url: OutboundURL.joined(base, "/api/v2/alerts"), json: body, headers: headers))
        }
    }

    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict {
        answer.verdictOnStatus(dead: [], now: now) ?? .delivered
    }

    private static func body(
        _ alert: Notice.AlertFacts,
        of notice: Notice,
        in text: NoticeText,
        at now: Timestamp
    ) -> [UInt8] {
        let words = AlertmanagerLabels(alert, of: notice, in: text)
        var writer = JSONWriter(capacity: 1024)
        writer.beginArray()
        writer.beginObject()
        AlertmanagerLabels.write(words.labels, as: "labels", to: &writer)
        AlertmanagerLabels.write(words.annotations, as: "annotations", to: &writer)
        writer.field("startsAt", alert.startsAt)
        let end = notice.happening == .resolved ? alert.endsAt ?? notice.at : now.advanced(byMs: lifeMs)
        writer.field("endsAt", end)
        writer.field("generatorURL", notice.link)
        writer.endObject()
        writer.endArray()
        return writer.bytes
    }
}

/// Any receiver of Alertmanager's webhooks, version 4, of which there is a bridge to nearly everything.
///
/// Source: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
struct AlertmanagerWebhookDialect: ChannelDialect {
    var url: String
    /// The name that the message gives as its receiver.
    var receiver: String
    /// A bearer token.
    var token: Secret?

    /// What Alertmanager writes for "not yet": Go's zero time.
    private static let notYet = "0001-01-01T00:00:00Z"

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        guard let alert = AlertmanagerLabels.alert(of: notice) else { return [] }
        let headers = token.map { [HTTPTransfer.Header("Authorization", "Bearer \($0.text)")] } ?? []
        return [.http(OutboundRequest(url: url, json: body(alert, of: notice, in: text), headers: headers))]
    }

    private func body(_ alert: Notice.AlertFacts, of notice: Notice, in text: NoticeText) -> [UInt8] {
        let words = AlertmanagerLabels(alert, of: notice, in: text)
        let isOver = notice.happening == .resolved
        let group = words.labels.filter { $0.name == "alertname" }
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.field("version", "4")
        writer.field("groupKey", "{}:{alertname=\"\(alert.rule)\"}")
        writer.field("truncatedAlerts", 0)
        writer.field("status", isOver ? "resolved" : "firing")
        writer.field("receiver", receiver)
        AlertmanagerLabels.write(group, as: "groupLabels", to: &writer)
        AlertmanagerLabels.write(words.labels, as: "commonLabels", to: &writer)
        AlertmanagerLabels.write(words.annotations, as: "commonAnnotations", to: &writer)
        writer.field("externalURL", notice.link ?? "")
        writer.key("alerts")
        writer.beginArray()
        writer.beginObject()
        writer.field("status", isOver ? "resolved" : "firing")
        AlertmanagerLabels.write(words.labels, as: "labels", to: &writer)
        AlertmanagerLabels.write(words.annotations, as: "annotations", to: &writer)
        writer.field("startsAt", alert.startsAt)
        writer.field("endsAt", isOver ? (alert.endsAt ?? notice.at).rfc3339 : Self.notYet)
        writer.field("generatorURL", notice.link ?? "")
        writer.field("fingerprint", String(IncidentKey.text(of: notice).prefix(16)))
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
