internal import ShuntNative
internal import ShuntSchema

/// Stamps entries with the time of receipt, which never goes back and never jumps.
///
/// Time passes by the monotonic clock. The wall clock only draws it along, at most a tenth faster or slower: an
/// operator, an NTP server or a virtual machine that sets the wall clock by an hour can't fill or empty a window.
struct ReceiptClock {
    private(set) var last: Timestamp
    private var lastMonotonicNs: Int64

    /// A clock that starts at the wall time, or at the journal's last entry where that is later.
    init(after lastEntry: Timestamp, wallMs: Int64, monotonicNs: Int64) {
        last = max(lastEntry, Timestamp(milliseconds: wallMs))
        lastMonotonicNs = monotonicNs
    }

    /// The time of receipt of what is taken in now.
    mutating func stamp(wallMs: Int64, monotonicNs: Int64) -> Timestamp {
        let passedMs = max(0, (monotonicNs - lastMonotonicNs) / 1_000_000)
        guard passedMs > 0 else { return last }
        // The rest of a millisecond counts next time.
        lastMonotonicNs += passedMs * 1_000_000
        let leeway = (passedMs + 9) / 10
        let behind = wallMs - last.milliseconds
        last = last.advanced(byMs: min(max(behind, passedMs - leeway), passedMs + leeway))
        return last
    }

    mutating func stampNow() -> Timestamp {
        stamp(wallMs: SystemClock.wallMilliseconds, monotonicNs: SystemClock.monotonicNanoseconds)
    }
}
