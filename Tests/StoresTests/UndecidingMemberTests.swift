import Crypto
import Domain
import Encoding
import Testing

@testable import Stores

/// Members that decide nothing may have any type, at each store: refusing a genuine event would lose it. Apple's are in
/// `AppleStatementTests`, RevenueCat's in `RevenueCatFieldTests`, those of Google's purchases in `GoogleAttackTests`.
@Suite struct UndecidingMemberTests {
    private static let odd: [JSON] = ["9.99", 7, 1.5, true, [], ["x"], [:], .raw("1e400"), .raw("null")]

    @Test(arguments: [
        "latest_invoice", "cancellation_details", "schedule", "pending_update", "discount", "discounts", "trial_end",
        "default_payment_method", "collection_method", "days_until_due", "metadata", "plan", "quantity", "created",
    ]) func stripesSubscription(_ name: String) throws {
        for value in Self.odd {
            let snapshot = try StripeSpecimen.subscription { $0[name] = value }.verify().observation?.snapshot
            #expect(snapshot?.state == .active && snapshot?.accessUntil?.seconds == 1_769_817_600)
        }
    }

    @Test(arguments: ["amount_paid", "currency", "billing_reason", "total", "tax", "charge", "customer_email"])
    func stripesInvoice(_ name: String) throws {
        for value in Self.odd {
            var invoice: JSON = [
                "id": "in_1", "object": "invoice", "status": "paid", "subscription": "sub_1", "created": 1_767_225_600,
                "lines": [
                    "data": [
                        ["price": ["id": "price_1"], "period": ["start": 1_767_225_600, "end": 1_769_817_600]]
                    ]
                ],
            ]
            invoice[name] = value
            let charge = try StripeSpecimen.event("invoice.paid", object: invoice).verify().observation?.transaction
            #expect(charge?.product == "price_1" && charge?.expiresAt?.seconds == 1_769_817_600)
        }
    }

    @Test(arguments: ["api_version", "request", "pending_webhooks", "object", "previous_attributes"])
    func stripesEvent(_ name: String) throws {
        for value in Self.odd {
            let event = try StripeSpecimen { document in
                if name == "previous_attributes" { document["data"]?[name] = value } else { document[name] = value }
            }.verify()
            #expect(event.observation?.snapshot?.state == .active)
        }
    }

    @Test(arguments: ["ends_at", "trial_ends_at", "subscription_name", "success_path", "store", "a_member_of_tomorrow"])
    func purchaseKits(_ name: String) throws {
        for value in Self.odd + ["soon"] {
            let specimen = PurchaseKitSpecimen("subscription.updated").with(name, to: value)
            let snapshot = try specimen.verify().observation?.snapshot
            #expect(snapshot?.state == .active)
            #expect(snapshot?.accessUntil == PurchaseKitSpecimen.start + PurchaseKitSpecimen.month)
        }
    }

    /// Google's keys prove who pushes; one of another kind must not hide the others.
    @Test(arguments: ["kid", "kty", "alg", "n", "e", "use", "x5c"]) func googlesKeys(_ name: String) throws {
        let numbers = try RSAPrivateKey.generate().publicNumbers
        let key: JSON = [
            "kty": "RSA", "alg": "RS256", "kid": "a", "use": "sig", "n": .text(Base64URL.encode(numbers.modulus)),
            "e": .text(Base64URL.encode(numbers.exponent)),
        ]
        for value in [7, true, ["x"], [:]] as [JSON] {
            var other = key
            other["kid"] = "b"
            other[name] = value
            for keys in [[key, other], [other, key]] {
                var cache = GoogleKeyCache()
                let body = JSON.object(["keys": .array(keys)]).bytes
                let isTaken = cache.take(body, cacheControl: nil, now: StripeSpecimen.now)
                #expect(isTaken && "\(cache.answer(for: "a", now: StripeSpecimen.now))".hasPrefix("known"))
            }
        }
    }
}
