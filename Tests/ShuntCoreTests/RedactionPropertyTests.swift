import ShuntCore
import Testing

@Suite(.serialized) struct RedactionPropertyTests {
    static let seeds: [UInt64] = [1, 2, 3, 20_261_130]

    @Test(arguments: seeds)
    func `a card number with any separators in any surroundings never survives, seed`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<3_000 {
            let number = random.cardNumber()
            let text = random.surround(random.separate(number))
            let redacted = Redactor.redact(text)
            guard !redacted.contains("[PAN …\(number.suffix(4))]") || Redactor.redact(redacted) != redacted else {
                continue
            }
            Issue.record("\(text) became \(redacted)")
        }
    }

    @Test(arguments: seeds)
    func `an id that can't be a card number always survives, seed`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<5_000 {
            let id = random.ordinaryId()
            for field in RedactedField.allCases {
                let text = "order \(id) failed"
                guard Redactor.redact(id, as: field) != id || Redactor.redact(text, as: field) != text else { continue }
                Issue.record("\(id) was taken for a card number")
            }
        }
    }

    @Test(arguments: seeds)
    func `redacting twice is redacting once, on text made of everything the rules look for, seed`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<5_000 {
            let text = random.soup()
            let once = Redactor.redact(text)
            if Redactor.redact(once) != once { Issue.record("\(text) became \(once)") }
            if !Redactor.needsRedaction(text), once != text { Issue.record("\(text) was not suspected") }
        }
    }

    @Test(arguments: seeds)
    func `fewer than one random 16-digit number in twenty is taken for a card, seed`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var taken = 0
        for _ in 0..<20_000 where Redactor.redact(random.digits(16), as: .identifier).contains("PAN") { taken += 1 }
        #expect(taken * 20 < 20_000)
        #expect(taken > 0)
    }

    struct Shape: Sendable, CustomTestStringConvertible {
        var name: String
        var unit: String
        var testDescription: String { name }
    }

    @Test(arguments: [
        Shape(name: "digits", unit: "4"), Shape(name: "digits and spaces", unit: "4 "),
        Shape(name: "groups of three", unit: "411 "), Shape(name: "groups of four", unit: "6212 "),
        Shape(name: "dotted", unit: "4111."), Shape(name: "percents", unit: "%25"), Shape(name: "slashes", unit: "\\"),
        Shape(name: "at signs", unit: "a@"), Shape(name: "token heads", unit: "eyJ"),
        Shape(name: "dotted token heads", unit: "eyJa."),
        Shape(name: "tags", unit: "<a"), Shape(name: "assertions", unit: "<saml:A "),
        Shape(name: "PEM heads", unit: "-----BEGIN "),
        Shape(name: "keys", unit: "cvv="), Shape(name: "quoted keys", unit: "\"cvv\":"),
        Shape(name: "braces", unit: "\"cvv\":{"),
        Shape(name: "base64", unit: "aB3/"), Shape(name: "IBAN heads", unit: "DE89 "),
        Shape(name: "schemes", unit: "Bearer "),
        Shape(name: "elements", unit: "<cvv>1"), Shape(name: "secrets", unit: "_secret_"),
        Shape(name: "wide digits", unit: "４"),
    ])
    func `sixteen times the text costs about sixteen times the time`(shape: Shape) {
        func cost(_ bytes: Int) -> Duration {
            let text = String(repeating: shape.unit, count: bytes / shape.unit.utf8.count)
            let clock = ContinuousClock()
            return (0..<3).map { _ in clock.measure { _ = Redactor.examine(text) } }.min() ?? .zero
        }
        // A quadratic rule would cost 256 times as much; the margin is for a busy machine.
        #expect(cost(65_536) < cost(4_096) * 96 + .milliseconds(10))
    }
}

