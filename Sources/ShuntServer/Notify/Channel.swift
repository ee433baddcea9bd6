internal import ShuntNative
internal import ShuntSchema

/// A channel that is ready to send: its secrets are read.
struct Channel: Sendable {
    var name: String
    var kind: ChannelKind
    var language: NoticeLanguage
    var zone: LocalZone
    var template: NoticeTemplate?
    var dialect: any ChannelDialect
    /// What goes with mail only.
    var mail: MailSettings?
    var mailPassword: Secret?
    var reach: AddressReach
    var certificatesPath: String?
    /// Takes its secrets out of what is logged and shown.
    var mask: SecretMask
    /// Whom it sends to, fit to be shown.
    var target: String

    /// Reads the channel's secrets.
    ///
    /// - Throws: Which of them can't be used, with the place in the configuration; never what was found.
    init(_ settings: ChannelSettings) throws(ConfigurationError) {
        name = settings.name
        kind = settings.kind
        language = settings.language
        zone = .utc
        if let setting = settings.timeZone { zone = try Self.zone(setting, channel: settings.name) }
        template = settings.template
        reach = settings.allowsPrivate ? .everywhere : .publicOnly
        certificatesPath = try settings.certificates.map { (setting) throws(ConfigurationError) in
            try Self.certificates(setting, channel: settings.name)
        }
        mail = settings.mail
        var urls = settings.urls
        if let setting = settings.urlSecret {
            let url = try setting.read(channel: settings.name)
            guard OutboundURL.isValid(url.text) else {
                let what = "expected an absolute http or https URL without spaces"
                throw ConfigurationError("\(setting.place) \(setting.key) of the channel \(settings.name): \(what)")
            }
            urls = [url.text]
        }
        let secret = try settings.secret.map { (setting) throws(ConfigurationError) in
            try setting.read(channel: settings.name)
        }
        let previous = try settings.previousSecret.map { (setting) throws(ConfigurationError) in
            try setting.read(channel: settings.name)
        }
        mailPassword = settings.kind == .email ? secret : nil
        mask = SecretMask(secrets: [secret, previous].compactMap(\.self), urls: settings.kind.hasPlainURL ? [] : urls)
        let shown = urls.map(SecretMask.shown).joined(separator: ", ")
        target = settings.mail.map { "\($0.recipients.joined(separator: ", ")) by \($0.host):\($0.port)" } ?? shown
        dialect = try Self.dialect(settings, urls: urls, secret: secret, previous: previous)
        if settings.kind == .pagerduty, urls.isEmpty { target = PagerDutyDialect.defaultBase }
    }

    private static func dialect(
        _ settings: ChannelSettings,
        urls: [String],
        secret: Secret?,
        previous: Secret?
    ) throws(ConfigurationError) -> any ChannelDialect {
        let url = urls.first ?? ""
        switch settings.kind {
        case .webhook:
            let secrets = [secret, previous].compactMap(\.self)
            let signature = WebhookSignature(secrets: secrets)
            guard signature != nil || secrets.isEmpty else {
                let place = settings.secret?.place ?? settings.name
                let what = "a secret of the channel \(settings.name): expected \(WebhookSignature.expected)"
                throw ConfigurationError("\(place) \(what)")
            }
            return WebhookDialect(url: url, signature: signature)
        case .alertmanager: return AlertmanagerDialect(urls: urls, token: try token(secret, settings))
        case .alertmanagerWebhook:
            return AlertmanagerWebhookDialect(url: url, receiver: settings.name, token: try token(secret, settings))
        case .slack: return SlackDialect(url: url)
        case .pagerduty:
            return PagerDutyDialect(
                base: urls.first ?? PagerDutyDialect.defaultBase,
                routingKey: try token(secret, settings) ?? Secret("")
            )
        case .feishu: return FeishuDialect(url: url, secret: secret)
        case .dingtalk: return DingTalkDialect(url: url, secret: secret)
        case .wecom: return WeComDialect(url: url)
        case .email:
            guard let mail = settings.mail else {
                throw ConfigurationError("the channel \(settings.name) has no mail server")
            }
            return EmailDialect(settings: mail)
        }
    }

    /// A secret that goes into a header or a field as one word.
    private static func token(_ secret: Secret?, _ settings: ChannelSettings) throws(ConfigurationError) -> Secret? {
        guard let secret else { return nil }
        guard secret.text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            let place = settings.secret?.place ?? settings.name
            throw ConfigurationError("\(place) the secret of the channel \(settings.name): expected one word in ASCII")
        }
        return secret
    }

    /// A file that libcurl will find: one that isn't there would fail each message with words about TLS.
    private static func certificates(
        _ setting: ChannelSettings.SettingText,
        channel: String
    ) throws(ConfigurationError) -> String {
        let file = SecretSetting(key: "caFile", source: .file(setting.text), place: setting.place)
        let text = try file.read(channel: channel).text
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            throw ConfigurationError("\(setting.place) caFile of the channel \(channel): expected certificates as PEM")
        }
        return setting.text
    }

    private static func zone(
        _ setting: ChannelSettings.SettingText,
        channel: String
    ) throws(ConfigurationError) -> LocalZone {
        guard let zone = ZoneFile.read(setting.text) else {
            throw ConfigurationError(
                "\(setting.place) timeZone of the channel \(channel): expected a zone of this machine's "
                    + "\(ZoneFile.folder), such as Asia/Shanghai, found \"\(setting.text.shortened)\""
            )
        }
        return zone
    }
}

extension ChannelKind {
    /// Whether the URL is an address that may be shown, rather than a secret itself.
    fileprivate var hasPlainURL: Bool {
        switch self {
        case .alertmanager, .pagerduty, .email: true
        case .webhook, .alertmanagerWebhook, .slack, .feishu, .dingtalk, .wecom: false
        }
    }
}

extension Configuration {
    /// The channels with their secrets.
    ///
    /// - Throws: All that is wrong, a line each.
    func openChannels() throws(ConfigurationError) -> [Channel] {
        var opened: [Channel] = []
        var problems: [String] = []
        for settings in channels {
            do throws(ConfigurationError) {
                opened.append(try Channel(settings))
            } catch {
                problems.append(error.description)
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems.joined(separator: "\n")) }
        return opened
    }
}
