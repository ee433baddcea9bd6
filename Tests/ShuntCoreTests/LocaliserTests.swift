import ShuntCore
import ShuntSchema
import TestSupport
import Testing

@Suite struct `Where failures come from` {
    /// So many failures of these values in each window.
    private func rows(_ values: [String?], now: Int64, before: Int64) -> [LocaliserRow] {
        [
            LocaliserRow(values: values, isNow: true, failures: now),
            LocaliserRow(values: values, isNow: false, failures: before),
        ]
    }

    // MARK: Against the oracle

    /// Small tables of a few values, some missing, with or without a planted cause, weights and attempts.
    private func table(seed: UInt64) -> (names: [String], rows: [LocaliserRow]) {
        var random = SeededGenerator(seed: seed)
        let columns = 1 + random.below(5)
        let names = (0..<columns).map { "a\($0)" }
        let values = 2 + random.below(4)
        let lackOneIn = random.oneIn(2) ? 6 : 1_000_000
        let withAttempts = random.oneIn(4)
        let heavy = random.oneIn(2)
        let planted = (0..<columns).map { $0 < 1 + seed % 3 ? "v\(random.below(values))" : nil }
        var rows: [LocaliserRow] = []
        for number in 0..<(20 + random.below(200)) {
            let isNow = random.oneIn(2)
            let row: [String?] = planted.map { plant in
                if isNow, number % 2 == 0, let plant { return plant }
                return random.oneIn(lackOneIn) ? nil : "v\(min(random.below(values), random.below(values)))"
            }
            let failures = Int64(heavy ? random.below(30) : 1)
            let attempts = withAttempts && isNow ? failures + Int64(random.below(40)) : nil
            rows.append(LocaliserRow(values: row, isNow: isNow, failures: failures, attempts: attempts))
        }
        return (names, rows)
    }

    @Test(arguments: 0..<150 as Range<UInt64>) func `equals counting every combination, seed`(_ seed: UInt64) {
        let (names, rows) = table(seed: seed)
        #expect(localised(names, rows).lines == LocaliserOracle(names: names, all: rows).causes)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `is the same in whatever order the rows come, seed`(_ seed: UInt64) {
        let (names, rows) = table(seed: seed)
        var random = SeededGenerator(seed: seed)
        #expect(localised(names, rows.shuffled(using: &random)) == localised(names, rows))
    }

    // MARK: Each step

    @Test func `a value that a twentieth of the failures has can be a cause, one that fewer have can't`() {
        let others = (0..<19).flatMap { rows(["o\($0)"], now: 50, before: 50) }
        #expect(localised(["a"], others + rows(["x"], now: 50, before: 1)).lines.first == "a=x: 50 of 1000, 1")
        let fewer = localised(["a"], others + rows(["y"], now: 1, before: 1) + rows(["x"], now: 49, before: 1))
        #expect(fewer.lines.allSatisfy { !$0.hasPrefix("a=x") })
    }

    @Test func `a part that says nearly as much as the combination is taken instead`() {
        let nearly =
            rows(["x", "p"], now: 980, before: 100) + rows(["x", "q"], now: 12, before: 1)
            + rows(["y", "p"], now: 100, before: 500) + rows(["y", "q"], now: 100, before: 500)
        #expect(localised(["a", "b"], nearly).causes.first?.attributes == [.init(name: "a", value: "x")])
        let combined =
            rows(["x", "p"], now: 900, before: 10) + rows(["x", "q"], now: 100, before: 500)
            + rows(["y", "p"], now: 100, before: 500) + rows(["y", "q"], now: 100, before: 500)
        let both = [Cause.Attribute(name: "a", value: "x"), Cause.Attribute(name: "b", value: "p")]
        #expect(localised(["a", "b"], combined).causes.first?.attributes == both)
    }

    @Test func `a second cause is told while it matters`() {
        let normal = rows(["n", "m"], now: 1000, before: 1000)
        let first = rows(["x", "m"], now: 1000, before: 20)
        let two = localised(["a", "b"], normal + first + rows(["n", "y"], now: 600, before: 20))
        #expect(two.lines.map { $0.prefix(3) } == ["a=x", "b=y"])
        #expect(two.causes[1].total == 1600)
        let one = localised(["a", "b"], normal + first + rows(["n", "y"], now: 140, before: 20))
        #expect(one.lines.map { $0.prefix(3) } == ["a=x"])
    }

    @Test func `of equals the attribute that stands first wins, then the value of lesser bytes`() {
        let twins = rows(["x", "x"], now: 90, before: 10) + rows(["y", "y"], now: 10, before: 90)
        #expect(localised(["a", "b"], twins).lines.first == "a=x: 90 of 100, 10")
        #expect(localised(["b", "a"], twins).lines.first == "b=x: 90 of 100, 10")
        let values =
            rows(["é"], now: 40, before: 10) + rows(["z"], now: 40, before: 10) + rows(["n"], now: 20, before: 80)
        #expect(localised(["a"], values).lines.first == "a=z: 40 of 100, 10")
    }

    @Test func `a cause of three attributes is at least that, and the next refinement is named`() {
        var all: [LocaliserRow] = []
        for number in 0..<16 {
            let values: [String?] = (0..<4).map { number >> $0 & 1 == 1 ? "x" : "n" }
            all += rows(values, now: number == 15 ? 4000 : 100, before: 100)
        }
        let cause = localised(["a", "b", "c", "d"], all).causes.first
        #expect(cause?.attributes.map(\.name) == ["a", "b", "c"])
        #expect(cause?.isAtLeast == true)
        #expect(cause?.refinement == .init(name: "d", value: "x"))
    }

