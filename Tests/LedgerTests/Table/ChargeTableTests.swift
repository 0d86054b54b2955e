import TestSupport
import Testing

@testable import Domain
@testable import Ledger
@testable import Simulator

/// The rows of charges that each store's own words make: from its wire format to what a user was charged.
@Suite(.blocking) struct ChargeTableTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var provider: Provider
        var sold = ProductKind.subscription
        var says: [StoreStatement]
        var asksStore = false
        /// Newest first; `charge` is the same word for the same store's id.
        var rows: [String]
        /// What the entries tell of charges.
        var told: [String]

        var testDescription: String {
            "\(provider): \(says.map(\.words).joined(separator: ", ")) of a \(sold.rawValue)"
        }
    }

    private static let month = "paycast.pro.monthly 9.99 USD"

    static let cases = apple + google + stripe + others

    private static let apple = [
        Case(
            provider: .apple,
            says: ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"],
            rows: ["\(month) until day 30, order"],
            told: ["purchase.made"]
        ),
        Case(
            provider: .apple,
            says: ["SUBSCRIBED/INITIAL_BUY", .late("DID_RENEW"), .late("EXPIRED/VOLUNTARY")],
            rows: ["\(month) until day 60, order", "\(month) until day 30, order"],
            told: ["purchase.made", "purchase.made"]
        ),
        Case(
            provider: .apple,
            says: [
                StoreStatement("SUBSCRIBED/INITIAL_BUY") { $0.facts.isTrial = true }
            ],
            rows: ["paycast.pro.monthly 0.00 USD trial introductory until day 7, order"],
            told: ["purchase.made"]
        ),
        Case(
            provider: .apple,
            says: ["SUBSCRIBED/INITIAL_BUY", "REFUND"],
            rows: ["\(month) refunded 9.99 until day 30, order"],
            told: ["purchase.made", "purchase.refunded"]
        ),
        Case(
            provider: .apple,
            sold: .consumable,
            says: [
                StoreStatement("ONE_TIME_CHARGE", edits: ["transaction.quantity": "3"]),
                StoreStatement(
                    "REFUND",
                    edits: [
                        "transaction.revocationType": "\"REFUND_PRORATED\"",
                        "transaction.revocationPercentage": "50000",
                        "transaction.quantity": "3",
                    ]
                ),
            ],
            rows: ["coins ×3 9.99 USD refunded 5.00, order"],
            told: ["purchase.made", "purchase.refunded"]
        ),
        Case(
            provider: .apple,
            sold: .nonConsumable,
            says: ["ONE_TIME_CHARGE", "REFUND", "REFUND_REVERSED"],
            rows: ["keep 9.99 USD, order"],
            told: ["purchase.made", "purchase.refunded", "purchase.made"]
        ),
        // What an app posts is the same charge, and a family member is charged nothing.
        Case(
            provider: .apple,
            says: ["SUBSCRIBED/INITIAL_BUY", StoreStatement("TRANSACTION", claimedBy: "42")],
            rows: ["\(month) until day 30, order"],
            told: ["purchase.made"]
        ),
        Case(
            provider: .apple,
            says: [
                StoreStatement(
                    "SUBSCRIBED/INITIAL_BUY",
                    edits: ["transaction.inAppOwnershipType": "\"FAMILY_SHARED\""]
                )
            ],
            rows: [],
            told: []
        ),
    ]

    private static let google = [
        Case(
            provider: .google,
            says: ["4", "3", .late("2")],
            rows: ["\(month) until day 60, order", "\(month) until day 30, order"],
            told: ["purchase.made", "purchase.made"]
        ),
        Case(
            provider: .google,
            says: ["4/trial"],
            rows: ["paycast.pro.monthly 0.00 USD trial trial until day 7, order"],
            told: ["purchase.made"]
        ),
        Case(provider: .google, says: ["4/pending", "20"], rows: [], told: []),
        Case(
            provider: .google,
            says: ["4", "12"],
            rows: ["\(month) refunded 9.99 until day 0, order"],
            told: ["purchase.made", "purchase.refunded"]
        ),
        Case(
            provider: .google,
            says: ["4", "VOIDED_PURCHASE"],
            rows: ["\(month) refunded 9.99 until day 0, order"],
            told: ["purchase.made", "purchase.refunded"]
        ),
        // Of another charge, which this ledger has not seen.
        Case(
            provider: .google,
            says: ["4", "VOIDED_PURCHASE/past"],
            rows: ["\(month) until day 30, order"],
            told: ["purchase.made"]
        ),
        Case(
            provider: .google,
            sold: .consumable,
            says: [
                StoreStatement(
                    "ONE_TIME_PRODUCT_PURCHASED",
                    edits: ["purchase.productLineItem.0.productOfferDetails": #"{"quantity":3}"#]
                ),
                StoreStatement(
                    "VOIDED_PURCHASE/partial",
                    edits: [
                        "purchase.productLineItem.0.productOfferDetails": #"{"quantity":3,"refundableQuantity":2}"#
                    ]
                ),
            ],
            rows: ["coins ×3 refunded in part, order"],
            told: ["purchase.made", "purchase.refunded"]
        ),
        // Three, then two, then none.
        Case(
            provider: .google,
            sold: .consumable,
            says: [
                .once("ONE_TIME_PRODUCT_PURCHASED", coins: 3, left: 3),
                .once("VOIDED_PURCHASE/partial", coins: 3, left: 2), .once("VOIDED_PURCHASE", coins: 3, left: 0),
            ],
            rows: ["coins ×3 refunded whole, order"],
            told: ["purchase.made", "purchase.refunded", "purchase.refunded"]
        ),
        // One order of two products. A part of one leaves the other; all of it is both.
        Case(
            provider: .google,
            sold: .consumable,
            says: [
                .once("ONE_TIME_PRODUCT_PURCHASED", coins: 5, left: 5, beside: "keep"),
                .once("VOIDED_PURCHASE/partial", coins: 5, left: 4, beside: "keep"),
            ],
            rows: ["keep, order", "coins ×5 refunded in part, order"],
            told: ["purchase.made", "purchase.made", "purchase.refunded"]
        ),
        Case(
            provider: .google,
            sold: .consumable,
            says: [
                .once("ONE_TIME_PRODUCT_PURCHASED", coins: 5, left: 5, beside: "keep"),
                .once("VOIDED_PURCHASE", coins: 5, left: 5, beside: "keep"),
            ],
            rows: ["keep refunded whole, order", "coins ×5 refunded whole, order"],
            told: ["purchase.made", "purchase.made", "purchase.refunded"]
        ),
    ]

    private static let paid = StoreStatement("invoice.paid/subscription_create")

    private static let stripe = [
        Case(
            provider: .stripe,
            says: ["customer.subscription.created", paid, .late("invoice.paid/subscription_cycle")],
            rows: ["\(month) until day 60, order", "\(month) until day 30, order"],
            told: ["purchase.made", "purchase.made"]
        ),
        Case(
            provider: .stripe,
            says: [
                StoreStatement(
                    "invoice.paid/subscription_create",
                    edits: [
                        "data.object.total_taxes": #"[{"amount":120},{"amount":40}]"#,
                        "data.object.discounts": #"[{"coupon":{"id":"WELCOME"}}]"#, "data.object.amount_paid": "899",
                    ]
                )
            ],
            rows: ["paycast.pro.monthly 8.99 USD tax 1.60 WELCOME until day 30, order"],
            told: ["purchase.made"]
        ),
        // A session of a subscription is not its payment.
        Case(provider: .stripe, says: ["checkout.session.completed"], rows: [], told: []),
        Case(
            provider: .stripe,
            sold: .nonConsumable,
            says: ["checkout.session.completed", "charge.refunded/partial", "charge.refunded"],
            rows: ["keep 9.99 USD refunded 9.99, order"],
            told: ["purchase.made", "purchase.refunded", "purchase.refunded"]
        ),
        Case(
            provider: .stripe,
            sold: .nonConsumable,
            says: ["checkout.session.completed", "charge.dispute.closed/lost", "charge.dispute.funds_reinstated"],
            rows: ["keep 9.99 USD, order"],
            told: ["purchase.made", "purchase.refunded", "purchase.made"]
        ),
        // Checkout may make an invoice of a one-time payment, which the charge then names in the older API.
        Case(
            provider: .stripe,
            sold: .nonConsumable,
            says: [
                "checkout.session.completed",
                StoreStatement("charge.refunded/partial", edits: ["data.object.invoice": "\"in_1\""]),
            ],
            rows: ["keep 9.99 USD refunded 4.99, order"],
            told: ["purchase.made", "purchase.refunded"]
        ),
        // A charge names no subscription: with its key, Stripe says which invoice it paid.
        Case(
            provider: .stripe,
            says: ["customer.subscription.created", paid, "charge.refunded/partial"],
            asksStore: true,
            rows: ["\(month) refunded 4.99 until day 30, order"],
            told: ["purchase.made", "purchase.refunded"]
        ),
    ]

    private static let others = [
        Case(
            provider: .revenuecat,
            says: ["INITIAL_PURCHASE", .late("RENEWAL"), "CANCELLATION/UNSUBSCRIBE"],
            rows: ["\(month) until day 60, order", "\(month) until day 30, order"],
            told: ["purchase.made", "purchase.made"]
        ),
        Case(
            provider: .revenuecat,
            says: [
                StoreStatement(
                    "INITIAL_PURCHASE",
                    edits: ["event.tax_percentage": "0.2", "event.offer_code": "\"spring\""]
                ),
                "CANCELLATION/CUSTOMER_SUPPORT", "REFUND_REVERSED",
            ],
            rows: ["\(month) tax 2.00 spring until day 30, order"],
            told: ["purchase.made", "purchase.refunded", "purchase.made"]
        ),
        Case(
            provider: .revenuecat,
            sold: .nonConsumable,
            says: ["NON_RENEWING_PURCHASE", "CANCELLATION/CUSTOMER_SUPPORT"],
            rows: ["keep 9.99 USD refunded 9.99, order"],
            told: ["purchase.made", "purchase.refunded"]
        ),
        // A period is all that PurchaseKit tells of.
        Case(
            provider: .purchasekit,
            says: ["subscription.created", "subscription.canceled"],
            rows: ["paycast.pro.monthly until day 30"],
            told: ["purchase.made"]
        ),
    ]

    @Test(arguments: cases) func whatAStoreSaysMakesRows(_ given: Case) throws {
        let scenario = try TableScenario(
            given.provider,
            sells: given.sold,
            asksStore: given.asksStore,
            shape: .current,
            catalog: TableScenario.catalog
        )
        for statement in given.says { try scenario.deliver(statement) }
        let found = try scenario.ledger.purchases(of: TableScenario.buyer)
        #expect(found.map { $0.words(from: TableScenario.start) } == given.rows)
        let told = try scenario.ledger.entries().entries.compactMap { $0.notice.charge?.news.rawValue }
        #expect(told == given.told)
        // A renewal is found by its own id.
        for purchase in found {
            let hits = try scenario.ledger.reader.answer { try $0.search(purchase.charge.id) }
            #expect(
                hits.contains {
                    if case .contract(let contract, _, _) = $0 { contract.key == purchase.contract } else { false }
                }
            )
        }
    }
}

