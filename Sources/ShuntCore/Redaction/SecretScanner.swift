/// Finds credentials, tokens, keys, encoded data, e-mail addresses and keyed values in a text, in time linear in it.
///
/// Nothing is allocated unless something is found. Each rule looks at a mark that its prey can't do without, and takes the
/// longest stretch that can belong to it; the scan goes on behind that.
struct SecretScanner {
    private(set) var spans: [RedactedSpan] = []
    /// The end of the last finding: nothing before it may be taken again.
    private var settled = 0
    /// The end of the word that was measured last, so that no word is measured twice.
    private var measured = 0

    /// Scans the whole text.
    mutating func scan(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count {
            if let span = finding(at: index, bytes) {
                spans.append(span)
                settled = span.range.upperBound
                index = max(index + 1, settled)
            } else {
                index += 1
            }
        }
    }

    private mutating func finding(at index: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        let byte = bytes[index]
        if byte == 0x65, index == settled || !isWordByte(before: index, bytes), let span = signedToken(at: index, bytes)
        {
            return span
        }
        let opensWord = index == 0 || index == settled || !bytes[index - 1].isBase64
        if opensWord, byte.isBase64, index >= measured, let span = encodedWord(at: index, bytes) { return span }
        switch byte {
        case 0x20: return credential(at: index, bytes)
        case 0x2D: return pem(at: index, bytes)
        case 0x3A, 0x3D: return KeyedValue.span(at: index, in: bytes)
        case 0x3C: return element(at: index, bytes)
        case 0x40: return address(at: index, width: 1, bytes)
        case 0x25:
            return TextUnit.hexadecimal(index + 1, count: 2, in: bytes) == 0x40
                ? address(at: index, width: 3, bytes) : nil
        case 0x5F: return key(at: index, bytes)
        default: return nil
        }
    }

    private func isWordByte(before index: Int, _ bytes: Span<UInt8>) -> Bool {
        index > 0 && bytes[index - 1].isAlphanumeric
    }

    // MARK: Credentials and keys

    /// Whether an authentication scheme ends at the space at `index`.
    static func schemeEnds(at index: Int, in bytes: Span<UInt8>) -> Bool {
        guard index > 4 else { return false }
        switch bytes[index - 1].lowercased {
        case 0x72: return bytes.holds("bearer", endingAt: index)
        case 0x63: return bytes.holds("basic", endingAt: index)
        default: return false
        }
    }

    /// `Bearer …` and `Basic …`, but not prose such as `basic authentication`: a credential has a digit, or capitals inside.
    private func credential(at space: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        guard Self.schemeEnds(at: space, in: bytes) else { return nil }
        var start = space
        while start < bytes.count, bytes[start] == 0x20 { start += 1 }
        var end = start
        var capitals = 0
        var small = 0
        var digits = 0
        while end < bytes.count, bytes[end].isBase64 || bytes[end] == 0x2E || bytes[end] == 0x7E {
            let byte = bytes[end]
            if byte.isDigit {
                digits += 1
            } else if byte &- 0x41 < 26 {
                capitals += 1
            } else if byte.isLetter {
                small += 1
            }
            end += 1
        }
        end = paddingEnd(at: end, bytes)
        guard end - start >= 8, digits > 0 || capitals > 1 && small > 0 || end - start >= 32 else { return nil }
        return RedactedSpan(range: start..<end, kind: .credential)
    }

    /// Whether a key's fixed part ends at the underscore at `index`: `sk_live_`, `rk_test_`, `whsec_`, `pi_…_secret_`.
    static func keyPrefixEnds(at index: Int, in bytes: Span<UInt8>) -> Bool { keyPrefix(at: index, in: bytes) != nil }

    private static func keyPrefix(at index: Int, in bytes: Span<UInt8>) -> Int? {
        guard index >= 5 else { return nil }
        func opensWord(_ start: Int) -> Bool { start == 0 || !bytes[start - 1].isAlphanumeric }
        switch bytes[index - 1] {
        case 0x65, 0x74:  // sk_live, sk_test
            guard bytes.holds("live", endingAt: index) || bytes.holds("test", endingAt: index) else {
                return bytes.holds("_secret", endingAt: index) ? index + 1 : nil
            }
            let isKey = bytes.holds("sk_", endingAt: index - 4) || bytes.holds("rk_", endingAt: index - 4)
            return isKey && opensWord(index - 7) ? index - 7 : nil
        case 0x63: return bytes.holds("whsec", endingAt: index) && opensWord(index - 5) ? index - 5 : nil
        default: return nil
        }
    }

