import Crypto
import Domain
import Encoding
import Stores
import Testing

/// A subscription's event in the making, genuine in every way until a test changes one thing.
struct StripeSpecimen {
    static let now = Instant(milliseconds: 1_767_225_600_000)
    static let secret = "whsec_test"

    var document: JSON = [
        "id": "evt_1", "object": "event", "type": "customer.subscription.created", "created": 1_767_225_600,
        "livemode": true, "api_version": "2024-06-20",
        "data": [
            "object": [
                "id": "sub_1", "object": "subscription", "status": "active", "customer": "cus_1",
                "current_period_start": 1_767_225_600, "current_period_end": 1_769_817_600,
                "items": [
                    "object": "list", "data": [["id": "si_1", "price": ["id": "price_1", "product": "prod_1"]]],
                ],
                "metadata": ["order": "0F8FAD5B-D9CB-469F-A165-70867728950E"],
            ]
        ],
    ]
    var secrets = [StripeSpecimen.secret]
    var catalog = Catalog()
    var now = StripeSpecimen.now
    var signedAt = StripeSpecimen.now
    var editBody: ([UInt8]) -> [UInt8] = { $0 }
    /// After the signature was made.
    var tamper: ([UInt8]) -> [UInt8] = { $0 }
    var editHeader: (String) -> String? = { $0 }

    init(_ change: (inout JSON) -> Void = { _ in }) {
        change(&document)
    }

    /// One member of the subscription changed.
    static func subscription(_ change: (inout JSON) -> Void) -> StripeSpecimen {
        StripeSpecimen { document in
            guard var object = document["data"]?["object"] else { return }
            change(&object)
            document["data"]?["object"] = object
        }
    }

    /// Another object in its place.
    static func event(_ type: String, object: JSON) -> StripeSpecimen {
        StripeSpecimen { document in
            document["type"] = .text(type)
            document["data"]?["object"] = object
        }
    }

    static func code(_ body: [UInt8], at seconds: String, secret: String = StripeSpecimen.secret) -> String {
        Hex.encode(HMAC.authenticate(Array("\(seconds).".utf8) + body, key: Array(secret.utf8)))
    }

    func verify(accounts: Set<String> = []) throws -> Event {
        let body = editBody(document.bytes)
        let time = String(signedAt.seconds)
        let header = editHeader("t=\(time),v1=\(StripeSpecimen.code(body, at: time))")
        let verifier = try #require(StripeVerifier(secrets: secrets, accounts: accounts, catalog: catalog))
        return try verifier.verify(Delivery(body: tamper(body), signature: header), now: now)
    }
}
