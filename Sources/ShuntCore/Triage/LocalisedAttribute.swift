public import ShuntSchema

/// An attribute of payment events that failures are localised over.
public enum LocalisedAttribute: Hashable, Sendable {
    /// One that rules know too.
    case dimension(Dimension)
    /// The first 6 or 8 digits of the card, which name its issuer (ISO/IEC 7812-1): `context.issuerBin`, and only where
    /// the reporter sends it as such.
    case issuerBin
    /// How the device was connected, e.g. `wifi` or `cellular`: `context.networkType`.
    case networkType

    /// All, in the order of the schema, which decides between causes that explain equally much.
    public static let all: [LocalisedAttribute] =
        [
            .errorDomain, .errorCode, .stage, .errorHTTPStatus, .appVersion, .appBuild, .osName, .osVersion,
            .deviceModel, .network, .psp, .region, .merchantId, .requestHost,
        ].map(LocalisedAttribute.dimension) + [.issuerBin, .networkType]

    /// The name in tables and answers, e.g. `app.version`.
    public var name: String {
        switch self {
        case .dimension(let dimension): dimension.rawValue
        case .issuerBin: "issuerBin"
        case .networkType: "networkType"
        }
    }

    /// The value of an event that means this, or nil where the event doesn't say. An empty value says nothing.
    public func value(in event: PaymentEvent, meaning classification: Classification) -> String? {
        let value: String? =
            switch self {
            case .dimension(let dimension): dimension.value(in: event, meaning: classification)
            case .issuerBin: Self.issuerBin(of: event)
            case .networkType: Self.text("networkType", of: event)
            }
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func text(_ key: String, of event: PaymentEvent) -> String? {
        guard case .string(let text) = event.context.first(where: { $0.key == key })?.value else { return nil }
        return text
    }

    /// Six or eight digits; anything else may be more of a card's number than may be kept.
    private static func issuerBin(of event: PaymentEvent) -> String? {
        let digits: String
        switch event.context.first(where: { $0.key == "issuerBin" })?.value {
        case .string(let text): digits = text
        case .integer(let number): digits = String(number)
        default: return nil
        }
        let isBin =
            (digits.utf8.count == 6 || digits.utf8.count == 8)
            && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isBin ? digits : nil
    }
}

extension LocalisationTable.Builder {
    /// A table of payment events: its attributes are `LocalisedAttribute.all`.
    public static func ofEvents() -> Self { Self(attributes: LocalisedAttribute.all.map(\.name)) }

    /// Appends an event to a table that `ofEvents` began.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - classification: What it means.
    ///   - isNow: Whether it is of the window looked at.
    ///   - failures: How many failures it stands for.
    public mutating func append(
        _ event: PaymentEvent,
        meaning classification: Classification,
        isNow: Bool,
        failures: Int64 = 1
    ) {
        let row = LocalisedAttribute.all.map { $0.value(in: event, meaning: classification) }
        append(row, isNow: isNow, failures: failures)
    }
}