/// A seeded generator, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int(next() % UInt64(choices.count))]
    }

    mutating func digits(_ count: Int) -> String {
        String((0..<count).map { _ in Character(String(next() % 10)) })
    }

    /// A number that fits an issuer's range and length and its check digit.
    mutating func cardNumber() -> String {
        let (prefix, length) = pick([
            ("4", 13), ("4", 16), ("4", 19), ("51", 16), ("55", 16), ("2221", 16), ("2720", 16), ("34", 15), ("37", 15),
            ("300", 14), ("36", 14), ("38", 16), ("6011", 16), ("644", 16), ("65", 19), ("3528", 16), ("3589", 19),
            ("62", 16), ("62", 17), ("62", 18), ("62", 19), ("81", 16), ("50", 12), ("56", 13), ("69", 19),
            ("2200", 16),
            ("508", 16), ("82", 16),
        ])
        let body = prefix + digits(length - prefix.count - 1)
        var sum = 0
        for (offset, digit) in body.reversed().enumerated() {
            let value = digit.wholeNumberValue ?? 0
            sum += offset % 2 == 0 ? value / 5 + value * 2 % 10 : value
        }
        return body + String((10 - sum % 10) % 10)
    }

    /// The number with at most one separator between two digits, which may be any of those that occur.
    mutating func separate(_ number: String) -> String {
        let style = next() % 4
        var text = ""
        var dots = 0
        for (offset, digit) in number.enumerated() {
            if offset > 0 {
                switch style {
                case 0: break
                case 1: if offset % 4 == 0 { text += "-" }
                case 2: if offset % 4 == 0 { text += pick([" ", "\u{A0}", "%20", "\u{3000}"]) }
                default:
                    let separator = pick(["", "", " ", "-", ".", "\u{A0}", "+"])
                    if separator == "." { dots += 1 }
                    text += separator
                }
            }
            text += digit.wholeNumberValue.map { style == 2 ? String(wide($0)) : String($0) } ?? ""
        }
        // Two groups joined by a single dot are a decimal number, by definition.
        return dots == 1 ? number : text
    }

    private func wide(_ digit: Int) -> Character {
        Character(Unicode.Scalar(UInt32(0xFF10 + digit)) ?? "0")
    }

    mutating func surround(_ text: String) -> String {
        let before = pick([
            "", "card ", "卡号", "x_", "\"", "n=", "/", "(", "\\n", "n%3D", "{\\\"n\\\":\\\"", "#", "*", "%22", "a: ",
        ])
        let after = pick(["", " refused", "，", "_x", "\"", "&a=1", "/x", ")", "\\n", ".", ", ok", "\\\"}", "?", "%22"])
        return before + text + after
    }

    /// An id of a shape in use that fits no issuer's range at its length.
    mutating func ordinaryId() -> String {
        switch next() % 10 {
        case 0: "17" + digits(11)  // epoch, milliseconds
        case 1: "17" + digits(14)  // epoch, microseconds
        case 2: "17" + digits(17)  // epoch, nanoseconds
        case 3: "2026" + digits(13)  // a compact time
        case 4: pick(["85", "88", "79", "86", "91"]) + digits(14)  // Adyen pspReference
        case 5: digits(21)  // UnionPay queryId
        case 6: "35" + digits(13)  // IMEI
        case 7: "4" + digits(14)  // merchant id
        case 8: uuid()
        default: "INT-2026-" + digits(8)
        }
    }

    private mutating func uuid() -> String {
        [8, 4, 4, 4, 12].map { count in
            String((0..<count).map { _ in pick(Array("0123456789abcdef")) })
        }.joined(separator: "-")
    }

    /// A text made of the pieces that the rules look for, in any order.
    mutating func soup() -> String {
        let count = 1 + Int(next() % 8)
        var text = ""
        for _ in 0..<count {
            switch next() % 12 {
            case 0: text += separate(cardNumber())
            case 1: text += digits(1 + Int(next() % 20))
            case 2:
                text += pick([
                    " ", "-", ".", "+", "%20", "%", "\\", "\\n", "\\u00a0", "\u{A0}", "=", ":", "_", ",", "\n",
                ])
            case 3: text += pick(["a@b.co", "x.y@", "%40z.com", "https://u:p1@h.io/", "@"])
            case 4:
                text += pick([
                    "\"cvv\":", "cvv=", "\\\"pin\\\":", "token=", "Authorization: ", "PIN: ", "\"paymentData\":{",
                ])
            case 5: text += pick(["Bearer ", "Basic ", "dXNlcjpwYXNz", "eyJhbGciOiJFUzI1NiJ9.eyJpZCI6IjEifQ.c2ln"])
            case 6: text += pick(["sk_live_", "whsec_", "_secret_", "A1b2C3d4E5f6"])
            case 7: text += pick(["<cvv>", "</cvv>", "<saml:Assertion>", "</saml:Assertion>", "<", ">"])
            case 8:
                text += pick([
                    "-----BEGIN KEY-----", "-----END KEY-----", "[PAN …1234]", "[redacted]", "[redacted email]",
                ])
            case 9: text += pick(["\"", "}", "{", "]", "[", "null", "'", "&", ";"])
            case 10:
                text += pick([
                    "卡号", "４１１１", "é", "word", "D25121011234", "^N^", "%B", "DE89 3704", "GB39 NWBK 6016 6083 7783 53",
                ])
            default: text += pick([" ", "a", "x "])
            }
        }
        return text
    }
}
