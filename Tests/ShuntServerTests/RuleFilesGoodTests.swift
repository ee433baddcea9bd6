import ShuntCore
import ShuntSchema
import Testing

@testable import ShuntServer

/// What good files say.
@Suite struct RuleFilesGoodTests {
    /// What a rule says besides its id, groups, threshold, window and severity.
    private static let standing = Rule(
        id: "a",
        description: "",
        groupBy: [.region],
        count: .attempts,
        threshold: 100,
        windowMs: 300_000,
        alert: AlertPolicy(severity: .info, resolveBelow: 50, holdForMs: 600_000)
    )

    struct Case: Sendable, CustomTestStringConvertible {
        var lines: String
        var rule: Rule

        init(_ lines: String, _ change: (inout Rule) -> Void) {
            self.lines = lines
            rule = RuleFilesGoodTests.standing
            change(&rule)
        }

        var testDescription: String { lines }
    }

    private static let rules: [Case] = [
        Case("description: One sentence") { $0.description = "One sentence" },
        Case("description: \"5\"") { $0.description = "5" },
        Case("kind: count") { _ in },
        Case("kind: consecutive") { $0.kind = .consecutive },
        Case("kind: newCode") {
            $0.kind = .newCode
            $0.count = .installs
        },
        Case("kind: newCode\n    count: events") {
            $0.kind = .newCode
            $0.count = .events
        },
        Case("count: installs") { $0.count = .installs },
        Case("threshold: 1") {
            $0.threshold = 1
            $0.alert.resolveBelow = 1
        },
        Case("threshold: 999999") {
            $0.threshold = 999_999
            $0.alert.resolveBelow = 500_000
        },
        Case("window: 1s") { $0.windowMs = 1000 },
        Case("groupBy: []") { $0.groupBy = [] },
        Case("require: { installs: 7 }") { $0.require.installs = 7 },
        Case("require: {}") { _ in },
        Case("maxPerInstall: 3") { $0.maximumPerInstall = 3 },
        Case("alert: { severity: warning, for: 0s, resolveBelow: 100, holdFor: 0s }") {
            $0.alert = AlertPolicy(
                severity: .warning,
                resolveBelow: 100,
                holdForMs: 0,
                renotifyEveryMs: 86_400_000
            )
        },
        Case("alert: { severity: critical }") {
            $0.alert.severity = .critical
            $0.alert.renotifyEveryMs = 3_600_000
        },
        Case(
            "alert: { severity: critical, for: 2m, renotifyEvery: 30m, warnAt: 50%, channels: [oncall, wall], "
                + "escalateAfter: 15m, escalateTo: [lead] }"
        ) {
            $0.alert = AlertPolicy(
                severity: .critical,
                resolveBelow: 50,
                holdForMs: 600_000,
                forMs: 120_000,
                warnAtPercent: 50,
                renotifyEveryMs: 1_800_000,
                channels: ["oncall", "wall"],
                escalateAfterMs: 900_000,
                escalateTo: ["lead"]
            )
        },
        Case("trip: { switch: apple-pay }") { $0.trip = Trip(switchKey: "apple-pay") },
        Case("trip: { switch: apple-pay, scope: [environment, region] }") {
            $0.trip = Trip(switchKey: "apple-pay", scope: [.environment, .region])
        },
        Case("match: {}") { _ in },
    ]

    @Test(arguments: rules)
    func `a rule says what it says, and the rest is the usual`(row: Case) throws {
        let standing = [
            "groupBy: [region]", "threshold: 100", "window: 5m", "alert: { severity: info }",
        ].filter { line in !row.lines.contains("\(line.prefix { $0 != ":" }):") }
        let text = (["rules:\n  - id: a", row.lines] + standing).joined(separator: "\n    ")
        let fixture = try RuleFilesFixture(["alerts/a.yaml": text])
        #expect(fixture.problems() == [])
        #expect(try fixture.load().ruleSet.rules == [row.rule])
    }

