internal import ShuntSchema

/// Counts over a long stretch of time in equal parts, the oldest part leaving as a new one begins.
///
/// For rates over hours, which are compared with others and needn't be exact to the event: a sum over it covers the
/// whole stretch less the rest of the part that has just begun.
struct BucketRing: Equatable, Sendable {
    /// The length of a part, in milliseconds.
    let partMs: Int64
    private(set) var counts: [UInt32]
    /// The number of the part that was counted in last; parts are numbered from the beginning of 1970.
    private(set) var newest: Int64

    /// The shortest part, in milliseconds: numbers of parts stay far from the end of what fits.
    private static let shortestPartMs: Int64 = 10

    /// An empty ring of so many parts.
    init(parts: Int, partMs: Int64) {
        self.partMs = max(Self.shortestPartMs, partMs)
        counts = [UInt32](repeating: 0, count: parts)
        newest = .min / 2
    }

    /// A ring as it was read from a snapshot; nil where the newest part is a number that no time has.
    init?(counts: [UInt32], partMs: Int64, newest: Int64) {
        guard newest >= .min / 2, newest <= .max / 2 else { return nil }
        self.counts = counts
        self.partMs = max(Self.shortestPartMs, partMs)
        self.newest = newest
    }

    /// The number of the part that a moment lies in.
    func part(of at: Timestamp) -> Int64 {
        let part = at.milliseconds / partMs
        return at.milliseconds % partMs < 0 ? part - 1 : part
    }

    /// Counts so many at a time that isn't before the last one.
    mutating func add(_ count: Int, at: Timestamp) {
        advance(to: at)
        let slot = self.slot(newest)
        counts[slot] = UInt32(clamping: Int(counts[slot]) + min(max(count, 0), Int(UInt32.max)))
    }

    /// Lets go of the parts that have left at a time.
    mutating func advance(to at: Timestamp) {
        let part = self.part(of: at)
        guard part > newest else { return }
        for gone in 0..<min(part - newest, Int64(counts.count)) { counts[slot(part - gone)] = 0 }
        newest = part
    }

    /// The sum of parts: `first` 0 is the one that the time lies in, 1 the one before it.
    func sum(first: Int, count: Int, at: Timestamp) -> Int {
        let now = part(of: at)
        var sum = 0
        for age in first..<(first + count) {
            let part = now - Int64(age)
            guard part <= newest, part > newest - Int64(counts.count) else { continue }
            sum += Int(counts[slot(part)])
        }
        return sum
    }

    /// Forgets everything.
    mutating func clear() {
        self = BucketRing(parts: counts.count, partMs: partMs)
    }

    private func slot(_ part: Int64) -> Int {
        let place = Int(part % Int64(counts.count))
        return place < 0 ? place + counts.count : place
    }
}
