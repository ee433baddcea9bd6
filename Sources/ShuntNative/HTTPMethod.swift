/// The method of a request.
///
/// `HEAD` isn't here: a `HEAD` request is routed as `.get` with `HTTPRequestHead.omitsBody` set, and the transport
/// sends the headers of the reply without its body, so that every `GET` has its `HEAD`.
public enum HTTPMethod: Sendable, Hashable {
    /// `GET`, and `HEAD`.
    case get
    /// `POST`.
    case post
    /// `PUT`.
    case put
    /// `PATCH`.
    case patch
    /// `DELETE`.
    case delete
    /// `OPTIONS`.
    case options
    /// Any other token, as sent.
    case other(String)
}
