/// Finds what failures have in common that they normally haven't: attribute values, and combinations of up to three.
///
/// Every combination that a twentieth of the failures has is scored by `LocalisationScale`; the best is the first
/// cause, or a part of it that says nearly as much. Then the same for what it leaves. docs/decisions/0025 has the
/// formula, and what was chosen where it leaves a choice. Same rows, same answer, in whatever order they come.
public enum Localiser {
    /// With fewer failures than this there are no causes: what they share can be chance.
    public static let fewestFailures: Int64 = 5
    /// The most causes.
    public static let mostCauses = 3
    /// A combination counts if at least one failure in this many has it.
    static let pruningParts = 20
    /// What a simpler ancestor must have of the best score to be taken instead.
    static let ancestorShare = 0.95
    /// What a further cause must have of the first one's score.
    static let furtherScoreShare = 0.2
    /// What a further cause must have of the whole excess.
    static let furtherExcessShare = 0.15

    /// Finds the causes of a table's failures.
    public static func localise(_ table: LocalisationTable) -> Localisation {
        var leaves = LocalisationLeaves(table)
        let count = leaves.total.x
        var scale = LocalisationScale(leaves, hasAttempts: table.hasAttempts)
        let baselineCount = leaves.total.y == 0 ? nil : scale.baselineCount(leaves.total.y)
        var found = Localisation(
            causes: [],
            count: count,
            baselineCount: baselineCount,
            baseline: scale.baseline,
            verdict: .nothingStandsOut
        )
        guard count >= fewestFailures else {
            found.verdict = .tooFew
            return found
        }
        var first: Candidate?
        var wholeExcess = scale.wholeExcess(leaves.total)
        while found.causes.count < mostCauses {
            let floor = first.map { $0.score * furtherScoreShare * (1 - 1e-6) } ?? 0
            let search = CandidateSearch(leaves: leaves, scale: scale, failures: count)
            guard let best = search.best(above: floor) else { break }
            if let first {
                guard best.score >= furtherScoreShare * first.score, best.excess >= furtherExcessShare * wholeExcess
                else { break }
            } else {
                first = best
                // Where the normal ratio is that of the sums, the whole has no excess, and its first part stands in.
                wholeExcess = max(wholeExcess, best.excess)
            }
            found.causes.append(cause(best, in: leaves, of: table, scale, failures: count))
            leaves.remove(best.items)
            scale.look(at: leaves)
            if leaves.total.x == 0 { break }
        }
        if !found.causes.isEmpty { found.verdict = .found }
        return found
    }

    /// Whether at least a twentieth of the failures have something.
    static func isFrequent(_ count: Int64, of total: Int64) -> Bool {
        count > 0 && count >= total / Int64(pruningParts) + (total % Int64(pruningParts) == 0 ? 0 : 1)
    }

    private static func cause(
        _ candidate: Candidate,
        in leaves: LocalisationLeaves,
        of table: LocalisationTable,
        _ scale: LocalisationScale,
        failures: Int64
    ) -> Cause {
        func attribute(_ item: LocalisationItem) -> Cause.Attribute {
            let column = table.columns[item.column]
            let place = leaves.frequent[item.column][Int(item.code) - LocalisationLeaves.firstFrequent]
            return Cause.Attribute(name: column.name, value: column.values[place])
        }
        let total = leaves.total
        let share = Double(candidate.weight.x) / Double(total.x)
        let baselineShare = total.y > 0 ? Double(candidate.weight.y) / Double(total.y) : nil
        let isAtLeast = candidate.items.count == 3
        let search = CandidateSearch(leaves: leaves, scale: scale, failures: failures)
        return Cause(
            attributes: candidate.items.map(attribute),
            count: candidate.weight.x,
            total: total.x,
            baselineCount: total.y > 0 ? scale.baselineCount(candidate.weight.y) : nil,
            share: share,
            baselineShare: baselineShare,
            lift: baselineShare.flatMap { $0 > 0 ? share / $0 : nil },
            score: candidate.score,
            isAtLeast: isAtLeast,
            refinement: isAtLeast ? search.refinement(of: candidate).map(attribute) : nil
        )
    }
}

/// A combination of values that could be a cause.
struct Candidate {
    /// In the order of the columns.
    var items: [LocalisationItem]
    /// The failures now, and what stands for the baseline.
    var weight: SIMD2<Int64>
    var excess: Double
    var score: Double
}
