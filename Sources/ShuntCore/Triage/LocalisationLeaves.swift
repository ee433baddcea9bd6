/// The rows of a table, those with equal attributes joined, with small codes for the values that are frequent enough
/// to be part of a cause.
struct LocalisationLeaves {
    /// The code of a row without a value.
    static let missing: UInt8 = 0
    /// The code of a value that too few failures have.
    static let other: UInt8 = 1
    /// The first code of a frequent value. There are at most 20 of those in a column, as each has a twentieth.
    static let firstFrequent = 2
    /// How many codes a column can have.
    static let codeLimit = firstFrequent + Localiser.pruningParts

    /// For each column the places of its frequent values in the table's `values`, in the order of their bytes.
    private(set) var frequent: [[Int]] = []
    /// For each column and leaf a code.
    private(set) var codes: [[UInt8]] = []
    /// For each leaf the failures now, and what stands for the baseline. Leaves without a baseline come first, those
    /// without failures now last.
    private(set) var weights: [SIMD2<Int64>] = []
    /// The leaves that have failures now.
    private(set) var leavesNow = 0..<0
    /// The leaves that have a baseline.
    private(set) var leavesBefore = 0..<0
    /// For each leaf a bit for each column in which it has no value.
    private var lacking: [UInt64] = []
    /// For each column its bit in `lacking`; nought for one that always has a value.
    private var lackingBit: [UInt64] = []
    /// The sums of `weights` by `lacking`, of which there are few.
    private var lackingSums: [UInt64: SIMD2<Int64>] = [:]
    /// The sum of `weights`.
    private(set) var total = SIMD2<Int64>()

    var columnIndices: Range<Int> { codes.indices }

    init(_ table: LocalisationTable) {
        let rowWeights = Self.rowWeights(of: table)
        let failures = rowWeights.reduce(into: Int64(0)) { $0 += $1.x }
        let grouping = RowGrouping(table)
        var groupWeights = [SIMD2<Int64>](repeating: SIMD2(), count: grouping.representatives.count)
        for row in rowWeights.indices { groupWeights[Int(grouping.groups[row])] &+= rowWeights[row] }
        let order =
            groupWeights.indices.filter { groupWeights[$0].x > 0 && groupWeights[$0].y == 0 }
            + groupWeights.indices.filter { groupWeights[$0].x > 0 && groupWeights[$0].y > 0 }
            + groupWeights.indices.filter { groupWeights[$0].x == 0 && groupWeights[$0].y > 0 }
        weights = order.map { groupWeights[$0] }
        let rows = order.map { Int(grouping.representatives[$0]) }
        lacking = [UInt64](repeating: 0, count: weights.count)
        var nextBit: UInt64 = 1
        for column in table.columns {
            let leafCodes = rows.map { column.codes[$0] }
            let places = Self.frequentPlaces(in: column, leafCodes, weights, total: failures)
            var small = [UInt8](repeating: Self.other, count: column.values.count + 1)
            small[0] = Self.missing
            for (number, place) in places.enumerated() { small[place + 1] = UInt8(Self.firstFrequent + number) }
            let smallCodes = leafCodes.map { small[Int($0)] }
            frequent.append(places)
            codes.append(smallCodes)
            guard smallCodes.contains(Self.missing), nextBit != 0 else {
                lackingBit.append(0)
                continue
            }
            lackingBit.append(nextBit)
            for leaf in smallCodes.indices where smallCodes[leaf] == Self.missing { lacking[leaf] |= nextBit }
            nextBit <<= 1
        }
        sum()
    }

    /// Attempts stand for the baseline where they are known.
    private static func rowWeights(of table: LocalisationTable) -> [SIMD2<Int64>] {
        let hasAttempts = table.hasAttempts
        return table.isNow.indices.map { row in
            if hasAttempts { return table.isNow[row] ? SIMD2(table.failures[row], table.attempts[row]) : SIMD2() }
            return table.isNow[row] ? SIMD2(table.failures[row], 0) : SIMD2(0, table.failures[row])
        }
    }

