public import ShuntSchema

/// The most recent distinct things of a sliding window, newest first.
///
/// "At least N within the window" is the same as "the N-th most recent is younger than the window". So only N are
/// kept, whatever the traffic, and the answer is exact. A thing seen again moves to the front: a distinct count
/// looks at the last time of each. What falls off the end can't matter any more: N newer ones have passed it.
public struct RecencyWindow: Sendable {
    /// How many are kept; counts above it are not told apart.
    public let capacity: Int
    /// The window's length in milliseconds. What is exactly that old is out.
    public let spanMs: Int64

    private static let none: Int32 = -1
    /// Marks a node that no other can equal, and that the index doesn't hold.
    private static let unkeyed: UInt64 = 0

    private var nodes: [WindowNode] = []
    private var newest = Self.none
    private var oldest = Self.none
    private var index = KeyIndex()

    /// An empty window that keeps up to `capacity` things, at least 1.
    public init(capacity: Int, spanMs: Int64) {
        precondition(capacity >= 1 && capacity < Int32.max / 4)
        self.capacity = capacity
        self.spanMs = spanMs
    }

    /// Notes that something was seen. `at` must not be before what was noted last.
    ///
    /// - Parameter key: the identity to count by; nil for a thing that equals no other.
    public mutating func record(key: UInt64?, at: Timestamp) {
        let key = key.map { max($0, 1) } ?? Self.unkeyed
        if key != Self.unkeyed, let known = index.find(key, in: nodes) {
            unlink(Int32(known))
            nodes[known].at = at.milliseconds
            linkFirst(Int32(known))
            return
        }
        let slot = freeSlot(at: at)
        nodes[Int(slot)].key = key
        nodes[Int(slot)].at = at.milliseconds
        linkFirst(slot)
        if key != Self.unkeyed { index.insert(Int(slot), in: nodes) }
    }

    /// How many are within the window at that time, up to `capacity`.
    public func count(at: Timestamp) -> Int {
        if reaches(nodes.count, at: at) { return nodes.count }
        let edge = at.advanced(byMs: -spanMs).milliseconds
        var found = 0
        var node = newest
        while node != Self.none, nodes[Int(node)].at > edge {
            found += 1
            node = nodes[Int(node)].older
        }
        return found
    }

    /// Whether at least `count` are within the window at that time.
    public func reaches(_ count: Int, at: Timestamp) -> Bool {
        guard let time = mostRecent(count) else { return count <= 0 }
        return time > at.advanced(byMs: -spanMs)
    }

    /// When the `rank`-th most recent was seen (1 is the newest), or nil when there aren't so many.
    public func mostRecent(_ rank: Int) -> Timestamp? {
        guard rank >= 1, rank <= nodes.count else { return nil }
        var node = oldest
        if rank < nodes.count {
            node = newest
            for _ in 1..<rank { node = nodes[Int(node)].older }
        }
        return Timestamp(milliseconds: nodes[Int(node)].at)
    }

    /// Whether nothing is within the window at that time.
    public func isEmpty(at: Timestamp) -> Bool {
        !reaches(1, at: at)
    }

    /// Forgets everything.
    public mutating func clear() {
        self = RecencyWindow(capacity: capacity, spanMs: spanMs)
    }

    /// Everything kept, oldest first: recorded in this order it makes an equal window.
    public var contents: [(key: UInt64?, at: Timestamp)] {
        var result: [(key: UInt64?, at: Timestamp)] = []
        result.reserveCapacity(nodes.count)
        var node = oldest
        while node != Self.none {
            let entry = nodes[Int(node)]
            result.append((entry.key == Self.unkeyed ? nil : entry.key, Timestamp(milliseconds: entry.at)))
            node = entry.newer
        }
        return result
    }

    /// The memory that it holds, in bytes.
    public var memoryBytes: Int {
        nodes.capacity * MemoryLayout<WindowNode>.stride + index.memoryBytes
    }

    private mutating func freeSlot(at: Timestamp) -> Int32 {
        let isFull = nodes.count == capacity
        let oldestIsOut = oldest != Self.none && nodes[Int(oldest)].at <= at.advanced(byMs: -spanMs).milliseconds
        guard isFull || oldestIsOut else {
            nodes.append(WindowNode(key: Self.unkeyed, at: 0, newer: Self.none, older: Self.none))
            return Int32(nodes.count - 1)
        }
        let slot = oldest
        if nodes[Int(slot)].key != Self.unkeyed {
            index.remove(nodes[Int(slot)].key, in: nodes)
        }
        unlink(slot)
        return slot
    }

    private mutating func unlink(_ slot: Int32) {
        let node = nodes[Int(slot)]
        if node.newer == Self.none { newest = node.older } else { nodes[Int(node.newer)].older = node.older }
        if node.older == Self.none { oldest = node.newer } else { nodes[Int(node.older)].newer = node.newer }
    }

    private mutating func linkFirst(_ slot: Int32) {
        nodes[Int(slot)].newer = Self.none
        nodes[Int(slot)].older = newest
        if newest == Self.none { oldest = slot } else { nodes[Int(newest)].newer = slot }
        newest = slot
    }
}
