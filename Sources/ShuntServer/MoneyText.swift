internal import ShuntSchema

/// Amounts as people write them.
public enum MoneyText {
    /// E.g. `CNY 95,760.00`, from minor units.
    public static func text(_ minor: Int128, _ currency: String) -> String {
        CurrencyExponent.text(minor, currency)
    }

    /// The amount without its currency, e.g. `95,760.00`.
    static func amount(_ minor: Int128, _ currency: String) -> String {
        CurrencyExponent.amount(minor, currency)
    }

    /// Sets commas between thousands: `1,234,567`.
    public static func grouped(_ digits: String) -> String {
        CurrencyExponent.grouped(digits)
    }
}
