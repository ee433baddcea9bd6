public import ShuntSchema

/// Some failures of the log.
public struct FailureSelection: Sendable {
    let log: FailureLog
    var rows: [(segment: Int, rows: [Int32])] = []

    init(log: FailureLog) {
        self.log = log
    }

    /// How many reports there are.
    public var count: Int { rows.reduce(0) { $0 + $1.rows.count } }

    private func forEach(_ body: (FailureSegment, Int) -> Void) {
        for (number, chosen) in rows {
            let segment = log.segments[number]
            for row in chosen { body(segment, Int(row)) }
        }
    }

    /// What the failures amount to: people, attempts and money.
    public var summary: FailureSummary {
        var summary = FailureSummary()
        var attempts: Set<UInt64> = []
        var installs: Set<UInt64> = []
        forEach { segment, row in
            let kept = segment.rows[row]
            summary.events += 1
            summary.firstAt = summary.firstAt.map { min($0, kept.at) } ?? kept.at
            summary.lastAt = summary.lastAt.map { max($0, kept.at) } ?? kept.at
            if kept.install == 0 { summary.areInstallsComplete = false } else { installs.insert(kept.install) }
            // The same attempt failing twice is one payment's money.
            guard kept.attempt == 0 || attempts.insert(kept.attempt).inserted else { return }
            summary.attempts += 1
            guard let minor = kept.amountMinor, let currency = segment.value(.amountCurrency, at: row) else {
                summary.attemptsWithoutAmount += 1
                return
            }
            summary.amounts[currency, default: 0] += Int128(minor)
        }
        summary.installs = installs.count
        return summary
    }

    /// How many reports fall into each of so many equal parts of a stretch of time.
    public func series(from start: Timestamp, stepMs: Int64, points: Int) -> [Int] {
        var series = [Int](repeating: 0, count: points)
        forEach { segment, row in
            let part = (segment.rows[row].at.milliseconds - start.milliseconds - 1) / max(1, stepMs)
            if part >= 0, part < Int64(points) { series[Int(part)] += 1 }
        }
        return series
    }

    /// How many reports have each value of an attribute, the most frequent first, equals by their bytes.
    public func values(of dimension: Dimension) -> [(value: String, count: Int)] {
        guard let place = FailureSegment.places[.dimension(dimension)] else { return [] }
        var counts: [String: Int] = [:]
        for (number, chosen) in rows {
            let column = log.segments[number].columns[place]
            var numbers = [Int](repeating: 0, count: column.values.count + 1)
            for row in chosen { numbers[Int(column.codes[Int(row)])] += 1 }
            for (value, count) in zip(column.values, numbers.dropFirst()) where count > 0 {
                counts[value, default: 0] += count
            }
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// A table that compares these failures with former ones of the same log.
    ///
    /// - Parameter known: the attributes that all of them have by definition, which say nothing.
    public func table(before: FailureSelection, leavingOut known: [Dimension] = []) -> LocalisationTable {
        let left = known.map(LocalisedAttribute.dimension)
        let columns = LocalisedAttribute.all.filter { !left.contains($0) }.map { attribute in
            var column = ColumnMerger(place: FailureSegment.places[attribute] ?? 0)
            for selection in [self, before] {
                for (number, chosen) in selection.rows {
                    column.append(selection.log.segments[number], rows: chosen)
                }
            }
            return LocalisationTable.Column(name: attribute.name, values: column.values, codes: column.codes)
        }
        let isNow = [Bool](repeating: true, count: count) + [Bool](repeating: false, count: before.count)
        return LocalisationTable(columns: columns, isNow: isNow, failures: [Int64](repeating: 1, count: isNow.count))
    }

    /// The entries of the newest reports, newest first.
    public func newest(_ limit: Int) -> [UInt64] {
        var seqs: [UInt64] = []
        for (number, chosen) in rows.reversed() {
            for row in chosen.reversed() {
                if seqs.count >= limit { return seqs }
                seqs.append(log.segments[number].rows[Int(row)].seq)
            }
        }
        return seqs
    }
}

/// Puts the columns of segments together, whose values have numbers of their own in each.
private struct ColumnMerger {
    let place: Int
    private(set) var values: [String] = []
    private(set) var codes: [UInt32] = []
    private var numbers: [String: UInt32] = [:]

    init(place: Int) {
        self.place = place
    }

    mutating func append(_ segment: FailureSegment, rows: [Int32]) {
        let column = segment.columns[place]
        var translated = [UInt32?](repeating: nil, count: column.values.count + 1)
        translated[0] = 0
        for row in rows {
            let code = Int(column.codes[Int(row)])
            let number = translated[code] ?? number(of: column.values[code - 1])
            translated[code] = number
            codes.append(number)
        }
    }

    private mutating func number(of value: String) -> UInt32 {
        if let known = numbers[value] { return known }
        values.append(value)
        numbers[value] = UInt32(values.count)
        return UInt32(values.count)
    }
}

/// What failures amount to.
public struct FailureSummary: Equatable, Sendable {
    /// Reports.
    public var events = 0
    /// Distinct attempts; one that can't be told apart counts by itself.
    public var attempts = 0
    /// Attempts whose amount nobody told.
    public var attemptsWithoutAmount = 0
    /// Distinct installs among the reports that name one.
    public var installs = 0
    /// Whether every report names its install.
    public var areInstallsComplete = true
    /// What the attempts were worth, in minor units by currency (ISO 4217).
    public var amounts: [String: Int128] = [:]
    /// The first report.
    public var firstAt: Timestamp?
    /// The last report.
    public var lastAt: Timestamp?

    /// How many payers; nil where not every report says whose it is.
    public var payers: Int? { areInstallsComplete && installs > 0 ? installs : nil }

    /// The amounts, in the order of their currencies.
    public var orderedAmounts: [(currency: String, minor: Int128)] {
        amounts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
