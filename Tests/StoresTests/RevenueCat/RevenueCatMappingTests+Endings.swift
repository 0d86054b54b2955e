import Domain

extension RevenueCatMappingTests {
    static let endings =
        [
            ("16", "UNSUBSCRIBE"), ("17", "BILLING_ERROR"), ("18", "PRICE_INCREASE"), ("19", "UNKNOWN"),
        ].map { number, reason in
            Row(
                "\(number) EXPIRATION/\(reason)",
                event: RevenueCatSpecimen("EXPIRATION", after: late, changes: ["expiration_reason": .text(reason)]),
                after: [bought],
                is: .subscriptionExpired,
                state: .expired,
                fragments: ["paywall=paywall", "subscription_status=paywall"]
            )
        } + [
            Row(
                "21 EXPIRATION/SUBSCRIPTION_PAUSED",
                event: paused,
                after: [bought, RevenueCatSpecimen("SUBSCRIPTION_PAUSED")],
                is: .paused,
                state: .paused,
                fragments: ["paywall=paused", "subscription_status=paused"]
            ),
            Row(
                "29 CANCELLATION/CUSTOMER_SUPPORT",
                event: refunded,
                after: [bought],
                is: .refundCompleted,
                state: .revoked,
                fragments: ["paywall=revoked", "subscription_status=revoked"]
            ),
            Row(
                "29 CANCELLATION/CUSTOMER_SUPPORT of a one-time purchase",
                event: refunded.with("expiration_at_ms", to: .raw("null")),
                after: [bought.with("type", to: "NON_RENEWING_PURCHASE").with("expiration_at_ms", to: .raw("null"))],
                is: .refundCompleted,
                state: .revoked,
                fragments: ["paywall=revoked", "subscription_status=revoked"]
            ),
            Row(
                "32 REFUND_REVERSED",
                event: RevenueCatSpecimen("REFUND_REVERSED", after: day),
                after: [bought, refunded],
                is: .refundReversed,
                state: .active,
                fragments: granted
            ),
            Row(
                "33 CANCELLATION with is_family_share",
                event: refunded.with("is_family_share", to: true),
                after: [bought.with("is_family_share", to: true)],
                is: .familyRevoked,
                state: .revoked,
                fragments: ["paywall=revoked", "subscription_status=revoked"]
            ),
            Row(
                "36 EXPIRATION of a TEMPORARY_ENTITLEMENT_GRANT",
                event: RevenueCatSpecimen("EXPIRATION", after: day, changes: ["expiration_at_ms": 1_767_312_000_000]),
                after: [RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT")],
                is: .subscriptionExpired,
                state: .expired,
                fragments: ["paywall=paywall", "subscription_status=paywall"]
            ),
        ]

    static let refunded = RevenueCatSpecimen("CANCELLATION", changes: ["cancel_reason": "CUSTOMER_SUPPORT"])

    /// What says nothing of a contract's state.
    static let others = [
        Row("1 INITIAL_PURCHASE without an end", event: bought.endless, is: .subscriptionStarted, state: nil),
        Row(
            "6 RENEWAL without an end, of a listed subscription",
            event: RevenueCatSpecimen("RENEWAL", changes: ["product_id": "listed"]).endless,
            is: .subscriptionRenewed,
            state: nil
        ),
        Row("11 CANCELLATION/UNSUBSCRIBE without an end", event: cancelled.endless, is: .autoRenewOff, state: nil),
        Row(
            "11 CANCELLATION/BILLING_ERROR: BILLING_ISSUE or EXPIRATION says what follows",
            event: RevenueCatSpecimen("CANCELLATION", after: day, changes: ["cancel_reason": "BILLING_ERROR"]),
            is: .billingRetry,
            state: nil
        ),
        Row(
            "15 CANCELLATION/BILLING_ERROR at the end",
            event: RevenueCatSpecimen("CANCELLATION", after: late, changes: ["cancel_reason": "BILLING_ERROR"]),
            after: [bought],
            is: .billingRetry,
            state: .inBillingRetry,
            fragments: ["paywall=fix_billing", "subscription_status=fix_billing"]
        ),
        Row(
            "25 PRICE_INCREASE_CONSENT_REQUIRED",
            event: other("PRICE_INCREASE_CONSENT_REQUIRED"),
            is: .priceChangePending,
            state: nil
        ),
        Row(
            "26 PRICE_INCREASE_CONSENT_APPROVED",
            event: other("PRICE_INCREASE_CONSENT_APPROVED"),
            is: .priceChangeAccepted,
            state: nil
        ),
        Row("35 TRANSFER", event: other("TRANSFER"), is: .contractTransferred, state: nil),
        Row("40 TEST", event: other("TEST"), is: .providerTest, state: nil),
        Row("42 SUBSCRIBER_ALIAS", event: other("SUBSCRIBER_ALIAS"), is: .contractUpdated, state: nil),
        Row("42 INVOICE_ISSUANCE", event: other("INVOICE_ISSUANCE"), is: .providerUnknown, state: nil),
        Row(
            "42 VIRTUAL_CURRENCY_TRANSACTION",
            event: other("VIRTUAL_CURRENCY_TRANSACTION"),
            is: .providerUnknown,
            state: nil
        ),
        Row("42 EXPERIMENT_ENROLLMENT", event: other("EXPERIMENT_ENROLLMENT"), is: .providerUnknown, state: nil),
        Row("42 a type of tomorrow", event: other("TYPE_OF_TOMORROW"), is: .providerUnknown, state: nil),
    ]

    private static func other(_ type: String) -> RevenueCatSpecimen { RevenueCatSpecimen(type) }
}
