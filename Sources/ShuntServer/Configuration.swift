/// How a daemon is run. Every option has a default that works.
public struct Configuration: Sendable, Equatable {
    /// Where it listens.
    public var listen = ListenAddress(host: "127.0.0.1", port: 8710)
    /// The folder that holds everything durable.
    public var dataPath = "./shunt-data"
    /// The folder of rule files; what it doesn't have is built in.
    public var rulesPath = "./rules"
    /// For how many days (UTC) the journal is kept, today not counted; at least 2.
    public var retentionDays: Int64 = 30
    /// Over how many milliseconds the long-polls and streams that wait are told of a switch that moved; 0, the default,
    /// tells all at once. At most 60,000.
    public var pushSpreadMs: Int64 = 0

    var intakeLimits = IntakeLimits()

    /// The defaults.
    public init() {}

    /// Refuses what must not be run.
    public func check() throws(ConfigurationError) {
        guard listen.isLoopback else {
            throw ConfigurationError(
                "listen \(listen) isn't a loopback address, and no tokens are configured: "
                    + "anybody who reaches it could move payers. Listen on 127.0.0.1 or [::1]"
            )
        }
        guard (0...60_000).contains(pushSpreadMs) else {
            throw ConfigurationError("push.spreadMs: expected 0 to 60000 milliseconds, found \(pushSpreadMs)")
        }
        guard !dataPath.isEmpty else { throw ConfigurationError("data: expected a folder, found nothing") }
    }
}

/// Why a configuration can't be used; the process exits with 78.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, and what was expected.
    public var description: String

    /// An error in words.
    public init(_ description: String) {
        self.description = description
    }
}

/// An address and port: `127.0.0.1:8710` or `[::1]:8710`.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A numeric IPv4 or IPv6 address, without brackets.
    public var host: String
    /// The port; 0 takes a free one.
    public var port: UInt16

    /// An address and port.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads an address and port.
    public init(parsing text: String) throws(ConfigurationError) {
        let expected = "expected an address and a port such as 127.0.0.1:8710 or [::1]:8710"
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ConfigurationError("listen \(text): \(expected)")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { throw ConfigurationError("listen \(text): \(expected)") }
        } else if host.contains(":") {
            throw ConfigurationError("listen \(text): \(expected)")
        }
        if host == "localhost" { host = "127.0.0.1" }
        guard !host.isEmpty else { throw ConfigurationError("listen \(text): \(expected)") }
        self.init(host: host, port: port)
    }

    /// Whether only this machine can reach it.
    public var isLoopback: Bool {
        if host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// As a URL writes it.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
