import Domain

extension GoogleMappingTests {
    static let success: Set = ["paywall=success", "subscription_status=manage"]
    static let manage: Set = ["paywall=manage", "subscription_status=manage"]
    static func both(_ name: String) -> Set<String> { ["paywall=\(name)", "subscription_status=\(name)"] }
    static let bought = "SUBSCRIPTION_PURCHASED"
    static let expired = "SUBSCRIPTION_EXPIRED"
    static let paid = "ONE_TIME_PRODUCT_PURCHASED"

    static let beginnings = [
        Row("1: bought", bought, is: .subscriptionStarted, .active, success),
        Row("1: bought, by number", "4", is: .subscriptionStarted, .active, success),
        Row("2: trial", "\(bought)/trial", is: .subscriptionStarted, word: "trial", .active, success),
        Row("3: payment awaited", "\(bought)/pending", is: .purchasePending, .pending, both("pending")),
        Row("3: one-time", "\(paid)/pending", of: .nonConsumable, is: .purchasePending, .pending, both("pending")),
        Row(
            "4: payment never came",
            "SUBSCRIPTION_PENDING_PURCHASE_CANCELED",
            after: ["\(bought)/pending"],
            is: .purchasePendingCancelled,
            .expired,
            both("paywall")
        ),
        Row(
            "4: payment of a change of plan never came",
            "SUBSCRIPTION_PENDING_PURCHASE_CANCELED",
            after: [bought, "\(bought)/pending_upgrade"],
            is: .purchasePendingCancelled,
            .expired
        ),
        Row(
            "4: one-time payment never came",
            "ONE_TIME_PRODUCT_CANCELED",
            after: ["\(paid)/pending"],
            of: .nonConsumable,
            is: .purchasePendingCancelled,
            .expired,
            both("paywall")
        ),
        Row(
            "5: bought again outside the app",
            "\(bought)/resubscribe",
            after: [bought, expired],
            is: .subscriptionResubscribed,
            .active,
            success
        ),
    ]

