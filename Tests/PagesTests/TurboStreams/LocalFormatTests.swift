import Domain
import Testing

@testable import Pages

@Suite struct LocalFormatTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var locale: String
        var date: String
        var dollars: String
        var yen: String
        var testDescription: String { locale }
    }

    /// As CLDR has it: a no-break space before the sign, marks of direction, the calendar and the digits of the country.
    @Test(arguments: [
        Case(locale: "en", date: "December 18, 2025", dollars: "$79.99", yen: "¥500"),
        Case(locale: "en-GB", date: "18 December 2025", dollars: "US$79.99", yen: "JP¥500"),
        Case(locale: "de", date: "18. Dezember 2025", dollars: "79,99\u{A0}$", yen: "500\u{A0}¥"),
        Case(locale: "pt-BR", date: "18 de dezembro de 2025", dollars: "US$\u{A0}79,99", yen: "JP¥\u{A0}500"),
        Case(locale: "pt-PT", date: "18 de dezembro de 2025", dollars: "79,99\u{A0}US$", yen: "500\u{A0}JP¥"),
        Case(locale: "ja", date: "2025年12月18日", dollars: "$79.99", yen: "¥500"),
        Case(
            locale: "ar-EG",
            date: "١٨ ديسمبر، ٢٠٢٥",
            dollars: "\u{200F}٧٩٫٩٩\u{A0}US$",
            yen: "\u{200F}٥٠٠\u{A0}JP¥"
        ),
        Case(locale: "fa", date: "۲۷ آذر ۱۴۰۴", dollars: "\u{200E}$۷۹٫۹۹", yen: "\u{200E}¥۵۰۰"),
        Case(locale: "zh-TW", date: "2025年12月18日", dollars: "US$79.99", yen: "¥500"),
        Case(locale: "de-XX", date: "18. Dezember 2025", dollars: "79,99\u{A0}$", yen: "500\u{A0}¥"),
        Case(locale: "xx", date: "December 18, 2025", dollars: "$79.99", yen: "¥500"),
    ])
    func writesAsTheLanguageDoes(_ example: Case) throws {
        let format = LocalFormat.of(try #require(LanguageTag(example.locale)))
        #expect(format.date(Instant(milliseconds: 1_766_094_420_000)) == example.date)
        #expect(format.price("79.99", currency: "USD") == example.dollars)
        #expect(format.price("500.00", currency: "JPY") == example.yen)
    }

    struct Price: Sendable {
        var text: String
        var currency: String
        var written: String?
    }

    @Test(arguments: [
        Price(text: "9.995", currency: "USD", written: "9,995\u{A0}$"),
        Price(text: "-1.50", currency: "EUR", written: "-1,50\u{A0}€"),
        Price(text: "1234.50", currency: "eur", written: "1.234,50\u{A0}€"),
        Price(text: "9.99", currency: "", written: "9,99"), Price(text: "9.99", currency: "coins", written: "9,99"),
        Price(text: "9223372036854775.80", currency: "EUR", written: "9.223.372.036.854.775,80\u{A0}€"),
        Price(text: "", currency: "EUR"), Price(text: "from 5", currency: "EUR"),
        Price(text: "5 coins", currency: "EUR"),
        Price(text: "5", currency: "EUR"), Price(text: "1e9.00", currency: "EUR"), Price(text: ".99", currency: "EUR"),
        Price(text: "9.9x", currency: "EUR"), Price(text: "1.00.00", currency: "EUR"),
        Price(text: String(repeating: "9", count: 10_000) + ".00", currency: "EUR"),
    ])
    func writesPricesOfOurs(_ price: Price) throws {
        let format = LocalFormat.of(try #require(LanguageTag("de")))
        #expect(format.price(price.text, currency: price.currency) == price.written)
    }

    /// In UTC a day begins at Greenwich, whatever the language.
    @Test(arguments: ["de", "ja", "en"]) func aDayIsADayInUTC(_ locale: String) throws {
        let format = LocalFormat.of(try #require(LanguageTag(locale)))
        let ends = ["2025-12-18T00:00:00Z", "2025-12-18T23:59:59.999Z"].compactMap { Instant(iso8601: $0) }
        let days = ends.map(format.date)
        #expect(days.count == 2 && days[0] == days[1] && days[0].contains("18"))
    }

    @Test func everyTagOfOneLanguageSharesItsFormat() throws {
        let before = LocalFormat.count
        for region in 0..<500 {
            let text = "de-" + String(repeating: "0", count: 3 - String(region).utf8.count) + String(region)
            _ = LocalFormat.of(try #require(LanguageTag(text)))
        }
        #expect(LocalFormat.count - before < 100, "other tests may run meanwhile")
    }
}
