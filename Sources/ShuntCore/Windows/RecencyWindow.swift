public import ShuntSchema

/// The most recent distinct things of a sliding window, newest first.
///
/// "At least N within the window" is the same as "the N-th most recent is younger than the window". So only N are
/// kept, whatever the traffic, and the answer is exact. A thing seen again moves to the front: a distinct count
/// looks at the last time of each. What falls off the end can't matter any more: N newer ones have passed it, or
/// it is out, and time doesn't go back. So what is kept is what was within the window at the last record, no more.
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
    /// The first node that holds nothing; the others follow by `older`.
    private var firstFree = Self.none
    private var kept = 0
    private var index = KeyIndex()
    /// When the last thing that was let go of for want of room had been seen: what isn't younger isn't fully known.
    var droppedAt = Timestamp(milliseconds: .min)

    /// An empty window that keeps up to `capacity` things, at least 1.
    public init(capacity: Int, spanMs: Int64) {
        precondition(capacity >= 1 && capacity < Int32.max / 4)
        self.capacity = capacity
        self.spanMs = spanMs
    }

    /// Notes that something was seen. `at` must not be before what was noted last.
    ///
    /// What an owner has beyond `maximumPerOwner` is let go of, oldest first. That stays exact: something newer takes
    /// its place, so nothing that fell off the end before comes back into the first `capacity`.
    ///
    /// - Parameters:
    ///   - key: the identity to count by; nil for a thing that equals no other.
    ///   - owner: whose it is; nil where nobody's, and then without limit.
    ///   - maximumPerOwner: how many of one owner are kept; nil for any number. Looks at everything kept, so it is for
    ///     windows of hundreds, not of millions.
    /// - Returns: whether it is new: nothing of its key was within the window.
    @discardableResult
    public mutating func record(
        key: UInt64?,
        owner: UInt64? = nil,
        at: Timestamp,
        maximumPerOwner: Int? = nil
    ) -> Bool {
        expire(at: at)
        let owner = owner.map { max($0, 1) } ?? 0
        let key = key.map { max($0, 1) } ?? Self.unkeyed
        if key != Self.unkeyed, let known = index.find(key, where: { nodes[$0].key == key }) {
            unlink(Int32(known))
            nodes[known].at = at.milliseconds
            linkFirst(Int32(known))
            return false
        }
        if let maximumPerOwner, owner != 0 { makeRoom(for: owner, maximum: maximumPerOwner) }
        if kept == capacity {
            droppedAt = Timestamp(milliseconds: nodes[Int(oldest)].at)
            drop(oldest)
        }
        let slot = freeSlot()
        nodes[Int(slot)].key = key
        nodes[Int(slot)].owner = owner
        nodes[Int(slot)].at = at.milliseconds
        linkFirst(slot)
        kept += 1
        if key != Self.unkeyed { index.insert(Int(slot), hash: key) }
        return true
    }

    /// Lets go of what is out at that time, which must not be before what was noted last.
    ///
    /// - Returns: when the count fell below `level`, if it wasn't below at the last record and is now.
    @discardableResult
    mutating func expire(at: Timestamp, watching level: Int = 0) -> Timestamp? {
        let edge = at.advanced(byMs: -spanMs).milliseconds
        var fellAt: Timestamp?
        while oldest != Self.none, nodes[Int(oldest)].at <= edge {
            if kept == level {
                fellAt = Timestamp(milliseconds: nodes[Int(oldest)].at).advanced(byMs: spanMs)
            }
            drop(oldest)
        }
        return fellAt
    }

    /// How many are within the window at that time, up to `capacity`.
    public func count(at: Timestamp) -> Int {
        count(after: at.advanced(byMs: -spanMs))
    }

    /// How many are younger than a moment, up to `capacity`. Walks over those that aren't.
    func count(after edge: Timestamp) -> Int {
        var found = kept
        var node = oldest
        while node != Self.none, nodes[Int(node)].at <= edge.milliseconds {
            found -= 1
            node = nodes[Int(node)].newer
        }
        return found
    }

    /// Whether at least `count` are within the window at that time.
    public func reaches(_ count: Int, at: Timestamp) -> Bool {
        guard let time = mostRecent(count) else { return count <= 0 }
        return time > at.advanced(byMs: -spanMs)
    }

    /// When the `rank`-th most recent was seen (1 is the newest), or nil when so many weren't within the window at
    /// the last record.
    public func mostRecent(_ rank: Int) -> Timestamp? {
        guard rank >= 1, rank <= kept else { return nil }
        var node: Int32
        if rank <= kept / 2 {
            node = newest
            for _ in 1..<rank { node = nodes[Int(node)].older }
        } else {
            node = oldest
            for _ in rank..<kept { node = nodes[Int(node)].newer }
        }
        return Timestamp(milliseconds: nodes[Int(node)].at)
    }

    /// How many owners what is younger than a moment has, and whether all of it has one.
    func owners(after edge: Timestamp) -> (count: Int, areComplete: Bool) {
        var owners: Set<UInt64> = []
        var areComplete = true
        var node = newest
        while node != Self.none, nodes[Int(node)].at > edge.milliseconds {
            if nodes[Int(node)].owner == 0 { areComplete = false } else { owners.insert(nodes[Int(node)].owner) }
            node = nodes[Int(node)].older
        }
        return (owners.count, areComplete)
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
    public var contents: [(key: UInt64?, owner: UInt64?, at: Timestamp)] {
        var result: [(key: UInt64?, owner: UInt64?, at: Timestamp)] = []
        result.reserveCapacity(kept)
        var node = oldest
        while node != Self.none {
            let entry = nodes[Int(node)]
            let key = entry.key == Self.unkeyed ? nil : entry.key
            let owner = entry.owner == 0 ? nil : entry.owner
            result.append((key, owner, Timestamp(milliseconds: entry.at)))
            node = entry.newer
        }
        return result
    }

    /// The memory that it holds, in bytes.
    public var memoryBytes: Int {
        nodes.capacity * MemoryLayout<WindowNode>.stride + index.memoryBytes
    }

    /// Lets go of an owner's oldest ones until fewer than `maximum` are left.
    private mutating func makeRoom(for owner: UInt64, maximum: Int) {
        var count = 0
        var node = newest
        while node != Self.none {
            let older = nodes[Int(node)].older
            if nodes[Int(node)].owner == owner {
                count += 1
                if count >= maximum { drop(node) }
            }
            node = older
        }
    }

    private mutating func drop(_ slot: Int32) {
        if nodes[Int(slot)].key != Self.unkeyed { index.remove(Int(slot), hash: nodes[Int(slot)].key) }
        unlink(slot)
        nodes[Int(slot)].older = firstFree
        firstFree = slot
        kept -= 1
    }

    private mutating func freeSlot() -> Int32 {
        guard firstFree == Self.none else {
            let slot = firstFree
            firstFree = nodes[Int(slot)].older
            return slot
        }
        nodes.append(WindowNode(key: Self.unkeyed, owner: 0, at: 0, newer: Self.none, older: Self.none))
        return Int32(nodes.count - 1)
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

/// One thing in a window, linked to its neighbours in time by their numbers.
private struct WindowNode: Sendable {
    var key: UInt64
    /// Who it belongs to; 0 for nobody.
    var owner: UInt64
    var at: Int64
    var newer: Int32
    var older: Int32
}
