internal import ShuntNative
internal import ShuntSchema

/// How one kind of receiver is spoken to: what to send it, and what its answers mean. Pure; the sender does the sending.
protocol ChannelDialect: Sendable {
    /// What goes out for a notice: nothing where this kind of receiver has no use for it, several messages where several
    /// peers are to be told.
    ///
    /// - Parameter now: the time of this try, which signatures are made for. The content has the notice's own.
    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage]

    /// What an answer over HTTP means.
    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict
}

extension ChannelDialect {
    /// Every 2xx is success, and the other statuses mean what HTTP says.
    func verdict(on answer: ChannelAnswer, at now: Timestamp) -> DeliveryVerdict {
        answer.verdictOnStatus(now: now) ?? .delivered
    }
}

/// An answer whose body tells what its status doesn't: `{"code": 0, "msg": "ok"}`, by the names that the vendor has.
struct CodedAnswer: Equatable {
    var code: Int64
    var message: String

    /// Reads the answer; nil when it isn't a JSON object with a number of that name.
    init?(_ body: [UInt8], code codeName: String, message messageName: String) {
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(body)
        } catch {
            return nil
        }
        let root = document.root
        guard document.kind(of: root) == .object, let value = document.member(codeName, of: root),
            let code = document.int64(of: value)
        else { return nil }
        self.code = code
        message = document.member(messageName, of: root).flatMap { document.string(of: $0) } ?? ""
    }

    var words: String { "\(code): \(MessageText.line(message, limit: 200))" }
}
