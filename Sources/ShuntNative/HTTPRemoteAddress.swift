internal import CMicroHTTPD
internal import Glibc

/// The address of a peer; its description is the numeric form, `192.0.2.1` or `2001:db8::1`.
public struct HTTPRemoteAddress: Sendable, Hashable, CustomStringConvertible {
    /// The upper half of the IPv6 address; IPv4 is kept as `::ffff:a.b.c.d`.
    let high: UInt64
    /// The lower half.
    let low: UInt64

    /// `127.0.0.1`.
    public static let loopback = HTTPRemoteAddress(high: 0, low: 0x0000_ffff_7f00_0001)

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The address in a socket address; one of another family than IP counts as `::`.
    init(_ address: UnsafePointer<sockaddr>?) {
        guard let address = unsafe address else {
            self.init(high: 0, low: 0)
            return
        }
        let raw = unsafe UnsafeRawPointer(address)
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let bits = unsafe UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr)
            self.init(high: 0, low: 0x0000_ffff_0000_0000 | UInt64(bits))
        case AF_INET6:
            let bytes = unsafe raw + 8
            self.init(
                high: unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: unsafe UInt64(bigEndian: (bytes + 8).loadUnaligned(as: UInt64.self))
            )
        default:
            self.init(high: 0, low: 0)
        }
    }

    private var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// Whether it's in 127.0.0.0/8 or is `::1`.
    public var isLoopback: Bool {
        isIPv4 ? (low >> 24) & 0xff == 127 : high == 0 && low == 1
    }

    /// The numeric form.
    public var description: String {
        if isIPv4 {
            return "\((low >> 24) & 0xff).\((low >> 16) & 0xff).\((low >> 8) & 0xff).\(low & 0xff)"
        }
        var binary = (high.bigEndian, low.bigEndian)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            guard let base = text.baseAddress,
                unsafe inet_ntop(AF_INET6, &binary, base, socklen_t(INET6_ADDRSTRLEN)) != nil
            else { return "?" }
            return unsafe String(cString: base)
        }
    }
}
