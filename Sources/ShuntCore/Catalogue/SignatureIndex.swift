/// Signatures, prepared so that a message is read once for all of them, without allocation.
struct SignatureIndex: Sendable {
    /// One text of a signature.
    private struct Needle: Sendable {
        /// Where its bytes, in lower case, lie in `letters`.
        var letters: Range<Int>
        var signature: Int
        /// Its place among the signature's texts.
        var part: Int
    }

    let signatures: [Signature]
    private var letters: [UInt8] = []
    /// In the order of their first bytes.
    private var needles: [Needle] = []
    /// For each first byte, the needles that start with it.
    private var starting: [Range<Int>]
    /// For each first byte, the last five bits of the second bytes that follow it: most places need no closer look.
    private var openings: [UInt32]

    /// A signature has at most this many texts.
    static let mostParts = 8

    init(_ signatures: [Signature]) {
        self.signatures = signatures
        starting = [Range<Int>](repeating: 0..<0, count: 256)
        openings = [UInt32](repeating: 0, count: 256)
        var pending: [(bytes: [UInt8], signature: Int, part: Int)] = []
        for (index, signature) in signatures.enumerated() {
            for (part, text) in signature.all.prefix(Self.mostParts).enumerated() where !text.isEmpty {
                pending.append((text.utf8.map(\.lowercased), index, part))
            }
        }
        for first in 0..<256 {
            let from = needles.count
            for text in pending where Int(text.bytes[0]) == first {
                let start = letters.count
                letters += text.bytes
                openings[first] |= text.bytes.count == 1 ? .max : 1 << UInt32(text.bytes[1] & 31)
                needles.append(Needle(letters: start..<letters.count, signature: text.signature, part: text.part))
            }
            starting[first] = from..<needles.count
        }
    }

    /// The first signature in the file's order that fits the message, or whose only text is the code.
    func match(message: String?, code: String, domains: (String) -> Bool) -> Int? {
        guard !signatures.isEmpty else { return nil }
        var best = signatures.count
        let bytes = code.utf8.span
        if bytes.count > 0 {
            for place in starting[Int(bytes[0].lowercased)] where needles[place].letters.count == bytes.count {
                let index = needles[place].signature
                guard index < best, signatures[index].all.count == 1, occurs(place, at: 0, in: bytes) else { continue }
                if applies(index, domains) { best = index }
            }
        }
        if let message { search(message.utf8.span, best: &best, domains) }
        return best < signatures.count ? best : nil
    }

    private func search(_ text: Span<UInt8>, best: inout Int, _ domains: (String) -> Bool) {
        // Letters differ from their capitals in the sixth bit only, which the openings leave out.
        for index in text.indices {
            let first = Int(text[index].lowercased)
            let second = index + 1 < text.count ? text[index + 1] & 31 : 0
            guard openings[first] >> UInt32(second) & 1 == 1 else { continue }
            for place in starting[first] where needles[place].signature < best && occurs(place, at: index, in: text) {
                let signature = needles[place].signature
                guard holdsOthers(signature, besides: needles[place].part, in: text), applies(signature, domains) else {
                    continue
                }
                best = signature
            }
        }
    }

    /// Whether the other texts of the signature occur too; rare enough to search again.
    private func holdsOthers(_ signature: Int, besides part: Int, in text: Span<UInt8>) -> Bool {
        let count = min(signatures[signature].all.count, Self.mostParts)
        guard count > 1 else { return true }
        return needles.indices.allSatisfy { place in
            guard needles[place].signature == signature, needles[place].part != part else { return true }
            return text.indices.contains { occurs(place, at: $0, in: text) }
        }
    }

    private func occurs(_ place: Int, at index: Int, in text: Span<UInt8>) -> Bool {
        let needle = needles[place].letters
        guard index + needle.count <= text.count else { return false }
        for offset in 0..<needle.count where text[index + offset].lowercased != letters[needle.lowerBound + offset] {
            return false
        }
        return true
    }

    private func applies(_ signature: Int, _ domains: (String) -> Bool) -> Bool {
        let named = signatures[signature].domains
        return named.isEmpty || named.contains(where: domains)
    }
}
