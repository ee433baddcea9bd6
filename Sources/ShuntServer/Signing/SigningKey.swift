internal import ShuntNative

/// A key that documents are signed with, as files and the environment hold it.
public struct SigningKey: Sendable {
    /// What `Shunt-Signature` calls it: `k` and the first 16 hexadecimal digits of the public key's SHA-256. A name in
    /// the sense of RFC 9651, so it begins with a letter.
    public let id: String
    /// The public key, which clients pin: 32 bytes in base64.
    public let publicKey: String

    private let key: Ed25519PrivateKey

    /// What comes before the 32 bytes in the DER of a private key (RFC 8410, 7).
    private static let privatePrefix: [UInt8] = [
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
    /// What comes before the 32 bytes in the DER of a public key (RFC 8410, 4).
    private static let publicPrefix: [UInt8] = [
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]

    /// A key of 32 secret bytes; nil for another number.
    init?(bytes: [UInt8]) {
        guard let key = Ed25519PrivateKey(bytes: bytes) else { return nil }
        self.key = key
        id = Self.id(ofPublicKey: key.publicKey)
        publicKey = Base64.text(key.publicKey)
    }

    /// Reads a key: the PEM of `shunt keygen` or `openssl genpkey -algorithm ed25519`, or the one line of base64 in
    /// it; nil for anything else.
    init?(text: String) {
        var lines = text.split(whereSeparator: { $0.isNewline }).map(\.trimmed)
        if lines.count == 3, lines[0] == "-----BEGIN PRIVATE KEY-----", lines[2] == "-----END PRIVATE KEY-----" {
            lines = [lines[1]]
        }
        guard lines.count == 1, let der = Base64.bytes(lines[0]), der.starts(with: Self.privatePrefix) else {
            return nil
        }
        self.init(bytes: Array(der.dropFirst(Self.privatePrefix.count)))
    }

    /// The public key as PEM, for `openssl` and the like.
    public var publicPEM: String {
        Self.pem("PUBLIC KEY", Self.publicPrefix + key.publicKey)
    }

    /// The 64 bytes of the signature of some bytes.
    func signature(of bytes: [UInt8]) -> [UInt8] {
        key.signature(of: bytes)
    }

    /// How a public key of 32 bytes is called.
    static func id(ofPublicKey bytes: [UInt8]) -> String {
        "k\(Digest.sha256(bytes).hexadecimal.prefix(16))"
    }

    /// A new key, and the PEM that keeps it: the only moment at which its secret leaves it.
    static func make(_ secret: [UInt8] = SecureRandom.bytes(Ed25519.keyByteCount)) -> (key: SigningKey, pem: String)? {
        SigningKey(bytes: secret).map { ($0, pem("PRIVATE KEY", privatePrefix + secret)) }
    }

    private static func pem(_ label: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n\(Base64.text(der))\n-----END \(label)-----\n"
    }
}

extension SigningKey: CustomStringConvertible {
    /// What it is called. A log has no use for more.
    public var description: String { id }
}
