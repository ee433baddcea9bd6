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