    private static func frequentPlaces(
        in column: LocalisationTable.Column,
        _ codes: [UInt32],
        _ weights: [SIMD2<Int64>],
        total: Int64
    ) -> [Int] {
        var counts = [Int64](repeating: 0, count: column.values.count + 1)
        for leaf in codes.indices { counts[Int(codes[leaf])] &+= weights[leaf].x }
        let places = column.values.indices.filter { Localiser.isFrequent(counts[$0 + 1], of: total) }
        return places.sorted { column.values[$0].utf8.lexicographicallyPrecedes(column.values[$1].utf8) }
    }

    private mutating func sum() {
        total = SIMD2()
        lackingSums = [:]
        leavesNow = 0..<(weights.firstIndex { $0.x == 0 } ?? weights.count)
        leavesBefore = (weights.firstIndex { $0.y > 0 } ?? weights.count)..<weights.count
        for weight in weights { total &+= weight }
        guard lackingBit.contains(where: { $0 != 0 }) else { return }
        for leaf in weights.indices { lackingSums[lacking[leaf], default: SIMD2()] &+= weights[leaf] }
    }

    /// The sums over the rows that have a value in all these columns: rows that don't say are no evidence against.
    func known(_ columns: [Int]) -> SIMD2<Int64> {
        let bits = columns.reduce(UInt64(0)) { $0 | lackingBit[$1] }
        if bits == 0 { return total }
        var known = SIMD2<Int64>()
        // Sums of whole numbers: the dictionary's order can't be seen in them.
        for (lacks, weight) in lackingSums where lacks & bits == 0 { known &+= weight }
        return known
    }

    /// Takes the rows away that have all these values.
    mutating func remove(_ items: [LocalisationItem]) {
        let codes = codes
        keep { leaf in !items.allSatisfy { codes[$0.column][leaf] == $0.code } }
    }

    /// Takes the rows away that have other values than these.
    mutating func keep(_ items: [LocalisationItem]) {
        let codes = codes
        keep { leaf in items.allSatisfy { codes[$0.column][leaf] == $0.code } }
    }

    private mutating func keep(_ isKept: (Int) -> Bool) {
        let kept = weights.indices.filter(isKept)
        weights = kept.map { weights[$0] }
        lacking = kept.map { lacking[$0] }
        for column in codes.indices { codes[column] = kept.map { codes[column][$0] } }
        sum()
    }
}

/// One value of one column, by its small code.
struct LocalisationItem: Equatable {
    var column: Int
    var code: UInt8
}

extension LocalisationTable {
    /// Whether attempts are known and there are any.
    var hasAttempts: Bool {
        !attempts.isEmpty && attempts.indices.contains { isNow[$0] && attempts[$0] > 0 }
    }
}

/// Which rows of a table have equal attributes.
private struct RowGrouping {
    /// For each row its group.
    private(set) var groups: [UInt32]
    /// For each group its first row.
    private(set) var representatives: [UInt32] = []

    init(_ table: LocalisationTable) {
        let hashes = Self.hashes(of: table)
        groups = [UInt32](repeating: 0, count: hashes.count)
        var size = 16
        while size < hashes.count * 2 { size *= 2 }
        // 0 is a free slot, else a group counted from 1.
        var slots = [UInt32](repeating: 0, count: size)
        for row in hashes.indices {
            var slot = Int(truncatingIfNeeded: hashes[row] >> 20) & (size - 1)
            while true {
                let group = slots[slot]
                if group == 0 {
                    groups[row] = UInt32(representatives.count)
                    representatives.append(UInt32(row))
                    slots[slot] = UInt32(representatives.count)
                    break
                }
                let first = Int(representatives[Int(group) - 1])
                if hashes[first] == hashes[row], table.columns.allSatisfy({ $0.codes[first] == $0.codes[row] }) {
                    groups[row] = group - 1
                    break
                }
                slot = (slot + 1) & (size - 1)
            }
        }
    }

    private static func hashes(of table: LocalisationTable) -> [UInt64] {
        var hashes = [UInt64](repeating: 0x9E37_79B9_7F4A_7C15, count: table.rowCount)
        for column in table.columns {
            for row in column.codes.indices {
                let mixed = (hashes[row] ^ UInt64(column.codes[row])) &* 0xBF58_476D_1CE4_E5B9
                hashes[row] = mixed ^ (mixed >> 31)
            }
        }
        return hashes
    }
}
