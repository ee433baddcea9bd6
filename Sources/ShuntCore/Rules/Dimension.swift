public import ShuntSchema

/// An attribute of an event that rules match, group and scope by; the raw value is its name in rule files.
public enum Dimension: String, CaseIterable, Hashable, Sendable {
    /// `production`, `sandbox`, …
    case environment
    /// What reported.
    case source
    /// E.g. `applePay`.
    case paymentMethod
    /// The card network.
    case network
    /// The payment service provider.
    case psp
    /// The route that the payer was on.
    case route
    /// How far the attempt had come.
    case stage
    /// How it ended.
    case outcome
    /// The error's namespace.
    case errorDomain = "error.domain"
    /// The error's code.
    case errorCode = "error.code"
    /// The error's finer code.
    case errorSubcode = "error.subcode"
    /// The HTTP status that came with the error.
    case errorHTTPStatus = "error.httpStatus"
    /// The payer's region.
    case region
    /// The merchant identifier in use.
    case merchantId
    /// The app.
    case appBundleId = "app.bundleId"
    /// The app's version.
    case appVersion = "app.version"
    /// The app's build.
    case appBuild = "app.build"
    /// The operating system.
    case osName = "os.name"
    /// The operating system's version.
    case osVersion = "os.version"
    /// The device's model.
    case deviceModel
    /// The host that was asked.
    case requestHost
    /// The payment token's version.
    case tokenVersion
    /// Whose failure it is, by the catalogue.
    case failureClass = "class"
    /// Whether it counts towards a trip, by the catalogue.
    case switchWeight
    /// Whether money has moved, by the catalogue.
    case money
    /// How long the step took, in milliseconds.
    case durationMs
    /// The size of the request that failed, in bytes.
    case bodyBytes
    /// The amount, in minor units.
    case amountMinor = "amount.minor"
    /// The amount's currency.
    case amountCurrency = "amount.currency"

    /// Whether its values are whole numbers.
    public var isNumeric: Bool {
        switch self {
        case .errorHTTPStatus, .durationMs, .bodyBytes, .amountMinor: true
        default: false
        }
    }

    /// Whether only failures have it, or its value says that they failed.
    public var isOfFailures: Bool {
        switch self {
        case .errorDomain, .errorCode, .errorSubcode, .errorHTTPStatus, .failureClass, .switchWeight, .money, .stage,
            .outcome:
            true
        default: false
        }
    }

    /// Whether it is measured, so that near every event has a value of its own.
    public var isMeasured: Bool {
        switch self {
        case .durationMs, .bodyBytes, .amountMinor: true
        default: false
        }
    }

    /// Whether it is known before a payment, so that it can tell one slice of payers from another.
    public var isOfPayers: Bool { !isOfFailures && !isMeasured }

    /// Whether its values are versions.
    public var isVersion: Bool {
        switch self {
        case .appVersion, .osVersion: true
        default: false
        }
    }

    /// The value of an event that means this, or nil where the event doesn't say.
    public func value(in event: PaymentEvent, meaning classification: Classification) -> String? {
        switch self {
        case .environment: event.environment
        case .source: event.source
        case .paymentMethod: event.paymentMethod
        case .network: event.network
        case .psp: event.psp
        case .route: event.route
        case .stage: event.stage.rawValue
        case .outcome: event.outcome.rawValue
        case .errorDomain: event.error?.domain
        case .errorCode: event.error?.code
        case .errorSubcode: event.error?.subcode
        case .errorHTTPStatus: event.error?.httpStatus.map { String($0) }
        case .region: event.region
        case .merchantId: event.merchantId
        case .appBundleId: event.app?.bundleId
        case .appVersion: event.app?.version
        case .appBuild: event.app?.build
        case .osName: event.os?.name
        case .osVersion: event.os?.version
        case .deviceModel: event.deviceModel
        case .requestHost: event.requestHost
        case .tokenVersion: event.tokenVersion
        case .failureClass: classification.failureClass.rawValue
        case .switchWeight: classification.switchWeight.rawValue
        case .money: classification.money.rawValue
        case .durationMs: event.durationMs.map { String($0) }
        case .bodyBytes: event.bodyBytes.map { String($0) }
        case .amountMinor: (event.amount?.minor).map { String($0) }
        case .amountCurrency: event.amount?.currency
        }
    }
}
