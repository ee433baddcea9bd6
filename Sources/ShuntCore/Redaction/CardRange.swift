/// Which numbers can be card numbers: issuer ranges with the lengths each of them issues.
///
/// A check digit alone lets one random number in ten through, so the range and the length must fit as well.
/// Sources: the schemes' published ranges (ISO/IEC 7812 issuer identification numbers).
enum CardRange {
    /// What it takes for a number to be a card number.
    enum Verdict {
        /// No scheme issues this range at this length.
        case notACard
        /// A card number if the check digit (Luhn) fits.
        case withCheckDigit
        /// UnionPay's 62: cards that fail Luhn are in circulation, so free text takes no chance.
        case evenWithoutCheckDigit
    }

    /// The shortest and the longest card number, in digits.
    static let lengths = 12...19

    /// Judges a number by its first four digits and its length.
    static func verdict(firstFour: Int, length: Int) -> Verdict {
        if firstFour / 100 == 62, (16...19).contains(length) { return .evenWithoutCheckDigit }
        return isIssued(firstFour: firstFour, length: length) ? .withCheckDigit : .notACard
    }

    /// Whether numbers that start with these four digits can be card numbers at some length; a quick way out.
    static func mayBeIssued(firstFour: Int) -> Bool {
        switch firstFour {
        case 2200...2204, 2221...2720, 3000...3059, 3400...3499, 3528...3589, 3600...3999, 4000...5599: true
        case 5600...6999, 8100...8299: true
        default: false
        }
    }

    private static func isIssued(firstFour: Int, length: Int) -> Bool {
        switch firstFour {
        case 4000...4999: length == 13 || length == 16 || length == 19  // Visa
        case 5100...5599, 2221...2720: length == 16  // Mastercard
        case 3400...3499, 3700...3799: length == 15  // American Express; never an IMEI, which starts 35, 86 or 01
        case 3000...3059, 3600...3699, 3800...3999: (14...19).contains(length)  // Diners
        case 3528...3589: (16...19).contains(length)  // JCB
        case 2200...2204: (16...19).contains(length)  // Mir
        case 8100...8199: (16...19).contains(length)  // UnionPay, RuPay
        case 8200...8299: length == 16  // RuPay
        case 5000...5099, 5600...6999: (12...19).contains(length)  // Maestro, and within it Discover, RuPay, UnionPay
        default: false
        }
    }

    /// Whether a number is of the Maestro range at a length that an international phone number also has.
    static func looksLikePhone(firstFour: Int, length: Int) -> Bool {
        length <= 15 && (5000...5099 ~= firstFour || 5600...6999 ~= firstFour)
    }

    /// Whether a number is one of the test cards that payment providers publish.
    static func isTestCard(_ number: UInt64) -> Bool { testCards.contains(number) }

    // Published by Stripe, Braintree and the schemes for sandboxes; none can be charged.
    private static let testCards: Set<UInt64> = [
        4_242_424_242_424_242, 4_000_056_655_665_556, 5_555_555_555_554_444, 2_223_003_122_003_222,
        5_200_828_282_828_210, 5_105_105_105_105_100, 378_282_246_310_005, 371_449_635_398_431,
        6_011_111_111_111_117, 6_011_000_990_139_424, 3_056_930_009_020_004, 36_227_206_271_667,
        30_569_309_025_904, 38_520_000_023_237, 3_566_002_020_360_505, 3_530_111_333_300_000,
        6_200_000_000_000_005, 6_200_000_000_000_047, 6_205_500_000_000_000_004,
        4_000_000_000_000_002, 4_000_000_000_009_995, 4_000_000_000_000_069, 4_000_000_000_000_127,
        4_000_000_000_000_119, 4_100_000_000_000_019, 4_000_002_500_003_155, 4_000_002_760_003_184,
        6_212_345_678_901_265, 6_212_345_678_901_232, 62_123_456_789_002, 6_212_345_678_900_000_003,
        4_111_111_111_111_111,
    ]
}

/// The check digit of ISO/IEC 7812 (Luhn), fed a digit at a time from the left.
///
/// Which digits are doubled depends on the length, so both sums are kept and `isValid` picks one.
struct CheckDigit {
    private var doublingEven = 0
    private var doublingOdd = 0
    /// How many digits were fed.
    private(set) var count = 0
    /// The number itself; right for up to 19 digits.
    private(set) var number: UInt64 = 0

    /// Feeds the next digit, 0–9.
    mutating func feed(_ digit: Int) {
        let doubled = digit < 5 ? digit * 2 : digit * 2 - 9
        if count & 1 == 0 {
            doublingEven += doubled
            doublingOdd += digit
        } else {
            doublingEven += digit
            doublingOdd += doubled
        }
        count += 1
        number = number &* 10 &+ UInt64(digit)
    }

    /// Whether the digits so far end in their own check digit.
    var isValid: Bool { (count & 1 == 0 ? doublingEven : doublingOdd) % 10 == 0 }
}
