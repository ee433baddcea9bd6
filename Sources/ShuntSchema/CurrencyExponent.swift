/// How many decimals a currency's minor unit is, and amounts as people write them. No floating point anywhere.
///
/// Source: ISO 4217, list one.
public enum CurrencyExponent {
    /// The currencies whose minor unit isn't a hundredth.
    private static let exceptions: [String: Int] = [
        "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
        "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0, "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3,
        "OMR": 3, "TND": 3, "CLF": 4, "UYW": 4,
    ]

    /// Metals and units of account, which have no minor unit.
    private static let without: Set<String> = ["XAG", "XAU", "XDR", "XPD", "XPT", "XTS", "XXX"]

    /// The decimals of a currency, from 0 to 4; nil for one without a minor unit. One that isn't known has two.
    public static func decimals(of currency: String) -> Int? {
        without.contains(currency) ? nil : exceptions[currency] ?? 2
    }

    /// E.g. `CNY 95,760.00`, from minor units.
    public static func text(_ minor: Int128, _ currency: String) -> String {
        "\(currency) \(amount(minor, currency))"
    }

    /// The amount without its currency, e.g. `95,760.00`.
    public static func amount(_ minor: Int128, _ currency: String) -> String {
        let places = decimals(of: currency) ?? 0
        let sign = minor < 0 ? "-" : ""
        var digits = "\(minor.magnitude)"
        while digits.count <= places { digits = "0" + digits }
        let fraction = places > 0 ? ".\(digits.suffix(places))" : ""
        return "\(sign)\(grouped(String(digits.dropLast(places))))\(fraction)"
    }

    /// Minor units from a decimal such as `50000` or `12.5`; nil for anything else, for more decimals than the currency
    /// has, and for what is too much.
    public static func minor(_ text: String, _ currency: String) -> Int64? {
        let places = decimals(of: currency) ?? 0
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else {
            return nil
        }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.count <= places else { return nil }
        return Int64(parts[0] + decimals + String(repeating: "0", count: places - decimals.count))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// Sets commas between thousands: `1,234,567`.
    public static func grouped(_ digits: String) -> String {
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return result
    }
}
