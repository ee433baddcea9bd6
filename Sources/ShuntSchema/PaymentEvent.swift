/// One immutable report about one payment attempt, as apps, pages and back ends send it to `POST /v1/events`.
///
/// Only `error.code` is required, and for `succeeded`, `attempted` and `cancelled` not even that.
public struct PaymentEvent: Equatable, Sendable {
    /// The reporter's identity of this report; the same identity counts once.
    public var eventId: String?
    /// When it happened, by the reporter's clock. For people and reports; windows use the time of receipt.
    public var occurredAt: Timestamp?
    /// What reported: `ios`, `android`, `web`, `backend`, …
    public var source: String
    /// `production`, `sandbox`, `test`, … Nothing crosses from one to another.
    public var environment: String
    /// E.g. `applePay`.
    public var paymentMethod: String?
    /// The card network, e.g. `chinaUnionPay`.
    public var network: String?
    /// The payment service provider.
    public var psp: String?
    /// The route that the payer was on: `native` or `web`.
    public var route: String?
    /// How far the attempt had come.
    public var stage: Stage
    /// How it ended.
    public var outcome: Outcome
    /// What went wrong.
    public var error: ErrorReport?
    /// One try to pay; several events can belong to it.
    public var attemptId: String?
    /// The merchant's order.
    public var orderRef: String?
    /// The provider's reference of the payment.
    public var pspReference: String?
    /// One installation of the app, as a salted hash.
    public var installId: String?
    /// A distributed trace's identifier.
    public var traceId: String?
    /// The version of the switch document in force when the attempt began.
    public var switchVersion: UInt64?
    /// The app that reported.
    public var app: AppInfo?
    /// The operating system it ran on.
    public var os: OSInfo?
    /// E.g. `iPhone15,3`.
    public var deviceModel: String?
    /// ISO 3166 region of the payer.
    public var region: String?
    /// The merchant identifier in use.
    public var merchantId: String?
    /// The amount that was to be paid.
    public var amount: Amount?
    /// How long the step took, in milliseconds.
    public var durationMs: Int64?
    /// The size of the request that failed, in bytes.
    public var bodyBytes: Int64?
    /// The payment token's version, e.g. `EC_v1` or `RSA_v1`.
    public var tokenVersion: String?
    /// The host that was asked.
    public var requestHost: String?
    /// Anything else: at most 32 scalars, in the order of their keys.
    public var context: [ContextEntry]
    /// Present when this stands for many single successes or attempts.
    public var counts: Counts?
    /// How far the report can be believed. Nothing that a reporter says: the daemon knows it by the token, and keeps
    /// it beside the event's JSON, which has no member for it.
    public var trust: ReporterTrust

    /// The environment of reports that name none: the one that payers are in.
    public static let defaultEnvironment = "production"

    /// The environment of drills: what is tried out there is told as a trial, and no payer is moved by it.
    public static let drillEnvironment = "drill"

    /// An event with the given error; everything else takes the contract's defaults.
    public init(outcome: Outcome = .failed, error: ErrorReport? = nil) {
        self.source = "backend"
        self.environment = Self.defaultEnvironment
        self.stage = .unknown
        self.outcome = outcome
        self.error = error
        self.context = []
        self.trust = .trusted
    }
}

/// What went wrong, in the words of the system that said so.
public struct ErrorReport: Equatable, Sendable {
    /// The code's namespace, e.g. `NSURLErrorDomain`; `unknown` where the reporter named none.
    public var domain: String
    /// The code, always a string: `05` and `5` are different codes.
    public var code: String
    /// A finer code of the same system.
    public var subcode: String?
    /// Free text; redacted before it is stored.
    public var message: String?
    /// The HTTP status that came with the error.
    public var httpStatus: Int64?
    /// The errors that this one wraps, outermost first.
    public var underlying: [UnderlyingError]

    /// An error by its key.
    public init(domain: String = "unknown", code: String) {
        self.domain = domain
        self.code = code
        self.underlying = []
    }
}

/// An error inside another error.
public struct UnderlyingError: Equatable, Sendable {
    /// The code's namespace.
    public var domain: String
    /// The code.
    public var code: String

    /// An underlying error by its key.
    public init(domain: String, code: String) {
        self.domain = domain
        self.code = code
    }
}

/// The app that reported.
public struct AppInfo: Equatable, Sendable {
    /// E.g. `com.example.store`.
    public var bundleId: String?
    /// E.g. `4.2.0`.
    public var version: String?
    /// E.g. `812`.
    public var build: String?

    /// Describes an app.
    public init(bundleId: String? = nil, version: String? = nil, build: String? = nil) {
        self.bundleId = bundleId
        self.version = version
        self.build = build
    }
}

/// The operating system that the reporter ran on.
public struct OSInfo: Equatable, Sendable {
    /// E.g. `iOS`.
    public var name: String?
    /// E.g. `17.4.1`.
    public var version: String?

    /// Describes an operating system.
    public init(name: String? = nil, version: String? = nil) {
        self.name = name
        self.version = version
    }
}

/// An exact amount of money.
public struct Amount: Equatable, Sendable {
    /// Minor units of the currency; the number of decimals is ISO 4217's.
    public var minor: Int64
    /// The ISO 4217 code in capitals.
    public var currency: String

    /// An amount in minor units.
    public init(minor: Int64, currency: String) {
        self.minor = minor
        self.currency = currency
    }
}

/// How many single successes or attempts an event stands for.
public struct Counts: Equatable, Sendable {
    /// The first moment counted.
    public var from: Timestamp
    /// The moment after the last one counted.
    public var to: Timestamp
    /// How many there were.
    public var count: Int64

    /// A counter over a stretch of time.
    public init(from: Timestamp, to: Timestamp, count: Int64) {
        self.from = from
        self.to = to
        self.count = count
    }
}

/// One entry of an event's free context.
public struct ContextEntry: Equatable, Sendable {
    /// The key, unique within its event.
    public var key: String
    /// The value.
    public var value: Scalar

    /// A context entry.
    public init(key: String, value: Scalar) {
        self.key = key
        self.value = value
    }
}

/// A JSON value without structure.
public enum Scalar: Equatable, Sendable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A truth value.
    case bool(Bool)
    /// Nothing.
    case null
}