    static let lives = [
        Row("6: renewed", "SUBSCRIPTION_RENEWED", after: [bought], is: .subscriptionRenewed, .active, manage),
        Row(
            "7: recovered from hold",
            "SUBSCRIPTION_RECOVERED",
            after: [bought, "SUBSCRIPTION_ON_HOLD"],
            is: .subscriptionRecovered,
            .active,
            success
        ),
        Row(
            "8: upgraded",
            "\(bought)/upgrade",
            after: [bought],
            is: .planChanged,
            .active,
            success,
            product: "paycast.pro.annual"
        ),
        Row(
            "9: downgrade at the period's end",
            "\(bought)/downgrade",
            after: [bought],
            is: .planChangeScheduled,
            .active,
            ending,
            product: "paycast.pro.monthly"
        ),
        Row("11: renewal off", "SUBSCRIPTION_CANCELED", after: [bought], is: .autoRenewOff, .cancelled, ending),
        Row(
            "11: instalments end",
            "SUBSCRIPTION_CANCELLATION_SCHEDULED",
            after: [bought],
            is: .autoRenewOff,
            .cancelled,
            ending
        ),
        Row(
            "12: renewal on",
            "SUBSCRIPTION_RESTARTED",
            after: [bought, "SUBSCRIPTION_CANCELED"],
            is: .autoRenewOn,
            .active,
            manage
        ),
        Row("13: offer", "SUBSCRIPTION_ITEMS_CHANGED/offer", after: [bought], is: .offerApplied, .active),
        Row(
            "14: grace",
            "SUBSCRIPTION_IN_GRACE_PERIOD",
            after: [bought],
            is: .graceStarted,
            .inGracePeriod,
            ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Row(
            "15: hold",
            "SUBSCRIPTION_ON_HOLD",
            after: [bought],
            is: .billingRetry,
            .inBillingRetry,
            both("fix_billing")
        ),
        Row("20: pause ahead", "11", after: [bought], is: .pauseScheduled, .active, ending),
        Row("21: paused", "SUBSCRIPTION_PAUSED", after: [bought], is: .paused, .paused, both("paused")),
        // Google does not say which of the two it is. The page is told the same.
        Row(
            "22: resumed",
            "SUBSCRIPTION_RECOVERED",
            after: [bought, "SUBSCRIPTION_PAUSED"],
            is: .subscriptionRecovered,
            .active,
            success
        ),
        Row("23: deferred", "SUBSCRIPTION_DEFERRED", after: [bought], is: .subscriptionExtended, .active, manage),
        Row("25: price will change", "19", after: [bought], is: .priceChangePending, .active),
        Row("25: consent awaited", "22", after: [bought], is: .priceChangePending, .active),
        Row("26: price accepted", "19/accepted", after: [bought], is: .priceChangeAccepted, .active),
        Row("26: consent given", "22/accepted", after: [bought], is: .priceChangeAccepted, .active),
        Row("26: price accepted, deprecated", "8", after: [bought], is: .priceChangeAccepted, .active),
        Row("37: items changed", "17", after: [bought], is: .contractUpdated, .active),
    ]

    static let ends = [
        Row(
            "16: ended",
            expired,
            after: [bought],
            is: .subscriptionExpired,
            word: "voluntary",
            .expired,
            both("paywall")
        ),
        Row(
            "17: ended from hold",
            "\(expired)/billing",
            after: [bought, "SUBSCRIPTION_ON_HOLD"],
            is: .subscriptionExpired,
            word: "billing",
            .expired,
            both("paywall")
        ),
        Row(
            "18: price not accepted",
            "\(expired)/price",
            after: [bought],
            is: .subscriptionExpired,
            word: "price",
            .expired,
            both("paywall")
        ),
        Row(
            "19: ended by the developer",
            "\(expired)/other",
            after: [bought],
            is: .subscriptionExpired,
            word: "other",
            .expired,
            both("paywall")
        ),
        Row(
            "29: revoked",
            "SUBSCRIPTION_REVOKED",
            after: [bought],
            is: .refundCompleted,
            .revoked,
            both("revoked")
        ),
        Row(
            "29: void of the current period",
            "VOIDED_PURCHASE",
            after: [bought],
            is: .refundCompleted,
            word: "current",
            .revoked,
            both("revoked")
        ),
        Row(
            "30: void of an older period",
            "VOIDED_PURCHASE/past",
            after: [bought],
            is: .refundCompleted,
            word: "past",
            .active
        ),
        Row(
            "30: void of an older period, after the end",
            "VOIDED_PURCHASE/past",
            after: [bought, expired],
            is: .refundCompleted,
            word: "past",
            .expired
        ),
        Row("30: a part", "VOIDED_PURCHASE/partial", after: [bought], is: .refundCompleted, word: "partial", .active),
        Row("42: number of tomorrow", "99", after: [bought], is: .providerUnknown, .active),
    ]

    static let purchases = [
        Row("27: bought once", paid, of: .nonConsumable, is: .purchaseCompleted, .owned, success),
        Row("27: consumable", paid, of: .consumable, is: .purchaseCompleted, .delivered, ["paywall=success"]),
        Row("27: non-renewing", paid, of: .nonRenewing, is: .purchaseCompleted, .active, success),
        Row(
            "27: payment arrives",
            paid,
            after: ["\(paid)/pending"],
            of: .nonConsumable,
            is: .purchaseCompleted,
            .owned,
            success
        ),
        Row("28: chargeback under review", "PENDING_REFUND_REVIEW", after: [bought], is: .refundRequested, nil),
        Row(
            "29: void of what was bought once",
            "VOIDED_PURCHASE",
            after: [paid],
            of: .nonConsumable,
            is: .refundCompleted,
            word: "current",
            .revoked,
            both("revoked")
        ),
        Row(
            "30: a part of what was bought once",
            "VOIDED_PURCHASE/partial",
            after: [paid],
            of: .nonConsumable,
            is: .refundCompleted,
            word: "partial",
            .owned
        ),
        Row("40: test", "TEST", is: .providerTest, nil),
    ]

    static let ending: Set = ["paywall=ending", "subscription_status=ending"]
}
