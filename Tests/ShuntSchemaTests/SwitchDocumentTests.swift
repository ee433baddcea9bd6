import Foundation
import ShuntSchema
import Testing

@Suite struct SwitchDocumentTests {
    private static let since = Timestamp(milliseconds: 1_796_014_140_123)

    private static let document = SwitchDocument(
        epoch: "b7c1",
        version: 417,
        environment: "production",
        pollAfterSec: 15,
        switches: [
            SwitchStatus(
                key: "apple-pay",
                state: .degraded,
                variant: "web",
                since: since,
                reason: SwitchReason(
                    kind: "rule",
                    rule: "error-code-burst",
                    alert: "102-0",
                    summary: "verify/8771: 100 attempts failed within 5 min"
                ),
                scopes: []
            ),
            SwitchStatus(
                key: "card",
                state: .normal,
                variant: "form",
                since: since,
                reason: nil,
                scopes: [
                    ScopeStatus(
                        match: ["region": "CN", "app.version": "4.2.0", "network": "visa"],
                        state: .degraded,
                        variant: "hosted",
                        percent: 100
                    )
                ]
            ),
        ]
    )

    private static let json =
        #"{"epoch":"b7c1","version":417,"environment":"production","pollAfterSec":15,"switches":["#
        + #"{"key":"apple-pay","state":"degraded","variant":"web","since":"2026-11-30T04:49:00.123Z","#
        + #""reason":{"kind":"rule","rule":"error-code-burst","alert":"102-0","#
        + #""summary":"verify/8771: 100 attempts failed within 5 min"},"scopes":[]},"#
        + #"{"key":"card","state":"normal","variant":"form","since":"2026-11-30T04:49:00.123Z","#
        + #""scopes":[{"match":{"app.version":"4.2.0","network":"visa","region":"CN"},"#
        + #""state":"degraded","variant":"hosted","percent":100}]}]}"#

    @Test func `a document is written in one fixed order`() {
        #expect(String(decoding: Self.document.json(), as: UTF8.self) == Self.json)
    }

    @Test func `Foundation reads the same document`() throws {
        #expect(try JSONDecoder().decode(SwitchDocument.self, from: Data(Self.json.utf8)) == Self.document)
    }

    @Test func `what Foundation writes is read as the same document`() throws {
        let data = try JSONEncoder().encode(Self.document)
        #expect(try JSONDecoder().decode(SwitchDocument.self, from: data) == Self.document)
    }

    @Test func `a reader of today reads what a later daemon adds`() throws {
        let later = Self.json.replacing(#""percent":100"#, with: #""percent":100,"later":{"a":[1]}"#)
        #expect(try JSONDecoder().decode(SwitchDocument.self, from: Data(later.utf8)) == Self.document)
    }

    @Test func `one switch has a document of its own`() throws {
        let bytes = try #require(Self.document.json(key: "card"))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"epoch":"b7c1","version":417,"environment":"production","pollAfterSec":15,"#
                + #""key":"card","state":"normal","variant":"form","since":"2026-11-30T04:49:00.123Z","#
                + #""scopes":[{"match":{"app.version":"4.2.0","network":"visa","region":"CN"},"#
                + #""state":"degraded","variant":"hosted","percent":100}]}"#
        )
        #expect(Self.document.json(key: "unheard-of") == nil)
        #expect(Self.document.json(key: "") == nil)
    }

    @Test func `a document without switches is one all the same`() {
        let empty = SwitchDocument(epoch: "", version: 1, environment: "a\"b", pollAfterSec: 60, switches: [])
        #expect(
            String(decoding: empty.json(), as: UTF8.self)
                == #"{"epoch":"","version":1,"environment":"a\"b","pollAfterSec":60,"switches":[]}"#
        )
    }

    @Test func `a slice's attributes are written in the order of their names, however they came`() {
        let names = (0..<40).map { "attribute-\($0)" }
        var texts: Set<[UInt8]> = []
        for shift in 0..<5 {
            let turned = names[(shift * 7)...] + names[..<(shift * 7)]
            var match: [String: String] = [:]
            for name in turned { match[name] = "x" }
            var document = Self.document
            document.switches[1].scopes[0].match = match
            texts.insert(document.json())
        }
        #expect(texts.count == 1)
    }
}
