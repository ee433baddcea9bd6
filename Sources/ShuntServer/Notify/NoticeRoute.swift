internal import ShuntCore
internal import ShuntSchema

/// Which alerts go to which channels, and when: one of the configuration's `routes`, of which the first that fits holds.
struct NoticeRoute: Sendable, Equatable {
    /// The severities that it is for; empty for all.
    var severities: [Severity] = []
    /// The environments that it is for; empty for all.
    var environments: [String] = []
    /// The regions that it is for; empty for all. An alert that names no region fits none.
    var regions: [String] = []
    /// When it holds; nil for always.
    var hours: WeekHours?
    /// Where the alerts go; none where nobody is to be told.
    var channels: [String]

    func fits(_ alert: Alert, at: Timestamp) -> Bool {
        func value(_ dimension: Dimension) -> String? { alert.group.first { $0.name == dimension.rawValue }?.value }
        guard severities.isEmpty || severities.contains(alert.severity) else { return false }
        guard environments.isEmpty || value(.environment).map(environments.contains) ?? false else { return false }
        guard regions.isEmpty || value(.region).map(regions.contains) ?? false else { return false }
        return hours?.contains(at) ?? true
    }
}

/// Hours of certain days of the week in a place, such as a team's nights.
struct WeekHours: Sendable, Equatable {
    /// The days on which it begins, 1 for Monday to 7 for Sunday.
    var days: Set<Int>
    /// The minutes of the day, from 0 to 1440. An end that isn't after the beginning is one of the next day.
    var fromMinute: Int
    var toMinute: Int
    var zone: LocalZone

    /// Whether it is then, by the clock on that place's wall: where that is put forward or back, the hours go with it.
    func contains(_ time: Timestamp) -> Bool {
        let wall = zone.wallSeconds(at: time)
        let day = (wall - wall.remainder(86_400)) / 86_400
        let minute = Int(wall.remainder(86_400) / 60)
        // 1970-01-01 was a Thursday.
        let weekday = Int((day + 3).remainder(7)) + 1
        let before = weekday == 1 ? 7 : weekday - 1
        if fromMinute < toMinute { return days.contains(weekday) && minute >= fromMinute && minute < toMinute }
        return days.contains(weekday) && minute >= fromMinute || days.contains(before) && minute < toMinute
    }
}

extension Int64 {
    /// The rest of a division that rounds down, so never negative.
    fileprivate func remainder(_ divisor: Int64) -> Int64 {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
