internal import ShuntNative
internal import ShuntSchema

/// Any receiver of Standard Webhooks 1.0.0.
struct WebhookDialect: ChannelDialect {
    var url: String
    /// Nil where the channel has no secret.
    var signature: WebhookSignature?

    /// How often a request is repeated that the receiver calls wrong: it may be the one that is wrong just now.
    static let triesOfRefused = 3

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        let body = WebhookBody.bytes(of: notice, in: text)
        let seconds = now.milliseconds / 1000
        var headers = [
            HTTPTransfer.Header("webhook-id", notice.id), HTTPTransfer.Header("webhook-timestamp", "\(seconds)"),
        ]
        if let signature {
            let value = signature.value(id: notice.id, timestamp: seconds, body: body)
            headers.append(HTTPTransfer.Header("webhook-signature", value))
        }
        return [.http(OutboundRequest(url: url, json: body, headers: headers))]
    }

    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict {
        switch answer.verdictOnStatus(dead: [410], now: now) {
        case nil: .delivered
        case .refused(let reason, channelIsDead: false) where answer.status >= 400:
            .retry(afterMs: answer.retryAfterMs(now: now), maximumTries: Self.triesOfRefused, reason: reason)
        case .some(let verdict): verdict
        }
    }
}