    private static func version(_ text: String, _ isIncluded: Bool) throws -> VersionRange.Bound {
        VersionRange.Bound(try #require(Version(text)), isIncluded: isIncluded)
    }

    private static let conditions: [(String, Dimension, Condition.Test)] = [
        ("network: visa", .network, .oneOf(["visa"])),
        ("network: [visa, amex]", .network, .oneOf(["visa", "amex"])),
        ("network: { not: visa }", .network, .noneOf(["visa"])),
        ("network: { not: [visa, amex] }", .network, .noneOf(["visa", "amex"])),
        ("deviceModel: { prefix: iPhone }", .deviceModel, .prefix(["iPhone"])),
        ("app.version: { prefix: [\"4.2\", \"4.3\"] }", .appVersion, .prefix(["4.2", "4.3"])),
        ("app.version: \"4.2\"", .appVersion, .oneOf(["4.2"])),
        ("error.code: \"05\"", .errorCode, .oneOf(["05"])),
        ("error.code: [\"5\", A5]", .errorCode, .oneOf(["5", "A5"])),
        ("stage: [charge, refund]", .stage, .oneOf(["charge", "refund"])),
        ("stage: { prefix: token }", .stage, .prefix(["token"])),
        ("outcome: cancelled", .outcome, .oneOf(["cancelled"])),
        ("class: { not: [user, issuer] }", .failureClass, .noneOf(["user", "issuer"])),
        ("switchWeight: [count, countFast]", .switchWeight, .oneOf(["count", "countFast"])),
        ("money: mayHaveMoved", .money, .oneOf(["mayHaveMoved"])),
        ("error.httpStatus: 503", .errorHTTPStatus, .oneOf(["503"])),
        ("error.httpStatus: [500, \"503\"]", .errorHTTPStatus, .oneOf(["500", "503"])),
        ("error.httpStatus: { not: 503 }", .errorHTTPStatus, .noneOf(["503"])),
        ("error.httpStatus: 500..599", .errorHTTPStatus, .numbers(NumberRange(lower: 500, upper: 599))),
        ("error.httpStatus: \"503..503\"", .errorHTTPStatus, .numbers(NumberRange(lower: 503, upper: 503))),
        ("durationMs: \">=8000\"", .durationMs, .numbers(NumberRange(lower: 8000, upper: nil))),
        ("durationMs: \">8000\"", .durationMs, .numbers(NumberRange(lower: 8001, upper: nil))),
        ("durationMs: \"<=8000\"", .durationMs, .numbers(NumberRange(lower: nil, upper: 8000))),
        ("durationMs: \"<8000 >=100\"", .durationMs, .numbers(NumberRange(lower: 100, upper: 7999))),
        ("bodyBytes: \">8KiB\"", .bodyBytes, .numbers(NumberRange(lower: 8193, upper: nil))),
        ("amount.minor: \"-500..-1\"", .amountMinor, .numbers(NumberRange(lower: -500, upper: -1))),
        ("amount.currency: CNY", .amountCurrency, .oneOf(["CNY"])),
    ]

    @Test(arguments: conditions)
    func `a condition`(text: String, dimension: Dimension, test: Condition.Test) throws {
        #expect(try Self.match("match: { \(text) }") == [Condition(dimension, test)])
    }

    @Test func `ranges of versions, their ends in or out`() throws {
        let rows: [(String, VersionRange)] = [
            (
                ">=4.2.0 <4.3.0",
                VersionRange(lower: try Self.version("4.2", true), upper: try Self.version("4.3", false))
            ),
            (">4.2", VersionRange(lower: try Self.version("4.2", false), upper: nil)),
            ("<=17.4.1", VersionRange(lower: nil, upper: try Self.version("17.4.1", true))),
            (">=4.2 <=4.2.0", VersionRange(lower: try Self.version("4.2", true), upper: try Self.version("4.2", true))),
        ]
        for (text, range) in rows {
            #expect(try Self.match("match: { app.version: \"\(text)\" }") == [Condition(.appVersion, .versions(range))])
            #expect(try Self.match("match: { os.version: \"\(text)\" }") == [Condition(.osVersion, .versions(range))])
        }
    }

    @Test func `conditions keep the order of the file`() throws {
        let match = try Self.match("match: { region: CN, network: visa, psp: a, environment: production }")
        #expect(match.map(\.dimension) == [.region, .network, .psp, .environment])
    }

    private static func match(_ lines: String) throws -> [Condition] {
        let text = RuleFilesBrokenTests.rule(with: lines)
        let fixture = try RuleFilesFixture(["alerts/a.yaml": text])
        #expect(fixture.problems() == [], "\(lines)")
        return try #require(try fixture.load().ruleSet.rules.first).match
    }

    // MARK: Switches

    private static let switches: [(String, [SwitchDefinition])] = [
        ("switches: []", []),
        (
            "switches:\n  - { key: a-b.c_1, variants: { degraded: web, normal: native } }",
            [SwitchDefinition(key: "a-b.c_1", normalVariant: "native", degradedVariant: "web")]
        ),
        (
            """
            switches:
              - { key: b, variants: { normal: x, degraded: y }, mode: armed, blastRadius: 100% }
              - { key: a, variants: { normal: x, degraded: y }, recovery: { mode: manual } }
            """,
            [
                SwitchDefinition(key: "b", normalVariant: "x", degradedVariant: "y"),
                SwitchDefinition(key: "a", normalVariant: "x", degradedVariant: "y"),
            ]
        ),
    ]

    @Test(arguments: switches)
    func `switches in the order of the file`(text: String, expected: [SwitchDefinition]) throws {
        let fixture = try RuleFilesFixture(["switches.yaml": text, "alerts/none.yaml": "rules: []"])
        #expect(fixture.problems() == [])
        #expect(try fixture.load().ruleSet.switches == expected)
    }

    @Test func `a switch with every setting`() throws {
        let text = """
            switches:
              - key: k
                variants: { normal: n, degraded: d }
                mode: dryRun
                recovery:
                  mode: probe
                  coolDown: 1m
                  coolDownMax: 2h
                  probe: 3%
                  probeAttempts: 40
                  probeFailures: 6
                  probeInstalls: 4
                  goodBelow: 7%
                  probeDeadline: 10m
                  ramp: [20%, 60%]
                  rampStep: 3m
                  askAfter: 5
                  levelDecay: 30m
                flapLock: { trips: 4, within: 2h }
                blastRadius: 40%
                minDwell: 90s
                onUnknown: degrade
            """
        var expected = SwitchDefinition(key: "k", normalVariant: "n", degradedVariant: "d", mode: .dryRun)
        expected.recovery.mode = .probe
        expected.recovery.coolDownMs = 60_000
        expected.recovery.coolDownMaxMs = 7_200_000
        expected.recovery.probePercent = 3
        expected.recovery.probeAttempts = 40
        expected.recovery.probeFailures = 6
        expected.recovery.probeInstalls = 4
        expected.recovery.goodBelowPercent = 7
        expected.recovery.probeDeadlineMs = 600_000
        expected.recovery.rampPercents = [20, 60]
        expected.recovery.rampStepMs = 180_000
        expected.recovery.askAfter = 5
        expected.recovery.levelDecayMs = 1_800_000
        expected.recovery.onUnknown = .degrade
        expected.flapLock = FlapLock(trips: 4, withinMs: 7_200_000)
        expected.blastRadiusPercent = 40
        expected.minimumDwellMs = 90_000
        let fixture = try RuleFilesFixture(["switches.yaml": text, "alerts/none.yaml": "rules: []"])
        #expect(fixture.problems() == [])
        let ruleSet = try fixture.load().ruleSet
        #expect(ruleSet.switches == [expected])
        let input = Input.configured(ruleSet)
        #expect(try Input(kind: .configured, body: input.encodedBody()) == input)
    }

    // MARK: Catalogue

    @Test func `a system with everything`() throws {
        let fixture = try RuleFilesFixture([
            "catalogue/mine.yaml": """
            owner: merchant
            catalogue:
              - system: mine
                domains: [mine, my.pay]
                subcodes: finer
                splitAt: ":"
                source: a table
                codes:
                  "05": { name: n, class: processor, retry: n/a, switchWeight: countFast, money: stage, note: "5" }
                  E1: { name: "1", class: user, retry: newMethod, switchWeight: none, money: notMoved }
              - { system: finer, domains: [finer], codes: { "1-9": { name: r, class: inDoubt, retry: queryFirst, switchWeight: count, money: mayHaveMoved } } }
            """
        ])
        #expect(fixture.problems() == [])
        let systems = try fixture.load().ruleSet.catalogue.systems
        #expect(systems.map(\.name) == ["mine", "finer"])
        let mine = try #require(systems.first)
        #expect(mine.domains == ["mine", "my.pay"])
        #expect(mine.subcodes == "finer")
        #expect(mine.splitAt == ":")
        #expect(mine.owner == .merchant)
        #expect(mine.rows.map(\.code) == ["05", "E1"])
        #expect(
            mine.rows.first?.entry
                == CatalogueEntry(
                    name: "n",
                    failureClass: .processor,
                    retry: .notApplicable,
                    switchWeight: .countFast,
                    money: .stage,
                    note: "5"
                )
        )
    }