extension StoreStatement {
    /// About an order of coins at Google, and of one other product.
    fileprivate static func once(_ words: String, coins: Int, left: Int, beside other: String? = nil) -> Self {
        var items = [
            #"{"productId":"coins","productOfferDetails":{"quantity":\#(coins),"refundableQuantity":\#(left)}}"#
        ]
        if let other { items.append(#"{"productId":"\#(other)","productOfferDetails":{"quantity":1}}"#) }
        return StoreStatement(words, edits: ["purchase.productLineItem": "[\(items.joined(separator: ","))]"])
    }
}

extension TemporaryLedger {
    func purchases(of user: UserID, product: String? = nil) throws -> [Purchase] {
        try reader.answer { try $0.purchases(of: user, product: product, limit: 100).purchases }
    }
}

extension Purchase {
    /// What it says, in one line; dates in days.
    fileprivate func words(from start: Instant) -> String {
        guard let terms = charge.terms else { return "only a refund" }
        func amount(_ thousandths: Int64?) -> String? {
            thousandths.map { CurrencyAmount.text($0, currency: terms.currency ?? "USD") }
        }
        var words = [terms.product]
        if terms.quantity > 1 { words.append("×\(terms.quantity)") }
        if let price = amount(terms.price) { words.append("\(price) \(terms.currency ?? "?")") }
        if let tax = amount(terms.tax) { words.append("tax \(tax)") }
        if terms.isTrial { words.append("trial") }
        if let offer = terms.offer { words.append(offer) }
        if let refund = charge.refund, refund.at != nil {
            words.append("refunded \(amount(charge.refunded) ?? (refund.isPartial ? "in part" : "whole"))")
        }
        if let end = terms.expiresAt {
            words.append("until day \(end.elapsed(since: start).milliseconds / 86_400_000)")
        }
        return words.joined(separator: " ") + (terms.order == TableScenario.token ? ", order" : "")
    }
}
