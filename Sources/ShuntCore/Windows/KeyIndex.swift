/// Finds places in a table by a hash of what stands there: open addressing with linear probes.
///
/// A `Dictionary` would hold each key a second time and cost an allocation a window; the index of a quiet code's window
/// is a few dozen bytes here. Half of the hash stands beside each place, so that probing past others touches nothing
/// but the index itself.
struct KeyIndex: Sendable {
    /// The lower half of a hash above, its place + 1 below; 0 is free. The size is a power of two, and at most half is
    /// in use.
    private var cells: [UInt64] = []
    private(set) var count = 0

    /// An empty index, with room for so many.
    init(capacity: Int = 0) {
        guard capacity > 0 else { return }
        var size = 8
        while size < 2 * capacity { size *= 2 }
        cells = [UInt64](repeating: 0, count: size)
    }

    var memoryBytes: Int { cells.capacity * MemoryLayout<UInt64>.stride }

    /// The place of what has this hash and is the one that is meant.
    func find(_ hash: UInt64, where isMeant: (Int) -> Bool) -> Int? {
        guard !cells.isEmpty else { return nil }
        let mark = Self.mark(of: hash)
        var position = home(of: mark)
        while cells[position] != 0 {
            if cells[position] >> 32 == mark {
                let place = Self.place(in: cells[position])
                if isMeant(place) { return place }
            }
            position = next(position)
        }
        return nil
    }

    /// Adds a place that isn't in yet.
    mutating func insert(_ place: Int, hash: UInt64) {
        if cells.count < 2 * (count + 1) { grow() }
        put(Self.cell(place, hash))
        count += 1
    }

    /// Says that what was at one place is now at another.
    mutating func move(_ place: Int, to newPlace: Int, hash: UInt64) {
        guard let position = position(of: place, hash: hash) else { return }
        cells[position] = Self.cell(newPlace, hash)
    }

    mutating func remove(_ place: Int, hash: UInt64) {
        guard var hole = position(of: place, hash: hash) else { return }
        count -= 1
        // Close the hole: pull back each follower whose probe sequence passes over it.
        var position = next(hole)
        while cells[position] != 0 {
            let homeOfFollower = home(of: cells[position] >> 32)
            let distanceToHole = (hole &- homeOfFollower) & (cells.count - 1)
            let distanceToPosition = (position &- homeOfFollower) & (cells.count - 1)
            if distanceToHole < distanceToPosition {
                cells[hole] = cells[position]
                hole = position
            }
            position = next(position)
        }
        cells[hole] = 0
    }

    private func position(of place: Int, hash: UInt64) -> Int? {
        guard !cells.isEmpty else { return nil }
        let wanted = Self.cell(place, hash)
        var position = home(of: Self.mark(of: hash))
        while cells[position] != wanted {
            guard cells[position] != 0 else { return nil }
            position = next(position)
        }
        return position
    }

    private mutating func grow() {
        let held = cells
        cells = [UInt64](repeating: 0, count: max(8, 2 * cells.count))
        for cell in held where cell != 0 { put(cell) }
    }

    private mutating func put(_ cell: UInt64) {
        var position = home(of: cell >> 32)
        while cells[position] != 0 { position = next(position) }
        cells[position] = cell
    }

    private static func mark(of hash: UInt64) -> UInt64 { hash & 0xFFFF_FFFF }

    private static func cell(_ place: Int, _ hash: UInt64) -> UInt64 {
        mark(of: hash) << 32 | UInt64(UInt32(place + 1))
    }

    private static func place(in cell: UInt64) -> Int { Int(cell & 0xFFFF_FFFF) - 1 }

    private func home(of mark: UInt64) -> Int { Int(mark) & (cells.count - 1) }

    private func next(_ position: Int) -> Int { (position + 1) & (cells.count - 1) }
}
