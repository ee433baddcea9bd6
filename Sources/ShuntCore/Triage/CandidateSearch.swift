/// Finds the best combination of values in some leaves.
///
/// What fewer than a twentieth of the failures have is left out, and so is all that contains it (Apriori). All
/// combinations of the same columns are counted in one pass, in a flat array by their codes: at most 20 values of a
/// column are frequent, and at most 20 pairs of two columns. Candidates are met in the order that decides ties: by
/// depth, then by the columns' order, then by the values' bytes. What can't be better than what is known, whatever its
/// baseline is, isn't counted at baseline: that changes no answer.
struct CandidateSearch {
    private static let codeLimit = LocalisationLeaves.codeLimit

    let leaves: LocalisationLeaves
    let scale: LocalisationScale
    /// The failures of which a twentieth is needed: all, also those that an earlier cause has taken away.
    let failures: Int64

    /// The frequent pairs of two columns.
    private struct Pairs {
        var items: [(first: UInt8, second: UInt8, count: Int64)] = []
        /// The failures now that the commonest of them has.
        var most: Int64 = 0
    }

    /// The best so far, and what its score must exceed.
    private struct Best {
        var candidate: Candidate?
        var score: Double
    }

    /// The best combination of those that score more than `floor`, or a part of it that is simpler and nearly as good.
    func best(above floor: Double) -> Candidate? {
        var best = Best(candidate: nil, score: floor)
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
                let thirds = columns.indices.dropFirst(second + 1).filter { third in
                    let most = min(found.most, pairs[place(first, third)].most, pairs[place(second, third)].most)
                    let known = leaves.known([columns[first], columns[second], columns[third]])
                    return most > 0 && scale.bound(most, known: known) > best.score
                }
                if thirds.isEmpty { continue }
                countTriples(columns[first], columns[second], found, thirds.map { columns[$0] }, &best)
            }
        }
        return best.candidate.map(simplest)
    }

    private func take(
        _ items: @autoclosure () -> [LocalisationItem],
        _ weight: SIMD2<Int64>,
        _ known: SIMD2<Int64>,
        into best: inout Best
    ) {
        // Only what is better takes the place of what was met before.
        guard let candidate = scale.candidate(items(), weight, known: known), candidate.score > best.score else {
            return
        }
        best = Best(candidate: candidate, score: candidate.score)
    }

    // MARK: Counting

    private func count(_ column: Int) -> [SIMD2<Int64>] {
        var counts = [SIMD2<Int64>](repeating: SIMD2(), count: Self.codeLimit)
        let codes = leaves.codes[column]
        let weights = leaves.weights
        for leaf in codes.indices { counts[Int(codes[leaf])] &+= weights[leaf] }
        return counts
    }

    private func countPairs(_ first: Int, _ second: Int, _ best: inout Best) -> Pairs {
        let limit = Self.codeLimit
        let firsts = leaves.codes[first]
        let seconds = leaves.codes[second]
        let weights = leaves.weights
        var now = [Int64](repeating: 0, count: limit * limit)
        for leaf in leaves.leavesNow { now[Int(firsts[leaf]) * limit + Int(seconds[leaf])] &+= weights[leaf].x }
        var pairs = Pairs()
        for place in now.indices where Localiser.isFrequent(now[place], of: failures) {
            let (one, other) = place.quotientAndRemainder(dividingBy: limit)
            guard one >= LocalisationLeaves.firstFrequent, other >= LocalisationLeaves.firstFrequent else { continue }
            pairs.items.append((UInt8(one), UInt8(other), now[place]))
            pairs.most = max(pairs.most, now[place])
        }
        let known = leaves.known([first, second])
        guard scale.bound(pairs.most, known: known) > best.score else { return pairs }
        var before = [Int64](repeating: 0, count: limit * limit)
        for leaf in leaves.leavesBefore { before[Int(firsts[leaf]) * limit + Int(seconds[leaf])] &+= weights[leaf].y }
        for pair in pairs.items {
            let weight = SIMD2(pair.count, before[Int(pair.first) * limit + Int(pair.second)])
            take(
                [
                    LocalisationItem(column: first, code: pair.first),
                    LocalisationItem(column: second, code: pair.second),
                ],
                weight,
                known,
                into: &best
            )
        }
        return pairs
    }

    /// The leaves of one window that have one of some pairs.
    private struct PairLeaves {
        var places: [UInt32] = []
        /// The number of the pair, counted from 0, times the codes of a third column.
        var bases: [UInt16] = []
        var weights: [Int64] = []

        /// Counts what they have in a third column.
        func count(_ codes: [UInt8], pairs: Int) -> [Int64] {
            var counts = [Int64](repeating: 0, count: pairs * CandidateSearch.codeLimit)
            for row in places.indices { counts[Int(bases[row]) + Int(codes[Int(places[row])])] &+= weights[row] }
            return counts
        }
    }

    private func pairLeaves(_ first: Int, _ second: Int, _ pairs: Pairs, isNow: Bool) -> PairLeaves {
        let limit = Self.codeLimit
        let none = UInt16.max
        var numbers = [UInt16](repeating: none, count: limit * limit)
        for (number, pair) in pairs.items.enumerated() {
            numbers[Int(pair.first) * limit + Int(pair.second)] = UInt16(number * limit)
        }
        let firsts = leaves.codes[first]
        let seconds = leaves.codes[second]
        let weights = leaves.weights
        var found = PairLeaves()
        for leaf in isNow ? leaves.leavesNow : leaves.leavesBefore {
            let base = numbers[Int(firsts[leaf]) * limit + Int(seconds[leaf])]
            guard base != none else { continue }
            found.places.append(UInt32(truncatingIfNeeded: leaf))
            found.bases.append(base)
            found.weights.append(isNow ? weights[leaf].x : weights[leaf].y)
        }
        return found
    }

    /// Counts what the leaves with a frequent pair have in other columns: first now, and at baseline only where that
    /// could be better than what is known.
    private func countTriples(_ first: Int, _ second: Int, _ all: Pairs, _ thirds: [Int], _ best: inout Best) {
        let limit = Self.codeLimit
        var pairs = all
        let fewestKnown = thirds.map { leaves.known([first, second, $0]).x }.min() ?? 0
        let widest = SIMD2(fewestKnown, leaves.total.y)
        pairs.items.removeAll { scale.bound($0.count, known: widest) <= best.score }
        let now = pairLeaves(first, second, pairs, isNow: true)
        var before: PairLeaves?
        for third in thirds {
            let codes = leaves.codes[third]
            let known = leaves.known([first, second, third])
            let counts = now.count(codes, pairs: pairs.items.count)
            let promising = counts.indices.filter { place in
                place % limit >= LocalisationLeaves.firstFrequent && Localiser.isFrequent(counts[place], of: failures)
                    && scale.bound(counts[place], known: known) > best.score
            }
            if promising.isEmpty { continue }
            let normal = before ?? pairLeaves(first, second, pairs, isNow: false)
            before = normal
            let normalCounts = normal.count(codes, pairs: pairs.items.count)
            for place in promising {
                let pair = pairs.items[place / limit]
                take(
                    [
                        LocalisationItem(column: first, code: pair.first),
                        LocalisationItem(column: second, code: pair.second),
                        LocalisationItem(column: third, code: UInt8(place % limit)),
                    ],
                    SIMD2(counts[place], normalCounts[place]),
                    known,
                    into: &best
                )
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
        var best = Best(candidate: cause, score: cause.score)
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
        return best.candidate.flatMap { $0.items.count > cause.items.count ? $0.items.last : nil }
    }
}
