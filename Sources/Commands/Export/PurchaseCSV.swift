public import APIModel
import Domain

/// Charges as a table for a bookkeeper: RFC 4180, amounts in the currency's own units, dates in UTC.
public enum PurchaseCSV {
    /// The names of the columns are those of the API's members.
    public static let header = row(columns.map(\.name))

    /// Without the line break at its end, of which `row` has the first half.
    public static func row(_ purchase: PurchaseItem) -> String { row(columns.map { $0.value(purchase) }) }

    private static let columns: [(name: String, value: @Sendable (PurchaseItem) -> String)] = [
        ("purchased_at", { $0.purchasedAt ?? "" }),
        ("environment", { $0.environment }),
        ("store", { text($0.store) }),
        ("provider", { $0.provider }),
        ("transaction", { text($0.transaction) }),
        ("contract", { text($0.contract) }),
        ("user", { text($0.user?.text ?? "") }),
        ("order", { $0.order ?? "" }),
        ("product", { text($0.product) }),
        ("kind", { $0.kind ?? "" }),
        ("quantity", { "\($0.quantity)" }),
        ("currency", { text($0.currency ?? "") }),
        ("price", { amount($0.price, $0) }),
        ("tax", { amount($0.tax, $0) }),
        ("refunded", { amount($0.refunded, $0) }),
        ("refunded_at", { $0.refundedAt ?? "" }),
        ("expires_at", { $0.expiresAt ?? "" }),
        ("trial", { $0.trial.map { "\($0)" } ?? "" }),
        ("offer", { text($0.offer ?? "") }),
    ]

    /// Nothing without a currency: a bookkeeper would take it for the own one.
    private static func amount(_ thousandths: Int?, _ purchase: PurchaseItem) -> String {
        guard let thousandths, let currency = purchase.currency else { return "" }
        return CurrencyAmount.text(Int64(thousandths), currency: currency)
    }

    /// A spreadsheet would run what begins like a formula (https://owasp.org/www-community/attacks/CSV_Injection).
    private static func text(_ text: String) -> String {
        guard let first = text.utf8.first, "=+-@\t\r".utf8.contains(first) else { return text }
        return "'" + text
    }

    private static func row(_ fields: [String]) -> String {
        fields.map { field in
            guard field.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return field }
            // By bytes, as whoever reads it does: a quote and a combining accent are one Character, which is no quote.
            let doubled = field.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
            return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
        }.joined(separator: ",") + "\r"
    }
}