    /// API keys as a whole; of a client secret only the secret half, since the id in front of it helps.
    private func key(at underscore: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        guard let start = Self.keyPrefix(at: underscore, in: bytes), start >= settled else { return nil }
        var end = underscore + 1
        while end < bytes.count, bytes[end].isAlphanumeric || bytes[end] == 0x5F { end += 1 }
        guard end - underscore > 8 else { return nil }
        return RedactedSpan(range: start..<end, kind: .apiKey)
    }

    private func pem(at index: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        guard bytes.holds("-----begin ", at: index) else { return nil }
        var end = bytes.count
        if let close = bytes.firstIndex(of: "-----end ", from: index + 11) {
            end = bytes.firstIndex(of: "-----", from: close + 9).map { $0 + 5 } ?? bytes.count
        }
        return RedactedSpan(range: index..<end, kind: .pem)
    }

    // MARK: Tokens and encoded data

    /// A compact JWS or JWE: base64url parts joined by dots, the first of which is a JSON object.
    private func signedToken(at index: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        guard bytes.holds("eyj", at: index), bytes[index + 1] == 0x79, bytes[index + 2] == 0x4A else { return nil }
        var end = index
        var dots = 0
        while end < bytes.count, bytes[end].isBase64 || bytes[end] == 0x2E {
            if bytes[end] == 0x2E {
                guard end + 1 < bytes.count, bytes[end + 1].isBase64 || bytes[end + 1] == 0x2E else { break }
                dots += 1
            }
            end += 1
        }
        end = paddingEnd(at: end, bytes)
        guard end - index >= 20, dots > 0 else {
            return end - index >= 40 ? RedactedSpan(range: index..<end, kind: .encodedBlob) : nil
        }
        return RedactedSpan(range: index..<end, kind: .signedToken)
    }

