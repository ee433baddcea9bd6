/// Decides by its name alone whether a field must never be kept.
///
/// A key is cut into words at separators, at camel-case humps and between letters and digits (`userPIN2` is user, PIN,
/// 2) and then read in lower case without separators. A pattern then matches by its reach: see ``Reach``.
enum SensitiveKey {
    /// How a pattern may stand in a key.
    private enum Reach {
        /// Anywhere, within a word too: `password` in `oldpasswordhash`.
        case anywhere
        /// From the start of a word, or within one glued word: `cardnumber` in `card_number2` and `mycardnumber`.
        case wordStart
        /// As whole words (`cardPan`, `pin_block`), or glued to a word of the trade (`cardpan`, `pinblock`); so that
        /// `company`, `shipping`, `spanId` and `accNotes` survive.
        case wholeWords
        /// As the last word: `payerPhone`, not `phoneModel`.
        case lastWord
    }

    private struct Pattern {
        var text: [UInt8]
        var reach: Reach
    }

    /// Longest key, in letters and digits, that is looked at; nothing honest is longer, so longer keys are dropped.
    private static let longest = 64

    private static let patterns: [[Pattern]] = {
        let anywhere = [
            "password", "passwd", "secret", "cookie", "bearer", "cryptogram", "authorization", "signature", "assertion",
            "saml", "email", "token", "cvv", "cvc", "cvn2",
        ]
        let wordStart = [
            "cardnumber", "accountnumber", "securitycode", "pinblock", "track2data", "paymentdata", "emvdata",
            "receiptdata", "apikey", "privatekey", "wrappedkey", "ephemeralpublickey", "merchantsession",
            "customerinfo",
            "encryptedinfo", "cardholder", "holdername", "billingdetails", "phonenumber", "xauthtoken",
        ]
        let wholeWords = [
            "pan", "dpan", "fpan", "pin", "cid", "cvn", "accno", "idcard", "phoneno", "certifid", "track1", "track2",
            "trackdata", "firstname", "lastname", "fullname", "surname", "givenname", "familyname", "customername",
            "payername", "buyername", "contactname", "mobileno", "mobilenumber", "mobilephone",
        ]
        let lastWord = ["phone", "address"]
        var table = [[Pattern]](repeating: [], count: 26)
        func add(_ texts: [String], _ reach: Reach) {
            for text in texts {
                let bytes = [UInt8](text.utf8)
                guard let first = bytes.first else { continue }
                table[Int(first) - 0x61].append(Pattern(text: bytes, reach: reach))
            }
        }
        add(anywhere, .anywhere)
        add(wordStart, .wordStart)
        add(wholeWords, .wholeWords)
        add(lastWord, .lastWord)
        return table
    }()

    /// For each first letter, the second letters with which a pattern goes on: most places of a key need no closer look.
    private static let openings: InlineArray<26, UInt32> = {
        var table = InlineArray<26, UInt32>(repeating: 0)
        for (first, starting) in patterns.enumerated() {
            for pattern in starting { table[first] |= 1 << UInt32(pattern.text[1] - 0x61) }
        }
        return table
    }()

    private static func opensPattern(_ first: UInt8, _ second: UInt8) -> Bool {
        guard first.isLetter, second.isLetter else { return false }
        return openings[Int(first) - 0x61] >> UInt32(second - 0x61) & 1 == 1
    }

    /// What may be glued to a short pattern without making it an ordinary word.
    private static let affixes: [[UInt8]] = [
        "card", "user", "enc", "encrypted", "old", "new", "masked", "raw", "full", "block", "code", "number", "no",
        "num",
        "data", "value", "hash", "my", "customer", "payer", "primary", "device",
    ].map { [UInt8]($0.utf8) }

    private static let token = [UInt8]("token".utf8)

    /// What a token key may say about its token without being one.
    private static let harmlessAfterToken: [[UInt8]] = [
        "version", "type", "kind", "status", "state", "format", "provider", "expir", "age", "length", "size", "bytes",
        "count", "submit", "decrypt", "ized", "ised", "ization", "isation",
    ].map { [UInt8]($0.utf8) }

