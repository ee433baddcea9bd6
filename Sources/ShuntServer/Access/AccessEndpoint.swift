internal import ShuntNative
internal import ShuntSchema

/// `GET /v1/access`: what whoever asks may do, so that a page needn't offer what would be refused.
struct AccessEndpoint: Sendable {
    let access: AccessControl

    func get(_ head: HTTPRequestHead) -> HTTPReply {
        let reader = access.judge(head, for: .read)
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.field("tokens", access.hasTokens)
        if case .success(let caller) = reader { writer.field("name", caller.name) }
        if case .failure(let refusal) = reader { writer.field("refusal", refusal.rawValue) }
        writer.field("read", access.mayRead(head))
        if case .success = access.judge(head, for: .operate) {
            writer.field("operate", true)
        } else {
            writer.field("operate", false)
        }
        writer.endObject()
        return LookQuery.reply(writer)
    }
}
