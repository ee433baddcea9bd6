import ShuntCore
import Testing

@testable import ShuntServer

/// What is wrong in the switches and in the catalogue's three forms.
@Suite struct RuleFilesBrokenCatalogueTests {
    private static let switchFiles: [BrokenText] = [
        BrokenText("no switches", "{}", "1:1 missingKey"),
        BrokenText("a switch without anything", "switches:\n  - {}", "2:5 missingKey", "2:5 missingKey"),
        BrokenText("a switch as a word", "switches: [apple-pay]", "1:12 wrongType"),
        BrokenText(
            "a key with a space",
            "switches:\n  - key: apple pay\n    variants: { normal: a, degraded: b }",
            "2:10 outOfRange"
        ),
        BrokenText(
            "equal variants",
            "switches:\n  - key: k\n    variants: { normal: web, degraded: web }",
            "3:40 contradiction"
        ),
        BrokenText("one variant", "switches:\n  - key: k\n    variants: { normal: web }", "3:15 missingKey"),
        BrokenText(
            "a variant that is a number",
            "switches:\n  - key: k\n    variants: { normal: 1, degraded: b }",
            "3:25 unquotedCode"
        ),
        BrokenText(
            "a switch twice",
            """
            switches:
              - { key: k, variants: { normal: a, degraded: b } }
              - { key: k, variants: { normal: a, degraded: b } }
            """,
            "3:12 duplicateId"
        ),
        BrokenText(
            "what is right alone and not together",
            """
            switches:
              - key: k
                variants: { normal: a, degraded: b }
                recovery: { mode: probe, coolDown: 2h, ramp: [50%, 20%, 100%], onUnknown: hold }
                onUnknown: hold
              - key: l
                variants: { normal: a, degraded: b }
                recovery: { mode: manual, coolDown: 5m }
                onUnknown: hold
              - { key: m, variants: { normal: a, degraded: b }, onUnknown: hold }
            """,
            "4:40 contradiction",
            "4:50 contradiction",
            "5:5 contradiction",
            "8:31 contradiction",
            "9:5 contradiction",
            "10:53 contradiction"
        ),
        BrokenText(
            "settings of the machine that are wrong",
            """
            switches:
              - key: k
                variants: { normal: a, degraded: b }
                mode: on
                recovery: { mode: probes, coolDown: 5, probe: 2, probeAttempts: 0, ramp: [], onUnknown: holt }
                flapLock: { trips: 0 }
                blastRadius: 0%
            """,
            "4:11 unknownValue",
            "5:23 unknownValue",
            "5:41 badUnit",
            "5:51 badUnit",
            "5:69 outOfRange",
            "5:78 outOfRange",
            "5:93 unknownValue",
            "6:15 missingKey",
            "6:24 outOfRange",
            "7:18 outOfRange"
        ),
        BrokenText(
            "a name that an address has already",
            "switches:\n  - key: stream\n    variants: { normal: a, degraded: b }\n",
            "2:10 reservedName"
        ),
    ]

    @Test(arguments: switchFiles)
    func `switches`(broken: BrokenText) throws {
        let fixture = try RuleFilesFixture(["switches.yaml": broken.text, "alerts/none.yaml": "rules: []"])
        #expect(fixture.places() == broken.problems.map { "switches.yaml:\($0)" }, "\(fixture.problems())")
    }

    @Test func `a reserved name comes with another one`() throws {
        let text = "switches:\n  - { key: stream, variants: { normal: a, degraded: b } }\n"
        let fixture = try RuleFilesFixture(["switches.yaml": text, "alerts/none.yaml": "rules: []"])
        let problem = try #require(fixture.problems().first)
        #expect("\(problem)".contains("/v1/switches/stream is an address of its own"), "\(problem)")
        #expect("\(problem)".contains("stream-switch"), "\(problem)")
    }

    // MARK: Codes

    private static let row = "{ name: n, class: processor, retry: later, switchWeight: count, money: notMoved }"

    private static func codes(_ codes: String) -> String {
        "catalogue:\n  - system: s\n    domains: [s]\n    codes:\n      \(codes)"
    }

    private static let codeFiles: [BrokenText] = [
        BrokenText("a code without quotes", codes("5: \(row)"), "5:7 unquotedCode"),
        BrokenText("a code with a zero in front, without quotes", codes("05: \(row)"), "5:7 unquotedCode"),
        BrokenText("a code twice", codes("\"05\": \(row)\n      '05': \(row)"), "6:7 duplicateKey"),
        BrokenText("a range from high to low", codes("\"1005-1000\": \(row)"), "5:7 neverMatches"),
        BrokenText("a row that is a word", codes("\"05\": processor"), "5:13 wrongType"),
        BrokenText(
            "unknown words, all of them",
            codes("\"05\": { name: n, class: proc, retry: soon, switchWeight: 1, money: gone, notes: x }"),
            "5:31 unknownValue",
            "5:44 unknownValue",
            "5:64 unknownValue",
            "5:74 unknownValue",
            "5:80 unknownKey"
        ),
        BrokenText(
            "a payer's failure that would count",
            codes("\"05\": { name: n, class: user, retry: never, switchWeight: count, money: notMoved }"),
            "5:65 contradiction"
        ),
        BrokenText("no codes", "catalogue:\n  - { system: s, domains: [s], codes: {} }", "2:39 neverMatches"),
        BrokenText(
            "no domains",
            "catalogue:\n  - { system: s, domains: [], codes: { a: \(row) } }",
            "2:27 neverMatches"
        ),
        BrokenText(
            "a long separator",
            "catalogue:\n  - { system: s, domains: [s], splitAt: \"::\", codes: { a: \(row) } }",
            "2:41 outOfRange"
        ),
        BrokenText(
            "subcodes of nothing",
            "catalogue:\n  - { system: s, domains: [s], subcodes: t, codes: { a: \(row) } }",
            "2:42 unknownRow"
        ),
        BrokenText(
            "a system twice",
            "catalogue:\n  - { system: s, domains: [s], codes: { a: \(row) } }\n"
                + "  - { system: s, domains: [t], codes: { a: \(row) } }",
            "3:15 duplicateId"
        ),
        BrokenText("an unknown owner", "owner: shop\ncatalogue: []", "1:8 unknownValue"),
    ]

