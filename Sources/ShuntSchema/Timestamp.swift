/// A point in time, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// On the wire it is RFC 3339 in UTC with milliseconds, e.g. `2026-11-30T04:49:00.123Z`.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since the Unix epoch.
    public var milliseconds: Int64

    /// Makes a timestamp from milliseconds since the Unix epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time that many milliseconds later; stops at the ends of the range instead of overflowing.
    public func advanced(byMs milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds > 0 ? .max : .min) : sum)
    }

    /// The days since the Unix epoch, in UTC.
    public var dayNumber: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: Self.millisecondsPerDay)
        return remainder < 0 ? quotient - 1 : quotient
    }

    static let millisecondsPerDay: Int64 = 86_400_000
}

extension Timestamp {
    /// Reads an RFC 3339 time: a `T`, `t` or space between date and time, any number of fraction digits
    /// (those past milliseconds are cut), `Z` or an offset. Years 1970 to 9999, also in UTC; second 60 is read as
    /// 59.999.
    ///
    /// Written by hand because Foundation's parser costs about 38 µs a call, and this runs once an event.
    public init?(rfc3339 text: String) {
        var reader = DigitReader(utf8: text.utf8)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(digits: 2), reader.skip(":"),
            let minute = reader.number(digits: 2), reader.skip(":"),
            let second = reader.number(digits: 2),
            year >= 1970, (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        var millisecond: Int64 = 0
        if reader.skip(".") {
            guard let fraction = reader.fractionMilliseconds() else { return nil }
            millisecond = fraction
        }
        var offsetMinutes: Int64 = 0
        if !reader.skip("Z") && !reader.skip("z") {
            let sign: Int64
            if reader.skip("+") { sign = 1 } else if reader.skip("-") { sign = -1 } else { return nil }
            guard let hours = reader.number(digits: 2), reader.skip(":"), let minutes = reader.number(digits: 2),
                hours <= 23, minutes <= 59
            else { return nil }
            offsetMinutes = sign * (hours * 60 + minutes)
        }
        guard reader.isAtEnd else { return nil }
        let isLeapSecond = second == 60
        let seconds = (hour * 60 + minute - offsetMinutes) * 60 + (isLeapSecond ? 59 : second)
        let milliseconds =
            Self.dayNumber(year: year, month: month, day: day) * Self.millisecondsPerDay
            + seconds * 1000 + (isLeapSecond ? 999 : millisecond)
        // An offset can lead out of the years that can be written, and what can't be read again must not be kept.
        guard (0...Self.lastWritable).contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// 9999-12-31T23:59:59.999Z.
    private static let lastWritable: Int64 = 253_402_300_799_999

    /// The time as RFC 3339 in UTC with milliseconds. Years past 9999 are written with as many digits as they need.
    public var rfc3339: String {
        let day = dayNumber
        let remainder = milliseconds % Self.millisecondsPerDay
        let millisecondOfDay = remainder < 0 ? remainder + Self.millisecondsPerDay : remainder
        let date = Self.date(dayNumber: day)
        let second = millisecondOfDay / 1000
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        func append(_ value: Int64, digits: Int) {
            let text = String(value)
            for _ in 0..<max(0, digits - text.utf8.count) { bytes.append(UInt8(ascii: "0")) }
            bytes.append(contentsOf: text.utf8)
        }
        append(date.year, digits: 4)
        bytes.append(UInt8(ascii: "-"))
        append(date.month, digits: 2)
        bytes.append(UInt8(ascii: "-"))
        append(date.day, digits: 2)
        bytes.append(UInt8(ascii: "T"))
        append(second / 3600, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        append(second / 60 % 60, digits: 2)
        bytes.append(UInt8(ascii: ":"))
        append(second % 60, digits: 2)
        bytes.append(UInt8(ascii: "."))
        append(millisecondOfDay % 1000, digits: 3)
        bytes.append(UInt8(ascii: "Z"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The date alone, as `2026-11-30`, in UTC.
    public var dateText: String {
        String(rfc3339.prefix { $0 != "T" })
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Days since the epoch of a proleptic Gregorian date. The year is counted from March, so that the leap day
    /// comes last and a month's start is a linear formula.
    private static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let marchMonth = month <= 2 ? month + 9 : month - 3
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        return 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }

    /// The inverse of `dayNumber(year:month:day:)`.
    private static func date(dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

/// Reads fixed-width decimal fields off the front of a text.
private struct DigitReader {
    // An iterator, since moving a text's index costs several times as much.
    private var rest: String.UTF8View.Iterator
    private var next: UInt8?

    init(utf8: String.UTF8View) {
        rest = utf8.makeIterator()
        next = rest.next()
    }

    var isAtEnd: Bool { next == nil }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        next = rest.next()
        return true
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = nextDigit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func fractionMilliseconds() -> Int64? {
        guard var value = nextDigit() else { return nil }
        var digits = 1
        while let digit = nextDigit() {
            if digits < 3 { value = value * 10 + digit }
            digits += 1
        }
        while digits < 3 {
            value *= 10
            digits += 1
        }
        return value
    }

    private mutating func nextDigit() -> Int64? {
        guard let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        next = rest.next()
        return Int64(byte - UInt8(ascii: "0"))
    }
}

extension Timestamp: Codable {
    /// Reads the RFC 3339 text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Timestamp(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "expected an RFC 3339 time, found \(text)"
            )
        }
        self = value
    }

    /// Writes the RFC 3339 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }
}
