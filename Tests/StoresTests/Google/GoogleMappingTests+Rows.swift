import Domain

extension GoogleMappingTests {
    static let success: Set = ["paywall=success", "subscription_status=manage"]
    static let manage: Set = ["paywall=manage", "subscription_status=manage"]
    static func both(_ name: String) -> Set<String> { ["paywall=\(name)", "subscription_status=\(name)"] }
    static let bought = "SUBSCRIPTION_PURCHASED"
    static let expired = "SUBSCRIPTION_EXPIRED"
    static let paid = "ONE_TIME_PRODUCT_PURCHASED"

    static let beginnings = [
        Row("1: bought", event: bought, is: .subscriptionStarted, state: .active, fragments: success),
        Row("1: bought, by number", event: "4", is: .subscriptionStarted, state: .active, fragments: success),
        Row(
            "2: trial",
            event: "\(bought)/trial",
            is: .subscriptionStarted,
            word: "trial",
            state: .active,
            fragments: success
        ),
        Row(
            "3: payment awaited",
            event: "\(bought)/pending",
            is: .purchasePending,
            state: .pending,
            fragments: both("pending")
        ),
        Row(
            "3: one-time",
            event: "\(paid)/pending",
            of: .nonConsumable,
            is: .purchasePending,
            state: .pending,
            fragments: both("pending")
        ),
        Row(
            "4: payment never came",
            event: "SUBSCRIPTION_PENDING_PURCHASE_CANCELED",
            after: ["\(bought)/pending"],
            is: .purchasePendingCancelled,
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "4: payment of a change of plan never came",
            event: "SUBSCRIPTION_PENDING_PURCHASE_CANCELED",
            after: [bought, "\(bought)/pending_upgrade"],
            is: .purchasePendingCancelled,
            state: .expired
        ),
        Row(
            "4: one-time payment never came",
            event: "ONE_TIME_PRODUCT_CANCELED",
            after: ["\(paid)/pending"],
            of: .nonConsumable,
            is: .purchasePendingCancelled,
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "5: bought again outside the app",
            event: "\(bought)/resubscribe",
            after: [bought, expired],
            is: .subscriptionResubscribed,
            state: .active,
            fragments: success
        ),
    ]

    static let changes = [
        Row(
            "6: renewed",
            event: "SUBSCRIPTION_RENEWED",
            after: [bought],
            is: .subscriptionRenewed,
            state: .active,
            fragments: manage
        ),
        Row(
            "7: recovered from hold",
            event: "SUBSCRIPTION_RECOVERED",
            after: [bought, "SUBSCRIPTION_ON_HOLD"],
            is: .subscriptionRecovered,
            state: .active,
            fragments: success
        ),
        Row(
            "8: upgraded",
            event: "\(bought)/upgrade",
            after: [bought],
            is: .planChanged,
            state: .active,
            fragments: success,
            product: "paycast.pro.annual"
        ),
        Row(
            "9: downgrade at the period's end",
            event: "\(bought)/downgrade",
            after: [bought],
            is: .planChangeScheduled,
            state: .active,
            fragments: ending,
            product: "paycast.pro.monthly"
        ),
        Row(
            "11: renewal off",
            event: "SUBSCRIPTION_CANCELED",
            after: [bought],
            is: .autoRenewOff,
            state: .cancelled,
            fragments: ending
        ),
        Row(
            "11: instalments end",
            event: "SUBSCRIPTION_CANCELLATION_SCHEDULED",
            after: [bought],
            is: .autoRenewOff,
            state: .cancelled,
            fragments: ending
        ),
        Row(
            "12: renewal on",
            event: "SUBSCRIPTION_RESTARTED",
            after: [bought, "SUBSCRIPTION_CANCELED"],
            is: .autoRenewOn,
            state: .active,
            fragments: manage
        ),
        Row("13: offer", event: "SUBSCRIPTION_ITEMS_CHANGED/offer", after: [bought], is: .offerApplied, state: .active),
        Row(
            "14: grace",
            event: "SUBSCRIPTION_IN_GRACE_PERIOD",
            after: [bought],
            is: .graceStarted,
            state: .inGracePeriod,
            fragments: ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Row(
            "15: hold",
            event: "SUBSCRIPTION_ON_HOLD",
            after: [bought],
            is: .billingRetry,
            state: .inBillingRetry,
            fragments: both("fix_billing")
        ),
        Row("20: pause ahead", event: "11", after: [bought], is: .pauseScheduled, state: .active, fragments: ending),
        Row(
            "21: paused",
            event: "SUBSCRIPTION_PAUSED",
            after: [bought],
            is: .paused,
            state: .paused,
            fragments: both("paused")
        ),
        // Google does not say which of the two it is. The page is told the same.
        Row(
            "22: resumed",
            event: "SUBSCRIPTION_RECOVERED",
            after: [bought, "SUBSCRIPTION_PAUSED"],
            is: .subscriptionRecovered,
            state: .active,
            fragments: success
        ),
        Row(
            "23: deferred",
            event: "SUBSCRIPTION_DEFERRED",
            after: [bought],
            is: .subscriptionExtended,
            state: .active,
            fragments: manage
        ),
        Row("25: price will change", event: "19", after: [bought], is: .priceChangePending, state: .active),
        Row("25: consent awaited", event: "22", after: [bought], is: .priceChangePending, state: .active),
        Row("26: price accepted", event: "19/accepted", after: [bought], is: .priceChangeAccepted, state: .active),
        Row("26: consent given", event: "22/accepted", after: [bought], is: .priceChangeAccepted, state: .active),
        Row("26: price accepted, deprecated", event: "8", after: [bought], is: .priceChangeAccepted, state: .active),
        Row("37: items changed", event: "17", after: [bought], is: .contractUpdated, state: .active),
    ]

    static let ends = [
        Row(
            "16: ended",
            event: expired,
            after: [bought],
            is: .subscriptionExpired,
            word: "voluntary",
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "17: ended from hold",
            event: "\(expired)/billing",
            after: [bought, "SUBSCRIPTION_ON_HOLD"],
            is: .subscriptionExpired,
            word: "billing",
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "18: price not accepted",
            event: "\(expired)/price",
            after: [bought],
            is: .subscriptionExpired,
            word: "price",
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "19: ended by the developer",
            event: "\(expired)/other",
            after: [bought],
            is: .subscriptionExpired,
            word: "other",
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "29: revoked",
            event: "SUBSCRIPTION_REVOKED",
            after: [bought],
            is: .refundCompleted,
            state: .revoked,
            fragments: both("revoked")
        ),
        Row(
            "29: void of the current period",
            event: "VOIDED_PURCHASE",
            after: [bought],
            is: .refundCompleted,
            word: "current",
            state: .revoked,
            fragments: both("revoked")
        ),
        Row(
            "30: void of an older period",
            event: "VOIDED_PURCHASE/past",
            after: [bought],
            is: .refundCompleted,
            word: "past",
            state: .active
        ),
        Row(
            "30: void of an older period, after the end",
            event: "VOIDED_PURCHASE/past",
            after: [bought, expired],
            is: .refundCompleted,
            word: "past",
            state: .expired
        ),
        Row(
            "30: a part",
            event: "VOIDED_PURCHASE/partial",
            after: [bought],
            is: .refundCompleted,
            word: "partial",
            state: .active
        ),
        Row("42: number of tomorrow", event: "99", after: [bought], is: .providerUnknown, state: .active),
    ]
}
