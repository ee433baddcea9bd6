import ShuntCore
import ShuntSchema
import ShuntServer
import Testing

@Suite struct `A table of failures` {
    private func read(_ text: String, by size: Int = .max) -> FailureTable {
        var table = FailureTable()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            table.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        table.finish()
        return table
    }

    private let tricky =
        "\u{FEFF}window,failures,\"a,b\",plain\r\nnow,1,\"x\"\"y\r\nz\",p\r\n\r\nbaseline,2,,\"\"\r\nnow,3,é,\"q\""

    @Test(arguments: [1, 2, 3, 7, 1000]) func `is read alike in whatever pieces it comes`(_ size: Int) {
        let table = read(tricky, by: size)
        #expect(table.problems == [])
        #expect(table.table.columns.map(\.name) == ["a,b", "plain"])
        #expect(table.table.columns.map(\.values) == [["x\"y\r\nz", "é"], ["p", "q"]])
        #expect(table.table.columns.map(\.codes) == [[1, 0, 2], [1, 0, 2]])
        #expect(table.table.isNow == [true, false, true])
        #expect(table.table.failures == [1, 2, 3])
    }

    struct Bad: Sendable {
        var text: String
        var says: String
        var good: Int
        init(_ text: String, _ says: String, good: Int = 0) {
            self.text = text
            self.says = says
            self.good = good
        }
    }

    private static let head = "window,failures,attempts,a\n"

    @Test(arguments: [
        Bad("", "1:1: an empty file; expected a first line that names the columns"),
        Bad("failures,a\nbaseline,1,x\n", "1:1: no column \"window\" among \"failures\", \"a\"; expected"),
        Bad("window,a\n", "1:1: no column \"failures\""),
        Bad("window,failures,a,a\n", "1:19: a second column \"a\"; expected each name once"),
        Bad("window,failures,,a\n", "1:17: a column without a name"),
        Bad(head + "now,1,2\nnow,1,2,x\n", "2:7: a row of 3 fields; expected 4, as in the first line", good: 1),
        Bad(head + "now,1,2,x,y\nnow,1,2,x\n", "2:11: a row of 5 fields; expected 4", good: 1),
        Bad(head + "nwo,1,2,x\nnow,1,2,x\n", "2:1: window \"nwo\"; expected now or baseline", good: 1),
        Bad(head + "now,1.5,2,x\nnow,1,2,x\n", "2:5: failures \"1.5\"; expected a whole number from 0", good: 1),
        Bad(head + "now,,2,x\nnow,1,2,x\n", "2:5: failures \"\"; expected a whole number", good: 1),
        Bad(head + "now,99999999999999999999,,x\nnow,1,2,x\n", "2:5: failures \"99999999999999999999\"", good: 1),
        Bad(head + "now,3,2,x\nnow,1,2,x\n", "2:7: 2 attempts and 3 failures; expected at least as many", good: 1),
        Bad(head + "now,1,2,x\"y\nnow,1,2,x\n", "2:9: a quote inside a field", good: 1),
        Bad(head + "now,1,2,\"x\"y\nnow,1,2,x\n", "2:9: text after a closing quote", good: 1),
        Bad(head + "now,1,2,\"x\nnow,1,2,x\n", "2:9: a quote that isn't closed", good: 1),
    ]) func `has what is wrong told with its place, and what is good taken`(_ bad: Bad) {
        for size in [1, 5, .max] {
            let table = read(bad.text, by: size)
            #expect(table.problemCount == 1, "\(table.problems)")
            #expect(table.problems.first?.description.hasPrefix(bad.says) == true, "\(table.problems)")
            #expect(table.rowCount == bad.good)
        }
    }

    @Test func `bytes that aren't UTF-8 are a problem of their row`() {
        var table = FailureTable()
        table.append(Array("window,failures,a\nnow,1,".utf8) + [0xFF, 0x0A] + Array("now,1,x\n".utf8))
        table.finish()
        #expect(table.problems.map(\.description) == ["2:7: bytes that aren't UTF-8; expected UTF-8"])
        #expect(table.rowCount == 1)
    }

