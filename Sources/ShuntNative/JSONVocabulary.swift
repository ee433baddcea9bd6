internal import CSimdJSON

/// A fixed list of words (keys, or the values of an enumeration), found by one hash instead of many comparisons.
///
/// A word's number is its position in the list, so it fits an enum with `Int` raw values.
public struct JSONVocabulary: Sendable {
    /// A word's place; a length below zero marks a free slot.
    private struct Slot {
        var hash: UInt32 = 0
        var start: Int32 = 0
        var length: Int32 = -1
        var number: Int32 = 0
    }

    /// An open hash table: a power of two in size, at most a quarter full.
    private let slots: [Slot]
    /// All the words' bytes, end to end.
    private let bytes: [UInt8]
    /// How many words there are.
    public let count: Int

    /// A vocabulary of the given words. A word given twice keeps its first number.
    public init(_ words: [String]) {
        var size = 4
        while size < words.count * 4 { size *= 2 }
        var slots = [Slot](repeating: Slot(), count: size)
        var bytes: [UInt8] = []
        for (number, word) in words.enumerated() {
            let utf8 = Array(word.utf8)
            let hash = unsafe utf8.withUnsafeBufferPointer { unsafe csj_hash($0.baseAddress, $0.count) }
            var index = Int(hash) & (size - 1)
            while slots[index].length >= 0 { index = (index + 1) & (size - 1) }
            slots[index] = Slot(
                hash: hash,
                start: Int32(bytes.count),
                length: Int32(utf8.count),
                number: Int32(number)
            )
            bytes += utf8
        }
        self.slots = slots
        self.bytes = bytes
        count = words.count
    }

    /// The number of a word, or nil if it isn't in the list.
    public func number(of word: Span<UInt8>) -> Int? {
        unsafe word.withUnsafeBufferPointer { unsafe number(of: $0, hash: csj_hash($0.baseAddress, $0.count)) }
    }

    /// The number of a word whose hash is already known.
    func number(of word: UnsafeBufferPointer<UInt8>, hash: UInt32) -> Int? {
        let mask = slots.count - 1
        var index = Int(hash) & mask
        while true {
            let slot = slots[index]
            if slot.length < 0 { return nil }
            if slot.hash == hash, Int(slot.length) == word.count, unsafe isEqual(word, to: Int(slot.start)) {
                return Int(slot.number)
            }
            index = (index + 1) & mask
        }
    }

    private func isEqual(_ word: UnsafeBufferPointer<UInt8>, to start: Int) -> Bool {
        guard let other = word.baseAddress, word.count > 0 else { return true }
        return unsafe bytes.withUnsafeBufferPointer { own in
            guard let first = own.baseAddress else { return false }
            return unsafe csj_equal(first + start, other, word.count) != 0
        }
    }
}
