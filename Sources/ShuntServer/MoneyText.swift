/// Amounts as people write them.
public enum MoneyText {
    /// Currencies whose minor unit isn't a hundredth, and its decimals. Source: ISO 4217, list one.
    private static let decimals: [String: Int] = [
        "BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
        "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0, "BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3,
        "OMR": 3, "TND": 3, "CLF": 4, "UYW": 4,
    ]

    /// E.g. `CNY 95,760.00`, from minor units.
    public static func text(_ minor: Int128, _ currency: String) -> String {
        "\(currency) \(amount(minor, currency))"
    }

    /// The amount without its currency, e.g. `95,760.00`.
    static func amount(_ minor: Int128, _ currency: String) -> String {
        let places = decimals[currency] ?? 2
        let sign = minor < 0 ? "-" : ""
        var digits = "\(minor.magnitude)"
        while digits.count <= places { digits = "0" + digits }
        let fraction = places > 0 ? ".\(digits.suffix(places))" : ""
        return "\(sign)\(grouped(String(digits.dropLast(places))))\(fraction)"
    }

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
