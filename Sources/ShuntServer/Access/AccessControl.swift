internal import ShuntNative
internal import ShuntSchema

/// Who may do what: from the `Authorization` of a request to who asks, or to a refusal.
struct AccessControl: Sendable {
    /// Why a request is refused; the raw value is the label of the metric.
    enum Refusal: String, CaseIterable, Sendable {
        /// There is no `Authorization`.
        case missing
        /// The `Authorization` isn't `Bearer` and a token.
        case malformed
        /// Nobody has this token.
        case unknown
        /// The token is for something else.
        case role
    }

    private let tokens: [AccessToken]
    private let arePollsPublic: Bool

    /// Without tokens every role is open to whoever reaches the daemon: it listens on loopback addresses only then.
    init(tokens: [AccessToken], arePollsPublic: Bool) {
        self.tokens = tokens
        self.arePollsPublic = arePollsPublic
    }

    /// Whether anybody needs a token for anything.
    var hasTokens: Bool { !tokens.isEmpty }

    /// Who asks, if they may.
    func judge(_ head: HTTPRequestHead, for access: RouteAccess) -> Result<Caller, Refusal> {
        if tokens.isEmpty { return .success(.anybody) }
        let roles = access.roles(arePollsPublic: arePollsPublic)
        // A wrong token doesn't close a door that is open without one: an app whose token was revoked polls on.
        guard !roles.isEmpty else { return .success(.nobody) }
        switch identify(head) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let token):
            guard roles.contains(token.role) else { return .failure(.role) }
            return .success(Caller(token: token))
        }
    }

    /// Whether whoever asks may read, at a door that is open to everybody.
    func mayRead(_ head: HTTPRequestHead) -> Bool {
        if case .success = judge(head, for: .read) { true } else { false }
    }

    /// The problem that a refusal is answered with.
    func problem(_ refusal: Refusal, for access: RouteAccess) -> Problem {
        let roles = access.roles(arePollsPublic: arePollsPublic).map(\.rawValue)
        let needed = "a token with the role \(roles.joined(separator: " or "))"
        let realm = "Bearer realm=\"shunt\""
        switch refusal {
        case .missing:
            let detail = "expected Authorization: Bearer and \(needed)"
            return Problem(401, "tokenMissing", detail, headers: [("WWW-Authenticate", realm)])
        case .malformed:
            let challenge = "\(realm), error=\"invalid_token\""
            let detail = "expected Authorization: Bearer and \(needed), found something else"
            return Problem(401, "tokenMalformed", detail, headers: [("WWW-Authenticate", challenge)])
        case .unknown:
            let challenge = "\(realm), error=\"invalid_token\""
            let detail = "the token isn't among those configured; expected \(needed)"
            return Problem(401, "tokenUnknown", detail, headers: [("WWW-Authenticate", challenge)])
        case .role:
            // The words are those of RFC 6750, 3.1.
            let challenge = "\(realm), error=\"insufficient_scope\", scope=\"\(roles.joined(separator: " "))\""
            let detail = "the token is for something else; expected \(needed)"
            return Problem(403, "roleMissing", detail, headers: [("WWW-Authenticate", challenge)])
        }
    }

    private func identify(_ head: HTTPRequestHead) -> Result<AccessToken, Refusal> {
        guard let field = head.header("Authorization") else { return .failure(.missing) }
        guard let token = Self.bearer(field) else { return .failure(.malformed) }
        let digest = Digest.sha256(Array(token.utf8))
        var found: AccessToken?
        // All of them, each in constant time: how long it takes says nothing about which is near.
        for token in tokens where token.digest == digest { found = token }
        return found.map { .success($0) } ?? .failure(.unknown)
    }

    /// The token of `Bearer …` (RFC 6750, 2.1: the scheme in any case, then one word of `token68`).
    private static func bearer(_ field: String) -> Substring? {
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer", AccessToken.canBe(parts[1]) else { return nil }
        return parts[1]
    }
}

extension AccessToken {
    /// Whether a text has the form of a bearer token: letters, digits and `-._~+/`, then `=` (RFC 6750, 2.1).
    public static func canBe(_ text: some StringProtocol) -> Bool {
        let letters = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        return !letters.isEmpty
            && letters.allSatisfy { byte in
                byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || "-._~+/".utf8.contains(byte)
            }
    }
}

extension AccessControl.Refusal: Error {}

/// Who asks.
struct Caller: Sendable, Equatable {
    /// The token's name; nil for whoever needed none.
    let name: String?
    /// How far what they report can be believed.
    let trust: ReporterTrust

    /// Somebody on this machine, where no tokens are configured.
    static let anybody = Caller(name: nil, trust: .trusted)
    /// Somebody at a door that is open to the world. Nothing is taken from them; if it were, it wouldn't be believed.
    static let nobody = Caller(name: nil, trust: .public)

    private init(name: String?, trust: ReporterTrust) {
        self.name = name
        self.trust = trust
    }

    init(token: AccessToken) {
        self.init(name: token.name, trust: token.trust)
    }

    /// Who the audit says did it: the token's name, or without tokens the address.
    func actor(from head: HTTPRequestHead) -> String { name ?? "\(head.remoteAddress)" }
}
