internal import ShuntNative
public import ShuntSchema

/// A token as the configuration knows it: its name and what it is for, and of itself only the SHA-256.
///
/// A token has 256 random bits, so that a plain hash gives nothing away: there is nothing to guess.
public struct AccessToken: Sendable, Equatable {
    /// What the audit calls whoever has it.
    public let name: String
    /// What it is for.
    public let role: Role
    /// How far reports that come with it can be believed.
    public let trust: ReporterTrust

    let digest: Digest

    init(name: String, role: Role, trust: ReporterTrust = .trusted, digest: Digest) {
        self.name = name
        self.role = role
        self.trust = trust
        self.digest = digest
    }
}

/// A token that was just made: the only moment at which it can be read.
public struct NewToken: Sendable {
    /// What every token begins with, so that scanners for leaked secrets find it.
    public static let prefix = "shunt_"
    private static let byteCount = 32

    /// The token itself, to be given to who reports, reads or operates: `shunt_` and 43 letters of base64url.
    public let text: String
    /// What the configuration keeps of it.
    public let access: AccessToken

    /// Makes a token out of 32 random bytes.
    ///
    /// - Throws: An error for a name that the configuration wouldn't take.
    public init(name: String, role: Role, trust: ReporterTrust) throws(ConfigurationError) {
        guard name.isName else { throw ConfigurationError("name \(name): expected \(String.nameForm)") }
        text = Self.prefix + Self.base64URL(SecureRandom.bytes(Self.byteCount))
        access = AccessToken(name: name, role: role, trust: trust, digest: .sha256(Array(text.utf8)))
    }

    /// The token's SHA-256: 64 hexadecimal digits.
    public var sha256: String { access.digest.hexadecimal }

    /// The line for the list `tokens` of the configuration.
    public var line: String {
        let trust = access.role == .report ? "trust: \(access.trust.rawValue), " : ""
        return "- { name: \"\(access.name)\", role: \(access.role.rawValue), \(trust)sha256: \"\(sha256)\" }"
    }

    /// Bytes in the alphabet that needs no quoting in addresses, without padding (RFC 4648, 5).
    static func base64URL(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            bits = (bits << 8 | UInt32(byte)) & 0xFFFF
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(bits >> bitCount & 63)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
