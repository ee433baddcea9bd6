/// A 64-bit hash that is the same in every process, unlike Swift's own: FNV-1a, then a finaliser that spreads
/// every input bit over the whole word.
///
/// Identities of attempts and installs are counted by it. Two different ones fall together with a chance of
/// about 1 in 10¹⁹ a pair; whoever makes them fall together on purpose only lowers the count of their own reports.
public struct StableHash: Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// An empty hash.
    public init() {}

    /// Mixes a text in, with its end, so that `ab`+`c` and `a`+`bc` differ.
    public mutating func combine(_ text: String) {
        let bytes = text.utf8.span
        for index in bytes.indices { combine(byte: bytes[index]) }
        combine(byte: 0xFF)
    }

    /// Mixes a number in.
    public mutating func combine(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            combine(byte: UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Mixes a byte in.
    public mutating func combine(byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    /// The hash.
    public var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ (mixed >> 33)
    }
}
