internal import ShuntNative

/// The kinds of channels.
enum ChannelKind: String, CaseIterable, Sendable {
    /// Any receiver of Standard Webhooks.
    case webhook
    /// Alertmanager, by its API v2.
    case alertmanager
    /// Any receiver of Alertmanager's own webhooks, version 4.
    case alertmanagerWebhook
    case slack
    /// PagerDuty, by its Events API v2.
    case pagerduty
    /// Feishu, and Lark outside China.
    case feishu
    case dingtalk
    case wecom
    case email
}

extension ChannelKind {
    /// How many messages a minute it takes; nil where nothing is known. Whoever has more to tell puts them together: at
    /// DingTalk and WeCom the limit is 20, and who passes it is muted, Slack's is one a second, Feishu's 100 a minute.
    var messagesPerMinute: Int? {
        switch self {
        case .dingtalk, .wecom: 15
        case .slack, .feishu: 60
        case .webhook, .alertmanager, .alertmanagerWebhook, .pagerduty, .email: nil
        }
    }

    /// How often it must be told again of an alert that fires, in milliseconds, or it would end it; nil where once is
    /// enough.
    var resendMs: Int64? { self == .alertmanager ? AlertmanagerDialect.resendMs : nil }
}

/// A channel as `shunt.yaml` describes it; its secrets aren't read yet.
struct ChannelSettings: Sendable, Equatable {
    var name: String
    var kind: ChannelKind
    var language = NoticeLanguage.english
    /// The zone that times are told in, e.g. `Asia/Shanghai`; nil for UTC.
    var timeZone: SettingText?
    /// The channel's own text; nil for the built-in one.
    var template: NoticeTemplate?
    /// Where to send; one, but for Alertmanager, of which every peer is told.
    var urls: [String] = []
    /// Where the URL is kept, where it isn't in `shunt.yaml` itself.
    var urlSecret: SecretSetting?
    /// The key, token or password.
    var secret: SecretSetting?
    /// A second key that webhooks are signed with, while receivers go from one to the other.
    var previousSecret: SecretSetting?
    /// Whether addresses of this machine and of private networks may be reached.
    var allowsPrivate = false
    /// A file of certificates that are trusted instead of the system's.
    var certificates: SettingText?
    /// What an e-mail needs.
    var mail: MailSettings?

    /// A text with its place, for errors that show only when it is used.
    struct SettingText: Sendable, Equatable {
        var text: String
        /// `file:line:column`.
        var place: String
    }
}

/// Where mail is handed in, and whom it is for.
struct MailSettings: Sendable, Equatable {
    var host: String
    var port: UInt16
    var security: MailTransfer.Security
    var user: String?
    /// A bare address.
    var sender: String
    /// Bare addresses.
    var recipients: [String]
}
