internal import Glibc

/// What a combination of values is worth as a cause.
struct LocalisationScale {
    let baseline: Localisation.Baseline
    /// Failures at baseline for each unit of what stands for it: 1, or the overall failure ratio of attempts.
    private let unit: Double
    /// The normal ratio of failures now to those at baseline.
    private(set) var normalRatio = 0.0

    init(_ leaves: LocalisationLeaves, hasAttempts: Bool) {
        let total = leaves.total
        if total.y == 0 {
            baseline = .none
            unit = 1
        } else {
            baseline = hasAttempts ? .attempts : .failures
            unit = hasAttempts ? Double(total.x) / Double(total.y) : 1
        }
        look(at: leaves)
    }

    func baselineCount(_ weight: Int64) -> Int64 { Int64((Double(weight) * unit).rounded()) }

    func wholeExcess(_ total: SIMD2<Int64>) -> Double { excess(of: total) }

    private func excess(of weight: SIMD2<Int64>) -> Double {
        max(Double(weight.x) - normalRatio * (Double(weight.y) * unit), 0)
    }

    /// Scores a combination; nil where it isn't commoner than normally.
    ///
    /// - Parameters:
    ///   - items: The combination.
    ///   - weight: How many failures now and at baseline have it.
    ///   - known: How many say something of all its columns.
    func candidate(_ items: [LocalisationItem], _ weight: SIMD2<Int64>, known: SIMD2<Int64>) -> Candidate? {
        guard weight.x > 0 else { return nil }
        let count = Double(weight.x)
        if baseline == .none { return Candidate(items: items, weight: weight, excess: count, score: count) }
        let before = max(Double(weight.y) * unit, 0.5)
        let restBefore = Double(known.y - weight.y) * unit
        // What always holds can't tell failures from others.
        guard restBefore > 0 else { return nil }
        let rest = max(Double(known.x - weight.x), 0.5)
        let riskRatio = (count / before) / (rest / restBefore)
        guard riskRatio > 1 else { return nil }
        let excess = excess(of: weight)
        let score = excess * log(riskRatio)
        return score > 0 ? Candidate(items: items, weight: weight, excess: excess, score: score) : nil
    }

    /// A score that no combination exceeds.
    ///
    /// - Parameters:
    ///   - count: The most failures now that it can have.
    ///   - known: The fewest that say something of all its columns, and the most that do at baseline.
    func bound(_ count: Int64, known: SIMD2<Int64>) -> Double {
        let most = Double(count)
        if baseline == .none { return most }
        // As if it were unheard of at baseline. Rounding, also of the logarithm, must not make it too small.
        let rest = max(Double(known.x - count), 0.5)
        return most * max(log(most / 0.5 / (rest / (Double(known.y) * unit))), 0) * 1.000_001
    }

    // MARK: The normal ratio

    /// Chi-square's rule of thumb: a leaf of fewer expected failures says nothing of its ratio.
    private static let fewestExpected = 5.0

    /// Takes the normal ratio from these leaves: the median of their ratios, each weighing what it has at baseline, and
    /// at most that of the sums. Where more than half of the baseline is in leaves too small for a ratio, nearly all
    /// ratios are nought or one by chance, and that of the sums is taken.
    mutating func look(at leaves: LocalisationLeaves) {
        let total = leaves.total
        guard total.y > 0 else {
            normalRatio = 0
            return
        }
        let overall = Double(total.x) / (Double(total.y) * unit)
        normalRatio = overall
        var large: Int64 = 0
        for weight in leaves.weights where Double(weight.y) * unit >= Self.fewestExpected { large &+= weight.y }
        guard large >= total.y - large else { return }
        var ratios: [(ratio: Double, weight: Int64)] = []
        for weight in leaves.weights where weight.y > 0 {
            ratios.append((Double(weight.x) / (Double(weight.y) * unit), weight.y))
        }
        // Equal ratios are alike whichever comes first.
        ratios.sort { $0.ratio < $1.ratio }
        var reached: Int64 = 0
        for (ratio, weight) in ratios {
            reached += weight
            guard reached >= total.y - reached else { continue }
            normalRatio = min(ratio, overall)
            return
        }
    }
}
