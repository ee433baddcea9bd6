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
