/// What a redaction took out of a text: a closed list, so that each can be a metric label.
public enum RedactionKind: String, CaseIterable, Sendable {
    /// A payment card number, replaced by `[PAN …1234]`.
    case cardNumber
    /// Magnetic stripe data, track 1 or 2, card number included.
    case track
    /// A bearer or basic credential, or the user and password of a URL.
    case credential
    /// An API key, a webhook secret or the secret half of a client secret.
    case apiKey
    /// A compact JWS, JWT or JWE.
    case signedToken
    /// A SAML assertion or response, as XML.
    case assertion
    /// A PEM block: a certificate or a key.
    case pem
    /// A long run of base64, such as Apple Pay's `paymentData` or a receipt.
    case encodedBlob
    /// An e-mail address.
    case email
    /// The value beside a key that must never be kept (see ``Redactor/shouldDrop(key:)``).
    case keyedValue

    /// What stands in the text afterwards. A card number keeps its last four digits and has its own form.
    var marker: String {
        switch self {
        case .cardNumber: "[PAN]"
        case .track: "[redacted track]"
        case .credential: "[redacted credential]"
        case .apiKey: "[redacted key]"
        case .signedToken: "[redacted token]"
        case .assertion: "[redacted assertion]"
        case .pem: "[redacted pem]"
        case .encodedBlob: "[redacted data]"
        case .email: "[redacted email]"
        case .keyedValue: "[redacted]"
        }
    }

    fileprivate var bit: UInt16 {
        switch self {
        case .cardNumber: 1 << 0
        case .track: 1 << 1
        case .credential: 1 << 2
        case .apiKey: 1 << 3
        case .signedToken: 1 << 4
        case .assertion: 1 << 5
        case .pem: 1 << 6
        case .encodedBlob: 1 << 7
        case .email: 1 << 8
        case .keyedValue: 1 << 9
        }
    }
}

/// The kinds found in one text or one event; a set that costs no allocation.
public struct RedactionKinds: Equatable, Sendable {
    private var bits: UInt16 = 0

    /// No kind at all.
    public init() {}

    /// Nothing was found.
    public var isEmpty: Bool { bits == 0 }

    /// Whether this kind was found.
    public func contains(_ kind: RedactionKind) -> Bool { bits & kind.bit != 0 }

    /// Adds a kind.
    public mutating func insert(_ kind: RedactionKind) { bits |= kind.bit }

    /// Adds all kinds of another text of the same event.
    public mutating func formUnion(_ other: RedactionKinds) { bits |= other.bits }

    /// The kinds in declared order, so that no output depends on hashing.
    public var kinds: [RedactionKind] { RedactionKind.allCases.filter(contains) }
}

/// A text made fit to keep, and what it cost.
public struct Redaction: Equatable, Sendable {
    /// The text without what must not be kept. The very same string when nothing was found.
    public var text: String
    /// What was taken out.
    public var found: RedactionKinds
    /// A well-known test card number was among it: in production that is worth a `testCardInProduction` hint.
    public var holdsTestCard: Bool

    /// A text in which nothing was found.
    init(untouched text: String) {
        self.text = text
        found = RedactionKinds()
        holdsTestCard = false
    }
}

/// How much a field's declared purpose says about the digits in it.
public enum RedactedField: Sendable, CaseIterable {
    /// Messages, unknown fields, keys, URLs, nested JSON: a UnionPay number needs no check digit here.
    case freeText
    /// A declared id (`orderRef`, `pspReference`, `eventId`, `attemptId`): every card number must pass its check digit.
    case identifier
}

/// One stretch of a text to be replaced.
struct RedactedSpan {
    var range: Range<Int>
    var kind: RedactionKind
    /// The last four digits, for a card number; else 0.
    var lastFour: Int = 0
    var isTestCard = false
    /// The marker replaces a JSON value that had no quotes, so it brings its own, behind this many backslashes.
    var isQuoted = false
    var escapes: Int = 0
}
