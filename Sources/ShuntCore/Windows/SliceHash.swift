/// A hash of a slice's values in their order. Another one in each process, so that nobody can make values that all fall
/// together; so it only finds what is compared then, and is no part of what is believed.
struct SliceHash {
    private(set) var value: UInt64 = 0

    /// Of no values yet.
    init() {}

    /// Of these values.
    init(_ values: some Sequence<String>) {
        for value in values { combine(value) }
    }

    mutating func combine(_ text: String) {
        let turned = value << 5 | value >> 59
        value = (turned ^ UInt64(bitPattern: Int64(text.hashValue))) &* 0x9E37_79B9_7F4A_7C15
    }
}
