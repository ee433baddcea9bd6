internal import Glibc

/// Which addresses a transfer may connect to.
public enum AddressReach: Sendable, Equatable {
    /// Any.
    case everywhere
    /// Only those that the public internet routes: not this machine, its networks, or a cloud's metadata service.
    case publicOnly
}

extension HTTPRemoteAddress {
    /// The address that a numeric form means; nil for any other text.
    init?(numeric text: String) {
        var bits4 = in_addr()
        var bits6 = in6_addr()
        if unsafe inet_pton(AF_INET, text, &bits4) == 1 {
            self.init(high: 0, low: 0x0000_ffff_0000_0000 | UInt64(UInt32(bigEndian: bits4.s_addr)))
        } else if unsafe inet_pton(AF_INET6, text, &bits6) == 1 {
            let words = unsafe withUnsafeBytes(of: &bits6) { bytes in
                unsafe (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
        } else {
            return nil
        }
    }

    /// A range of IPv4 addresses: those whose first bits are these.
    private struct Range4 {
        var first: UInt32
        var bits: UInt32

        init(_ a: UInt32, _ b: UInt32, _ c: UInt32 = 0, bits: UInt32) {
            first = a << 24 | b << 16 | c << 8
            self.bits = bits
        }

        func holds(_ address: UInt32) -> Bool { (address ^ first) >> (32 - bits) == 0 }
    }

    /// What the public internet doesn't route. Source: the IANA registries of special-purpose addresses (RFC 6890).
    private static let special4 = [
        Range4(0, 0, bits: 8), Range4(10, 0, bits: 8), Range4(100, 64, bits: 10), Range4(127, 0, bits: 8),
        Range4(169, 254, bits: 16), Range4(172, 16, bits: 12), Range4(192, 0, 0, bits: 24), Range4(192, 0, 2, bits: 24),
        Range4(192, 88, 99, bits: 24), Range4(192, 168, bits: 16), Range4(198, 18, bits: 15),
        Range4(198, 51, 100, bits: 24), Range4(203, 0, 113, bits: 24), Range4(224, 0, bits: 4), Range4(240, 0, bits: 4),
    ]

    /// Whether the public internet routes it. An IPv6 address that stands for an IPv4 one is judged by that.
    public var isPublic: Bool {
        if let address = embedded4 { return !Self.special4.contains { $0.holds(address) } }
        // Global unicast is 2000::/3 only.
        guard high >> 61 == 0b001 else { return false }
        let isProtocolAssignment = high >> 41 == 0x2001_0000 >> 9
        let is6to4 = high >> 48 == 0x2002
        let isDocumentation = high >> 32 == 0x2001_0db8 || high >> 44 == 0x3fff0
        return !isProtocolAssignment && !is6to4 && !isDocumentation
    }

    /// The IPv4 address that is reached through it: mapped (`::ffff:a.b.c.d`) or by NAT64 (`64:ff9b::a.b.c.d`).
    private var embedded4: UInt32? {
        let isMapped = high == 0 && low >> 32 == 0xffff
        let isTranslated = high == 0x0064_ff9b_0000_0000 && low >> 32 == 0
        return isMapped || isTranslated ? UInt32(truncatingIfNeeded: low) : nil
    }
}
