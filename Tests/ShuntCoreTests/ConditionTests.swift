import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// What rules match by, beyond equality, and what holds back a trip.
@Suite struct ConditionTests {
    private struct Case: Sendable {
        var test: Condition.Test
        var dimension: Dimension
        var holds: Bool
        var change: @Sendable (inout PaymentEvent) -> Void
    }

    private static func version(_ text: String) throws -> Version {
        try #require(Version(text))
    }

    private static func row(
        _ name: String,
        _ dimension: Dimension,
        _ test: Condition.Test,
        _ holds: Bool,
        _ change: @escaping @Sendable (inout PaymentEvent) -> Void
    ) -> Row<Case> {
        Row(name, Case(test: test, dimension: dimension, holds: holds, change: change))
    }

    private static let slow = Condition.Test.numbers(NumberRange(lower: 8000, upper: nil))
    private static let serverError = Condition.Test.numbers(NumberRange(lower: 500, upper: 599))

    private static let rows: [Row<Case>] = [
        row("a prefix", .appVersion, .prefix(["4.2", "5."]), true) { $0.app = AppInfo(version: "4.2.1") },
        row("another prefix", .appVersion, .prefix(["4.2", "5."]), false) { $0.app = AppInfo(version: "4.1.9") },
        row("no value for a prefix", .appVersion, .prefix([""]), false) { $0.app = nil },
        row("the slowest that is fast enough", .durationMs, slow, false) { $0.durationMs = 7999 },
        row("the fastest that is too slow", .durationMs, slow, true) { $0.durationMs = 8000 },
        row("no duration", .durationMs, slow, false) { $0.durationMs = nil },
        row("just below the server errors", .errorHTTPStatus, serverError, false) { $0.error?.httpStatus = 499 },
        row("the first server error", .errorHTTPStatus, serverError, true) { $0.error?.httpStatus = 500 },
        row("the last server error", .errorHTTPStatus, serverError, true) { $0.error?.httpStatus = 599 },
        row("just above the server errors", .errorHTTPStatus, serverError, false) { $0.error?.httpStatus = 600 },
        row("a class", .failureClass, .oneOf(["unknown"]), true) { _ in },
        row("another class", .failureClass, .oneOf(["user"]), false) { _ in },
    ]

    @Test(arguments: rows)
    private func `a condition holds or not`(row: Row<Case>) {
        var event = PaymentEvent.failure("8771")
        row.value.change(&event)
        var rule = RuleSet.builtIn.rules[0]
        rule.match = [Condition(row.value.dimension, row.value.test)]
        let meaning = CatalogueSource().built().classify(event)
        let verdict = rule.verdict(on: event, meaning: meaning, at: Timestamp(milliseconds: 0), otherRoute: nil)
        #expect(verdict == (row.value.holds ? .counted : .unmatched))
    }

    @Test(arguments: [
        ("4.2.0", "4.2", 0), ("4.2", "4.2.1", -1), ("4.10", "4.9", 1), ("4.2.0-beta", "4.2", 0), ("10", "9.9.9", 1),
        ("0.0.0", "0", 0),
    ])
    func `versions are compared number by number`(left: String, right: String, order: Int) throws {
        let (one, other) = (try Self.version(left), try Self.version(right))
        #expect((one < other) == (order < 0))
        #expect((other < one) == (order > 0))
        #expect((one == other) == (order == 0))
    }

    @Test(arguments: ["", "v4", "4..2", "4.x", "-1", "1.2.3.4.5.6.7.8.9", "99999999999999999999"])
    func `what is no version is none`(text: String) {
        #expect(Version(text) == nil)
    }

    @Test func `a range of versions has its ends as written`() throws {
        let range = VersionRange(
            lower: VersionRange.Bound(try Self.version("4.2.0"), isIncluded: true),
            upper: VersionRange.Bound(try Self.version("4.3"), isIncluded: false)
        )
        for (text, isInside) in [("4.1.9", false), ("4.2", true), ("4.2.9", true), ("4.3", false), ("4.3.0", false)] {
            #expect(range.contains(try Self.version(text)) == isInside, "\(text)")
        }
    }

    private static func guarded(_ change: (inout Rule) -> Void) -> Scenario {
        var ruleSet = RuleSet.builtIn
        change(&ruleSet.rules[0])
        return Scenario(ruleSet)
    }

    private static func fail(_ scenario: inout Scenario, times: Int, install: String?, from first: Int = 0) {
        for number in first..<(first + times) {
            var event = PaymentEvent.failure("8771")
            event.attemptId = "a\(install ?? "")-\(number)"
            event.installId = install
            scenario.apply(.event(event))
        }
    }

    @Test func `one phone can't trip a switch, however often it fails`() {
        var scenario = Self.guarded { $0.maximumPerInstall = 3 }
        Self.fail(&scenario, times: 5_000, install: "broken")
        #expect(scenario.variant() == "native")
        #expect(scenario.state.count(rule: "error-code-burst", group: ["production", "verify", "8771"]) == 3)
        for phone in 0..<32 { Self.fail(&scenario, times: 3, install: "phone-\(phone)") }
        #expect(scenario.variant() == "native")
        Self.fail(&scenario, times: 1, install: "the hundredth")
        #expect(scenario.variant() == "web")
    }

    @Test func `too few installs hold back the trip, the alert says so, and one more install trips`() throws {
        var scenario = Self.guarded { $0.require.installs = 10 }
        for phone in 0..<9 { Self.fail(&scenario, times: 20, install: "phone-\(phone)") }
        #expect(scenario.variant() == "native")
        let alert = try #require(scenario.state.openAlerts.first)
        #expect(alert.phase == .firing)
        #expect(alert.decision == .held(.tooFewInstalls))
        Self.fail(&scenario, times: 1, install: "the tenth")
        #expect(scenario.variant() == "web")
        #expect(scenario.state.openAlerts.first?.phase == .mitigated)
    }

    @Test func `reports without installs stand for themselves, so a back end can trip`() {
        var scenario = Self.guarded {
            $0.require.installs = 10
            $0.maximumPerInstall = 3
        }
        Self.fail(&scenario, times: 99, install: nil)
        #expect(scenario.variant() == "native")
        Self.fail(&scenario, times: 1, install: nil, from: 99)
        #expect(scenario.variant() == "web")
    }

    @Test func `a rule without a switch waits with its alert for the installs`() {
        var scenario = Self.guarded {
            $0.require.installs = 10
            $0.trip = nil
        }
        Self.fail(&scenario, times: 200, install: "one")
        #expect(scenario.state.openAlerts.isEmpty)
        for phone in 0..<9 { Self.fail(&scenario, times: 1, install: "phone-\(phone)") }
        #expect(scenario.state.openAlerts.count == 1)
    }
}
