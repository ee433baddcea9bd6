internal import ShuntSchema

/// Slack, by an incoming webhook.
///
/// Source: https://api.slack.com/messaging/webhooks and /reference/block-kit/blocks
struct SlackDialect: ChannelDialect {
    /// The webhook's URL, which is the secret.
    var url: String

    /// What a header and a section may hold; Slack refuses the whole message for one that is longer.
    static let headerLimit = 150
    static let sectionLimit = 3000
    private static let linkLimit = 500

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        // What the notification shows, and clients that know no blocks.
        let fallback = ([text.title] + text.lines).joined(separator: "\n")
        writer.field("text", MessageText.clampedEscaping(fallback, units: Self.sectionLimit, Self.escaped))
        writer.key("blocks")
        writer.beginArray()
        Self.block("header", "plain_text", text.title, limit: Self.headerLimit, to: &writer)
        // Plain text, in which stars and underlines from outside format nothing. A title too long for the header is
        // told here in full.
        let isCut = MessageText.clampedEscaping(text.title, units: Self.headerLimit, Self.escaped).last == "…"
        let lines = (isCut ? [text.title] : []) + text.lines
        if !lines.isEmpty {
            let body = lines.joined(separator: "\n")
            Self.block("section", "plain_text", body, limit: Self.sectionLimit, to: &writer)
        }
        let links = text.links.prefix(5).compactMap { Self.link($0, text.language) }
        if !links.isEmpty {
            writer.beginObject()
            writer.field("type", "section")
            Self.write(links.joined(separator: "  "), as: "mrkdwn", to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return [.http(OutboundRequest(url: url, json: writer.bytes))]
    }

    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict {
        // 403, 404 and 410 say that the hook, its channel or its team is gone (nycmeshnet/meshdb#958).
        if let verdict = answer.verdictOnStatus(dead: [401, 403, 404, 410], now: now) { return verdict }
        if answer.firstLine == "ok" { return .delivered }
        // Success is the documented body only: an answer that isn't Slack's says nothing about the message.
        return .retry(afterMs: nil, maximumTries: 3, reason: "expected the body ok, found \(answer.firstLine)")
    }

    /// The three characters that Slack gives a meaning of its own: `<!channel>` would wake everybody.
    static func escaped(_ character: Character) -> String {
        switch character {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        default: String(character)
        }
    }

    private static func block(
        _ type: String,
        _ form: String,
        _ text: String,
        limit: Int,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("type", type)
        write(MessageText.clampedEscaping(text, units: limit, escaped), as: form, to: &writer)
        writer.endObject()
    }

    private static func write(_ text: String, as form: String, to writer: inout JSONWriter) {
        writer.key("text")
        writer.beginObject()
        writer.field("type", form)
        writer.field("text", text)
        if form == "plain_text" { writer.field("emoji", false) }
        writer.endObject()
    }

    /// A link in Slack's form; a URL that can't stand in it, or too long to be cut, is left out.
    private static func link(_ link: Notice.Link, _ language: NoticeLanguage) -> String? {
        guard link.url.utf8.count <= linkLimit, !link.url.contains(where: { "<>|".contains($0) }) else { return nil }
        let name = language.linkLabel(link.name).map { $0 == "|" ? "/" : escaped($0) }.joined()
        return "<\(link.url.replacing("&", with: "&amp;"))|\(name)>"
    }
}
