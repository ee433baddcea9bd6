internal import CSimdJSON

/// A fixed list of words (keys, or the values of an enumeration), found by one hash instead of many comparisons.
///
/// A word's number is its position in the list, so it fits an enum with `Int` raw values.
public struct JSONVocabulary: Sendable {
    /// Slot to word number plus one; zero is a free slot. A power of two, at most half full.
    private let slots: [UInt16]
    /// All the words' bytes, end to end.
    private let bytes: [UInt8]
    /// Where each word starts in `bytes`; one more entry than words.
    private let starts: [Int]

    /// A vocabulary of the given words, at most 32,767. A word given twice keeps its first number.
    public init(_ words: [String]) {
        precondition(words.count < Int(Int16.max), "a vocabulary is a short list")
        var size = 4
        while size < words.count * 4 { size *= 2 }
        var slots = [UInt16](repeating: 0, count: size)
        var bytes: [UInt8] = []
        var starts = [0]
        for (number, word) in words.enumerated() {
            let utf8 = Array(word.utf8)
            bytes += utf8
            starts.append(bytes.count)
            var slot = Int(JSONVocabulary.hash(utf8)) & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt16(number + 1)
        }
        self.slots = slots
        self.bytes = bytes
        self.starts = starts
    }

    /// How many words there are.
    public var count: Int { starts.count - 1 }

    /// The number of a word, or nil if it isn't in the list.
    public func number(of word: Span<UInt8>) -> Int? {
        unsafe word.withUnsafeBufferPointer { unsafe number(of: $0, hash: csj_hash($0.baseAddress, $0.count)) }
    }

    /// The number of a word whose hash is already known.
    func number(of word: UnsafeBufferPointer<UInt8>, hash: UInt32) -> Int? {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if unsafe matches(word, number) { return number }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private func matches(_ word: UnsafeBufferPointer<UInt8>, _ number: Int) -> Bool {
        let start = starts[number]
        guard starts[number + 1] - start == word.count else { return false }
        for offset in 0..<word.count where unsafe bytes[start + offset] != word[offset] { return false }
        return true
    }

    private static func hash(_ word: [UInt8]) -> UInt32 {
        unsafe word.withUnsafeBufferPointer { unsafe csj_hash($0.baseAddress, $0.count) }
    }
}
