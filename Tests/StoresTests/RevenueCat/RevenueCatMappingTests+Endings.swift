import Domain

extension RevenueCatMappingTests {
    static let endings =
        [
            ("16", "UNSUBSCRIBE"), ("17", "BILLING_ERROR"), ("18", "PRICE_INCREASE"), ("19", "UNKNOWN"),
        ].map { number, reason in
            Row(
                "\(number) EXPIRATION/\(reason)",
                RevenueCatSpecimen("EXPIRATION", after: late, ["expiration_reason": .text(reason)]),
                after: [bought],
                is: .subscriptionExpired,
                .expired,
                ["paywall=paywall", "subscription_status=paywall"]
            )
        } + [
            Row(
                "21 EXPIRATION/SUBSCRIPTION_PAUSED",
                paused,
                after: [bought, RevenueCatSpecimen("SUBSCRIPTION_PAUSED")],
                is: .paused,
                .paused,
                ["paywall=paused", "subscription_status=paused"]
            ),
            Row(
                "29 CANCELLATION/CUSTOMER_SUPPORT",
                refunded,
                after: [bought],
                is: .refundCompleted,
                .revoked,
                ["paywall=revoked", "subscription_status=revoked"]
            ),
            Row(
                "29 CANCELLATION/CUSTOMER_SUPPORT of a one-time purchase",
                refunded.with("expiration_at_ms", .raw("null")),
                after: [bought.with("type", "NON_RENEWING_PURCHASE").with("expiration_at_ms", .raw("null"))],
                is: .refundCompleted,
                .revoked,
                ["paywall=revoked", "subscription_status=revoked"]
            ),
            Row(
                "32 REFUND_REVERSED",
                RevenueCatSpecimen("REFUND_REVERSED", after: day),
                after: [bought, refunded],
                is: .refundReversed,
                .active,
                granted
            ),
            Row(
                "33 CANCELLATION with is_family_share",
                refunded.with("is_family_share", true),
                after: [bought.with("is_family_share", true)],
                is: .familyRevoked,
                .revoked,
                ["paywall=revoked", "subscription_status=revoked"]
            ),
            Row(
                "36 EXPIRATION of a TEMPORARY_ENTITLEMENT_GRANT",
                RevenueCatSpecimen("EXPIRATION", after: day, ["expiration_at_ms": 1_767_312_000_000]),
                after: [RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT")],
                is: .subscriptionExpired,
                .expired,
                ["paywall=paywall", "subscription_status=paywall"]
            ),
        ]

    static let refunded = RevenueCatSpecimen("CANCELLATION", ["cancel_reason": "CUSTOMER_SUPPORT"])

    /// What says nothing of a contract's state.
    static let others = [
        Row("1 INITIAL_PURCHASE without an end", bought.endless, is: .subscriptionStarted, nil),
        Row(
            "6 RENEWAL without an end, of a listed subscription",
            RevenueCatSpecimen("RENEWAL", ["product_id": "listed"]).endless,
            is: .subscriptionRenewed,
            nil
        ),
        Row("11 CANCELLATION/UNSUBSCRIBE without an end", cancelled.endless, is: .autoRenewOff, nil),
        Row(
            "11 CANCELLATION/BILLING_ERROR: BILLING_ISSUE or EXPIRATION says what follows",
            RevenueCatSpecimen("CANCELLATION", after: late, ["cancel_reason": "BILLING_ERROR"]),
            is: .billingRetry,
            nil
        ),
        Row(
            "25 PRICE_INCREASE_CONSENT_REQUIRED",
            other("PRICE_INCREASE_CONSENT_REQUIRED"),
            is: .priceChangePending,
            nil
        ),
        Row(
            "26 PRICE_INCREASE_CONSENT_APPROVED",
            other("PRICE_INCREASE_CONSENT_APPROVED"),
            is: .priceChangeAccepted,
            nil
        ),
        Row("35 TRANSFER", other("TRANSFER"), is: .contractTransferred, nil),
        Row("40 TEST", other("TEST"), is: .providerTest, nil),
        Row("42 SUBSCRIBER_ALIAS", other("SUBSCRIBER_ALIAS"), is: .contractUpdated, nil),
        Row("42 INVOICE_ISSUANCE", other("INVOICE_ISSUANCE"), is: .providerUnknown, nil),
        Row("42 VIRTUAL_CURRENCY_TRANSACTION", other("VIRTUAL_CURRENCY_TRANSACTION"), is: .providerUnknown, nil),
        Row("42 EXPERIMENT_ENROLLMENT", other("EXPERIMENT_ENROLLMENT"), is: .providerUnknown, nil),
        Row("42 a type of tomorrow", other("TYPE_OF_TOMORROW"), is: .providerUnknown, nil),
    ]

    private static func other(_ type: String) -> RevenueCatSpecimen { RevenueCatSpecimen(type) }
}
