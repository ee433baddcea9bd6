/// Takes what must not be kept out of texts: card numbers, credentials, tokens, personal data.
///
/// Pure and linear in the text. It runs on every string of every event, so a text in which nothing is found costs about a
/// nanosecond a byte and comes back as the same string, without allocation. Applying it twice changes nothing.
public enum Redactor {
    /// The text fit to keep.
    public static func redact(_ text: String, as field: RedactedField = .freeText) -> String {
        examine(text, as: field).text
    }

    /// The text fit to keep, with what was taken out of it.
    public static func examine(_ text: String, as field: RedactedField = .freeText) -> Redaction {
        var redaction = Redaction(untouched: text)
        // What is taken out bares what it was joined to, so a finding is followed by another look.
        var looks = 0
        while looks < mostLooks, look(&redaction, as: field) { looks += 1 }
        return redaction
    }

    /// Each look is linear, so their number has an end; texts made to need more than a few aren't ordinary ones.
    private static let mostLooks = 8

    /// Takes out what one look finds; false when it finds nothing.
    private static func look(_ redaction: inout Redaction, as field: RedactedField) -> Bool {
        let bytes = redaction.text.utf8.span
        let suspicion = Suspicion(of: bytes)
        guard suspicion.isAny else { return false }
        var spans: [RedactedSpan] = []
        if suspicion.ofSecret {
            var scanner = SecretScanner()
            scanner.scan(bytes)
            spans = scanner.spans
        }
        if suspicion.ofCard {
            var scanner = CardScanner(as: field)
            scanner.scan(bytes)
            spans = joined(secrets: spans, cards: scanner.spans)
        }
        guard !spans.isEmpty else { return false }
        redaction = applying(spans, to: redaction)
        return true
    }

    /// Whether a text must be looked at closely. False is certain; true isn't. About a nanosecond a byte.
    public static func needsRedaction(_ text: String) -> Bool { Suspicion(of: text.utf8.span).isAny }

    /// Whether a text must be looked at closely, for UTF-8 that isn't a `String` yet.
    public static func needsRedaction(_ utf8: Span<UInt8>) -> Bool { Suspicion(of: utf8).isAny }

    /// Whether the value beside this key must be dropped whole, unseen: `cvv`, `cardPan`, `userPIN`, `payment_data`.
    ///
    /// Case, `-`, `_` and dots don't matter. Ordinary keys that merely contain such letters (`company`,
    /// `shippingMethod`, `spanId`, `tokenVersion`) are kept; `docs/decisions/0004-redaction.md` says how words are cut.
    /// A key can itself hold a card number: ``redact(_:as:)`` takes keys too.
    public static func shouldDrop(key: String) -> Bool { SensitiveKey.isSensitive(key.utf8.span) }

    // MARK: Spans

    /// Both lists in order of place; a card number inside a secret goes with it, one that reaches out of it widens it.
    private static func joined(secrets: [RedactedSpan], cards: [RedactedSpan]) -> [RedactedSpan] {
        if secrets.isEmpty { return cards }
        if cards.isEmpty { return secrets }
        var all: [RedactedSpan] = []
        var card = 0
        var secret = 0
        while card < cards.count || secret < secrets.count {
            let takesSecret =
                card == cards.count
                || secret < secrets.count && secrets[secret].range.lowerBound <= cards[card].range.lowerBound
            let next = takesSecret ? secrets[secret] : cards[card]
            if takesSecret { secret += 1 } else { card += 1 }
            guard let last = all.last, next.range.lowerBound < last.range.upperBound else {
                all.append(next)
                continue
            }
            all[all.count - 1].range = last.range.lowerBound..<max(last.range.upperBound, next.range.upperBound)
            all[all.count - 1].isTestCard = last.isTestCard || next.isTestCard
            // What was a card number and more shows no digits at all.
            if last.kind == .cardNumber { all[all.count - 1].kind = next.kind }
        }
        return all
    }

    private static func applying(_ spans: [RedactedSpan], to earlier: Redaction) -> Redaction {
        let bytes = earlier.text.utf8.span
        var redaction = earlier
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var position = 0
        for span in spans {
            for index in position..<span.range.lowerBound { output.append(bytes[index]) }
            append(span, to: &output)
            redaction.found.insert(span.kind)
            if span.isTestCard { redaction.holdsTestCard = true }
            position = span.range.upperBound
        }
        for index in position..<bytes.count { output.append(bytes[index]) }
        redaction.text = String(decoding: output, as: UTF8.self)
        return redaction
    }

    private static func append(_ span: RedactedSpan, to output: inout [UInt8]) {
        for _ in 0..<span.escapes { output.append(0x5C) }
        if span.isQuoted { output.append(0x22) }
        if span.kind == .cardNumber {
            output.append(contentsOf: "[PAN …".utf8)
            var divisor = 1000
            while divisor > 0 {
                output.append(UInt8(0x30 + span.lastFour / divisor % 10))
                divisor /= 10
            }
            output.append(0x5D)
        } else {
            output.append(contentsOf: span.kind.marker.utf8)
        }
        for _ in 0..<span.escapes { output.append(0x5C) }
        if span.isQuoted { output.append(0x22) }
    }
}
