/// Finds the best combination of values in some leaves.
///
/// What fewer than a twentieth of the failures have is left out, and so is all that contains it (Apriori). All
/// combinations of the same columns are counted in one pass, in a flat array by their codes: at most 20 values of a
/// column are frequent, and at most 20 pairs of two columns. Candidates are met in the order that decides ties: by
/// depth, then by the columns' order, then by the values' bytes.
struct CandidateSearch {
    private static let codeLimit = LocalisationLeaves.codeLimit

    let leaves: LocalisationLeaves
    let scale: LocalisationScale
    /// The failures of which a twentieth is needed: all, also those that an earlier cause has taken away.
    let failures: Int64

    /// The frequent pairs of two columns.
    private struct Pairs {
        var items: [(first: UInt8, second: UInt8)] = []
    }

    /// The best combination, or a part of it that is simpler and nearly as good.
    func best() -> Candidate? {
        var best: Candidate?
        let columns = leaves.columnIndices.filter { column in
            var isAnyFrequent = false
            let counts = count(column)
            let known = leaves.known([column])
            for code in LocalisationLeaves.firstFrequent..<Self.codeLimit {
                guard Localiser.isFrequent(counts[code].x, of: failures) else { continue }
                isAnyFrequent = true
                take([LocalisationItem(column: column, code: UInt8(code))], counts[code], known, into: &best)
            }
            return isAnyFrequent
        }
        var pairs: [Pairs] = []
        for (place, first) in columns.enumerated() {
            for second in columns[(place + 1)...] { pairs.append(countPairs(first, second, &best)) }
        }
        // The place in `pairs` of two columns by their places in `columns`.
        func place(_ first: Int, _ second: Int) -> Int {
            first * (2 * columns.count - first - 1) / 2 + second - first - 1
        }
        for first in columns.indices {
            for second in columns.indices.dropFirst(first + 1) {
                let found = pairs[place(first, second)]
                if found.items.isEmpty { continue }
                let thirds = columns.indices.dropFirst(second + 1).filter {
                    !pairs[place(first, $0)].items.isEmpty && !pairs[place(second, $0)].items.isEmpty
                }
                if thirds.isEmpty { continue }
                countTriples(columns[first], columns[second], found, thirds.map { columns[$0] }, &best)
            }
        }
        return best.map(simplest)
    }

    private func take(
        _ items: @autoclosure () -> [LocalisationItem],
        _ weight: SIMD2<Int64>,
        _ known: SIMD2<Int64>,
        into best: inout Candidate?
    ) {
        // Only what is better takes the place of what was met before.
        guard let candidate = scale.candidate(items(), weight, known: known) else { return }
        if let best, candidate.score <= best.score { return }
        best = candidate
    }

    // MARK: Counting

    private func count(_ column: Int) -> [SIMD2<Int64>] {
        var counts = [SIMD2<Int64>](repeating: SIMD2(), count: Self.codeLimit)
        let codes = leaves.codes[column]
        let weights = leaves.weights
        for leaf in codes.indices { counts[Int(codes[leaf])] &+= weights[leaf] }
        return counts
    }

    private func countPairs(_ first: Int, _ second: Int, _ best: inout Candidate?) -> Pairs {
        let limit = Self.codeLimit
        var counts = [SIMD2<Int64>](repeating: SIMD2(), count: limit * limit)
        let firsts = leaves.codes[first]
        let seconds = leaves.codes[second]
        let weights = leaves.weights
        for leaf in weights.indices { counts[Int(firsts[leaf]) * limit + Int(seconds[leaf])] &+= weights[leaf] }
        var pairs = Pairs()
        let known = leaves.known([first, second])
        for one in LocalisationLeaves.firstFrequent..<limit {
            for other in LocalisationLeaves.firstFrequent..<limit {
                let weight = counts[one * limit + other]
                guard Localiser.isFrequent(weight.x, of: failures) else { continue }
                pairs.items.append((UInt8(one), UInt8(other)))
                take(
                    [
                        LocalisationItem(column: first, code: UInt8(one)),
                        LocalisationItem(column: second, code: UInt8(other)),
                    ],
                    weight,
                    known,
                    into: &best
                )
            }
        }
        return pairs
    }

