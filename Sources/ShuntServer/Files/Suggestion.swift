/// Finds what was probably meant.
enum Suggestion {
    /// The candidate nearest to a word that isn't among them, nil where none is near enough to be more than a guess.
    ///
    /// Case, `-` and `_` make no difference; the last part of a name such as `error.code` may stand for it.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let wanted = folded(word)
        guard !wanted.isEmpty else { return nil }
        var best: (distance: Int, candidate: String)?
        for candidate in candidates {
            let name = folded(candidate)
            let last = name.split(separator: UInt8(ascii: ".")).last.map(Array.init) ?? name
            // The whole name beats its last part.
            let distance = min(distance(wanted, name) * 2, wanted == last ? 1 : .max)
            if distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        guard let best, best.distance <= 2 * max(1, wanted.count / 3) else { return nil }
        return best.candidate
    }

    private static func folded(_ text: String) -> [UInt8] {
        text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
    }

    /// How many letters must be put in, left out, changed or swapped with their neighbour.
    ///
    /// The optimal string alignment distance, after Damerau (1964).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var older = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let change = last[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(change, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, older[column - 1] + 1)
                }
                current.append(cost)
            }
            older = last
            last = current
        }
        return last[right.count]
    }
}
