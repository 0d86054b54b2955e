import TestSupport
import Testing

@testable import Domain

/// What is known of a charge depends neither on the order nor on the number of statements.
struct ChargeTests {
    private static func date(_ second: Int64) -> Instant { Instant(milliseconds: second * 1000) }

    private static func statement(using generator: inout SeededGenerator) -> Charge {
        func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator) ?? values[0] }
        var charge = Charge(id: "1")
        if Bool.random(using: &generator) {
            var terms = ChargeTerms(
                product: pick(["a", "b"]),
                purchasedAt: date(pick([1, 2])),
                statedAt: date(pick([1, 2, 3]))
            )
            terms.quantity = pick([1, 2])
            terms.price = pick([nil, 990, 1990])
            terms.currency = pick([nil, "EUR"])
            terms.tax = pick([nil, 190])
            terms.isTrial = pick([true, false])
            terms.offer = pick([nil, "o"])
            terms.expiresAt = pick([nil, date(9), date(10)])
            terms.order = pick([nil, OrderToken("00000000-0000-4000-8000-000000000001")])
            charge.terms = terms
        }
        if Bool.random(using: &generator) {
            charge.refund = Charge.Refund(
                at: pick([nil, date(4), date(5)]),
                amount: pick([nil, 100, 200]),
                isPartial: pick([true, false]),
                statedAt: date(pick([4, 5]))
            )
        }
        return charge
    }

    @Test(arguments: Array(UInt64(1)...40)) func statementsConverge(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let statements = (0..<6).map { _ in ChargeTests.statement(using: &generator) }
        func known(_ order: [Charge]) -> Charge { order.reduce(into: Charge(id: "1")) { $0.merge($1) } }
        let expected = known(statements)
        for _ in 0..<20 {
            let repeated = statements.filter { _ in Bool.random(using: &generator) }
            #expect(known((statements + repeated).shuffled(using: &generator)) == expected)
        }
        // Whatever two readers have put together by themselves.
        var joined = known(Array(statements.prefix(3)))
        joined.merge(known(Array(statements.suffix(3))))
        #expect(joined == expected)
    }

    @Test func whatItCostIsSaidFirstAndForHowLongLast() {
        var first = ChargeTerms(product: "pro", purchasedAt: Self.date(5), statedAt: Self.date(5))
        (first.price, first.currency, first.expiresAt) = (9990, "EUR", Self.date(30))
        var later = first
        (later.price, later.expiresAt, later.pricedAt, later.statedAt) = (
            12_990, Self.date(37), Self.date(9), Self.date(9)
        )
        later.purchasedAt = Self.date(9)
        var charge = Charge(id: "1", terms: later)
        charge.merge(Charge(id: "1", terms: first))
        #expect(charge.terms?.price == 9990 && charge.terms?.expiresAt == Self.date(37))
        #expect(charge.terms?.purchasedAt == Self.date(5))
        // A receipt has no prices.
        var receipt = later
        (receipt.price, receipt.currency, receipt.pricedAt) = (nil, nil, Self.date(1))
        charge.merge(Charge(id: "1", terms: receipt))
        #expect(charge.terms?.price == 9990)
    }

    struct News: Sendable {
        var before: Charge?
        var after: Charge
        var news: ChargeNews?
    }

    private static let made: Charge = {
        var terms = ChargeTerms(product: "pro", purchasedAt: date(1), statedAt: date(1))
        terms.price = 9990
        return Charge(id: "1", terms: terms)
    }()

    /// A one-time product at Google.
    private static let unpriced = Charge(
        id: "1",
        terms: ChargeTerms(product: "coins", purchasedAt: date(1), statedAt: date(1))
    )

    private static func refunded(
        _ amount: Int64? = nil,
        of charge: Charge = made,
        isPartial: Bool = false,
        at second: Int64 = 3
    ) -> Charge {
        var charge = charge
        charge.refund = Charge.Refund(at: date(second), amount: amount, isPartial: isPartial, statedAt: date(second))
        return charge
    }

    private static let reversed: Charge = {
        var charge = made
        charge.refund = Charge.Refund(at: nil, statedAt: date(4))
        return charge
    }()

    static let news = [
        News(before: nil, after: made, news: .made), News(before: made, after: made, news: nil),
        News(before: made, after: refunded(), news: .refunded),
        News(before: refunded(100, isPartial: true), after: refunded(200, isPartial: true), news: .refunded),
        News(before: refunded(), after: refunded(), news: nil), News(before: refunded(), after: reversed, news: .made),
        News(before: made, after: reversed, news: nil),
        // Two of three are left, then one, then none, and nobody says how much that was.
        News(before: unpriced, after: refunded(of: unpriced, isPartial: true), news: .refunded),
        News(
            before: refunded(of: unpriced, isPartial: true),
            after: refunded(of: unpriced, isPartial: true, at: 4),
            news: .refunded
        ),
        News(before: refunded(of: unpriced, isPartial: true), after: refunded(of: unpriced), news: .refunded),
        // Said once more.
        News(
            before: refunded(of: unpriced, isPartial: true),
            after: refunded(of: unpriced, isPartial: true),
            news: nil
        ),
        News(before: refunded(of: unpriced), after: refunded(of: unpriced, at: 4), news: nil),
        News(before: refunded(100, isPartial: true), after: refunded(100, isPartial: true, at: 4), news: nil),
        // A refund comes before its charge.
        News(before: nil, after: refunded(of: Charge(id: "1")), news: nil),
        News(before: refunded(of: Charge(id: "1")), after: refunded(), news: .made),
    ]

    @Test(arguments: news) func aChargeIsNews(_ given: News) {
        #expect(ChargeNews(before: given.before, after: given.after) == given.news)
    }

    @Test func whatWasGivenBack() {
        #expect(Self.made.refunded == nil && Self.refunded().refunded == 9990)
        #expect(Self.refunded(500, isPartial: true).refunded == 500)
        #expect(Self.refunded(isPartial: true).refunded == nil && Self.reversed.refunded == nil)
    }

    struct Amount: Sendable {
        var thousandths: Int64
        var currency: String
        var text: String
    }

    static let amounts = [
        Amount(thousandths: 9990, currency: "EUR", text: "9.99"), Amount(thousandths: 0, currency: "USD", text: "0.00"),
        Amount(thousandths: 50, currency: "USD", text: "0.05"),
        Amount(thousandths: -1500, currency: "USD", text: "-1.50"),
        Amount(thousandths: 1_234_567_890, currency: "usd", text: "1234567.89"),
        Amount(thousandths: 1_000_000, currency: "JPY", text: "1000"),
        Amount(thousandths: 1250, currency: "KWD", text: "1.250"),
        Amount(thousandths: 1995, currency: "USD", text: "2.00"),
        Amount(thousandths: 1994, currency: "USD", text: "1.99"),
        Amount(thousandths: .min, currency: "KWD", text: "-9223372036854775.808"),
        Amount(thousandths: .max, currency: "JPY", text: "9223372036854776"),
    ]

    @Test(arguments: amounts) func anAmountHasTheDecimalsOfItsCurrency(_ given: Amount) {
        #expect(CurrencyAmount.text(given.thousandths, currency: given.currency) == given.text)
    }
}
