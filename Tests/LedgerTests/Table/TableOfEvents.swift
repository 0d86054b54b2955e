import Domain

/// What happens to a purchase, and what each store says of it, as the stores' articles list it. An empty cell means that the
/// store has no such event; a word in parentheses is not a notification and has a test of its own.
enum TableOfEvents {
    struct Row: Sendable {
        var number: Int
        var words: [Provider: [String]]

        init(
            _ number: Int,
            apple: String = "",
            google: String = "",
            stripe: String = "",
            revenueCat: String = "",
            others: [Provider: String] = [:]
        ) {
            self.number = number
            var cells: [Provider: String] = [.apple: apple, .google: google, .stripe: stripe, .revenuecat: revenueCat]
            cells.merge(others) { $1 }
            words = cells.mapValues { $0.split(separator: " ").map(String.init) }.filter { !$0.value.isEmpty }
        }
    }

    static let rows = starts + periods + ends + rest

    private static let updated = "customer.subscription.updated"

    private static let starts = [
        Row(
            1,
            apple: "SUBSCRIBED/INITIAL_BUY",
            google: "4",
            stripe: "checkout.session.completed customer.subscription.created",
            revenueCat: "INITIAL_PURCHASE"
        ),
        Row(
            2,
            apple: "SUBSCRIBED/INITIAL_BUY",
            google: "4/trial",
            stripe: "customer.subscription.created/trialing",
            revenueCat: "INITIAL_PURCHASE/TRIAL"
        ),
        Row(
            3,
            apple: "(pending)",
            google: "4/pending ONE_TIME_PRODUCT_PURCHASED/pending",
            stripe: "customer.subscription.created/incomplete checkout.session.completed/unpaid"
        ),
        Row(
            4,
            google: "20 ONE_TIME_PRODUCT_CANCELED",
            stripe: "checkout.session.expired checkout.session.async_payment_failed \(updated)/incomplete_expired"
        ),
        Row(
            5,
            apple: "SUBSCRIBED/RESUBSCRIBE",
            google: "4/resubscribe 4/again",
            stripe: "customer.subscription.created",
            revenueCat: "INITIAL_PURCHASE RENEWAL"
        ),
    ]

    private static let periods = [
        Row(
            6,
            apple: "DID_RENEW",
            google: "2",
            stripe: "invoice.paid/subscription_cycle",
            revenueCat: "RENEWAL"
        ),
        Row(
            7,
            apple: "DID_RENEW/BILLING_RECOVERY",
            google: "1",
            stripe: "\(updated)/recovered",
            revenueCat: "RENEWAL"
        ),
        Row(
            8,
            apple: "DID_CHANGE_RENEWAL_PREF/UPGRADE OFFER_REDEEMED/UPGRADE",
            google: "4/upgrade",
            stripe: "\(updated)/price",
            revenueCat: "RENEWAL INITIAL_PURCHASE"
        ),
        Row(
            9,
            apple: "DID_CHANGE_RENEWAL_PREF/DOWNGRADE OFFER_REDEEMED/DOWNGRADE",
            google: "4/downgrade",
            stripe: "subscription_schedule.updated \(updated)/pending_update",
            revenueCat: "PRODUCT_CHANGE"
        ),
        Row(10, apple: "DID_CHANGE_RENEWAL_PREF", stripe: "customer.subscription.pending_update_expired"),
        Row(
            11,
            apple: "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
            google: "3 18",
            stripe: "\(updated)/cancel",
            revenueCat: "CANCELLATION/UNSUBSCRIBE"
        ),
        Row(
            12,
            apple: "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED",
            google: "7",
            stripe: "\(updated)/keep",
            revenueCat: "UNCANCELLATION"
        ),
        Row(13, apple: "OFFER_REDEEMED", google: "17/offer", stripe: "\(updated)/discount"),
        Row(
            14,
            apple: "DID_FAIL_TO_RENEW/GRACE_PERIOD",
            google: "6",
            stripe: "invoice.payment_failed \(updated)/past_due",
            revenueCat: "BILLING_ISSUE/GRACE"
        ),
        Row(
            15,
            apple: "DID_FAIL_TO_RENEW GRACE_PERIOD_EXPIRED",
            google: "5",
            stripe: "\(updated)/unpaid",
            revenueCat: "BILLING_ISSUE"
        ),
    ]

