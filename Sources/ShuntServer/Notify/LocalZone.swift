internal import ShuntSchema

/// A time zone: how far its clocks are from UTC, and what they call it.
struct LocalZone: Equatable, Sendable {
    /// The clocks from some time on.
    struct Offset: Equatable, Sendable {
        /// From here on, in seconds since the Unix epoch.
        var from: Int64
        /// East of UTC, in seconds.
        var seconds: Int64
        /// E.g. `CST`.
        var name: String
    }

    /// In the order of time.
    private var offsets: [Offset]

    /// UTC.
    static let utc = LocalZone(offsets: [Offset(from: .min, seconds: 0, name: "UTC")])

    init(offsets: [Offset]) {
        self.offsets = offsets
    }

    private func offset(at time: Timestamp) -> Offset {
        let seconds = Int64((Double(time.milliseconds) / 1000).rounded(.down))
        let last = offsets.last { $0.from <= seconds } ?? offsets.first
        return last ?? Offset(from: .min, seconds: 0, name: "UTC")
    }

    /// What the clocks show, in seconds since their own 1970-01-01.
    func wallSeconds(at time: Timestamp) -> Int64 {
        Int64((Double(time.milliseconds) / 1000).rounded(.down)) + offset(at: time).seconds
    }

    /// E.g. `03:12 CST`; with the date before it when the local day is another than that of `now`.
    func clock(_ time: Timestamp, now: Timestamp, withSeconds: Bool = false) -> String {
        let offset = offset(at: time)
        let local = time.advanced(byMs: offset.seconds * 1000).rfc3339
        let date = local.prefix { $0 != "T" }
        let clock = local.dropFirst(date.count + 1).prefix(withSeconds ? 8 : 5)
        let isToday = date == now.advanced(byMs: self.offset(at: now).seconds * 1000).dateText
        return (isToday ? "" : "\(date) ") + "\(clock) \(offset.name)"
    }
}
