internal import ShuntNative

/// The signature of Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, a signature a key.
///
/// Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
struct WebhookSignature: Sendable, Equatable {
    private static let prefix = "whsec_"

    private let keys: [[UInt8]]

    /// - Parameter secrets: each base64 of 24 to 64 bytes, with or without `whsec_`; a secret's text may hold several,
    ///   separated by white space. Nil when one isn't.
    init?(secrets: [Secret]) {
        var keys: [[UInt8]] = []
        for text in secrets.flatMap({ $0.text.split(whereSeparator: \.isWhitespace) }) {
            let letters = text.hasPrefix(Self.prefix) ? text.dropFirst(Self.prefix.count) : text
            guard let key = Base64.bytes(letters), (24...64).contains(key.count) else { return nil }
            keys.append(key)
        }
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    static let expected = "whsec_ and the base64 of 24 to 64 random bytes"

    /// The value of `webhook-signature`: `v1,…` for each key, separated by spaces.
    func value(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return keys.map { "v1,\(Base64.text(Digest.hmacSHA256(key: $0, signed).bytes))" }.joined(separator: " ")
    }
}
