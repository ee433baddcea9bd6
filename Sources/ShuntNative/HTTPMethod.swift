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

    /// The method with this name; nil if it isn't a token (RFC 9110 5.6.2).
    init?(_ name: Span<UInt8>) {
        func equals(_ text: StaticString) -> Bool { HTTPBytes.equal(name, text) }
        switch name.count {
        case 3 where equals("GET"), 4 where equals("HEAD"): self = .get
        case 3 where equals("PUT"): self = .put
        case 4 where equals("POST"): self = .post
        case 5 where equals("PATCH"): self = .patch
        case 6 where equals("DELETE"): self = .delete
        case 7 where equals("OPTIONS"): self = .options
        case 0: return nil
        default:
            for index in name.indices where !HTTPBytes.isToken(name[index]) { return nil }
            self = .other(HTTPBytes.string(name))
        }
    }
}
