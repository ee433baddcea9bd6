internal import ShuntNative
internal import ShuntSchema

/// Sends a notice through a channel, once, and says what came of it. It blocks; the outbox gives it a thread.
struct ChannelSender: Sendable {
    /// The time for name, connection and TLS, in milliseconds.
    var connectTimeoutMs = 10_000
    /// The time for a whole request, in milliseconds.
    var timeoutMs = 15_000
    /// The time for a whole mail, in milliseconds: its dialogue goes back and forth a dozen times.
    var mailTimeoutMs = 30_000

    /// Answers are a line; more is a page that somebody else serves there.
    private static let largestAnswer = 64 << 10

    /// Sends a notice.
    func send(_ notice: Notice, through channel: Channel) -> DeliveryReport {
        let beganNs = SystemClock.monotonicNanoseconds
        let now = Timestamp(milliseconds: SystemClock.wallMilliseconds)
        let (text, templateFailure) = channel.text(of: notice)
        let messages = channel.dialect.messages(for: notice, in: text, at: now)
        var verdict: DeliveryVerdict?
        var answers: [String] = []
        for message in messages {
            let (one, answer) = send(message, through: channel, at: now)
            verdict = verdict.map { $0.orBetter(one) } ?? one
            if !answer.isEmpty { answers.append(answer) }
        }
        return DeliveryReport(
            verdict: (verdict ?? .delivered).masked(by: channel.mask),
            durationMs: (SystemClock.monotonicNanoseconds - beganNs) / 1_000_000,
            answer: channel.mask.masked(messages.isEmpty ? "nothing to send" : answers.joined(separator: "; ")),
            templateFailure: templateFailure
        )
    }

    private func send(
        _ message: OutboundMessage,
        through channel: Channel,
        at now: Timestamp
    ) -> (DeliveryVerdict, String) {
        switch message {
        case .http(let request): send(request, through: channel, at: now)
        case .mail(let mail): send(mail, through: channel)
        }
    }

    private func send(
        _ outbound: OutboundRequest,
        through channel: Channel,
        at now: Timestamp
    ) -> (DeliveryVerdict, String) {
        var request = HTTPTransfer.Request(
            method: outbound.method,
            url: outbound.url,
            headers: outbound.headers,
            body: outbound.body,
            timeoutMs: timeoutMs,
            connectTimeoutMs: connectTimeoutMs,
            maximumResponseBytes: Self.largestAnswer
        )
        request.reach = channel.reach
        request.certificatesPath = channel.certificatesPath
        do throws(HTTPTransferError) {
            // A new one each time: on a kept connection libcurl might send twice, and not every receiver knows repeats.
            var transfer = HTTPTransfer()
            let response = try transfer.perform(request)
            let answer = ChannelAnswer(
                status: response.status,
                retryAfter: response.header("Retry-After"),
                body: response.body
            )
            let line = answer.firstLine
            let shown = line.isEmpty ? "HTTP \(answer.status)" : "HTTP \(answer.status): \(line)"
            return (channel.dialect.verdict(on: answer, at: now), shown)
        } catch {
            return (Self.verdict(on: error), "")
        }
    }

    private static func verdict(on error: HTTPTransferError) -> DeliveryVerdict {
        switch error.code {
        case .invalidRequest: .refused(reason: error.detail, channelIsDead: false)
        case .addressRefused:
            .refused(reason: "\(error.detail); allowPrivate: true would allow it", channelIsDead: false)
        // A receiver that answers with a flood has perhaps taken the notice; it knows it again by its identity.
        case .couldNotResolve, .couldNotConnect, .tlsFailed, .timedOut, .tooLarge, .other:
            .retry(afterMs: nil, reason: error.detail)
        }
    }

    private func send(_ mail: OutboundMail, through channel: Channel) -> (DeliveryVerdict, String) {
        guard let settings = channel.mail else {
            return (.refused(reason: "no mail server", channelIsDead: true), "")
        }
        var request = MailTransfer.Request(
            host: settings.host,
            port: settings.port,
            security: settings.security,
            sender: mail.sender,
            recipients: mail.recipients,
            message: mail.message
        )
        request.user = settings.user
        request.password = channel.mailPassword?.text
        request.timeoutMs = mailTimeoutMs
        request.connectTimeoutMs = connectTimeoutMs
        request.reach = channel.reach
        request.certificatesPath = channel.certificatesPath
        do throws(MailTransferError) {
            return (.delivered, MessageText.line(try MailTransfer.send(request), limit: 200))
        } catch {
            let line = error.lastLine.map { MessageText.line($0, limit: 200) } ?? ""
            return (EmailDialect.verdict(on: error), line)
        }
    }
}

extension Channel {
    /// The notice in this channel's words, and why its own template wasn't used where it wasn't: a template that fails
    /// must never swallow an alert.
    func text(of notice: Notice) -> (text: NoticeText, templateFailure: String?) {
        let builtIn = NoticeText(notice, language: language, zone: zone)
        guard let template else { return (builtIn, nil) }
        do throws(PlaceholderText.Problem) {
            return (try template.text(of: notice, builtIn: builtIn, zone: zone), nil)
        } catch {
            guard case .missing(let name) = error else { return (builtIn, "the template can't be read") }
            return (builtIn, "{\(name)} isn't known of this notice")
        }
    }
}

extension DeliveryVerdict {
    func masked(by mask: SecretMask) -> DeliveryVerdict {
        switch self {
        case .delivered: self
        case .retry(let afterMs, let tries, let reason):
            .retry(afterMs: afterMs, maximumTries: tries, reason: mask.masked(MessageText.line(reason)))
        case .refused(let reason, let isDead):
            .refused(reason: mask.masked(MessageText.line(reason)), channelIsDead: isDead)
        }
    }
}
