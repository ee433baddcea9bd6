import Foundation
import ShuntSchema
import TestSupport
import Testing

@Suite struct TimestampTests {
    private static let valid: [(text: String, milliseconds: Int64)] = [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.001Z", 1),
        ("1970-01-01T00:00:59.999Z", 59_999),
        ("2026-11-30T04:49:00.123Z", 1_796_014_140_123),
        // Separators and letters.
        ("2026-11-30t04:49:00.123z", 1_796_014_140_123),
        ("2026-11-30 04:49:00.123Z", 1_796_014_140_123),
        // Fractions: what is past milliseconds is cut, never rounded.
        ("2026-11-30T04:49:00Z", 1_796_014_140_000),
        ("2026-11-30T04:49:00.1Z", 1_796_014_140_100),
        ("2026-11-30T04:49:00.12Z", 1_796_014_140_120),
        ("2026-11-30T04:49:00.1239999Z", 1_796_014_140_123),
        ("2026-11-30T04:49:00.000999999999999999999999Z", 1_796_014_140_000),
        // Offsets.
        ("2026-11-30T12:49:00.123+08:00", 1_796_014_140_123),
        ("2026-11-29T23:49:00.123-05:00", 1_796_014_140_123),
        ("2026-11-30T10:34:00.123+05:45", 1_796_014_140_123),
        ("2026-11-30T04:49:00.123+00:00", 1_796_014_140_123),
        ("2026-11-30T04:49:00.123-00:00", 1_796_014_140_123),
        ("1970-01-01T23:59:00+23:59", 0),
        // Leap days.
        ("1972-02-29T00:00:00Z", 68_169_600_000),
        ("2000-02-29T12:00:00Z", 951_825_600_000),
        ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
        ("2024-03-01T00:00:00Z", 1_709_251_200_000),
        ("2400-02-29T00:00:00Z", 13_574_563_200_000),
        // Leap seconds stay within their minute.
        ("2016-12-31T23:59:60Z", 1_483_228_799_999),
        ("2016-12-31T23:59:60.5Z", 1_483_228_799_999),
        // Ends.
        ("1999-12-31T23:59:59.999Z", 946_684_799_999),
        ("2000-01-01T00:00:00Z", 946_684_800_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("9999-12-31T23:59:59.999+00:01", 253_402_300_739_999),
    ]

    @Test(arguments: valid)
    func `an RFC 3339 time is read`(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    private static let invalid: [String] = [
        "", "Z", "2026", "2026-11-30", "2026-11-30T", "2026-11-30T04:49Z", "2026-11-30T04:49:00",
        "2026-11-30T04:49:00.Z", "2026-11-30T04:49:00.12", "2026-11-30T04:49:00,123Z",
        "2026-11-30T04:49:00.123ZZ", "2026-11-30T04:49:00.123Z ", " 2026-11-30T04:49:00.123Z",
        "2026-11-30T04:49:00.123+08", "2026-11-30T04:49:00.123+0800", "2026-11-30T04:49:00.123+24:00",
        "2026-11-30T04:49:00.123+08:60", "2026-11-30T04:49:00.123 +08:00", "2026-11-30T04:49:00.123−08:00",
        "2026-11-30_04:49:00Z", "2026/11/30T04:49:00Z", "20261130T044900Z", "26-11-30T04:49:00Z",
        "+2026-11-30T04:49:00Z", "-2026-11-30T04:49:00Z", "02026-11-30T04:49:00Z", "10000-01-01T00:00:00Z",
        "2026-00-30T04:49:00Z", "2026-13-30T04:49:00Z", "2026-11-00T04:49:00Z", "2026-11-31T04:49:00Z",
        "2026-02-29T04:49:00Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
        "2024-02-30T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-11-30T24:00:00Z", "2026-11-30T04:60:00Z", "2026-11-30T04:49:61Z", "2026-11-30T4:49:00Z",
        "2026-11-30T04:49:00.١Z", "２026-11-30T04:49:00Z", "2026-11-30T04:49:00.1e1Z", "now", "1796014140",
        "1969-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "2026-11-30T04:49:00.123Z\u{0}",
        // In years that can be written here, but not in UTC.
        "1970-01-01T00:00:00+00:01", "1970-01-01T07:59:59.999+08:00", "9999-12-31T23:59:00-00:01",
        "9999-12-31T23:59:60-01:00",
    ]

    @Test(arguments: invalid)
    func `what isn't an RFC 3339 time from 1970 to 9999 is refused`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    private static let written: [(milliseconds: Int64, text: String)] = [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-86_400_000, "1969-12-31T00:00:00.000Z"),
        (1_796_014_140_123, "2026-11-30T04:49:00.123Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
    ]

    @Test(arguments: written)
    func `a time is written in UTC with milliseconds`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
        #expect(Timestamp(milliseconds: milliseconds).dateText == text.split(separator: "T").first.map(String.init))
    }

    @Test(arguments: [Int64.min, Int64.min + 1, Int64.max - 1, Int64.max])
    func `the ends of time can be written and moved`(milliseconds: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(time.rfc3339.hasSuffix("Z"))
        #expect(time.dayNumber == Int64((Double(milliseconds) / 86_400_000).rounded(.down)))
        #expect(time.advanced(byMs: .max) >= time)
        #expect(time.advanced(byMs: .min) <= time)
        #expect(time.advanced(byMs: 0) == time)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `every millisecond from 1970 to 9999 survives being written and read`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let time = Timestamp(milliseconds: Int64(random.next() % 253_402_300_800_000))
            if Timestamp(rfc3339: time.rfc3339) != time { Issue.record("\(time.milliseconds)") }
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `Foundation reads the same time`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<300 {
            let time = Timestamp(milliseconds: Int64(random.next() % 253_402_300_800_000))
            let date = try style.parse(time.rfc3339)
            #expect(Int64((date.timeIntervalSince1970 * 1000).rounded()) == time.milliseconds)
        }
    }

    @Test(arguments: [6, 7, 8] as [UInt64])
    func `a damaged time is refused or read, and never traps`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("0123456789-:TZ.+ tz9\u{0}é".utf8)
        for _ in 0..<5000 {
            var bytes = Array("2026-11-30T04:49:00.123+08:00".utf8)
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = random.pick(alphabet) }
            let text = String(decoding: bytes.prefix(1 + random.below(bytes.count)), as: UTF8.self)
            guard let time = Timestamp(rfc3339: text) else { continue }
            if Timestamp(rfc3339: time.rfc3339) != time { Issue.record("\(text)") }
        }
    }

    @Test func `times are ordered, and coded as their text`() throws {
        let early = Timestamp(milliseconds: -1)
        #expect(early < Timestamp(milliseconds: 0))
        #expect(!(early < early))
        let time = Timestamp(milliseconds: 1_796_014_140_123)
        let json = try JSONEncoder().encode([time])
        #expect(String(decoding: json, as: UTF8.self) == #"["2026-11-30T04:49:00.123Z"]"#)
        #expect(try JSONDecoder().decode([Timestamp].self, from: json) == [time])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Timestamp].self, from: Data(#"["yesterday"]"#.utf8))
        }
    }
}
