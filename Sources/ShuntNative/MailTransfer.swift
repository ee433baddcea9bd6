internal import CCurl

/// Hands mail to an SMTP server by libcurl: one connection a message, closed at its end.
public enum MailTransfer {
    /// How the connection is protected.
    public enum Security: String, CaseIterable, Sendable {
        /// TLS from the first byte, as port 465 wants it.
        case implicit
        /// TLS by STARTTLS; a server that doesn't offer it gets no mail.
        case starttls
        /// None: for a relay on this machine.
        case none
    }

    /// A message and the way to its server.
    public struct Request: Sendable {
        /// The server's name or address; IPv6 without brackets.
        public var host: String
        /// The server's port.
        public var port: UInt16
        /// How the connection is protected.
        public var security: Security
        /// Who logs in; nil for nobody.
        public var user: String?
        /// The password of `user`.
        public var password: String?
        /// The envelope's sender: a bare address, without name and angle brackets.
        public var sender: String
        /// The envelope's recipients, each a bare address.
        public var recipients: [String]
        /// The message as it goes on the wire: header and body, lines ending in CR LF.
        public var message: [UInt8]
        /// The time for everything, in milliseconds, at least 1.
        public var timeoutMs = 30_000
        /// The time for name, connection and TLS, in milliseconds, at least 1.
        public var connectTimeoutMs = 15_000
        /// Which addresses may be connected to.
        public var reach = AddressReach.everywhere
        /// A file of certificates (PEM) that are trusted instead of the system's; nil for the system's.
        public var certificatesPath: String?

        /// A message without login.
        public init(
            host: String,
            port: UInt16,
            security: Security,
            sender: String,
            recipients: [String],
            message: [UInt8]
        ) {
            self.host = host
            self.port = port
            self.security = security
            self.sender = sender
            self.recipients = recipients
            self.message = message
        }
    }

    /// Sends a message and waits until the server has taken it.
    ///
    /// Where some recipients are refused the others get it.
    ///
    /// - Returns: The last line that the server said before goodbye.
    public static func send(_ request: Request) throws(MailTransferError) -> String {
        try check(request)
        let handle = MailTransferHandle(request)
        return try handle.perform()
    }

    /// What would be a command of its own inside the dialogue is refused.
    private static func check(_ request: Request) throws(MailTransferError) {
        func isBare(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x3C && $0 != 0x3E }
        }
        let isHost = isBare(request.host) && !request.host.contains { "/@?#".contains($0) }
        guard isHost else { throw MailTransferError(.invalidRequest, detail: "the server's name can't be used") }
        guard isBare(request.sender), !request.recipients.isEmpty, request.recipients.allSatisfy(isBare) else {
            throw MailTransferError(.invalidRequest, detail: "the envelope needs bare addresses")
        }
    }
}

/// Why mail wasn't taken.
public struct MailTransferError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The closed list of reasons.
    public enum Code: Equatable, Sendable {
        /// An address or the server's name can't be used.
        case invalidRequest
        /// The server's name has no address.
        case couldNotResolve
        /// Nobody listens there, or the way there is blocked.
        case couldNotConnect
        /// Every address of the server is one that the request may not reach.
        case addressRefused
        /// The server's certificate isn't trusted, it offers no STARTTLS, or TLS couldn't be agreed on.
        case tlsFailed
        /// The time is over.
        case timedOut
        /// The server refused, with this reply code (RFC 5321, 4.2): 400 to 599.
        case refused(Int)
        /// Anything else, by libcurl's number.
        case other(Int32)
    }

    /// The reason.
    public let code: Code
    /// What libcurl says about it, for people.
    public let detail: String
    /// The last line of the dialogue that says something about it; nil where the server said nothing.
    public let lastLine: String?

    /// An error with its reason.
    public init(_ code: Code, detail: String, lastLine: String? = nil) {
        self.code = code
        self.detail = detail
        self.lastLine = lastLine
    }

    /// One line for people, with what the server said.
    public var description: String {
        lastLine.map { "\(detail); the server said: \($0)" } ?? detail
    }
}
