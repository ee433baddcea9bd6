internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// Looks at the configured channels, and tries one out.
public enum ChannelCheck {
    /// What a test of a channel came to.
    public struct Outcome: Sendable {
        /// The outcome's name: `delivered`, `retry`, `refused` or `dead`.
        public let verdict: String
        /// Whether the receiver has the message.
        public let isDelivered: Bool
        /// Why it hasn't, without secrets; nil where it has.
        public let reason: String?
        /// How long it took, in milliseconds.
        public let durationMs: Int64
        /// The first line of what the receiver said, without secrets.
        public let answer: String
        /// Why the channel's own template wasn't used; nil where it was, or where there is none.
        public let templateFailure: String?
    }

    /// A configured channel, as it may be shown.
    public struct Line: Sendable {
        /// Its name.
        public let name: String
        /// Its kind, as the configuration writes it.
        public let kind: String
        /// Its language: `en` or `zh`.
        public let language: String
        /// Whom it sends to, without secrets; nil where they can't be read.
        public let target: String?
        /// Why it can't be used, without secrets; nil where it can.
        public let problem: String?
    }

    /// The channels in the order of the configuration.
    public static func list(_ configuration: Configuration) -> [Line] {
        configuration.channels.map { settings in
            var target: String?
            var problem: String?
            do throws(ConfigurationError) {
                target = try Channel(settings).target
            } catch {
                problem = error.description
            }
            return Line(
                name: settings.name,
                kind: settings.kind.rawValue,
                language: settings.language.rawValue,
                target: target,
                problem: problem
            )
        }
    }

    /// The configured name nearest to one that isn't configured; nil where none is near.
    public static func nearest(to name: String, in configuration: Configuration) -> String? {
        Suggestion.nearest(to: name, among: configuration.channels.map(\.name))
    }

    /// Sends a message that is marked as a test through a channel, for real.
    ///
    /// - Parameter isOver: whether to tell that the test is over, which closes the incident that one has opened.
    /// - Returns: What came of it; nil when there is no channel of that name.
    /// - Throws: Why the channel can't be used.
    public static func test(
        _ name: String,
        isOver: Bool = false,
        in configuration: Configuration
    ) throws(ConfigurationError) -> Outcome? {
        guard let settings = configuration.channels.first(where: { $0.name == name }) else { return nil }
        let channel = try Channel(settings)
        let now = Timestamp(milliseconds: SystemClock.wallMilliseconds)
        let notice = Notice.test(of: channel, at: now, isOver: isOver, links: configuration.links)
        let report = ChannelSender().send(notice, through: channel)
        return Outcome(
            verdict: report.verdict.name,
            isDelivered: report.verdict == .delivered,
            reason: report.verdict.reason,
            durationMs: report.durationMs,
            answer: report.answer,
            templateFailure: report.templateFailure
        )
    }
}

extension Notice {
    /// A marked example, by which people see what an alert will look like. It says of no switch that it moved.
    static func test(of channel: Channel, at now: Timestamp, isOver: Bool, links: LinkTemplates) -> Notice {
        let zh = channel.language == .chinese
        let alert = AlertFacts(
            id: "test",
            rule: "channel-test",
            description: zh ? "通道 \(channel.name) 的测试" : "Test of the channel \(channel.name)",
            severity: .info,
            group: [
                ScopeAttribute(name: "error.domain", value: "verify"),
                ScopeAttribute(name: "error.code", value: "8771"),
            ],
            startsAt: now.advanced(byMs: -240_000),
            endsAt: isOver ? now : nil
        )
        var notice = Notice(
            id: "test-\(channel.name)-\(now.milliseconds)",
            happening: isOver ? .resolved : .firing,
            at: now,
            environment: "test",
            isTest: true,
            alert: alert
        )
        notice.failures = FailureFacts(count: 132, windowMs: 300_000, threshold: 100, payers: 97)
        notice.failures.amounts = [Amount(minor: 3_821_400, currency: "CNY")]
        notice.cause = zh ? "示例：生产环境商户标识不一致" : "an example: the merchant identifier differs in production"
        notice.nextStep = zh ? "无需处理" : "nothing"
        notice.links = links.links(of: alert, environment: notice.environment, switchKey: nil)
        return notice
    }
}
