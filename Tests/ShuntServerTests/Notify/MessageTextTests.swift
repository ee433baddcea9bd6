import TestSupport
import Testing

@testable import ShuntServer

/// Limits of fields: reached exactly, and never within a character.
@Suite struct MessageTextTests {
    /// A family of one character, 11 UTF-16 units and 25 bytes.
    private static let family = "👨‍👩‍👧‍👦"

    @Test(arguments: [("a", 150), ("支", 150), ("é", 151), ("👍", 150), (family, 150), ("e\u{301}", 149)])
    func `a text is cut between characters at the limit of units`(character: String, limit: Int) {
        for count in [0, 1, limit / character.utf16.count, limit / character.utf16.count + 1, limit * 2] {
            let text = String(repeating: character, count: count)
            let clamped = MessageText.clamped(text, units: limit)
            #expect(clamped.utf16.count <= limit)
            if text.utf16.count <= limit {
                #expect(clamped == text)
            } else {
                #expect(clamped.last == "…")
                #expect(text.hasPrefix(clamped.dropLast()))
                // As much as fits is kept.
                #expect(clamped.utf16.count > limit - character.utf16.count - 1)
            }
        }
    }

    @Test(arguments: [("a", 2048), ("支", 2048), ("é", 2049), ("👍", 2047), (family, 2048)])
    func `a text is cut between characters at the limit of bytes`(character: String, limit: Int) {
        for count in [0, 1, limit / character.utf8.count, limit / character.utf8.count + 1, limit * 2] {
            let text = String(repeating: character, count: count)
            let clamped = MessageText.clamped(text, bytes: limit)
            #expect(clamped.utf8.count <= limit)
            if text.utf8.count <= limit {
                #expect(clamped == text)
            } else {
                #expect(clamped.last == "…")
                #expect(text.hasPrefix(clamped.dropLast()))
                #expect(clamped.utf8.count > limit - character.utf8.count - 3)
            }
        }
    }

    @Test func `what becomes longer by its escapes isn't cut within one`() {
        for count in 25...35 {
            let text = MessageText.clampedEscaping(
                String(repeating: "<", count: count),
                units: 120,
                SlackDialect.escaped
            )
            #expect(text.utf16.count <= 120)
            #expect(text == String(repeating: "&lt;", count: count <= 30 ? count : 29) + (count <= 30 ? "" : "…"))
        }
    }

    @Test func `a limit without room for the mark leaves nothing`() {
        #expect(MessageText.clamped("abc", units: 0).isEmpty)
        #expect(MessageText.clamped("abc", bytes: 2).isEmpty)
        #expect(MessageText.clamped("支付", bytes: 3) == "…")
    }

    @Test func `a link at the end survives the cut`() {
        var text = NoticeSample.text(NoticeSample.firing())
        text.facts = [NoticeText.Fact(kind: .own, label: "", value: String(repeating: "支", count: 5000))]
        for limit in [500, 2048, 2049, 2050, 9000] {
            let plain = MessageText.plain(text, bytes: limit)
            #expect(plain.utf8.count <= limit && plain.utf8.count > limit - 6)
            #expect(plain.hasSuffix("…\nAlert: https://shunt.example.com/#/alerts/412-0"))
        }
    }
}
