import Foundation
import ShuntCore
import ShuntSchema
import Testing

@testable import ShuntServer

/// The project's own rules folder.
@Suite struct RuleFilesShippedTests {
    private static let shipped = Result { try RuleFiles(readingFolder: RuleFilesFixture.shipped) }

    @Test func `the shipped rule is the founding one, with its guards`() throws {
        let files = try Self.shipped.get()
        let expected = Rule(
            id: "error-code-burst",
            description: "One error code fails again and again",
            match: [
                Condition(.switchWeight, .oneOf(["count", "countFast"]))
            ],
            groupBy: [.errorDomain, .errorCode],
            count: .attempts,
            threshold: 100,
            maximumPerInstall: 3,
            require: Requirements(installs: 10),
            windowMs: 300_000,
            alert: AlertPolicy(
                severity: .critical,
                resolveBelow: 50,
                holdForMs: 600_000,
                renotifyEveryMs: 3_600_000
            ),
            trip: Trip(switchKey: "apple-pay", scope: [.environment])
        )
        #expect(files.ruleSet.rules.first { $0.id == "error-code-burst" } == expected)
    }

    @Test func `the shipped rules are those of the design, and of those that trip none counts what never counts`()
        throws
    {
        let rules = try Self.shipped.get().ruleSet.rules
        #expect(
            rules.map(\.id) == [
                "error-code-burst", "fast-code", "in-doubt-age", "in-doubt-total", "no-outcome", "amount-minor-unit",
                "paid-twice", "failure-share", "consecutive-failures", "new-code", "no-success",
                "in-doubt-burst", "card-testing", "error-keys", "watchdog",
            ]
        )
        let tripping = rules.filter { $0.trip != nil }.map(\.id)
        #expect(tripping == ["error-code-burst", "fast-code", "failure-share", "consecutive-failures"])
    }

    @Test func `the shipped switch is the one that is built in, but recovers by probes`() throws {
        let files = try Self.shipped.get()
        var builtIn = RuleSet.builtIn.switches
        builtIn[0].recovery = RecoveryPolicy(mode: .probe)
        builtIn[0].flapLock = FlapLock()
        #expect(files.ruleSet.switches == builtIn, "with the default figures, spelled out")
        #expect(files.hasFolder)
        #expect([files.rulesOrigin, files.switchesOrigin, files.catalogueOrigin] == [.files, .files, .files])
    }

    @Test func `all 727 rows of the catalogue arrive`() throws {
        #expect(try Self.shipped.get().catalogueRowCount == 727)
        let catalogue = try Self.shipped.get().ruleSet.catalogue.built()
        #expect(catalogue.count == 727)
        #expect(catalogue.problems.isEmpty)
    }

    @Test func `codes, stages and texts mean what their files say`() throws {
        let catalogue = try Self.shipped.get().ruleSet.catalogue.built()
        let row = try #require(catalogue.match(domain: "unionpay.respCode", code: "42"))
        #expect(row.system == "unionpay")
        #expect(
            row.entry
                == CatalogueEntry(
                    name: "charged, but after the payment deadline",
                    failureClass: .inDoubt,
                    retry: .never,
                    switchWeight: .none,
                    money: .moved,
                    note: "money moved: refund or honour the order"
                )
        )
        #expect(catalogue.match(domain: "iso8583", code: "5") == nil)
        #expect(catalogue.match(domain: "iso8583", code: "05")?.entry.failureClass == .issuer)
        let timeOut = catalogue.classify(domain: "NSURLErrorDomain", code: "-1001", stage: .charge)
        #expect(timeOut.failureClass == .inDoubt)
        let early = catalogue.classify(domain: "NSURLErrorDomain", code: "-1001", stage: .precheck)
        #expect(early.failureClass == .network)
        let proof = catalogue.classify(domain: "NSURLErrorDomain", code: "-1009", stage: .charge)
        #expect(proof.money == .notMoved)
        let text = catalogue.classify(
            domain: "x",
            code: "1",
            message: "apple pay decryption failed: No matching key found"
        )
        #expect(text.switchWeight == .countFast)
        let quick = catalogue.classify(domain: "x", code: "1", stage: .present, outcome: .cancelled, durationMs: 999)
        #expect(quick.failureClass == .merchantConfig)
        #expect(catalogue.classify(domain: "x", code: "ETIMEDOUT").reason == .inDoubtByStage)
    }

    @Test func `the example of a merchant's codes is good, and isn't loaded under its own name`() throws {
        let files = try Self.shipped.get()
        #expect(files.ruleSet.catalogue.built().match(domain: "verify", code: "8771") == nil)
        let example = try String(
            contentsOfFile: "\(RuleFilesFixture.shipped)/catalogue/internal-store.example.yaml",
            encoding: .utf8
        )
        let fixture = try RuleFilesFixture(["catalogue/internal-store.yaml": example])
        let match = try #require(try fixture.load().ruleSet.catalogue.built().match(domain: "verify", code: "8771"))
        #expect(match.owner == .merchant)
    }
}
