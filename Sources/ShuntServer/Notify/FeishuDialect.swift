internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// A custom bot of Feishu, or of Lark, as it is called outside China.
///
/// Source: https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
struct FeishuDialect: ChannelDialect {
    var url: String
    /// What requests are signed with, where the bot asks for that.
    var secret: Secret?

    /// A request may have 20 KB. JSON may double a text, which then is half as long at most.
    static let textLimit = 8_000
    static let titleLimit = 600

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        if let secret {
            let seconds = now.milliseconds / 1000
            writer.field("timestamp", "\(seconds)")
            writer.field("sign", Self.signature(seconds: seconds, secret: secret))
        }
        writer.field("msg_type", "interactive")
        writer.key("card")
        writer.beginObject()
        writer.key("header")
        writer.beginObject()
        Self.write(MessageText.clamped(text.title, bytes: Self.titleLimit), as: "title", to: &writer)
        writer.field("template", Self.colour(notice))
        writer.endObject()
        writer.key("elements")
        writer.beginArray()
        // Plain text: in lark_md a text from outside could mention everybody.
        let lines = text.title.utf8.count > Self.titleLimit ? [text.title] + text.lines : text.lines
        writer.beginObject()
        writer.field("tag", "div")
        Self.write(MessageText.clamped(lines.joined(separator: "\n"), bytes: Self.textLimit), as: "text", to: &writer)
        writer.endObject()
        Self.buttons(text, to: &writer)
        writer.endArray()
        writer.endObject()
        writer.endObject()
        return [.http(OutboundRequest(url: url, json: writer.bytes))]
    }

    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict {
        if let coded = Self.coded(answer) {
            switch coded.code {
            case 0 where (200...299).contains(answer.status): return .delivered
            case 11232: return .retry(afterMs: answer.retryAfterMs(now: now), reason: coded.words)
            // The bot is gone, or its address never was one.
            case 19001: return .refused(reason: coded.words, channelIsDead: true)
            case 9499, 19002...19099: return .refused(reason: coded.words, channelIsDead: false)
            default:
                return answer.verdictOnStatus(now: now) ?? .refused(reason: coded.words, channelIsDead: false)
            }
        }
        return answer.verdictOnStatus(now: now)
            ?? .retry(afterMs: nil, maximumTries: 3, reason: "expected a code, found \(answer.firstLine)")
    }

    /// Base64 of HMAC-SHA256 with the key `timestamp\nsecret` and an empty message. DingTalk has it the other way round.
    static func signature(seconds: Int64, secret: Secret) -> String {
        Base64.text(Digest.hmacSHA256(key: Array("\(seconds)\n\(secret.text)".utf8), []).bytes)
    }

    /// Older bots answer with `StatusCode`.
    private static func coded(_ answer: ChannelAnswer) -> CodedAnswer? {
        CodedAnswer(answer.body, code: "code", message: "msg")
            ?? CodedAnswer(answer.body, code: "StatusCode", message: "StatusMessage")
    }

    private static func colour(_ notice: Notice) -> String {
        if notice.isTest { return "grey" }
        switch notice.happening {
        case .resolved: return "green"
        case .switchMoved: return "orange"
        case .firing, .warning, .reminder, .mitigated, .escalated, .acknowledged: break
        }
        switch notice.alert?.severity {
        case .critical: return "red"
        case .warning: return "orange"
        case .info, nil: return "blue"
        }
    }

    private static func write(_ text: String, as key: String, to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginObject()
        writer.field("tag", "plain_text")
        writer.field("content", text)
        writer.endObject()
    }

    private static func buttons(_ text: NoticeText, to writer: inout JSONWriter) {
        let links = text.links.filter { $0.url.utf8.count <= 1000 }.prefix(3)
        guard !links.isEmpty else { return }
        writer.beginObject()
        writer.field("tag", "action")
        writer.key("actions")
        writer.beginArray()
        for link in links {
            writer.beginObject()
            writer.field("tag", "button")
            write(text.language.linkLabel(link.name), as: "text", to: &writer)
            writer.field("url", link.url)
            writer.field("type", "default")
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
