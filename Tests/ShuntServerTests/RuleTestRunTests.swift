import TestSupport
import Testing

@testable import ShuntServer

/// How a rule test runs, and what it says when something is otherwise than expected.
@Suite struct RuleTestRunTests {
    private static let three = #"{ at: 10s, every: 1s, times: 3, error: { code: x }, region: CN }"#

    static let passing: [Row<String>] = [
        Row(
            "a slice is degraded, and not the whole",
            """
            events: [\(three)]
            expect:
              - { at: 11s999ms, alerts: [], switches: { pay: native }, payer: { region: CN } }
              - { at: 12s, switches: { pay: web, other: on }, payer: { region: CN, app.version: "4.2" } }
              - { at: 12s, switches: { pay: native }, payer: { region: US } }
              - { at: 12s, switches: { pay: native }, version: 2 }
            """
        ),
        Row(
            "what comes at one time comes in the order of the file, actions too",
            """
            actions: [{ at: 12s, trip: { switch: pay, scope: { region: CN } } }]
            events: [\(three)]
            expect:
              - at: 12s
                alerts: [{ rule: three, state: mitigated, decision: alreadyDegraded }]
                transitions: [{ at: 12s, switch: pay, to: web, by: operator }]
            """
        ),
        Row(
            "an action behind the events comes behind them",
            """
            events: [\(three)]
            actions: [{ at: 12s, restore: { switch: pay, reason: over } }]
            expect:
              - at: 12s
                alerts: [{ rule: three, state: firing, decision: tripped }]
                transitions: [{ switch: pay, to: web, by: three }, { switch: pay, to: native }]
            """
        ),
        Row(
            "two alerts end at their own times, with nothing coming in",
            """
            events:
              - \(three)
              - { at: 20s, times: 3, error: { code: y }, region: CN }
            actions: [{ at: 30s, restore: { switch: pay } }]
            expect:
              - { at: 30s, alerts: [{ rule: three }, { rule: three, group: { error.code: x, region: CN } }] }
              - { at: 39s999ms, alerts: [{ rule: three }, { rule: three }] }
              - { at: 40s, alerts: [] }
            """
        ),
        Row(
            "people are told of what fires and of its end, each at its time",
            """
            events: [\(three)]
            actions: [{ at: 30s, restore: { switch: pay } }]
            expect:
              - { at: 11s, notifications: [] }
              - at: 41s
                notifications:
                  - { at: 12s, rule: three, what: crossed, severity: critical, channels: [] }
                  - { at: 30s, rule: three, what: switchRestored }
                  - { rule: three, what: subsided }
            """
        ),
        Row(
            "attempts and installs take turns, over all events",
            """
            events:
              - { at: 0s, times: 9, attempts: 2, error: { code: x }, region: CN }
              - { at: 1s, times: 2, installs: 1, error: { code: z }, region: CN, durationMs: 8000 }
              - { at: 2s, times: 2, installs: 2, error: { code: z }, psp: p, durationMs: 9000 }
            expect:
              - { at: 1s, alerts: [] }
              - { at: 2s, alerts: [{ rule: slow, state: firing, decision: noSwitch }] }
            """
        ),
        Row(
            "an environment's alerts are its own, and without one all are meant",
            """
            events:
              - \(three)
              - { at: 10s, times: 3, environment: sandbox, error: { code: x }, region: CN }
            expect:
              - { at: 12s, alerts: [{ rule: three }, { rule: three }] }
              - { at: 12s, environment: production, alerts: [{ rule: three, group: { environment: production } }] }
              - { at: 12s, environment: test, alerts: [], version: 1, transitions: [] }
            """
        ),
        Row(
            "expectations are met in the order of time, whatever the order of the file",
            """
            events: [\(three)]
            expect: [{ at: 12s, version: 2 }, { at: 11s, version: 1 }]
            """
        ),
        Row(
            "a general alert doesn't take the place of a particular one",
            """
            events:
              - \(three)
              - { at: 10s, times: 3, error: { code: y }, region: CN }
              - { at: 10s, times: 3, error: { code: z }, region: CN }
            expect:
              - at: 12s
                alerts:
                  - { rule: three }
                  - { rule: three, group: { region: CN } }
                  - { rule: three, group: { error.code: x } }
            """
        ),
    ]

    @Test(arguments: passing)
    func `it passes`(row: Row<String>) throws {
        let result = try #require(try RuleTestFixture.result(row.value))
        #expect(result.isPassed, "\(result.failures.flatMap { $0.lines(file: "a.yaml") })")
    }