    /// A long word of base64, wrapped or not. Hashes, paths and identifiers aren't: see ``WordShape``.
    private mutating func encodedWord(at start: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        var shape = WordShape()
        var index = start
        var lineStart = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte.isBase64 {
                shape.count(byte)
                index += 1
            } else if byte == 0x5C, index + 1 < bytes.count, bytes[index + 1] == 0x2F {
                index += 1  // a slash that JSON escapes
            } else if index - lineStart >= Suspicion.longWord, let next = lineBreakEnd(at: index, bytes) {
                index = next
                lineStart = next
            } else {
                break
            }
        }
        measured = index
        index = paddingEnd(at: index, bytes)
        let isKnown =
            bytes.holds("phnh", at: start) || bytes.holds("pefz", at: start) || bytes.holds("mii", at: start)
            || bytes.holds("mia", at: start)
        guard shape.length >= Suspicion.longWord, isKnown ? shape.isMixed : shape.isEncodedData else { return nil }
        return RedactedSpan(range: start..<index, kind: .encodedBlob)
    }

    private func paddingEnd(at index: Int, _ bytes: Span<UInt8>) -> Int {
        var end = index
        while end < bytes.count, end - index < 2, bytes[end] == 0x3D { end += 1 }
        return end
    }

    /// Where a line break ends that wraps encoded data: raw, or as an escape.
    private func lineBreakEnd(at index: Int, _ bytes: Span<UInt8>) -> Int? {
        var end = index
        while end < bytes.count {
            if bytes[end] == 0x0A || bytes[end] == 0x0D {
                end += 1
            } else if bytes[end] == 0x5C, end + 1 < bytes.count, bytes[end + 1] == 0x6E || bytes[end + 1] == 0x72 {
                end += 2
            } else {
                break
            }
        }
        return end > index && end < bytes.count && bytes[end].isBase64 ? end : nil
    }

    private func element(at index: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        guard index + 1 < bytes.count, bytes[index + 1].isLetter else { return nil }
        var end = index + 1
        while end < bytes.count, end - index < 64, bytes[end].isAlphanumeric || bytes[end] == 0x3A { end += 1 }
        let isAssertion = bytes.holds("assertion", endingAt: end) || bytes.holds("saml", at: index + 1)
        guard isAssertion else { return KeyedValue.element(at: index, in: bytes) }
        let name = bytes.extracting((index + 1)..<end)
        var close = end
        while close < bytes.count {
            if bytes[close] == 0x3C, close + 1 < bytes.count, bytes[close + 1] == 0x2F,
                matches(name, at: close + 2, bytes)
            {
                let tagEnd = min(close + 2 + name.count + 1, bytes.count)
                return RedactedSpan(range: index..<tagEnd, kind: .assertion)
            }
            close += 1
        }
        return RedactedSpan(range: index..<bytes.count, kind: .assertion)
    }

    private func matches(_ name: Span<UInt8>, at index: Int, _ bytes: Span<UInt8>) -> Bool {
        guard index + name.count <= bytes.count else { return false }
        for offset in name.indices where bytes[index + offset] != name[offset] { return false }
        return true
    }

    // MARK: Addresses

    /// An e-mail address, or the user and password of a URL, around the at sign at `index`.
    private func address(at index: Int, width: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        var start = index
        while start > settled, index - start < 254, isLocalByte(bytes[start - 1]) { start -= 1 }
        if let userInfo = userInfo(before: start, at: index, bytes) { return userInfo }
        guard start < index else { return nil }
        var end = index + width
        var lastDot: Int?
        while end < bytes.count, end - index < 254,
            bytes[end].isAlphanumeric || bytes[end] == 0x2D || bytes[end] == 0x2E
        {
            if bytes[end] == 0x2E {
                guard end > index + width, end + 1 < bytes.count, bytes[end + 1].isAlphanumeric else { break }
                lastDot = end
            }
            end += 1
        }
        // The last label has letters only: `bundle@4.2.0` is a release. `logo@2x.png` is a picture.
        guard let lastDot, end - lastDot > 2 else { return nil }
        for position in (lastDot + 1)..<end where !bytes[position].isLetter { return nil }
        let isScaleFactor = bytes[index + width].isDigit && bytes.holds("x.", at: index + width + 1)
        return isScaleFactor ? nil : RedactedSpan(range: start..<end, kind: .email)
    }

    private func userInfo(before start: Int, at index: Int, _ bytes: Span<UInt8>) -> RedactedSpan? {
        guard start > 0, bytes[start - 1] == 0x3A else { return nil }
        var userStart = start - 1
        while userStart > settled, index - userStart < 254, isLocalByte(bytes[userStart - 1]) { userStart -= 1 }
        guard userStart >= 2, bytes[userStart - 1] == 0x2F, bytes[userStart - 2] == 0x2F else { return nil }
        return RedactedSpan(range: userStart..<index, kind: .credential)
    }

    private func isLocalByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2E, 0x5F, 0x25, 0x2B, 0x2D, 0x27: true
        default: byte.isAlphanumeric
        }
    }
}

/// What a long word is made of, which tells encoded data from hashes, paths and identifiers.
private struct WordShape {
    private(set) var length = 0
    private var capitals = 0
    private var small = 0
    private var digits = 0
    private var slashes = 0

    mutating func count(_ byte: UInt8) {
        length += 1
        if byte.isDigit {
            digits += 1
        } else if byte &- 0x41 < 26 {
            capitals += 1
        } else if byte.isLetter {
            small += 1
        } else if byte == 0x2F || byte == 0x2D || byte == 0x5F {
            slashes += 1
        }
    }

    /// Capitals, small letters and digits all occur: not a hash in hexadecimal, not prose.
    var isMixed: Bool { capitals * 8 >= length && small * 8 >= length && digits > 0 }

    /// Random base64 is two fifths capitals, two fifths small letters and a sixth digits, and a thirty-second slashes;
    /// from 160 characters on a word that is near that is data and no identifier.
    var isEncodedData: Bool {
        length >= 160 && capitals * 5 >= length && small * 5 >= length && digits * 20 >= length
            && slashes * 10 <= length
    }
}
