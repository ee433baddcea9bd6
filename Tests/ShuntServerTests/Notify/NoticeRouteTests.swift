import ShuntSchema
import Testing

@testable import ShuntCore
@testable import ShuntServer

/// Which alerts go to which channels, and at which hours of which place.
@Suite struct NoticeRouteTests {
    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    private static func hours(_ text: String, days: Set<Int> = Set(1...7), zone: String) throws -> WeekHours {
        let span = try #require(HoursOfDay(text))
        let zone = try #require(ZoneFile.read(zone))
        return WeekHours(days: days, fromMinute: span.from, toMinute: span.to, zone: zone)
    }

    /// Hours, days, a zone, a time in UTC, and whether it is then.
    private static let cases: [(hours: String, days: Set<Int>, zone: String, at: String, isThen: Bool)] = [
        ("09:00-18:00", Set(1...7), "UTC", "2026-11-30T08:59:59.999Z", false),
        ("09:00-18:00", Set(1...7), "UTC", "2026-11-30T09:00:00Z", true),
        ("09:00-18:00", Set(1...7), "UTC", "2026-11-30T17:59:59.999Z", true),
        ("09:00-18:00", Set(1...7), "UTC", "2026-11-30T18:00:00Z", false),
        // Monday in Shanghai begins on Sunday in UTC.
        ("00:00-24:00", [1], "Asia/Shanghai", "2026-11-29T15:59:59Z", false),
        ("00:00-24:00", [1], "Asia/Shanghai", "2026-11-29T16:00:00Z", true),
        ("00:00-24:00", [1], "Asia/Shanghai", "2026-11-30T16:00:00Z", false),
        // Over midnight, the night belongs to the day that it begins on: Friday's ends on Saturday morning.
        ("22:00-07:00", [5], "UTC", "2026-12-04T21:59:00Z", false),
        ("22:00-07:00", [5], "UTC", "2026-12-04T22:00:00Z", true),
        ("22:00-07:00", [5], "UTC", "2026-12-05T06:59:00Z", true),
        ("22:00-07:00", [5], "UTC", "2026-12-05T07:00:00Z", false),
        ("22:00-07:00", [5], "UTC", "2026-12-05T23:00:00Z", false),
        ("22:00-07:00", [7], "UTC", "2026-11-30T06:00:00Z", true),
        // Half an hour from the full one.
        ("22:00-07:00", Set(1...7), "Asia/Kolkata", "2026-11-30T16:29:00Z", false),
        ("22:00-07:00", Set(1...7), "Asia/Kolkata", "2026-11-30T16:30:00Z", true),
        // New York put its clocks forward at 07:00 UTC on 2026-03-08 and back at 06:00 UTC on 2026-11-01.
        ("03:00-04:00", Set(1...7), "America/New_York", "2026-03-08T06:59:00Z", false),
        ("03:00-04:00", Set(1...7), "America/New_York", "2026-03-08T07:00:00Z", true),
        ("02:00-03:00", Set(1...7), "America/New_York", "2026-03-08T07:30:00Z", false),
        ("01:00-02:00", Set(1...7), "America/New_York", "2026-11-01T05:30:00Z", true),
        ("01:00-02:00", Set(1...7), "America/New_York", "2026-11-01T06:30:00Z", true),
        ("01:00-02:00", Set(1...7), "America/New_York", "2026-11-01T07:00:00Z", false),
    ]

    @Test(arguments: cases.indices)
    func `hours are those of the clock on the wall`(number: Int) throws {
        let row = Self.cases[number]
        let hours = try Self.hours(row.hours, days: row.days, zone: row.zone)
        #expect(try hours.contains(Self.time(row.at)) == row.isThen, "\(row)")
    }

    @Test(arguments: ["", "09:00", "9:00-18:00", "09:00-09:00", "24:00-07:00", "09:00-25:00", "09:60-10:00", "a-b"])
    func `what are no hours is refused`(text: String) {
        #expect(HoursOfDay(text) == nil)
    }

