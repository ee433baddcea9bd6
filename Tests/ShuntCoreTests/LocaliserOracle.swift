import Foundation
import ShuntCore
import TestSupport

/// A row of a table as a person would write it.
struct LocaliserRow {
    var values: [String?]
    var isNow: Bool
    var failures: Int64 = 1
    var attempts: Int64?
}

/// The rules of docs/decisions/0025 written down plainly: every combination up to depth three is counted by looking at
/// every row.
struct LocaliserOracle {
    typealias Pairs = [(column: Int, value: String)]

    struct Scored {
        var pairs: Pairs
        var now: Double
        var before: Double
        var excess: Double
        var score: Double
    }

    let names: [String]
    let all: [LocaliserRow]

    private var hasAttempts: Bool {
        let now = all.filter(\.isNow)
        return now.allSatisfy { $0.attempts != nil } && now.contains { ($0.attempts ?? 0) > 0 }
    }

    private func now(_ rows: [LocaliserRow]) -> Double { rows.filter(\.isNow).reduce(0) { $0 + Double($1.failures) } }

    private func before(_ rows: [LocaliserRow]) -> Double {
        guard hasAttempts else { return rows.filter { !$0.isNow }.reduce(0) { $0 + Double($1.failures) } }
        let attempts = all.filter(\.isNow).reduce(0) { $0 + Double($1.attempts ?? 0) }
        return rows.filter(\.isNow).reduce(0) { $0 + Double($1.attempts ?? 0) } * (now(all) / attempts)
    }

    private func normalRatio(_ rows: [LocaliserRow]) -> Double {
        let whole = now(rows) / before(rows)
        var leaves: [(now: Double, before: Double)] = []
        for group in Dictionary(grouping: rows, by: \.values).values where before(group) > 0 {
            leaves.append((now(group), before(group)))
        }
        leaves.sort { one, other in one.now / one.before < other.now / other.before }
        let large = leaves.filter { $0.before >= 5 }.reduce(0) { $0 + $1.before }
        guard large * 2 >= before(rows) else { return whole }
        var reached = 0.0
        for leaf in leaves {
            reached += leaf.before
            if reached * 2 >= before(rows) { return min(leaf.now / leaf.before, whole) }
        }
        return whole
    }

    private func has(_ row: LocaliserRow, _ pairs: Pairs) -> Bool {
        pairs.allSatisfy { row.values[$0.column] == $0.value }
    }

    private func scored(_ pairs: Pairs, in rows: [LocaliserRow], _ ratio: Double) -> Scored? {
        let having = rows.filter { has($0, pairs) }
        let known = rows.filter { row in pairs.allSatisfy { row.values[$0.column] != nil } }
        let (c, b) = (now(having), before(having))
        guard c > 0, c * 20 >= now(all) else { return nil }
        if before(all) == 0 { return Scored(pairs: pairs, now: c, before: b, excess: c, score: c) }
        let restBefore = before(known) - b
        guard restBefore > 0 else { return nil }
        let risk = (c / max(b, 0.5)) / (max(now(known) - c, 0.5) / restBefore)
        let excess = max(c - ratio * b, 0)
        let score = excess * max(log(risk), 0)
        return score > 0 ? Scored(pairs: pairs, now: c, before: b, excess: excess, score: score) : nil
    }

    /// In the order that decides ties.
    private func combinations(in rows: [LocaliserRow]) -> [Pairs] {
        let values = names.indices.map { column in
            Set(rows.compactMap { $0.values[column] }).sorted {
                Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
            }
        }
        var found: [Pairs] = []
        let columns = names.indices
        var sets: [[Int]] = columns.map { [$0] }
        for depth in 2...3 {
            for set in sets where set.count == depth - 1 {
                sets += columns.filter { $0 > set[depth - 2] }.map { set + [$0] }
            }
        }
        for set in sets {
            var combined: [Pairs] = [[]]
            for column in set { combined = combined.flatMap { pairs in values[column].map { pairs + [(column, $0)] } } }
            found += combined
        }
        return found
    }

    /// The causes' attributes with count, total and baseline count, one line each.
    var causes: [String] {
        var rows = all
        var lines: [String] = []
        var first: Scored?
        var whole = 0.0
        while lines.count < 3, now(all) >= 5, now(rows) > 0 {
            let ratio = before(rows) > 0 ? normalRatio(rows) : 0
            var best: Scored?
            for pairs in combinations(in: rows) {
                guard let scored = scored(pairs, in: rows, ratio), scored.score > best?.score ?? 0 else { continue }
                best = scored
            }
            guard var chosen = best else { break }
            for depth in 1...3 where depth < chosen.pairs.count {
                let parts = combinations(in: rows).filter { part in
                    part.count == depth && part.allSatisfy { one in chosen.pairs.contains { $0 == one } }
                }
                let good = parts.compactMap { scored($0, in: rows, ratio) }.filter { $0.score >= 0.95 * chosen.score }
                if let top = good.map(\.score).max(), let part = good.first(where: { $0.score == top }) {
                    chosen = part
                }
            }
            if let first {
                guard chosen.score >= 0.2 * first.score, chosen.excess >= 0.15 * whole else { break }
            } else {
                first = chosen
                whole = max(now(rows) - ratio * before(rows), chosen.excess)
            }
            let pairs = chosen.pairs.map { "\(names[$0.column])=\($0.value)" }.joined(separator: " ")
            let base = before(rows) > 0 ? "\(Int64(chosen.before.rounded()))" : "-"
            lines.append("\(pairs): \(Int64(chosen.now)) of \(Int64(now(rows))), \(base)")
            rows.removeAll { has($0, chosen.pairs) }
        }
        return lines
    }
}

extension Localisation {
    /// As `LocaliserOracle.causes`.
    var lines: [String] {
        causes.map { cause in
            let pairs = cause.attributes.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            return "\(pairs): \(cause.count) of \(cause.total), \(cause.baselineCount.map { "\($0)" } ?? "-")"
        }
    }
}

func localised(_ names: [String], _ rows: [LocaliserRow]) -> Localisation {
    var builder = LocalisationTable.Builder(attributes: names)
    for row in rows {
        builder.append(row.values, isNow: row.isNow, failures: row.failures, attempts: row.attempts)
    }
    return Localiser.localise(builder.table)
}
