/// Finds nodes of a slab by their key: open addressing with linear probes, and no key stored twice.
///
/// A `Dictionary` would hold each key a second time and cost an allocation a window; a window of a quiet code is
/// a few dozen bytes here.
struct KeyIndex: Sendable {
    /// Node number + 1; 0 is free. The size is a power of two, and at most half is in use.
    private var table: [UInt32] = []

    var memoryBytes: Int { table.capacity * MemoryLayout<UInt32>.stride }

    func find(_ key: UInt64, in nodes: [WindowNode]) -> Int? {
        guard !table.isEmpty else { return nil }
        var position = home(of: key)
        while table[position] != 0 {
            let node = Int(table[position]) - 1
            if nodes[node].key == key { return node }
            position = next(position)
        }
        return nil
    }

    /// Adds a node whose key isn't in yet.
    mutating func insert(_ node: Int, in nodes: [WindowNode]) {
        if table.count < 2 * nodes.count { rebuild(without: node, in: nodes) }
        place(node, key: nodes[node].key)
    }

    mutating func remove(_ key: UInt64, in nodes: [WindowNode]) {
        guard !table.isEmpty else { return }
        var hole = home(of: key)
        while table[hole] != 0, nodes[Int(table[hole]) - 1].key != key { hole = next(hole) }
        guard table[hole] != 0 else { return }
        // Close the hole: pull back each follower whose probe sequence passes over it.
        var position = next(hole)
        while table[position] != 0 {
            let homeOfFollower = home(of: nodes[Int(table[position]) - 1].key)
            let distanceToHole = (hole &- homeOfFollower) & (table.count - 1)
            let distanceToPosition = (position &- homeOfFollower) & (table.count - 1)
            if distanceToHole < distanceToPosition {
                table[hole] = table[position]
                hole = position
            }
            position = next(position)
        }
        table[hole] = 0
    }

    private mutating func rebuild(without newNode: Int, in nodes: [WindowNode]) {
        let held = table.filter { $0 != 0 }.map { Int($0) - 1 }
        var size = 8
        while size < 2 * nodes.count { size *= 2 }
        table = [UInt32](repeating: 0, count: size)
        for node in held where node != newNode { place(node, key: nodes[node].key) }
    }

    private mutating func place(_ node: Int, key: UInt64) {
        var position = home(of: key)
        while table[position] != 0 { position = next(position) }
        table[position] = UInt32(node + 1)
    }

    private func home(of key: UInt64) -> Int {
        Int(truncatingIfNeeded: key) & (table.count - 1)
    }

    private func next(_ position: Int) -> Int {
        (position + 1) & (table.count - 1)
    }
}

/// One thing in a window, linked to its neighbours in time by their numbers.
struct WindowNode: Sendable {
    var key: UInt64
    /// Who it belongs to; 0 for nobody.
    var owner: UInt64
    var at: Int64
    var newer: Int32
    var older: Int32
}
