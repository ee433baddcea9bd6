internal import ShuntNative
internal import ShuntSchema

/// A custom robot of DingTalk.
///
/// Source: https://open.dingtalk.com/document/robots/custom-robot-access
struct DingTalkDialect: ChannelDialect {
    /// With its `access_token`, which is a secret.
    var url: String
    /// What requests are signed with (`SEC…`), where the robot asks for that.
    var secret: Secret?

    /// A request may have 20,000 bytes. JSON may double a text.
    static let textLimit = 9_000

    /// Whoever sends more than 20 messages a minute is muted.
    private static let limitedMs: Int64 = 60_000

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        // Text, not markdown, which has no way to take a star or a bracket from outside for what it is.
        writer.field("msgtype", "text")
        writer.key("text")
        writer.beginObject()
        writer.field("content", MessageText.plain(text, bytes: Self.textLimit))
        writer.endObject()
        // Said, so that nobody is called by a text from outside.
        writer.key("at")
        writer.beginObject()
        writer.key("atMobiles")
        writer.beginArray()
        writer.endArray()
        writer.field("isAtAll", false)
        writer.endObject()
        writer.endObject()
        return [.http(OutboundRequest(url: signed(at: now), json: writer.bytes))]
    }

    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict {
        guard let coded = CodedAnswer(answer.body, code: "errcode", message: "errmsg") else {
            return answer.verdictOnStatus(now: now)
                ?? .retry(afterMs: nil, maximumTries: 3, reason: "expected a code, found \(answer.firstLine)")
        }
        switch coded.code {
        case 0 where (200...299).contains(answer.status): return .delivered
        case 130101:
            let afterMs = max(Self.limitedMs, answer.retryAfterMs(now: now) ?? 0)
            return .retry(afterMs: afterMs, reason: coded.words)
        case -1: return .retry(afterMs: answer.retryAfterMs(now: now), reason: coded.words)
        // The token isn't one, or isn't any more.
        case 300001, 300005: return .refused(reason: coded.words, channelIsDead: true)
        default:
            return answer.verdictOnStatus(now: now) ?? .refused(reason: coded.words, channelIsDead: false)
        }
    }

    private func signed(at now: Timestamp) -> String {
        guard let secret else { return url }
        let milliseconds = now.milliseconds
        let sign = PercentEncoding.encoded(Self.signature(milliseconds: milliseconds, secret: secret))
        return "\(url)\(url.contains("?") ? "&" : "?")timestamp=\(milliseconds)&sign=\(sign)"
    }

    /// Base64 of HMAC-SHA256 with the secret as the key and the message `timestamp\nsecret`.
    static func signature(milliseconds: Int64, secret: Secret) -> String {
        Base64.text(Digest.hmacSHA256(key: secret.bytes, Array("\(milliseconds)\n\(secret.text)".utf8)).bytes)
    }
}