    private static let ends = [
        Row(
            16,
            apple: "EXPIRED/VOLUNTARY",
            google: "13",
            stripe: "customer.subscription.deleted",
            revenueCat: "EXPIRATION/UNSUBSCRIBE"
        ),
        Row(
            17,
            apple: "EXPIRED/BILLING_RETRY",
            google: "13/billing",
            stripe: "customer.subscription.deleted/payment_failed \(updated)/canceled",
            revenueCat: "EXPIRATION/BILLING_ERROR"
        ),
        Row(18, apple: "EXPIRED/PRICE_INCREASE", google: "13/price", revenueCat: "EXPIRATION/PRICE_INCREASE"),
        Row(
            19,
            apple: "EXPIRED/PRODUCT_NOT_FOR_SALE EXPIRED",
            google: "13/other",
            stripe: "customer.subscription.deleted/canceled_by_retention_policy",
            revenueCat: "EXPIRATION/UNKNOWN"
        ),
        Row(20, google: "11", revenueCat: "SUBSCRIPTION_PAUSED"),
        Row(
            21,
            google: "10",
            stripe: "customer.subscription.paused \(updated)/paused",
            revenueCat: "EXPIRATION/SUBSCRIPTION_PAUSED"
        ),
        Row(22, google: "1 2", stripe: "customer.subscription.resumed", revenueCat: "RENEWAL"),
        Row(
            23,
            apple: "RENEWAL_EXTENDED",
            google: "9",
            stripe: "\(updated)/trial_end",
            revenueCat: "SUBSCRIPTION_EXTENDED"
        ),
        Row(24, apple: "RENEWAL_EXTENSION/FAILURE RENEWAL_EXTENSION/SUMMARY"),
        Row(25, apple: "PRICE_INCREASE/PENDING PRICE_CHANGE", google: "19 22"),
        Row(26, apple: "PRICE_INCREASE/ACCEPTED", google: "8 19/accepted"),
    ]

    private static let rest = [
        Row(
            27,
            apple: "ONE_TIME_CHARGE",
            google: "ONE_TIME_PRODUCT_PURCHASED",
            stripe: "checkout.session.completed",
            revenueCat: "NON_RENEWING_PURCHASE"
        ),
        Row(28, apple: "CONSUMPTION_REQUEST", google: "PENDING_REFUND_REVIEW", stripe: "charge.dispute.created"),
        Row(
            29,
            apple: "REFUND",
            google: "12 VOIDED_PURCHASE",
            stripe: "charge.refunded charge.dispute.closed/lost",
            revenueCat: "CANCELLATION/CUSTOMER_SUPPORT"
        ),
        Row(30, apple: "REFUND", google: "VOIDED_PURCHASE/past", stripe: "charge.refunded/partial"),
        Row(31, apple: "REFUND_DECLINED", stripe: "charge.dispute.closed/won"),
        Row(
            32,
            apple: "REFUND_REVERSED",
            stripe: "charge.dispute.funds_reinstated",
            revenueCat: "REFUND_REVERSED"
        ),
        Row(33, apple: "REVOKE", revenueCat: "CANCELLATION/FAMILY"),
        Row(34, apple: "SUBSCRIBED/INITIAL_BUY ONE_TIME_CHARGE", revenueCat: "INITIAL_PURCHASE/FAMILY"),
        Row(
            35,
            apple: "TRANSACTION",
            google: "2",
            stripe: "\(updated)/active",
            revenueCat: "TRANSFER/sister"
        ),
        Row(36, revenueCat: "TEMPORARY_ENTITLEMENT_GRANT"),
        Row(37, apple: "MIGRATION METADATA_UPDATE", google: "17"),
        Row(
            38,
            apple: """
                EXTERNAL_PURCHASE_TOKEN/CREATED EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER \
                EXTERNAL_PURCHASE_TOKEN/UNREPORTED
                """
        ),
        Row(39, apple: "RESCIND_CONSENT"),
        Row(40, apple: "TEST", google: "TEST", revenueCat: "TEST"),
        Row(
            41,
            others: [
                .purchasekit:
                    "subscription.created subscription.updated subscription.canceled subscription.expired"
            ]
        ),
        Row(
            42,
            apple: "SOMETHING_NEW",
            google: "99",
            stripe: "customer.subscription.something_new",
            revenueCat: "SOMETHING_NEW"
        ),
        Row(
            43,
            apple: "DID_RENEW DID_RENEW/BILLING_RECOVERY",
            google: "2",
            stripe: "\(updated)/renewed invoice.paid/subscription_cycle",
            revenueCat: "RENEWAL",
            others: [.purchasekit: "subscription.updated"]
        ),
    ]
}
