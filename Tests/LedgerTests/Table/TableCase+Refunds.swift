import Domain

/// Rows 29 to 32: a refund in full, in part, declined, and reversed.
extension TableCase {
    private static let paid = StoreStatement("checkout.session.completed")
    private static let once = StoreStatement("ONE_TIME_PRODUCT_PURCHASED")
    private static let charged = StoreStatement("ONE_TIME_CHARGE")
    private static let lost = StoreStatement("charge.dispute.closed/lost")
    private static let supported = StoreStatement("CANCELLATION/CUSTOMER_SUPPORT")

    static let refundRows =
        [
            refunded(.apple, says: "REFUND", after: [subscribed]),
            refunded(.apple, says: "REFUND", after: [charged], of: .nonConsumable),
            refunded(.google, says: "12", after: ["4"]),
            refunded(.google, says: "VOIDED_PURCHASE", after: ["4"], word: "current"),
            refunded(.google, says: "VOIDED_PURCHASE", after: [once], of: .nonConsumable, word: "current"),
            refunded(.stripe, says: "charge.refunded", after: [paid], of: .nonConsumable),
            refunded(.stripe, says: lost, after: [paid, "charge.dispute.created"], of: .nonConsumable),
            // A charge names no subscription; its invoice does, and only Stripe's API returns that.
            refunded(
                .stripe,
                says: "charge.refunded",
                after: [created, "customer.subscription.deleted"],
                asksStore: true
            ),
            // Stripe ends what a dispute was about.
            refunded(
                .stripe,
                says: "customer.subscription.deleted/payment_disputed",
                after: [created],
                is: .subscriptionExpired
            ),
            refunded(.revenuecat, says: supported, after: [initial]),
            refunded(.revenuecat, says: supported, after: ["NON_RENEWING_PURCHASE"], of: .nonConsumable),
        ] + pastRows + undoneRows

    private static let pastRows = [
        TableCase(
            30,
            at: .apple,
            says: StoreStatement(
                "REFUND",
                edits: pastCharge.merging(["transaction.revocationType": "\"REFUND_FULL\""]) { $1 }
            ),
            after: [subscribed, "DID_RENEW"],
            is: .refundCompleted,
            state: .active,
            until: .day(60)
        ),
        TableCase(
            30,
            at: .apple,
            says: StoreStatement(
                "REFUND",
                edits: pastCharge.merging([
                    "transaction.revocationType": "\"REFUND_PRORATED\"", "transaction.isUpgraded": "true",
                    "transaction.productId": "\"paycast.pro.monthly\"",
                ]) { $1 }
            ),
            after: [subscribed, "DID_CHANGE_RENEWAL_PREF/UPGRADE"],
            is: .refundCompleted,
            state: .active,
            product: "paycast.pro.annual",
            until: .day(365, and: .seconds(60))
        ),
        past(.google, says: "VOIDED_PURCHASE/past", after: ["4"], word: "past", state: .active, until: .day(30)),
        past(
            .google,
            says: "VOIDED_PURCHASE/past",
            after: ["4", .late("13")],
            word: "past",
            state: .expired,
            until: .over
        ),
        past(.google, says: "VOIDED_PURCHASE/partial", after: ["4"], word: "partial", state: .active, until: .day(30)),
        past(
            .google,
            says: "VOIDED_PURCHASE/partial",
            after: [once],
            of: .nonConsumable,
            word: "partial",
            state: .owned
        ),
        past(
            .stripe,
            says: "charge.refunded/partial",
            after: [paid],
            of: .nonConsumable,
            word: "partial",
            state: .owned
        ),
    ]

    /// The first period's charge, while a later period runs.
    private static let pastCharge = [
        "data.status": "1", "renewal.autoRenewStatus": "1", "transaction.transactionId": "\"2000000000000000\"",
        "transaction.expiresDate": TableScenario.milliseconds(day: 30),
        "transaction.purchaseDate": TableScenario.milliseconds(day: 0),
    ]

    private static let undoneRows = [
        TableCase(
            31,
            at: .apple,
            says: "REFUND_DECLINED",
            after: [subscribed],
            is: .refundDeclined,
            state: .active,
            until: .day(30)
        ),
        TableCase(
            31,
            at: .stripe,
            says: "charge.dispute.closed/won",
            after: [paid, "charge.dispute.created"],
            of: .nonConsumable,
            is: .refundDeclined,
            state: nil,
            isOpen: true,
            until: .none
        ),
        reversed(
            .apple,
            says: StoreStatement(
                "REFUND_REVERSED",
                edits: ["transaction.expiresDate": TableScenario.milliseconds(day: 30)]
            ),
            after: [subscribed, "REFUND"],
            state: .active,
            until: .day(30)
        ),
        reversed(
            .apple,
            says: "REFUND_REVERSED",
            after: [charged, "REFUND"],
            of: .nonConsumable,
            state: .owned,
            until: .none
        ),
        reversed(
            .stripe,
            says: "charge.dispute.funds_reinstated",
            after: [paid, lost],
            of: .nonConsumable,
            state: .owned,
            until: .none
        ),
        reversed(
            .revenuecat,
            says: "REFUND_REVERSED",
            after: [initial, supported],
            state: .active,
            until: .inDays(30)
        ),
    ]

    private static func refunded(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        of sold: ProductKind = .subscription,
        asksStore: Bool = false,
        is kind: EventKind = .refundCompleted,
        word: String? = nil
    ) -> TableCase {
        TableCase(
            29,
            at: provider,
            says: statement,
            after: before,
            of: sold,
            asksStore: asksStore,
            is: kind,
            word: word,
            state: .revoked,
            until: .over,
            shows: .both("revoked")
        )
    }

    private static func past(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        of sold: ProductKind = .subscription,
        word: String,
        state: ContractState,
        until end: End = .none
    ) -> TableCase {
        TableCase(
            30,
            at: provider,
            says: statement,
            after: before,
            of: sold,
            is: .refundCompleted,
            word: word,
            state: state,
            until: end
        )
    }

    private static func reversed(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        of sold: ProductKind = .subscription,
        state: ContractState,
        until end: End
    ) -> TableCase {
        TableCase(
            32,
            at: provider,
            says: statement,
            after: before,
            of: sold,
            is: .refundReversed,
            state: state,
            until: end,
            shows: .granted
        )
    }
}
