/// How far an attempt had come when the event was made.
public enum Stage: String, CaseIterable, Hashable, Sendable, Codable {
    /// The app asked whether the device can pay.
    case precheck
    /// The payment sheet was shown.
    case present
    /// A web page asked for a merchant session.
    case merchantValidation
    /// The payer was asked for face, finger or PIN.
    case authorize
    /// The payment token was sent to the back end.
    case tokenSubmit
    /// The back end decrypted the token.
    case tokenDecrypt
    /// The payer was asked for a step-up by the issuer.
    case threeDS
    /// The processor was asked to charge.
    case charge
    /// The back end waited for a notification or query.
    case asyncResult
    /// The app told the sheet the result.
    case complete
    /// A store receipt was verified.
    case verifyReceipt
    /// An authorised amount was captured.
    case capture
    /// An authorisation was cancelled.
    case void
    /// Money was sent back.
    case refund
    /// The reporter did not say.
    case unknown
}
