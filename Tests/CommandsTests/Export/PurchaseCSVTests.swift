import APIModel
import Commands
import Domain
import Testing

/// A table that a bookkeeper's spreadsheet reads as it is meant, whatever stores and users are called.
struct PurchaseCSVTests {
    struct Case: Sendable {
        var text: String
        var field: String
    }

    static let cases = [
        Case(text: "coins", field: "coins"), Case(text: "a,b", field: "\"a,b\""),
        Case(text: "say \"hi\"", field: "\"say \"\"hi\"\"\""), Case(text: "=1+1", field: "'=1+1"),
        Case(text: "+1", field: "'+1"), Case(text: "-1", field: "'-1"), Case(text: "@a", field: "'@a"),
        Case(text: "\tx", field: "'\tx"),
        Case(text: "=HYPERLINK(\"a\",\"b\")", field: "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\""),
        Case(text: "", field: ""),
        // The quote and the accent are one Character: whoever reads the table counts bytes.
        Case(text: "x\"\u{301},=HYPERLINK(1)", field: "\"x\"\"\u{301},=HYPERLINK(1)\""),
    ]

    private func item(_ product: String, currency: String? = "EUR") -> PurchaseItem {
        let at = Instant(milliseconds: 1_767_225_600_000)
        var terms = ChargeTerms(product: product, purchasedAt: at, statedAt: at)
        (terms.price, terms.currency, terms.tax) = (9990, currency, 1600)
        let refund = Charge.Refund(at: at + .seconds(60), amount: 5000, isPartial: true, statedAt: at)
        let key = ContractKey(provider: .apple, environment: .production, app: "a", lineage: "2")
        var item = PurchaseItem(Charge(id: "1", terms: terms, refund: refund), of: key, kind: .consumable, store: nil)
        item.user = "42"
        return item
    }

    @Test(arguments: cases) func aTextIsNoFormula(_ given: Case) {
        #expect(PurchaseCSV.row(item(given.text)).contains(",,\(given.field),consumable,"))
    }

    @Test func aLineIsWhole() {
        let line =
            "2026-01-01T00:00:00.000Z,Production,apple,apple,1,2,42,,coins,consumable,1,EUR,9.99,1.60,5.00,"
            + "2026-01-01T00:01:00.000Z,,false,\r"
        #expect(PurchaseCSV.row(item("coins")) == line)
        #expect(PurchaseCSV.header.split(separator: ",").count == 19 && PurchaseCSV.header.hasSuffix("offer\r"))
        #expect(PurchaseCSV.row(item("coins", currency: "JPY")).contains(",JPY,10,2,5,"))
        #expect(PurchaseCSV.row(item("coins", currency: nil)).contains(",1,,,,,2026"))
    }
}