    @Test func `an alert goes by the route that fits in all it asks`() throws {
        let notice = try Self.time("2026-11-30T12:00:00Z")
        func alert(_ severity: Severity, _ environment: String, region: String? = nil) -> Alert {
            var group = [ScopeAttribute(name: "environment", value: environment)]
            if let region { group.append(ScopeAttribute(name: "region", value: region)) }
            return Alert(
                id: "1-0",
                rule: "burst",
                severity: severity,
                group: group,
                phase: .firing,
                startsAt: notice,
                quietFrom: notice,
                count: 100,
                decision: .noSwitch,
                remindFrom: notice,
                escalateFrom: notice
            )
        }
        var route = NoticeRoute(channels: ["oncall"])
        #expect(route.fits(alert(.info, "sandbox"), at: notice))
        route.severities = [.critical]
        route.environments = ["production"]
        route.regions = ["CN"]
        #expect(route.fits(alert(.critical, "production", region: "CN"), at: notice))
        #expect(!route.fits(alert(.warning, "production", region: "CN"), at: notice))
        #expect(!route.fits(alert(.critical, "sandbox", region: "CN"), at: notice))
        #expect(!route.fits(alert(.critical, "production", region: "US"), at: notice))
        #expect(!route.fits(alert(.critical, "production"), at: notice))
        route.hours = try Self.hours("13:00-14:00", zone: "UTC")
        #expect(!route.fits(alert(.critical, "production", region: "CN"), at: notice))
    }

    private static let channels =
        "channels:\n  - { name: oncall, kind: slack, url: \"https://example.com/a\" }\n"
        + "  - { name: lead, kind: slack, url: \"https://example.com/b\" }\n"

    @Test func `routes are read from the configuration`() throws {
        let text =
            Self.channels + "routes:\n"
            + "  - { severity: [critical], environment: [production], hours: \"22:00-07:00\", days: [mon, fri], "
            + "timeZone: Asia/Shanghai, channels: [oncall, lead] }\n  - { channels: [] }\n"
        let routes = try ConfigurationFile.read(Array(text.utf8), file: "shunt.yaml").routes
        #expect(routes.count == 2)
        #expect(routes.first?.channels == ["oncall", "lead"])
        #expect(routes.first?.severities == [.critical])
        #expect(routes.first?.hours?.days == [1, 5])
        #expect(routes.first?.hours?.fromMinute == 1320)
        #expect(routes.last == NoticeRoute(channels: []))
    }

    /// A route, and what its problem names.
    private static let broken: [(route: String, place: String, words: String)] = [
        ("{ channels: [onkall] }", "5:18", "did you mean oncall?"),
        ("{ severity: [loud], channels: [] }", "5:18", "loud"),
        ("{ hours: \"9-18\", channels: [] }", "5:14", "hours such as 09:00-18:00"),
        ("{ hours: \"09:00-18:00\", timeZone: Asia/Shangai, channels: [] }", "5:39", "a zone of this machine"),
        ("{ timeZone: Asia/Shanghai, channels: [] }", "5:7", "hours or days beside it"),
        ("{ days: [monday], channels: [] }", "5:14", "mon"),
        ("{ severity: [critical] }", "5:5", "channels"),
    ]

    @Test(arguments: broken.indices)
    func `a broken route is told with its place`(number: Int) throws {
        let row = Self.broken[number]
        let text = Self.channels + "routes:\n  - \(row.route)\n"
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationFile.read(Array(text.utf8), file: "shunt.yaml")
        }
        let problem = try #require(error?.problems.first)
        #expect(error?.problems.count == 1)
        #expect("\(problem)".hasPrefix("shunt.yaml:\(row.place):"), "\(problem)")
        #expect("\(problem)".contains(row.words), "\(problem)")
    }
}
