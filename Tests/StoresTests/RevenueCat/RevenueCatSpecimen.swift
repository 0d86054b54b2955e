import Domain
import Stores
import Testing

/// One of RevenueCat's webhooks, complete, to be bent by a test. Periods of 30 days follow each other from `start`.
struct RevenueCatSpecimen: Sendable {
    static let start = Instant(milliseconds: 1_767_225_600_000)
    static let month = Duration.seconds(30 * 86_400)
    static let authorization = "Bearer 0123456789"

    var event: JSON
    var happenedAt: Instant

    /// `after` the begin of its period; the end of the period is `.month`.
    init(_ type: String, period: Int = 0, after: Duration = .seconds(60), changes: [String: JSON] = [:]) {
        let begin = RevenueCatSpecimen.start + RevenueCatSpecimen.month * period
        happenedAt = begin + after
        event = [
            "type": .text(type), "event_timestamp_ms": .number(String(happenedAt.milliseconds)),
            "id": .text("\(type)-\(period)-\(after.components.seconds)"), "app_id": "app1", "app_user_id": "42",
            "original_app_user_id": "$RCAnonymousID:1", "aliases": ["$RCAnonymousID:1"], "environment": "PRODUCTION",
            "store": "APP_STORE", "product_id": "pro.monthly", "period_type": "NORMAL",
            "purchased_at_ms": .number(String(begin.milliseconds)),
            "expiration_at_ms": .number(String((begin + RevenueCatSpecimen.month).milliseconds)),
            "transaction_id": .text("t\(period)"), "original_transaction_id": "t0", "is_family_share": false,
            "price_in_purchased_currency": 9.99, "currency": "USD", "entitlement_ids": ["pro"],
            "experiments": [["experiment_id": "x"]], "subscriber_attributes": ["$email": ["value": "a@example.com"]],
        ]
        for (name, value) in changes { event[name] = value }
    }

    func with(_ name: String, to value: JSON?) -> RevenueCatSpecimen {
        var copy = self
        copy.event[name] = value
        return copy
    }

    var body: [UInt8] { JSON.object(["api_version": "1.0", "event": event]).bytes }

    func verify(_ catalog: Catalog = Catalog()) throws -> Event {
        let verifier = try #require(
            RevenueCatVerifier(authorization: RevenueCatSpecimen.authorization, catalog: catalog)
        )
        let delivery = Delivery(body: body, authorization: RevenueCatSpecimen.authorization)
        return try verifier.verify(delivery, now: happenedAt)
    }
}

let bought = RevenueCatSpecimen("INITIAL_PURCHASE", after: .zero)
let late = RevenueCatSpecimen.month + .seconds(60)
let day = Duration.seconds(86_400)

extension RevenueCatSpecimen {
    var inGrace: RevenueCatSpecimen {
        with("grace_period_expiration_at_ms", to: .number(String((happenedAt + .seconds(16 * 86_400)).milliseconds)))
    }

    var endless: RevenueCatSpecimen { with("expiration_at_ms", to: .raw("null")) }

    var extended: RevenueCatSpecimen {
        with("expiration_at_ms", to: .number(String((happenedAt + RevenueCatSpecimen.month * 2).milliseconds)))
    }
}
