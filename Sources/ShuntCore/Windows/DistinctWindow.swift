internal import ShuntSchema

/// The most recent distinct things of a sliding window, for thousands of them and for counts of any part of it.
///
/// `RecencyWindow` answers whether a threshold is reached; this one answers how many are younger than any moment,
/// without looking at each. Things lie in a ring in the order of time, with a bit for each that says whether it still
/// stands: what is seen again is put at the end, and its former bit is cleared. So a count is a binary search and a
/// count of bits.
struct DistinctWindow: Sendable {
    /// How many are kept.
    let capacity: Int
    /// The window's length in milliseconds. What is exactly that old is out.
    let spanMs: Int64
    /// When the last thing that was let go of for want of room had been seen: what isn't younger isn't fully known.
    var droppedAt = Timestamp(milliseconds: .min)

    /// Marks a thing that no other can equal, and that the index doesn't hold.
    private static let unkeyed: UInt64 = 0

    private struct Slot: Sendable {
        var key: UInt64
        var at: Int64
    }

    /// A ring; its size is a power of two.
    private var slots: [Slot] = []
    /// A bit for each slot.
    private var standing: [UInt64] = []
    /// The first slot in use, and the first behind those in use, counted on without end.
    private var head = 0
    private var tail = 0
    private var kept = 0
    private var index = KeyIndex()

    /// An empty window that keeps up to `capacity` things, at least 1.
    init(capacity: Int, spanMs: Int64) {
        precondition(capacity >= 1 && capacity < Int32.max / 4)
        self.capacity = capacity
        self.spanMs = spanMs
    }

    /// Notes that something was seen. `at` must not be before what was noted last.
    ///
    /// - Parameter key: the identity to count by; nil for a thing that equals no other.
    /// - Returns: whether it is new: nothing of its key was within the window.
    @discardableResult
    mutating func record(key: UInt64?, at: Timestamp) -> Bool {
        expire(at: at)
        let key = key.map { max($0, 1) } ?? Self.unkeyed
        let known = key == Self.unkeyed ? nil : index.find(key) { slots[$0].key == key }
        if let known {
            clear(known)
        } else if kept == capacity {
            dropOldest()
        }
        let isMoved = tail - head == slots.count
        if isMoved { makeRoom() }
        let place = tail & (slots.count - 1)
        slots[place] = Slot(key: key, at: at.milliseconds)
        standing[place / 64] |= 1 << UInt64(place % 64)
        tail += 1
        kept += 1
        guard key != Self.unkeyed else { return true }
        // Making room leaves out what doesn't stand.
        if let known, !isMoved {
            index.move(known, to: place, hash: key)
        } else {
            index.insert(place, hash: key)
        }
        return known == nil
    }

    /// How many are within the window at that time.
    func count(at: Timestamp) -> Int {
        count(after: at.advanced(byMs: -spanMs))
    }

    /// How many are younger than a moment.
    func count(after edge: Timestamp) -> Int {
        guard kept > 0, slots[(tail - 1) & (slots.count - 1)].at > edge.milliseconds else { return 0 }
        if slots[head & (slots.count - 1)].at > edge.milliseconds { return kept }
        let low = firstSlot(after: edge)
        return tail - low < low - head ? standingCount(from: low, to: tail) : kept - standingCount(from: head, to: low)
    }

    /// Whether at least `count` are within the window at that time.
    func reaches(_ count: Int, at: Timestamp) -> Bool {
        count <= 0 || kept >= count && self.count(at: at) >= count
    }

    /// When the oldest of what is younger than a moment was seen; nil where nothing is.
    func oldest(after edge: Timestamp) -> Timestamp? {
        guard kept > 0 else { return nil }
        for number in firstSlot(after: edge)..<tail where stands(number & (slots.count - 1)) {
            return Timestamp(milliseconds: slots[number & (slots.count - 1)].at)
        }
        return nil
    }

    /// The first slot in use that is younger than a moment; the one behind the last where none is.
    private func firstSlot(after edge: Timestamp) -> Int {
        var low = head
        var high = tail
        while low < high {
            let middle = (low + high) / 2
            if slots[middle & (slots.count - 1)].at > edge.milliseconds { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Whether nothing is within the window at that time.
    func isEmpty(at: Timestamp) -> Bool {
        !reaches(1, at: at)
    }

    /// Forgets everything.
    mutating func clear() {
        self = DistinctWindow(capacity: capacity, spanMs: spanMs)
    }

    /// Everything kept, oldest first: recorded in this order it makes an equal window.
    var contents: [(key: UInt64?, at: Timestamp)] {
        var result: [(key: UInt64?, at: Timestamp)] = []
        result.reserveCapacity(kept)
        for number in head..<tail where stands(number & (slots.count - 1)) {
            let slot = slots[number & (slots.count - 1)]
            result.append((slot.key == Self.unkeyed ? nil : slot.key, Timestamp(milliseconds: slot.at)))
        }
        return result
    }

    private func stands(_ place: Int) -> Bool {
        standing[place / 64] & (1 << UInt64(place % 64)) != 0
    }

    private mutating func clear(_ place: Int) {
        standing[place / 64] &= ~(1 << UInt64(place % 64))
        kept -= 1
    }

    /// Lets go of what is out at that time.
    private mutating func expire(at: Timestamp) {
        let edge = at.advanced(byMs: -spanMs).milliseconds
        while head < tail {
            let place = head & (slots.count - 1)
            if stands(place) {
                guard slots[place].at <= edge else { return }
                drop(place)
            }
            head += 1
        }
    }

    private mutating func dropOldest() {
        while head < tail {
            let place = head & (slots.count - 1)
            head += 1
            guard stands(place) else { continue }
            droppedAt = Timestamp(milliseconds: slots[place].at)
            drop(place)
            return
        }
    }

    private mutating func drop(_ place: Int) {
        if slots[place].key != Self.unkeyed { index.remove(place, hash: slots[place].key) }
        clear(place)
    }

    /// Makes the ring larger, or where half of it doesn't stand any more leaves that out.
    private mutating func makeRoom() {
        let former = slots
        let size = kept * 2 <= slots.count ? max(8, slots.count) : slots.count * 2
        let held = (head..<tail).map { $0 & (former.count - 1) }.filter(stands)
        slots = [Slot](repeating: Slot(key: Self.unkeyed, at: 0), count: size)
        standing = [UInt64](repeating: 0, count: (size + 63) / 64)
        index = KeyIndex(capacity: held.count)
        for (place, old) in held.enumerated() {
            slots[place] = former[old]
            standing[place / 64] |= 1 << UInt64(place % 64)
            if former[old].key != Self.unkeyed { index.insert(place, hash: former[old].key) }
        }
        head = 0
        tail = held.count
    }

    /// How many of a stretch of slots stand.
    private func standingCount(from start: Int, to end: Int) -> Int {
        var count = 0
        var number = start
        while number < end {
            let place = number & (slots.count - 1)
            // To the end of the word, of the ring, or of the stretch, whichever comes first.
            let width = min(64 - place % 64, slots.count - place, end - number)
            let bits = standing[place / 64] >> UInt64(place % 64)
            count += (width == 64 ? bits : bits & ((1 << UInt64(width)) - 1)).nonzeroBitCount
            number += width
        }
        return count
    }
}
