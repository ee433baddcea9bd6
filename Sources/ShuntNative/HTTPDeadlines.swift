/// A deadline per slot, on `HTTPClock`.
///
/// A plain array beats a heap here: nearly every deadline is replaced before it comes, and looking through ten thousand
/// of them takes microseconds and happens only when the earliest may have come.
struct HTTPDeadlines {
    /// No deadline.
    static let never = Int64.max

    private var deadlines: [Int64] = []
    /// Not later than the earliest deadline.
    private(set) var earliest = never

    /// Sets the deadline of a slot.
    mutating func set(_ slot: Int, _ deadlineNanoseconds: Int64) {
        while deadlines.count <= slot { deadlines.append(Self.never) }
        deadlines[slot] = deadlineNanoseconds
        if deadlineNanoseconds < earliest { earliest = deadlineNanoseconds }
    }

    /// The deadline of a slot.
    subscript(slot: Int) -> Int64 { slot < deadlines.count ? deadlines[slot] : Self.never }

    /// The slots whose deadline has come; they have none afterwards.
    mutating func takeExpired(atNanoseconds now: Int64) -> [Int] {
        guard now >= earliest else { return [] }
        var expired: [Int] = []
        earliest = Self.never
        for slot in deadlines.indices {
            let deadline = deadlines[slot]
            if deadline <= now {
                deadlines[slot] = Self.never
                expired.append(slot)
            } else if deadline < earliest {
                earliest = deadline
            }
        }
        return expired
    }
}
