import Domain

/// Rows 29 to 32: money goes back, in whole, in part, not at all, and for a time.
extension TableCase {
    private static let paid = Said("checkout.session.completed")
    private static let charged = Said("ONE_TIME_CHARGE")
    private static let lost = Said("charge.dispute.closed/lost")
    private static let supported = Said("CANCELLATION/CUSTOMER_SUPPORT")

    static let refundRows =
        [
            refunded(.apple, "REFUND", after: [subscribed]),
            refunded(.apple, "REFUND", after: [charged], of: .nonConsumable),
            refunded(.google, "12", after: ["4"]),
            refunded(.google, "VOIDED_PURCHASE", after: ["4"]),
            refunded(.google, "VOIDED_PURCHASE", after: ["ONE_TIME_PRODUCT_PURCHASED"], of: .nonConsumable),
            refunded(.stripe, "charge.refunded", after: [paid], of: .nonConsumable),
            refunded(.stripe, lost, after: [paid, "charge.dispute.created"], of: .nonConsumable),
            // A charge names no subscription: its invoice does, which only Stripe's API tells.
            refunded(
                .stripe,
                "charge.refunded",
                after: [created, "customer.subscription.deleted"],
                asksStore: true
            ),
            refunded(.revenuecat, supported, after: [initial]),
            refunded(.revenuecat, supported, after: ["NON_RENEWING_PURCHASE"], of: .nonConsumable),
        ] + pastRows + undoneRows

    private static let pastRows = [
        TableCase(
            30,
            .apple,
            Said(
                "REFUND",
                bends: pastCharge.merging(["transaction.revocationType": "\"REFUND_FULL\""]) { $1 }
            ),
            after: [subscribed, "DID_RENEW"],
            is: .refundCompleted,
            .active,
            until: .day(60)
        ),
        TableCase(
            30,
            .apple,
            Said(
                "REFUND",
                bends: pastCharge.merging([
                    "transaction.revocationType": "\"REFUND_PRORATED\"", "transaction.isUpgraded": "true",
                    "transaction.productId": "\"paycast.pro.monthly\"",
                ]) { $1 }
            ),
            after: [subscribed, "DID_CHANGE_RENEWAL_PREF/UPGRADE"],
            is: .refundCompleted,
            .active,
            until: .day(365, and: .seconds(60))
        ),
        past(.google, "VOIDED_PURCHASE/past", after: "4", word: "past", until: .day(30)),
        past(.google, "VOIDED_PURCHASE/partial", after: "4", word: "partial", until: .day(30)),
        past(.stripe, "charge.refunded/partial", after: paid, of: .nonConsumable, word: "partial", until: .none),
    ]

    /// The first period's charge, while another one runs.
    private static let pastCharge = [
        "data.status": "1", "renewal.autoRenewStatus": "1", "transaction.transactionId": "\"2000000000000000\"",
        "transaction.expiresDate": TableScene.milliseconds(day: 30),
        "transaction.purchaseDate": TableScene.milliseconds(day: 0),
    ]

    private static let undoneRows = [
        TableCase(31, .apple, "REFUND_DECLINED", after: [subscribed], is: .refundDeclined, .active, until: .day(30)),
        TableCase(
            31,
            .stripe,
            "charge.dispute.closed/won",
            after: [paid, "charge.dispute.created"],
            of: .nonConsumable,
            is: .refundDeclined,
            nil,
            isOpen: true,
            until: .none
        ),
        reversed(
            .apple,
            Said("REFUND_REVERSED", bends: ["transaction.expiresDate": TableScene.milliseconds(day: 30)]),
            after: [subscribed, "REFUND"],
            .active,
            until: .day(30)
        ),
        reversed(.apple, "REFUND_REVERSED", after: [charged, "REFUND"], of: .nonConsumable, .owned, until: .none),
        reversed(
            .stripe,
            "charge.dispute.funds_reinstated",
            after: [paid, lost],
            of: .nonConsumable,
            .owned,
            until: .none
        ),
        reversed(.revenuecat, "REFUND_REVERSED", after: [initial, supported], .active, until: .inDays(30)),
    ]

    private static func refunded(
        _ provider: Provider,
        _ said: Said,
        after before: [Said],
        of sold: ProductKind = .subscription,
        asksStore: Bool = false
    ) -> TableCase {
        TableCase(
            29,
            provider,
            said,
            after: before,
            of: sold,
            asksStore: asksStore,
            is: .refundCompleted,
            .revoked,
            until: .over,
            .both("revoked")
        )
    }

    private static func past(
        _ provider: Provider,
        _ said: Said,
        after first: Said,
        of sold: ProductKind = .subscription,
        word: String,
        until end: End
    ) -> TableCase {
        let state: ContractState = sold == .subscription ? .active : .owned
        return TableCase(
            30,
            provider,
            said,
            after: [first],
            of: sold,
            is: .refundCompleted,
            word: word,
            state,
            until: end
        )
    }

    private static func reversed(
        _ provider: Provider,
        _ said: Said,
        after before: [Said],
        of sold: ProductKind = .subscription,
        _ state: ContractState,
        until end: End
    ) -> TableCase {
        TableCase(32, provider, said, after: before, of: sold, is: .refundReversed, state, until: end, .granted)
    }
}
