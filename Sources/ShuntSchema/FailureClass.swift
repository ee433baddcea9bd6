/// Whose failure an error is. Only faults of the merchant, the app, the network or the processor may move payers.
public enum FailureClass: String, CaseIterable, Hashable, Sendable, Codable {
    /// The payer's funds, card data, PIN, cancel or device.
    case user
    /// The bank that issued the card refuses or is down.
    case issuer
    /// Fraud, lost or stolen card, sanctions.
    case risk
    /// Our identifiers, certificates, keys, domains, limits.
    case merchantConfig
    /// A bug in the app.
    case clientApp
    /// DNS, TLS, firewall, offline gateway.
    case network
    /// The payment service provider, acquirer, scheme or store.
    case processor
    /// Money may have moved; this order must not be tried again.
    case inDoubt
    /// Approved, pending, or an action is needed.
    case notFailure
    /// Not in the catalogue.
    case unknown
}
