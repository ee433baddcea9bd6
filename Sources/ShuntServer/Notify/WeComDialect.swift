internal import ShuntNative
internal import ShuntSchema

/// A group robot of WeCom (WeChat Work). It has no signature: the key in its URL is the secret.
///
/// Source: https://developer.work.weixin.qq.com/document/path/91770
struct WeComDialect: ChannelDialect {
    /// With its `key`.
    var url: String

    /// What a text may have: bytes, not characters. Markdown may have twice as many, but in it a text from outside
    /// could mention people.
    static let textLimit = 2048

    private static let limitedMs: Int64 = 60_000

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        var writer = JSONWriter(capacity: 2560)
        writer.beginObject()
        writer.field("msgtype", "text")
        writer.key("text")
        writer.beginObject()
        writer.field("content", MessageText.plain(text, bytes: Self.textLimit))
        writer.endObject()
        writer.endObject()
        return [.http(OutboundRequest(url: url, json: writer.bytes))]
    }

    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict {
        guard let coded = CodedAnswer(answer.body, code: "errcode", message: "errmsg") else {
            return answer.verdictOnStatus(now: now)
                ?? .retry(afterMs: nil, maximumTries: 3, reason: "expected a code, found \(answer.firstLine)")
        }
        switch coded.code {
        case 0 where (200...299).contains(answer.status): return .delivered
        case 45009:
            return .retry(afterMs: answer.retryAfterMs(now: now) ?? Self.limitedMs, reason: coded.words)
        case -1: return .retry(afterMs: answer.retryAfterMs(now: now), reason: coded.words)
        case 93000: return .refused(reason: coded.words, channelIsDead: true)
        default:
            return answer.verdictOnStatus(now: now) ?? .refused(reason: coded.words, channelIsDead: false)
        }
    }
}