    @Test func `of many problems a hundred are kept and all counted`() {
        let table = read("window,failures\n" + String(repeating: "now,x\n", count: 250) + "now,1\n")
        #expect(table.problems.count == 100)
        #expect(table.problemCount == 250)
        #expect(table.rowCount == 1)
    }
}

@Suite struct `A cause in words` {
    private func cause(_ pairs: [(String, String)], _ change: (inout Cause) -> Void = { _ in }) -> Cause {
        var rows: [LocalisationTable.Column] = []
        for (name, value) in pairs {
            rows.append(LocalisationTable.Column(name: name, values: [value, "other"], codes: [1, 2, 1, 2]))
        }
        let table = LocalisationTable(
            columns: rows,
            isNow: [true, true, false, false],
            failures: [97, 3, 11, 89]
        )
        var cause = Localiser.localise(table).causes[0]
        cause.attributes = pairs.map { Cause.Attribute(name: $0.0, value: $0.1) }
        change(&cause)
        return cause
    }

    private let shown = [("app.version", "4.2.0"), ("os.name", "iOS"), ("os.version", "17.4"), ("region", "CN")]

    @Test func `is said as people say it, in both languages`() {
        let cause = cause(shown)
        #expect(CauseText.english.sentence(cause) == "97 % are app 4.2.0 on iOS 17.4 (normally 11 %), region CN")
        #expect(CauseText.chinese.sentence(cause) == "97 % 来自 App 4.2.0、iOS 17.4（平时 11 %），地区 CN")
        #expect(CauseText.english.sentence(cause, rank: 1).hasPrefix("97 % of the rest are app 4.2.0"))
    }

    @Test func `claims no share at baseline where there is none, and no certainty beyond three attributes`() {
        let new = cause([("region", "CN")]) { $0.baselineShare = nil }
        #expect(CauseText.english.sentence(new) == "97 % are region CN (nothing to compare with)")
        let deep = cause(shown) {
            $0.isAtLeast = true
            $0.refinement = .init(name: "psp", value: "unionpay")
        }
        #expect(
            CauseText.english.sentence(deep)
                == "at least: 97 % are app 4.2.0 on iOS 17.4 (normally 11 %), region CN; perhaps only provider unionpay"
        )
    }

    @Test func `has words for each attribute of events, and steers no terminal`() {
        for attribute in LocalisedAttribute.all {
            // The Chinese shows that it isn't the fallback: in English some attributes are called as people call them.
            let cause = cause([(attribute.name, "X1")])
            let text = CauseText.chinese.sentence(cause)
            #expect(text.contains("X1") && !text.contains(attribute.name), "\(text)")
            #expect(CauseText.english.sentence(cause).contains("X1"))
        }
        #expect(CauseText.english.sentence(cause([("team", "a\u{1B}[2J")])).contains("team a\\u{1B}[2J"))
    }

    @Test func `rounds no part up to all and none down to nothing`() {
        for (share, text) in [(0.9999, "99 %"), (1, "100 %"), (0.0001, "< 1 %"), (0.115, "12 %")] {
            #expect(CauseText.english.sentence(cause([("region", "CN")]) { $0.share = share }).hasPrefix(text + " are"))
        }
    }

    @Test func `is written as JSON with its numbers`() {
        var writer = JSONWriter()
        cause([("region", "CN")]).write(to: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            text.hasPrefix(
                #"{"attributes":[{"name":"region","value":"CN"}],"count":97,"of":100,"share":0.97,"baselineCount":11,"#
                    + #""baselineShare":0.11,"lift":8.8182,"score":"#
            ),
            "\(text)"
        )
        #expect(text.hasSuffix(#","text":"97 % are region CN (normally 11 %)"}"#), "\(text)")
    }
}
