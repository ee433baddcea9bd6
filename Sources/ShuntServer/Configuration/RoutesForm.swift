internal import ShuntCore
internal import ShuntNative

/// The form of the section `routes`: which alerts go to which channels, and when.
enum RoutesForm {
    private static let keys = [
        "severity", "environment", "region", "hours", "days", "timeZone", "channels",
    ]

    /// - Parameter channels: the names of the channels that there are.
    static func read(_ nodes: [YAMLNode], channels: [String], _ reader: inout FileReader) -> [NoticeRoute] {
        nodes.compactMap { node in
            guard let fields = reader.fields(node, of: "a route", keys: keys) else { return nil }
            let names = FileValue<[String]>.list(of: .word(among: channels))
            guard let told = reader.required("channels", of: fields, names) else { return nil }
            var route = NoticeRoute(channels: told)
            route.severities = reader.optional("severity", of: fields, .list(of: .word, notEmpty: .outOfRange)) ?? []
            let texts = FileValue<[String]>.list(of: .filledText, notEmpty: .outOfRange)
            route.environments = reader.optional("environment", of: fields, texts) ?? []
            route.regions = reader.optional("region", of: fields, texts) ?? []
            route.hours = hours(fields, &reader)
            return route
        }
    }

    private static func hours(_ fields: FileFields, _ reader: inout FileReader) -> WeekHours? {
        let days = reader.optional("days", of: fields, .list(of: .word(among: dayNames), notEmpty: .outOfRange))
        let zone = reader.optional("timeZone", of: fields, .timeZone)
        let span = reader.optional("hours", of: fields, .hoursOfDay)
        guard fields["hours"] != nil || fields["days"] != nil else {
            if let position = fields.keyPosition("timeZone") {
                reader.note(.contradiction, at: position, found: "timeZone alone", expected: "hours or days beside it")
            }
            return nil
        }
        let numbers = days.map { names in Set(names.compactMap { dayNames.firstIndex(of: $0) }.map { $0 + 1 }) }
        return WeekHours(
            days: numbers ?? Set(1...7),
            fromMinute: span?.from ?? 0,
            toMinute: span?.to ?? HoursOfDay.minutes,
            zone: zone ?? .utc
        )
    }

    private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
}

/// A stretch of a day, in minutes from its beginning.
struct HoursOfDay: Equatable {
    static let minutes = 1440

    var from: Int
    var to: Int

    /// Reads `22:00-07:00`; nil for anything else, and for a stretch of no length.
    init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let from = Self.minute(ends[0]), let to = Self.minute(ends[1]), from != to,
            from < Self.minutes
        else { return nil }
        self.from = from
        self.to = to
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isDigit) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= minutes
        else { return nil }
        return hour * 60 + minute
    }
}

extension FileValue where Value == HoursOfDay {
    static var hoursOfDay: Self {
        let expected = "hours such as 09:00-18:00; 22:00-07:00 goes over midnight"
        return Self(expected) { node, reader in
            if let text = node.text, !node.isNull, let hours = HoursOfDay(text) { return hours }
            let isText = node.text != nil && !node.isNull
            reader.note(isText ? .unknownValue : .wrongType, at: node.position, found: node.words, expected: expected)
            return nil
        }
    }
}

extension FileValue where Value == LocalZone {
    static var timeZone: Self {
        let expected = "a zone of this machine's \(ZoneFile.folder), such as Asia/Shanghai"
        return Self(expected) { node, reader in
            if let text = node.text, !node.isNull, let zone = ZoneFile.read(text) { return zone }
            let isText = node.text != nil && !node.isNull
            reader.note(isText ? .unknownValue : .wrongType, at: node.position, found: node.words, expected: expected)
            return nil
        }
    }
}
