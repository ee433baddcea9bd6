internal import ShuntNative
internal import ShuntSchema

/// Stamps entries with the time of receipt, which never goes back and never jumps.
///
/// Time passes by the monotonic clock. The wall clock only draws it along, at most a tenth faster or slower: an
/// operator, an NTP server or a virtual machine that sets the wall clock by an hour can't fill or empty a window.
struct ReceiptClock {
    private(set) var last: Timestamp
    /// What has passed since `last`: below a millisecond.
    private var restNs: Int64 = 0
    private var lastMonotonicNs: Int64

    /// A clock that starts at the wall time, or at the journal's last entry where that is later.
    init(after lastEntry: Timestamp, wallMs: Int64, monotonicNs: Int64) {
        last = max(lastEntry, Timestamp(milliseconds: wallMs))
        lastMonotonicNs = monotonicNs
    }

    /// The time of receipt of what is taken in now.
    mutating func stamp(wallMs: Int64, monotonicNs: Int64) -> Timestamp {
        let passedNs = monotonicNs - lastMonotonicNs
        guard passedNs > 0 else { return last }
        lastMonotonicNs = monotonicNs
        // In nanoseconds, because a busy daemon stamps many times a millisecond: whatever is rounded away each time
        // would let the clock stand still, or run at twice its speed.
        let leewayNs = passedNs / 10
        let behindMs = min(max(wallMs - last.milliseconds, -Self.mostDrawnMs), Self.mostDrawnMs)
        restNs += min(max(behindMs * 1_000_000 - restNs, passedNs - leewayNs), passedNs + leewayNs)
        last = last.advanced(byMs: restNs / 1_000_000)
        restNs %= 1_000_000
        return last
    }

    /// An error of the wall clock beyond this, a year, draws no harder, in milliseconds.
    private static let mostDrawnMs: Int64 = 366 * 86_400_000

    mutating func stampNow() -> Timestamp {
        stamp(wallMs: SystemClock.wallMilliseconds, monotonicNs: SystemClock.monotonicNanoseconds)
    }
}
