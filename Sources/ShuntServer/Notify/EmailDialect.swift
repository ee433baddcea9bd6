internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// E-mail: plain text, one thread an alert.
struct EmailDialect: ChannelDialect {
    var settings: MailSettings

    func messages(for notice: Notice, in text: NoticeText, at now: Timestamp) -> [OutboundMessage] {
        let domain = String(settings.sender.split(separator: "@").last ?? "localhost")
        let message = MailMessage(
            from: settings.sender,
            to: settings.recipients,
            subject: text.title,
            body: text.plain,
            date: notice.at,
            id: "\(Self.identity(of: notice))@\(domain)",
            thread: notice.alert.map { "\(Self.thread(of: notice, $0))@\(domain)" },
            isUrgent: notice.alert?.severity == .critical && notice.happening != .resolved && !notice.isTest
        )
        return [
            .mail(OutboundMail(sender: settings.sender, recipients: settings.recipients, message: message.bytes))
        ]
    }

    /// What the failure of a mail means: 4yz may pass, 5yz won't (RFC 5321, 4.2.1).
    static func verdict(on error: MailTransferError) -> DeliveryVerdict {
        switch error.code {
        case .refused(let reply) where (500...599).contains(reply):
            // 535: the login is wrong (RFC 4954, 6).
            .refused(reason: error.description, channelIsDead: reply == 535)
        case .invalidRequest, .addressRefused: .refused(reason: error.description, channelIsDead: false)
        case .couldNotResolve, .couldNotConnect, .tlsFailed, .timedOut, .refused, .other:
            .retry(afterMs: nil, reason: error.description)
        }
    }

    /// The same at every try, so that a server that has the mail knows it again; another for every notice.
    private static func identity(of notice: Notice) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(notice.id)
        writer.string(notice.happening.rawValue)
        writer.integer(notice.at.milliseconds)
        writer.string(notice.alert?.id ?? "")
        writer.endArray()
        return "shunt." + Digest.sha256(writer.bytes).hexadecimal.prefix(32)
    }

    /// The mail that began the thread, which nobody ever gets: mail readers put together what refers to the same one,
    /// in whatever order it comes.
    private static func thread(of notice: Notice, _ alert: Notice.AlertFacts) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(IncidentKey.text(of: notice))
        writer.string(alert.id)
        writer.integer(alert.startsAt.milliseconds)
        writer.endArray()
        return "shunt.thread." + Digest.sha256(writer.bytes).hexadecimal.prefix(32)
    }
}
