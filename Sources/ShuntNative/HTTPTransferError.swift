/// Why a transfer gave no response.
public struct HTTPTransferError: Error, Equatable, Sendable {
    /// The closed list of reasons.
    public enum Code: Equatable, Sendable {
        /// The method, URL or a header can't be sent: not http or https, a line break, not a token.
        case invalidRequest
        /// The host's name has no address.
        case couldNotResolve
        /// Nobody listens there, or the way there is blocked.
        case couldNotConnect
        /// Every address of the host is one that the request may not reach; no connection was opened.
        case addressRefused
        /// The peer's certificate isn't trusted, or TLS couldn't be agreed on.
        case tlsFailed
        /// The time for connecting or for the whole transfer is over.
        case timedOut
        /// The response is bigger than the request allowed.
        case tooLarge
        /// Anything else, by libcurl's number.
        case other(Int32)
    }

    /// The reason.
    public let code: Code
    /// What libcurl says about it, for people.
    public let detail: String
    /// Whether a part of the request may have reached the peer, which then may have acted on it.
    public let mayHaveBeenSent: Bool

    /// An error with its reason.
    public init(_ code: Code, detail: String, mayHaveBeenSent: Bool) {
        self.code = code
        self.detail = detail
        self.mayHaveBeenSent = mayHaveBeenSent
    }
}

extension HTTPTransferError: CustomStringConvertible {
    /// One line for people.
    public var description: String { detail }
}