    @Test(arguments: codeFiles)
    func `codes`(broken: BrokenText) throws {
        let fixture = try RuleFilesFixture(["catalogue/codes.yaml": broken.text])
        #expect(fixture.places() == broken.problems.map { "catalogue/codes.yaml:\($0)" }, "\(fixture.problems())")
    }

    // MARK: Stages and signatures

    private static let stageFiles: [BrokenText] = [
        BrokenText("an empty file", "", "1:1 wrongType"),
        BrokenText(
            "keys that are missing",
            "transportCodes: {}",
            "1:1 missingKey",
            "1:1 missingKey",
            "1:17 missingKey",
            "1:17 missingKey",
            "1:17 missingKey",
            "1:17 missingKey"
        ),
        BrokenText(
            "a stage that isn't one",
            "unknownCodes: { switchWeight: count }\nstages:\n  charged: { transport: inDoubt }",
            "3:3 unknownKey",
            "3:12 missingKey",
            "3:12 missingKey"
        ),
        BrokenText(
            "stages with wrong words",
            """
            unknownCodes: { switchWeight: all }
            stages:
              charge: { transport: inDoub, cancel: users, money: stage, proof: never, unknownCode: yes }
              present: { transport: [user, users], cancel: inDoubt, money: notMoved, quickCancelMs: 1000 }
              refund: { transport: [], cancel: user, money: notMoved, quickCancelMs: 1s }
            """,
            "1:31 unknownValue",
            "3:24 unknownValue",
            "3:40 unknownValue",
            "3:54 unknownValue",
            "3:68 unknownValue",
            "3:88 unknownValue",
            "4:32 unknownValue",
            "4:74 contradiction",
            "5:24 outOfRange",
            "5:74 wrongType"
        ),
        BrokenText(
            "rows that aren't there",
            """
            unknownCodes: { switchWeight: count }
            stages: {}
            hangsOnStage:
              - { system: s, kind: transport, codes: [a, b, "c"] }
              - { system: t, kind: transport, codes: [a] }
            nothingSent:
              - { system: s, codes: [d] }
            """,
            "4:46 unknownRow",
            "4:49 unknownRow",
            "5:43 unknownRow",
            "7:26 unknownRow"
        ),
        BrokenText(
            "codes that can't be met",
            """
            unknownCodes: { switchWeight: count }
            stages: {}
            transportCodes: { class: network, retry: later, switchWeight: count, codes: [time-out, ok, 5] }
            """,
            "3:78 neverMatches",
            "3:92 unquotedCode"
        ),
    ]

    @Test(arguments: stageFiles)
    func `stages`(broken: BrokenText) throws {
        let codes = "catalogue:\n  - { system: s, domains: [s], codes: { a: \(Self.row) } }"
        let fixture = try RuleFilesFixture(["catalogue/codes.yaml": codes, "catalogue/stages.yaml": broken.text])
        #expect(fixture.places() == broken.problems.map { "catalogue/stages.yaml:\($0)" }, "\(fixture.problems())")
    }

    private static let signatureFiles: [BrokenText] = [
        BrokenText("no text", "signatures:\n  - { id: a, all: [], by: code, say: s }", "2:19 neverMatches"),
        BrokenText("an empty text", "signatures:\n  - { id: a, all: [\"\"], by: code, say: s }", "2:20 outOfRange"),
        BrokenText(
            "nine texts",
            "signatures:\n  - { id: a, all: [b, c, d, e, f, g, h, i, j], by: code, say: s }",
            "2:19 outOfRange"
        ),
        BrokenText(
            "a class beside a decider",
            "signatures:\n  - { id: a, all: [b], by: code, class: user, say: s }",
            "2:34 contradiction"
        ),
        BrokenText(
            "no verdict",
            "signatures:\n  - { id: a, all: [b], say: s }",
            "2:5 missingKey",
            "2:5 missingKey",
            "2:5 missingKey",
            "2:5 missingKey"
        ),
        BrokenText(
            "an id twice",
            "signatures:\n  - { id: a, all: [b], by: code, say: s }\n  - { id: a, all: [c], by: code, say: s }",
            "3:11 duplicateId"
        ),
    ]

    @Test(arguments: signatureFiles)
    func `signatures`(broken: BrokenText) throws {
        let fixture = try RuleFilesFixture(["catalogue/signatures.yaml": broken.text])
        #expect(fixture.places() == broken.problems.map { "catalogue/signatures.yaml:\($0)" }, "\(fixture.problems())")
    }
}
