internal import ShuntSchema

/// Counts by equal parts of time, of which only those are kept in which something was counted.
struct SparseCounts: Sendable {
    /// A part that something was counted in.
    struct Part: Equatable, Sendable {
        /// Its number, from the beginning of 1970.
        var number: Int64
        var count: UInt32
    }

    /// The length of a part, in milliseconds.
    let partMs: Int64
    /// For how many parts back they are kept.
    let kept: Int64
    private(set) var parts: [Part] = []

    init(partMs: Int64, kept: Int64) {
        self.partMs = partMs
        self.kept = kept
    }

    /// Counts one at a time that isn't before the last.
    mutating func add(_ count: UInt32 = 1, at: Timestamp) {
        let number = at.milliseconds / partMs
        if let last = parts.last, last.number >= number {
            parts[parts.count - 1].count &+= count
            return
        }
        if parts.count > 2 * Int(kept) { parts.removeFirst(parts.count - Int(kept)) }
        parts.append(Part(number: number, count: count))
    }

    /// Takes a part back from where it was kept; the parts come in order. One that was kept twice, before it was over
    /// and after, counts as often as it did in the end.
    mutating func restore(_ part: Part) {
        if let last = parts.last, last.number >= part.number {
            if last.number == part.number { parts[parts.count - 1].count = max(last.count, part.count) }
            return
        }
        parts.append(part)
    }

    /// The parts with this number or a later one.
    func parts(from number: Int64) -> ArraySlice<Part> {
        var low = parts.startIndex
        var high = parts.endIndex
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return parts[low...]
    }

    /// The sum over the so many parts that end with the one of the given moment.
    func sum(parts count: Int64, until at: Timestamp) -> Int {
        let last = at.milliseconds / partMs
        return parts(from: last - count + 1).reduce(0) { $0 + ($1.number <= last ? Int($1.count) : 0) }
    }

    /// The counts of so many parts that end with the one of the given moment, oldest first.
    func series(points: Int, until at: Timestamp) -> [Int] {
        let first = at.milliseconds / partMs - Int64(points) + 1
        var series = [Int](repeating: 0, count: points)
        for part in parts(from: first) where part.number - first < Int64(points) {
            series[Int(part.number - first)] = Int(part.count)
        }
        return series
    }
}