    /// Counts what the leaves with a frequent pair have in other columns.
    private func countTriples(_ first: Int, _ second: Int, _ pairs: Pairs, _ thirds: [Int], _ best: inout Candidate?) {
        let limit = Self.codeLimit
        // The number of each pair, counted from 1, times the codes of the third column.
        var numbers = [UInt16](repeating: 0, count: limit * limit)
        for (number, pair) in pairs.items.enumerated() {
            numbers[Int(pair.first) * limit + Int(pair.second)] = UInt16((number + 1) * limit)
        }
        let firsts = leaves.codes[first]
        let seconds = leaves.codes[second]
        var places: [UInt32] = []
        var bases: [UInt16] = []
        var weights: [SIMD2<Int64>] = []
        for leaf in leaves.weights.indices {
            let base = numbers[Int(firsts[leaf]) * limit + Int(seconds[leaf])]
            guard base != 0 else { continue }
            places.append(UInt32(truncatingIfNeeded: leaf))
            bases.append(base)
            weights.append(leaves.weights[leaf])
        }
        for third in thirds {
            var counts = [SIMD2<Int64>](repeating: SIMD2(), count: (pairs.items.count + 1) * limit)
            let codes = leaves.codes[third]
            for row in places.indices { counts[Int(bases[row]) + Int(codes[Int(places[row])])] &+= weights[row] }
            let known = leaves.known([first, second, third])
            for (number, pair) in pairs.items.enumerated() {
                for code in LocalisationLeaves.firstFrequent..<limit {
                    let weight = counts[(number + 1) * limit + code]
                    guard Localiser.isFrequent(weight.x, of: failures) else { continue }
                    take(
                        [
                            LocalisationItem(column: first, code: pair.first),
                            LocalisationItem(column: second, code: pair.second),
                            LocalisationItem(column: third, code: UInt8(code)),
                        ],
                        weight,
                        known,
                        into: &best
                    )
                }
            }
        }
    }

    // MARK: Simpler and finer

    /// The simplest part that has nearly the score of the whole; of equally simple ones the best.
    private func simplest(_ whole: Candidate) -> Candidate {
        let items = whole.items
        guard items.count > 1 else { return whole }
        var parts = items.map { [$0] }
        if items.count == 3 { parts += [[items[0], items[1]], [items[0], items[2]], [items[1], items[2]]] }
        var simplest: Candidate?
        for part in parts {
            if let simplest, simplest.items.count < part.count { break }
            let weight = sum(part)
            let known = leaves.known(part.map(\.column))
            guard let candidate = scale.candidate(part, weight, known: known),
                candidate.score >= Localiser.ancestorShare * whole.score
            else { continue }
            if let simplest, candidate.score <= simplest.score { continue }
            simplest = candidate
        }
        return simplest ?? whole
    }

    private func sum(_ items: [LocalisationItem]) -> SIMD2<Int64> {
        var sum = SIMD2<Int64>()
        for leaf in leaves.weights.indices where items.allSatisfy({ leaves.codes[$0.column][leaf] == $0.code }) {
            sum &+= leaves.weights[leaf]
        }
        return sum
    }

    /// The value of a further column with which a cause would score best, if that is more than it has.
    func refinement(of cause: Candidate) -> LocalisationItem? {
        var narrowed = leaves
        narrowed.keep(cause.items)
        let search = CandidateSearch(leaves: narrowed, scale: scale, failures: failures)
        var best: Candidate? = cause
        for column in leaves.columnIndices where !cause.items.contains(where: { $0.column == column }) {
            let counts = search.count(column)
            let known = leaves.known(cause.items.map(\.column) + [column])
            for code in LocalisationLeaves.firstFrequent..<Self.codeLimit {
                guard Localiser.isFrequent(counts[code].x, of: failures) else { continue }
                take(
                    cause.items + [LocalisationItem(column: column, code: UInt8(code))],
                    counts[code],
                    known,
                    into: &best
                )
            }
        }
        return best.flatMap { $0.items.count > cause.items.count ? $0.items.last : nil }
    }
}
