/// A cheap first look at a text: whether anything in it is worth a scanner's time.
///
/// One pass in which letters and digits cost a comparison or two. It may suspect in vain, but it never lets through what
/// a scanner would take out.
struct Suspicion {
    /// Twelve digits or more, hardly interrupted.
    let ofCard: Bool
    /// A mark that credentials, tokens, addresses and keyed values can't do without.
    let ofSecret: Bool

    /// Whether either scanner must run.
    var isAny: Bool { ofCard || ofSecret }

    /// A word this long, in bytes, may be encoded data; the scanner lets hashes in hexadecimal off.
    static let longWord = 60

    init(of bytes: Span<UInt8>) {
        var card = false
        var secret = false
        var digits = 0
        var wordStart = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isLetter {
                digits = 0
                if byte == 0x4A, index > 0, bytes[index - 1] == 0x79 { secret = true }  // eyJ: base64 of {"
                continue
            }
            if byte.isDigit {
                digits &+= 1
                if digits >= 12 { card = true }
                continue
            }
            if byte >= 0x80 {  // a wide character: full-width digits start with 0xEF, and some are separators
                if byte == 0xEF {
                    digits &+= 1
                    if digits >= 12 { card = true }
                }
                if index &- wordStart >= Self.longWord { secret = true }
                wordStart = index &+ 1
                continue
            }
            // Only what base64 and its escapes are made of continues a word: + / \ - _ =
            switch byte {
            case 0x2D:  // hyphen
                if Self.opensBlock(index, bytes) { secret = true }
                continue
            case 0x2B: continue  // plus
            case 0x2F: digits = 0  // slash
            case 0x5C:  // backslash: \u may escape a digit or a separator
                digits = 0
                if index + 1 < bytes.count, bytes[index + 1] == 0x75 { card = true }
            case 0x5F:  // underscore
                digits = 0
                if SecretScanner.keyPrefixEnds(at: index, in: bytes) { secret = true }
            default:
                if index &- wordStart >= Self.longWord { secret = true }
                wordStart = index &+ 1
                switch byte {
                case 0x20:  // space
                    if index > 4, Self.mayEndScheme(bytes[index - 1]), SecretScanner.schemeEnds(at: index, in: bytes) {
                        secret = true
                    }
                case 0x2E: break  // dot
                case 0x25: Self.look(atPercent: index, bytes, &digits, &card, &secret)
                case 0x3A, 0x3D:  // colon, equals sign
                    digits = 0
                    if KeyedValue.isSensitive(at: index, in: bytes) { secret = true }
                case 0x3C:  // less-than, of XML
                    digits = 0
                    if index + 1 < bytes.count, bytes[index + 1].isLetter { secret = true }
                case 0x40: secret = true  // at sign
                default: digits = 0
                }
            }
        }
        if bytes.count - wordStart >= Self.longWord { secret = true }
        ofCard = card
        ofSecret = secret
    }

    /// The last letter of `bearer` or `basic`.
    @inline(__always)
    private static func mayEndScheme(_ byte: UInt8) -> Bool { byte | 0x20 == 0x72 || byte | 0x20 == 0x63 }

    /// Whether the hyphen at `index` is the last before the `BEGIN` of a PEM block.
    @inline(__always)
    private static func opensBlock(_ index: Int, _ bytes: Span<UInt8>) -> Bool {
        index > 0 && index + 1 < bytes.count && bytes[index - 1] == 0x2D && bytes[index + 1] | 0x20 == 0x62
    }

    /// A percent sign may escape an at sign, or a separator across which a card number goes on.
    private static func look(
        atPercent index: Int,
        _ bytes: Span<UInt8>,
        _ digits: inout Int,
        _ card: inout Bool,
        _ secret: inout Bool
    ) {
        switch TextUnit.hexadecimal(index + 1, count: 2, in: bytes) {
        case 0x20: break
        case 0x40: secret = true
        case 0x2D, 0x2E, 0xC2: card = true
        default: digits = 0
        }
    }
}
