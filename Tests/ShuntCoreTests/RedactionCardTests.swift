import ShuntCore
import TestSupport
import Testing

@Suite struct RedactionCardTests {
    /// Card numbers that providers publish for tests.
    static let testCards = [
        "4242424242424242", "4000056655665556", "5555555555554444", "2223003122003222", "5200828282828210",
        "5105105105105100", "378282246310005", "371449635398431", "6011111111111117", "6011000990139424",
        "3056930009020004", "36227206271667", "30569309025904", "38520000023237", "3566002020360505",
        "3530111333300000", "6200000000000005", "6200000000000047", "6205500000000000004", "4000000000000002",
        "4000000000009995", "4000000000000069", "4000000000000127", "4000000000000119", "4100000000000019",
        "4000002500003155", "4000002760003184", "6212345678901265", "6212345678901232", "62123456789002",
        "6212345678900000003", "4111111111111111",
    ]

    @Test(arguments: testCards)
    func `a published test card is taken out of free text and of ids, and is known as one`(card: String) {
        for field in RedactedField.allCases {
            let redaction = Redactor.examine("card \(card) refused", as: field)
            #expect(redaction.text == "card [PAN …\(card.suffix(4))] refused")
            #expect(redaction.found.kinds == [.cardNumber])
            #expect(redaction.holdsTestCard)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var wanted: String
        var testDescription: String { name }
    }

    @Test(arguments: [
        Row(name: "spaces (getsentry/sentry#3156)", text: "4111 1111 1111 1111", wanted: "[PAN …1111]"),
        Row(name: "hyphens", text: "4111-1111-1111-1111", wanted: "[PAN …1111]"),
        Row(name: "dots", text: "4111.1111.1111.1111", wanted: "[PAN …1111]"),
        Row(name: "no-break spaces", text: "4111\u{A0}1111\u{A0}1111\u{A0}1111", wanted: "[PAN …1111]"),
        Row(name: "full-width digits", text: "卡号４１１１１１１１１１１１１１１１。", wanted: "卡号[PAN …1111]。"),
        Row(name: "full-width digits and spaces", text: "４１１１　１１１１　１１１１　１１１１", wanted: "[PAN …1111]"),
        Row(name: "Chinese text without a space", text: "卡4111111111111111冻结", wanted: "卡[PAN …1111]冻结"),
        Row(name: "an underscore in front", text: "x_4111111111111111", wanted: "x_[PAN …1111]"),
        Row(name: "a sentence's full stop", text: "Card 4111111111111111.", wanted: "Card [PAN …1111]."),
        Row(name: "American Express, its grouping", text: "3782 822463 10005", wanted: "[PAN …0005]"),
        Row(name: "every digit alone", text: "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", wanted: "[PAN …1111]"),
        Row(name: "a date in front", text: "2026-11-30 4111 1111 1111 1111", wanted: "2026-11-30 [PAN …1111]"),
        Row(name: "a small number in front", text: "17 4111 1111 1111 1111", wanted: "17 [PAN …1111]"),
        Row(name: "the security code behind", text: "4111-1111-1111-1111-123", wanted: "[PAN …1111]-123"),
        Row(name: "the expiry behind", text: "4111 1111 1111 1111 12/27", wanted: "[PAN …1111] 12/27"),
        Row(name: "an order id in front", text: "INT-2024-4111111111111111", wanted: "INT-2024-[PAN …1111]"),
        Row(name: "two cards", text: "4111111111111111,5555555555554444", wanted: "[PAN …1111],[PAN …4444]"),
        Row(name: "two cards, one space", text: "4111111111111111 5555555555554444", wanted: "[PAN …1111] [PAN …4444]"),
        Row(name: "a path", text: "https://x.test/c/4111111111111111/pay", wanted: "https://x.test/c/[PAN …1111]/pay"),
        Row(name: "a query", text: "/pay?n=4111111111111111&x=1", wanted: "/pay?n=[PAN …1111]&x=1"),
        Row(name: "a query, plus for space", text: "?n=4111+1111+1111+1111&x=1", wanted: "?n=[PAN …1111]&x=1"),
        Row(name: "a query, percent-encoded", text: "?n=4111%201111%201111%201111", wanted: "?n=[PAN …1111]"),
        Row(
            name: "percent-encoded JSON",
            text: "%7B%22n%22%3A%224111111111111111%22%7D",
            wanted: "%7B%22n%22%3A%22[PAN …1111]%22%7D"
        ),
        Row(name: "an encoded equals sign", text: "n%3D4111111111111111", wanted: "n%3D[PAN …1111]"),
        Row(name: "an encoded space", text: "n%204111111111111111", wanted: "n%20[PAN …1111]"),
        Row(name: "a doubly encoded space", text: "n%25204111111111111111", wanted: "n%2520[PAN …1111]"),
        Row(
            name: "JSON within JSON",
            text: #"{"body":"{\"n\":\"4111111111111111\"}"}"#,
            wanted: #"{"body":"{\"n\":\"[PAN …1111]\"}"}"#
        ),
        Row(name: "an escaped line feed in front", text: #"line\n4111111111111111"#, wanted: #"line\n[PAN …1111]"#),
        Row(name: "a doubly escaped one", text: #"line\\n4111111111111111"#, wanted: #"line\\n[PAN …1111]"#),
        Row(name: "escaped no-break spaces", text: #"4111\u00a01111\u00a01111\u00a01111"#, wanted: "[PAN …1111]"),
        Row(name: "an escaped letter in front", text: #"caf\u00e94111111111111111"#, wanted: #"caf\u00e9[PAN …1111]"#),
        Row(name: "a JSON number", text: #"{"n":4111111111111111}"#, wanted: #"{"n":[PAN …1111]}"#),
        Row(name: "UnionPay that fails its check digit", text: "6221730301002042987", wanted: "[PAN …2987]"),
        Row(name: "track 2", text: ";4111111111111111=25121011234500000000?", wanted: ";[redacted track]?"),
        Row(
            name: "track 2 as a chip spells it",
            text: "4111111111111111D25121011234500000000F",
            wanted: "[redacted track]"
        ),
        Row(name: "track 1", text: "%B4111111111111111^DOE/JANE^25121011234500000000?", wanted: "%B[redacted track]?"),
    ])
    func `a card number is taken out, however it is written`(row: Row) {
        #expect(Redactor.redact(row.text) == row.wanted)
        #expect(Redactor.redact(row.wanted) == row.wanted)
    }

    @Test(arguments: [
        Row(name: "15 digits (getsentry/sentry#1518)", text: "150428427078522", wanted: ""),
        Row(name: "Adyen pspReference", text: "8514775559925128", wanted: ""),
        Row(name: "Adyen pspReference, newer", text: "8835574120337117", wanted: ""),
        Row(name: "epoch, milliseconds", text: "at 1698148900000", wanted: ""),
        Row(name: "epoch, microseconds", text: "at 1698148900000000", wanted: ""),
        Row(name: "epoch, nanoseconds", text: "1544712660300000000", wanted: ""),
        Row(name: "epoch, with a fraction", text: "1508840416.888", wanted: ""),
        Row(name: "a compact time", text: "20261130044900123", wanted: ""),
        Row(name: "a UnionPay queryId, 21 digits", text: "622130010420260730001", wanted: ""),
        Row(name: "an IMEI, whose check digit always fits", text: "IMEI 356938035643809", wanted: ""),
        Row(name: "a merchant id, 15 digits from 4", text: "494619000001174", wanted: ""),
        Row(name: "a phone number", text: "call +86 138 0013 8000", wanted: ""),
        Row(name: "a Colombian phone number whose check digit fits", text: "+573001234562", wanted: ""),
        Row(name: "an IBAN", text: "DE89370400440532013000", wanted: ""),
        Row(name: "an IBAN in groups that read as a card", text: "GB39 NWBK 6016 6083 7783 53", wanted: ""),
        Row(name: "a snowflake", text: "1790123456789012345", wanted: ""),
        Row(name: "a UUID that ends in a Maestro number", text: "ac8218cf-498b-4d33-bd44-676770000005", wanted: ""),
        Row(name: "a coordinate that passes for Mastercard", text: "52.52000659999993", wanted: ""),
        Row(name: "a fraction of 16 digits", text: "0.4111111111111111", wanted: ""),
        Row(name: "a price with cents", text: "4111111111111111.25", wanted: ""),
        Row(name: "letters joined on", text: "a4111111111111111", wanted: ""),
        Row(name: "letters joined on behind", text: "4111111111111111x", wanted: ""),
        Row(name: "twenty digits", text: "41111111111111111111", wanted: ""),
        Row(name: "two separators", text: "4111  1111  1111  1111", wanted: ""),
        Row(name: "a list of small numbers", text: "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 7 12 9", wanted: ""),
        Row(name: "a hash", text: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", wanted: ""),
        Row(name: "a check digit that doesn't fit", text: "4111111111111112", wanted: ""),
        Row(name: "an order id with a dash", text: "3193747-1568289", wanted: ""),
    ])
    func `a number that isn't a card number stays`(row: Row) {
        let redaction = Redactor.examine(row.text)
        #expect(redaction.text == row.text)
        #expect(redaction.found.isEmpty)
    }

    @Test func `a UnionPay number that fails its check digit stays in a declared id`() {
        #expect(Redactor.redact("6221730301002042987", as: .identifier) == "6221730301002042987")
        #expect(Redactor.redact("6212345678901265", as: .identifier) == "[PAN …1265]")
    }

    @Test func `an ordinary card isn't called a test card`() {
        let redaction = Redactor.examine("4539578763621486")
        #expect(redaction.found.contains(.cardNumber))
        #expect(!redaction.holdsTestCard)
    }

    @Test func `a key can hold a card number`() {
        #expect(Redactor.redact("limits.4111111111111111.day") == "limits.[PAN …1111].day")
    }
}
