/// Random numbers that depend on nothing but their seed (SplitMix64), so that a failing row can be run again.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The generator of a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound` - 1; 0 where there is no such number.
    public mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(max(bound, 1)))
    }

    /// True once in so many calls.
    public mutating func oneIn(_ calls: Int) -> Bool {
        below(calls) == 0
    }

    /// One of some; there must be one.
    public mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[below(choices.count)]
    }
}