    /// What a provider says about a security code (`cvcResult`) is a diagnosis and holds no digit of it.
    private static let harmlessAfterCode: [[UInt8]] = ["result", "check", "status", "match"].map { [UInt8]($0.utf8) }

    /// Whether the value beside `key` must be dropped whole.
    static func isSensitive(_ key: Span<UInt8>) -> Bool {
        var letters = InlineArray<64, UInt8>(repeating: 0)
        var starts: UInt64 = 0
        var count = 0
        var previous: UInt8 = 0
        for index in key.indices {
            let byte = key[index]
            let isLetter = (byte | 0x20) &- 0x61 < 26
            guard isLetter || byte &- 0x30 < 10 else {
                previous = 0
                continue
            }
            guard count < longest else { return true }
            let next = index + 1 < key.count ? key[index + 1] : 0
            if opensWord(byte, after: previous, before: next) { starts |= 1 << UInt64(count) }
            letters[count] = isLetter ? byte | 0x20 : byte
            count += 1
            previous = byte
        }
        let words = Words(letters: letters, starts: starts, count: count)
        for start in 0..<max(0, count - 2) where opensPattern(letters[start], letters[start + 1]) {
            for pattern in patterns[Int(letters[start]) - 0x61] where matches(pattern, at: start, words) { return true }
        }
        return false
    }

    private static func opensWord(_ byte: UInt8, after previous: UInt8, before next: UInt8) -> Bool {
        if previous == 0 { return true }
        let isDigit = byte &- 0x30 < 10
        if isDigit != (previous &- 0x30 < 10) { return true }
        guard byte &- 0x41 < 26 else { return false }
        // A hump, or the last capital of an acronym: PINBlock is PIN, Block.
        return previous &- 0x61 < 26 || next &- 0x61 < 26
    }

    // MARK: Matching

    private struct Words {
        var letters: InlineArray<64, UInt8>
        var starts: UInt64
        var count: Int

        func isBoundary(_ index: Int) -> Bool { index >= count || starts >> UInt64(index) & 1 == 1 }

        func holds(_ text: [UInt8], at start: Int) -> Bool {
            guard start >= 0, start + text.count <= count else { return false }
            for offset in text.indices where letters[start + offset] != text[offset] { return false }
            return true
        }

        /// Where the word that holds `index` starts.
        func wordStart(_ index: Int) -> Int {
            var start = index
            while start > 0, !isBoundary(start) { start -= 1 }
            return start
        }

        /// Where the word that holds `index - 1` ends.
        func wordEnd(_ index: Int) -> Int {
            var end = index
            while !isBoundary(end) { end += 1 }
            return end
        }
    }

    private static func matches(_ pattern: Pattern, at start: Int, _ words: Words) -> Bool {
        guard words.holds(pattern.text, at: start) else { return false }
        let end = start + pattern.text.count
        switch pattern.reach {
        case .anywhere:
            guard pattern.text == token || pattern.text.count <= 4 else { return true }
            let harmless = pattern.text == token ? harmlessAfterToken : harmlessAfterCode
            return !harmless.contains { words.holds($0, at: end) }
        case .wordStart:
            return words.isBoundary(start) || words.wordStart(start) == words.wordStart(end - 1)
        case .wholeWords:
            return isWhole(start, end, words)
        case .lastWord:
            return words.isBoundary(start) && end == words.count
        }
    }

    private static func isWhole(_ start: Int, _ end: Int, _ words: Words) -> Bool {
        let opens = words.isBoundary(start)
        let closes = words.isBoundary(end)
        if opens && closes { return true }
        if opens {
            let wordEnd = words.wordEnd(end)
            return affixes.contains { $0.count == wordEnd - end && words.holds($0, at: end) }
        }
        let wordStart = words.wordStart(start)
        return closes && affixes.contains { $0.count == start - wordStart && words.holds($0, at: wordStart) }
    }
}