    @Test func `a merchant may have a system of a shipped one's name, and overrides its rows`() throws {
        let row = "class: processor, retry: later, switchWeight: count, money: notMoved"
        let fixture = try RuleFilesFixture([
            "catalogue/a.yaml": "catalogue:\n  - { system: s, domains: [s], codes: { x: { name: theirs, \(row) } } }",
            "catalogue/b.yaml": "owner: merchant\ncatalogue:\n"
                + "  - { system: s, domains: [s], codes: { x: { name: ours, \(row) } } }",
        ])
        let catalogue = try fixture.load().ruleSet.catalogue.built()
        let match = try #require(catalogue.match(domain: "s", code: "x"))
        #expect(match.entry.name == "ours")
        #expect(match.overrides?.name == "theirs")
    }

    @Test func `stages and signatures with everything`() throws {
        let fixture = try RuleFilesFixture([
            "catalogue/stages.yaml": """
            stages:
              charge: { happened: "5", transport: inDoubt, cancel: inDoubt, money: moved, proof: fails, unknownCode: inDoubt }
              present: { transport: [user, network], cancel: user, money: notMoved, quickCancelMs: 900 }
            transportCodes: { class: processor, retry: later, switchWeight: none, codes: [timeout] }
            unknownCodes: { switchWeight: none }
            """,
            "catalogue/signatures.yaml": """
            signatures:
              - { id: a, all: [x, "5"], domains: [d], by: cancel, say: s, environment: mix }
              - { id: b, all: [y], by: code, say: s }
            """,
        ])
        #expect(fixture.problems() == [])
        let source = try fixture.load().ruleSet.catalogue
        let stages = source.stages
        #expect(stages.rules.count == 2)
        #expect(
            stages.rules[.charge]
                == StageRule(
                    transport: .inDoubt,
                    cancel: .inDoubt,
                    money: .moved,
                    proofHolds: false,
                    unknownCodeIsInDoubt: true
                )
        )
        #expect(
            stages.rules[.present]
                == StageRule(
                    transport: .classes([.user, .network]),
                    cancel: .user,
                    money: .notMoved,
                    quickCancelMs: 900
                )
        )
        #expect(stages.transportCodes == ["timeout"])
        #expect(stages.transportEntry.failureClass == .processor)
        #expect(stages.transportEntry.retry == .later)
        #expect(stages.transportEntry.switchWeight == .none)
        #expect(stages.unknownCodeWeight == .none)
        #expect(source.signatures.map(\.verdict) == [.cancel, .code])
        #expect(source.signatures.first?.all == ["x", "5"])
        #expect(source.signatures.first?.domains == ["d"])
        #expect(source.signatures.first?.environment == .mix)
    }
}
