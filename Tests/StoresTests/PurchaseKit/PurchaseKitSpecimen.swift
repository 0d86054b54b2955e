import Crypto
import Domain
import Encoding
import Stores
import Testing

/// One of PurchaseKit's webhooks, complete, to be bent by a test. Periods of 30 days follow each other.
struct PurchaseKitSpecimen: Sendable {
    static let secret = "whsec_0123456789"
    static let start = RevenueCatSpecimen.start
    static let month = RevenueCatSpecimen.month

    var event: JSON
    /// When it arrives.
    var now: Instant

    init(_ type: String, period: Int = 0, after: Duration = .seconds(60), changes: [String: JSON] = [:]) {
        let begin = PurchaseKitSpecimen.start + PurchaseKitSpecimen.month * period
        let end = begin + PurchaseKitSpecimen.month
        now = begin + after
        let status = type.hasSuffix("canceled") ? "canceled" : type.hasSuffix("expired") ? "expired" : "active"
        event = [
            "event_id": .text("\(type)-\(period)-\(after.components.seconds)"), "type": .text(type),
            "customer_id": "42", "subscription_id": "2000000000000001", "store": "apple",
            "store_product_id": "pro.monthly", "subscription_name": "Pro", "status": .text(status),
            "current_period_start": .text(begin.iso8601), "current_period_end": .text(end.iso8601),
            "ends_at": status == "active" ? .raw("null") : .text(end.iso8601), "success_path": "/dashboard",
        ]
        for (name, value) in changes { event[name] = value }
    }

    func with(_ name: String, to value: JSON?) -> PurchaseKitSpecimen {
        var copy = self
        copy.event[name] = value
        return copy
    }

    var undated: PurchaseKitSpecimen {
        with("current_period_start", to: nil).with("current_period_end", to: nil).with("ends_at", to: nil)
    }

    var body: [UInt8] { event.bytes }

    func verify(_ catalog: Catalog = Catalog()) throws -> Event {
        let secret = PurchaseKitSpecimen.secret
        let verifier = try #require(PurchaseKitVerifier(secret: secret, catalog: catalog))
        let signature = Hex.encode(HMAC.authenticate(body, key: Array(secret.utf8)))
        return try verifier.verify(Delivery(body: body, signature: signature), now: now)
    }
}
