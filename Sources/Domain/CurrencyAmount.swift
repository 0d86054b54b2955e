/// An amount as people read it, from the thousandths in which prices are kept.
public enum CurrencyAmount {
    /// With as many decimals as the currency has (ISO 4217), rounded to them: `9.99`, `1000` or `1.250`. Never grouped.
    public static func text(_ thousandths: Int64, currency: String) -> String {
        let code = currency.uppercased()
        let decimals = withoutDecimals.contains(code) ? 0 : withThreeDecimals.contains(code) ? 3 : 2
        let unit: UInt64 = decimals == 0 ? 1000 : decimals == 3 ? 1 : 10
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: unit)
        let digits = padded("\(whole + (rest * 2 >= unit && rest > 0 ? 1 : 0))", to: decimals + 1)
        let sign = thousandths < 0 ? "-" : ""
        guard decimals > 0 else { return sign + digits }
        return "\(sign)\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
    }

    private static let withoutDecimals: Set = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF",
        "XPF",
    ]
    private static let withThreeDecimals: Set = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
}