    // MARK: Borders

    @Test func `rows that don't say a value are no evidence`() {
        // Twice the share of all, but the same share of those that say: nothing has changed but who reports.
        let same =
            rows(["x"], now: 500, before: 50) + rows(["y"], now: 500, before: 50) + rows([nil], now: 0, before: 900)
        #expect(localised(["a"], same).verdict == .nothingStandsOut)
        #expect(localised(["a"], rows([nil], now: 50, before: 5)).verdict == .nothingStandsOut)
    }

    @Test func `what always holds is no cause`() {
        #expect(localised(["a"], rows(["x"], now: 1000, before: 3)).verdict == .nothingStandsOut)
    }

    @Test func `few failures are said to be few`() {
        #expect(localised(["a"], rows(["x"], now: 4, before: 9) + rows(["y"], now: 0, before: 90)).verdict == .tooFew)
        #expect(localised(["a"], rows(["x"], now: 5, before: 9) + rows(["y"], now: 0, before: 90)).verdict == .found)
        #expect(localised(["a"], []).verdict == .tooFew)
        #expect(localised([], []).verdict == .tooFew)
        #expect(localised([], [LocaliserRow(values: [], isNow: true, failures: 9)]).verdict == .nothingStandsOut)
    }

    @Test func `without a baseline the greatest share comes first, and no share before is claimed`() {
        let new = [
            LocaliserRow(values: ["x"], isNow: true, failures: 8),
            LocaliserRow(values: ["y"], isNow: true, failures: 2),
        ]
        let found = localised(["a"], new)
        #expect(found.baseline == .none)
        #expect(found.baselineCount == nil)
        #expect(found.causes.first?.attributes.first?.value == "x")
        #expect(found.causes.first?.baselineShare == nil)
        #expect(found.causes.first?.lift == nil)
    }

    @Test func `attempts stand for the baseline where each row now has them`() {
        let all = [
            LocaliserRow(values: ["x"], isNow: true, failures: 90, attempts: 100),
            LocaliserRow(values: ["y"], isNow: true, failures: 10, attempts: 900),
        ]
        let found = localised(["a"], all)
        #expect(found.baseline == .attempts)
        #expect(found.lines == ["a=x: 90 of 100, 10"])
        var partly = all
        partly[1].attempts = nil
        #expect(localised(["a"], partly).baseline == .none)
    }

    @Test func `huge weights are clamped, and nothing overflows`() {
        let huge =
            rows(["x"], now: .max, before: 1) + rows(["y"], now: .max, before: .max)
            + rows(["x"], now: .max, before: -5)
        let found = localised(["a"], huge)
        #expect(found.count == 3 * LocalisationTable.maximumWeight)
        #expect(found.causes.first?.attributes.first?.value == "x")
    }

    @Test func `a value for each row is bounded and hides no cause`() {
        let count = 300_000
        let codes = (1...UInt32(count)).map { $0 }
        let ids = LocalisationTable.Column(name: "id", values: codes.map { "\($0)" }, codes: codes)
        let app = LocalisationTable.Column(
            name: "app",
            values: ["old", "new"],
            codes: (0..<count).map { $0 % 20 < 9 ? 2 : 1 }
        )
        let table = LocalisationTable(
            columns: [ids, app],
            isNow: (0..<count).map { $0 % 20 < 10 },
            failures: [Int64](repeating: 1, count: count)
        )
        #expect(Localiser.localise(table).causes.first?.attributes == [.init(name: "app", value: "new")])
    }

    // MARK: Events

    @Test func `an issuer's number is taken from six or eight digits only, and survives redaction`() throws {
        let catalogue = Catalogue([], stages: try CatalogueFiles.stages())
        for (value, expected) in [
            (Scalar.string("622848"), "622848"), (.string("62284800"), "62284800"), (.integer(622_848), "622848"),
            (.string("6228480"), nil), (.string("6228480012345678"), nil), (.string("62284x"), nil), (.bool(true), nil),
        ] as [(Scalar, String?)] {
            var event = PaymentEvent(error: ErrorReport(code: "05"))
            event.context = [ContextEntry(key: "issuerBin", value: value)]
            _ = event.redact()
            let found = LocalisedAttribute.issuerBin.value(in: event, meaning: catalogue.classify(event))
            #expect(found == expected, "\(value)")
        }
    }

    @Test func `events become rows in the order of the schema`() throws {
        let catalogue = Catalogue([], stages: try CatalogueFiles.stages())
        var builder = LocalisationTable.Builder.ofEvents()
        for number in 0..<40 {
            var event = PaymentEvent(error: ErrorReport(domain: "verify", code: "8771"))
            event.app = AppInfo(version: (number % 4 < 3) == (number < 20) ? "4.2.0" : "4.1.0", build: "")
            event.context = [ContextEntry(key: "networkType", value: .string("wifi"))]
            builder.append(event, meaning: catalogue.classify(event), isNow: number < 20)
        }
        let table = builder.table
        let names = ["error.domain", "error.code", "stage", "error.httpStatus", "app.version"]
        #expect(table.columns.map(\.name).prefix(5) == names[...])
        #expect(table.columns.last?.values == ["wifi"])
        #expect(table.columns.first { $0.name == "app.build" }?.values == [])
        #expect(Localiser.localise(table).lines == ["app.version=4.2.0: 15 of 20, 5"])
    }
}