    @Test func `a failure tells what was expected, what came, and how far each rule was`() throws {
        let result = try #require(
            try RuleTestFixture.result(
                """
                events:
                  - { at: 0s, every: 1s, times: 2, error: { code: x }, region: CN }
                  - { at: 0s, error: { code: x } }
                  - { at: 3s, error: { code: x }, region: CN, occurredAgo: 1m }
                  - { at: 3s, outcome: succeeded }
                expect:
                  - { at: 5s, alerts: [{ rule: three, state: firing, group: { region: CN } }], version: 2 }
                  - { at: 6s, alerts: [] }
                  - { at: 7s, switches: { pay: web }, transitions: [{ at: 3s, switch: pay, to: web, by: three }] }
                """
            )
        )
        #expect(result.eventCount == 5)
        #expect(result.expectationCount == 3)
        let progress = [
            "  rule three",
            "    2 of 3 attempts of production/x/CN in the window at 3s",
            "    not counted: 1 no failures, 1 late, 1 without a value to group by",
            "  rule slow",
            "    nothing counted",
            "    not counted: 1 no failures, 4 not matched",
        ]
        #expect(
            result.failures.map { $0.lines(file: "a.yaml") } == [
                [
                    "at 5s, a.yaml:9:9",
                    "  alerts",
                    "    expected  three firing, region CN",
                    "    actual    none",
                    "  version",
                    "    expected  2",
                    "    actual    1",
                ] + progress,
                [
                    "at 7s, a.yaml:11:9",
                    "  switch pay",
                    "    expected  web",
                    "    actual    native",
                    "  transitions",
                    "    expected  3s pay to web by three",
                    "    actual    none",
                ] + progress,
            ]
        )
    }

    static let failing: [Row<String>] = [
        Row("an alert too many", "alerts: []"),
        Row("an alert too few", "alerts: [{ rule: three }, { rule: three }]"),
        Row("another rule's alert", "alerts: [{ rule: slow }]"),
        Row("another state", "alerts: [{ rule: three, state: firing }]"),
        Row("another decision", "alerts: [{ rule: three, decision: alreadyDegraded }]"),
        Row("another group", "alerts: [{ rule: three, group: { region: US } }]"),
        Row("another variant", "switches: { pay: web }"),
        Row("another variant for a payer", "switches: { pay: native }, payer: { region: CN }"),
        Row("another version", "version: 1"),
        Row("a move too few", "transitions: []"),
        Row("a move at another time", "transitions: [{ at: 11s, switch: pay, to: web }]"),
        Row("a move of another switch", "transitions: [{ switch: other, to: off }]"),
        Row("a move to another variant", "transitions: [{ switch: pay, to: native }]"),
        Row("a move by somebody else", "transitions: [{ switch: pay, to: web, by: operator }]"),
        Row("a notification too few", "notifications: []"),
        Row("a notification too many", "notifications: [{ rule: three }, { rule: three }]"),
        Row("one at another time", "notifications: [{ at: 11s, rule: three }]"),
        Row("one of another rule", "notifications: [{ rule: slow }]"),
        Row("one of something else", "notifications: [{ rule: three, what: reminded }]"),
        Row("a softer one", "notifications: [{ rule: three, severity: warning }]"),
        Row("one to somebody else", "notifications: [{ rule: three, channels: [oncall] }]"),
        Row("another environment's", "environment: test, notifications: [{ rule: three }]"),
        Row("another environment's move", "environment: test, transitions: [{ switch: pay, to: web }]"),
    ]

    @Test(arguments: failing)
    func `it fails by`(row: Row<String>) throws {
        let lines = "events: [\(Self.three)]\nexpect: [{ at: 12s, \(row.value) }]"
        let result = try #require(try RuleTestFixture.result(lines))
        #expect(result.failures.count == 1)
        #expect(result.failures.first?.differences.count == 1)
    }

    @Test func `of a long list the first twenty lines are shown`() {
        let difference = RuleTestDifference(subject: "alerts", expected: [], actual: (1...25).map { "\($0)" })
        let failure = RuleTestFailure(atMs: 0, line: 1, column: 1, differences: [difference], rules: [])
        let lines = failure.lines(file: "a.yaml")
        #expect(lines.count == 1 + 1 + 1 + 20 + 1)
        #expect(lines.suffix(2) == ["              20", "              and 5 more"])
    }

    static let times: [Row<(text: String, milliseconds: Int64?)>] = [
        Row("nothing", ("0s", 0)), Row("minutes and seconds", ("4m59s", 299_000)),
        Row("all units", ("1d2h3m4s5ms", 93_784_005)), Row("milliseconds", ("90001ms", 90_001)),
        Row("empty", ("", nil)), Row("no unit", ("5", nil)), Row("a sign", ("-5s", nil)), Row("a space", ("5 s", nil)),
        Row("a fraction", ("1.5s", nil)), Row("overflow", ("9223372036854775807d", nil)),
        Row("digits of another script", ("٣s", nil)),
    ]

    @Test(arguments: times)
    func `a time is read`(row: Row<(text: String, milliseconds: Int64?)>) {
        #expect(RuleTestTime.milliseconds(row.value.text) == row.value.milliseconds)
    }

    @Test(arguments: [0, 1, 999, 1000, 299_999, 3_600_000, 93_784_005] as [Int64])
    func `a time is written as it is read`(milliseconds: Int64) {
        #expect(RuleTestTime.milliseconds(RuleTestTime.text(milliseconds)) == milliseconds)
    }
}
