internal import ShuntNative
internal import ShuntSchema

/// What goes out for a notice: a request over HTTP, or a mail.
enum OutboundMessage: Equatable, Sendable {
    case http(OutboundRequest)
    case mail(OutboundMail)
}

/// A request to a channel's receiver.
struct OutboundRequest: Equatable, Sendable {
    var method = "POST"
    /// Absolute, percent-encoded; for many channels it's the secret itself.
    var url: String
    var headers: [HTTPTransfer.Header] = []
    var body: [UInt8]

    /// A post of JSON.
    init(url: String, json body: [UInt8], headers: [HTTPTransfer.Header] = []) {
        self.url = url
        self.headers = [HTTPTransfer.Header("Content-Type", "application/json")] + headers
        self.body = body
    }
}

/// A mail and its envelope.
struct OutboundMail: Equatable, Sendable {
    var sender: String
    var recipients: [String]
    /// Header and body as they go on the wire.
    var message: [UInt8]
}

/// What a receiver answered.
struct ChannelAnswer: Equatable, Sendable {
    var status: Int
    /// The value of `Retry-After`.
    var retryAfter: String?
    var body: [UInt8] = []

    /// The body's first line, for people.
    var firstLine: String {
        let text = String(decoding: body.prefix(2000), as: UTF8.self)
        return MessageText.line(String(text.split(whereSeparator: \.isNewline).first ?? ""), limit: 200)
    }
}

/// What an answer means for the notice.
enum DeliveryVerdict: Equatable, Sendable {
    /// The receiver has it.
    case delivered
    /// It hasn't, and the same may work later: not before `afterMs` where the receiver said so, and where it's likely
    /// that it never will, `maximumTries` times at most.
    case retry(afterMs: Int64?, maximumTries: Int? = nil, reason: String)
    /// The same can't work. A dead channel takes nothing any more until somebody mends its configuration.
    case refused(reason: String, channelIsDead: Bool)

    /// The outcome's name in metrics and logs.
    var name: String {
        switch self {
        case .delivered: "delivered"
        case .retry: "retry"
        case .refused(_, channelIsDead: true): "dead"
        case .refused: "refused"
        }
    }

    /// Why it wasn't delivered.
    var reason: String? {
        switch self {
        case .delivered: nil
        case .retry(_, _, let reason), .refused(let reason, _): reason
        }
    }

    /// The better news of two: of several peers one that has it is enough.
    func orBetter(_ other: DeliveryVerdict) -> DeliveryVerdict {
        func rank(_ verdict: DeliveryVerdict) -> Int {
            switch verdict {
            case .delivered: 0
            case .retry: 1
            case .refused: 2
            }
        }
        return rank(other) < rank(self) ? other : self
    }
}

extension ChannelAnswer {
    /// What the status alone says, for all channels alike; nil for 2xx, which some channels mean differently.
    ///
    /// - Parameter dead: statuses by which the receiver says that the address is gone.
    func verdictOnStatus(dead: Set<Int> = [404, 410], now: Timestamp) -> DeliveryVerdict? {
        let said = firstLine.isEmpty ? "HTTP \(status)" : "HTTP \(status): \(firstLine)"
        switch status {
        case 200...299: return nil
        // 408, 425 and 429 say "later" as plainly as a server's own failure.
        case 408, 425, 429, 500...599: return .retry(afterMs: retryAfterMs(now: now), reason: said)
        case 300...399: return .refused(reason: "\(said) (redirects aren't followed)", channelIsDead: false)
        default: return .refused(reason: said, channelIsDead: dead.contains(status))
        }
    }

    /// `Retry-After` in milliseconds: seconds, or a date (RFC 9110, 10.2.3). At most an hour, so that no receiver puts
    /// an alert to sleep.
    func retryAfterMs(now: Timestamp) -> Int64? {
        guard let value = retryAfter else { return nil }
        let longestMs: Int64 = 3_600_000
        if !value.isEmpty, value.utf8.allSatisfy(\.isDigit) {
            return Int64(value).map { min($0, 3600) * 1000 } ?? longestMs
        }
        guard let date = HTTPDate.time(value) else { return nil }
        return min(max(0, date.milliseconds - now.milliseconds), longestMs)
    }
}

/// How one try to deliver a notice went.
struct DeliveryReport: Sendable {
    var verdict: DeliveryVerdict
    /// How long it took, in milliseconds.
    var durationMs: Int64
    /// The first line of what the receiver said, without secrets.
    var answer: String
    /// Why the channel's own template wasn't used; nil where it was, or where there is none.
    var templateFailure: String?
}
