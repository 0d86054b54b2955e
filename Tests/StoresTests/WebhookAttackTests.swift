import Crypto
import Domain
import Encoding
import Stores
import Testing

/// What is wrong inside a delivery that RevenueCat or PurchaseKit vouches for.
@Suite struct WebhookAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: [UInt8]
        /// Nil: it is taken.
        var code: String?

        init(_ name: String, body: [UInt8], code: String?) {
            testDescription = name
            self.body = body
            self.code = code
        }

        init(_ name: String, body: String, code: String?) {
            self.init(name, body: Array(body.utf8), code: code)
        }

        /// One member of RevenueCat's event is another.
        init(_ name: String, revenueCat member: String, value: JSON?, code: String? = "invalid_payload") {
            self.init(name, body: RevenueCatSpecimen("INITIAL_PURCHASE").with(member, to: value).body, code: code)
        }

        /// One member of PurchaseKit's object is another.
        init(_ name: String, purchaseKit member: String, value: JSON?, code: String? = "invalid_payload") {
            self.init(name, body: PurchaseKitSpecimen("subscription.created").with(member, to: value).body, code: code)
        }
    }

    private static let deep = String(repeating: "[", count: 100_000)
    private static let garbage = [
        Attack("empty", body: "", code: "invalid_json"), Attack("no JSON", body: "hello", code: "invalid_json"),
        Attack("an array", body: "[]", code: "invalid_json"), Attack("a text", body: "\"x\"", code: "invalid_json"),
        Attack("an empty object", body: "{}", code: "invalid_payload"),
        Attack("deep", body: deep, code: "invalid_json"),
        Attack("deep inside", body: "{\"event\":{\"x\":\(deep)}}", code: "invalid_json"),
        Attack("truncated", body: Array(bought.body.dropLast(9)), code: "invalid_json"),
        Attack("more behind it", body: bought.body + Array("{}".utf8), code: "invalid_json"),
        Attack("not UTF-8", body: Array("{\"id\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8), code: "invalid_json"),
        Attack("half a surrogate", body: "{\"\\ud800\":1}", code: "duplicate_member"),
        Attack(
            "huge",
            body: "{\"event\":\"" + String(repeating: "x", count: 1_000_000) + "\"}",
            code: "invalid_payload"
        ),
        Attack("event is a list", body: "{\"event\":[]}", code: "invalid_payload"),
    ]
    /// With one more member, of this literal name.
    private static func twice(_ name: String) -> String {
        let text = String(decoding: bought.body, as: UTF8.self)
        let start = text.firstRange(of: #""event":{"#)?.upperBound ?? text.endIndex
        return text[..<start] + "\"\(name)\":\"2\"," + text[start...]
    }

    private static let revenueCat = [
        Attack("member twice", body: twice("id"), code: "duplicate_member"),
        Attack("member twice, once escaped", body: twice(#"\u0069d"#), code: "duplicate_member"),
        Attack("no id", revenueCat: "id", value: nil), Attack("empty id", revenueCat: "id", value: ""),
        Attack("id is a number", revenueCat: "id", value: 1),
        Attack("id with a line break", revenueCat: "id", value: "a\nb"),
        Attack("id of 256 bytes", revenueCat: "id", value: .text(String(repeating: "a", count: 256))),
        Attack("no type", revenueCat: "type", value: nil),
        Attack("type with a line break", revenueCat: "type", value: "a\nb"),
        Attack("product with a control character", revenueCat: "product_id", value: .raw("\"a\\u0000b\"")),
        Attack("transaction with a line break", revenueCat: "transaction_id", value: "a\nb"),
        Attack("app is a number", revenueCat: "app_id", value: 7),
        Attack("no date", revenueCat: "event_timestamp_ms", value: nil),
        Attack("date as text", revenueCat: "event_timestamp_ms", value: "1767225600000"),
        Attack("date before 1970", revenueCat: "event_timestamp_ms", value: -1),
        Attack("date beyond 2^53", revenueCat: "event_timestamp_ms", value: .number("9007199254740993")),
        Attack("date beyond Int64", revenueCat: "event_timestamp_ms", value: .number("1e300")),
        Attack("end as text", revenueCat: "expiration_at_ms", value: "1767225600000"),
        Attack("end before 1970", revenueCat: "expiration_at_ms", value: -1),
        Attack("end beyond all calendars", revenueCat: "expiration_at_ms", value: .number("253402300800000")),
        Attack("end after 2100", revenueCat: "expiration_at_ms", value: 8_000_000_000_000, code: nil),
        Attack("date with a fraction", revenueCat: "event_timestamp_ms", value: .number("1767225600000.75"), code: nil),
        Attack(
            "grace is an object",
            body: RevenueCatSpecimen("BILLING_ISSUE").with("grace_period_expiration_at_ms", to: .object([:])).body,
            code: "invalid_payload"
        ), Attack("grace of no failure", revenueCat: "grace_period_expiration_at_ms", value: .object([:]), code: nil),
        Attack("another environment", revenueCat: "environment", value: "STAGING", code: "wrong_environment"),
        Attack("price as text", revenueCat: "price_in_purchased_currency", value: "9.99", code: nil),
        Attack("price without end", revenueCat: "price_in_purchased_currency", value: .number("1e300"), code: nil),
        Attack("aliases are no list", revenueCat: "aliases", value: "x", code: nil),
        Attack("attributes are a list", revenueCat: "subscriber_attributes", value: [], code: nil),
        Attack("a member of tomorrow", revenueCat: "tomorrow", value: ["a": [1, 2.5, true]], code: nil),
    ]

    private static let purchaseKit = [
        Attack("no event id", purchaseKit: "event_id", value: nil),
        Attack("empty event id", purchaseKit: "event_id", value: ""),
        Attack("event id with a line break", purchaseKit: "event_id", value: "a\nb"),
        Attack("event id as a number", purchaseKit: "event_id", value: 7, code: nil),
        Attack("event id beyond Int64", purchaseKit: "event_id", value: .number("1e300")),
        Attack("no type", purchaseKit: "type", value: nil),
        Attack("type of tomorrow", purchaseKit: "type", value: "x.y", code: nil),
        Attack("status is a number", purchaseKit: "status", value: 1),
        Attack("status of tomorrow", purchaseKit: "status", value: "x", code: nil),
        Attack("customer with a line break", purchaseKit: "customer_id", value: "a\nb"),
        Attack("customer as a number", purchaseKit: "customer_id", value: 42, code: nil),
        Attack("no customer", purchaseKit: "customer_id", value: nil, code: nil),
        Attack("no subscription", purchaseKit: "subscription_id", value: nil, code: nil),
        Attack("product with a line break", purchaseKit: "store_product_id", value: "a\nb"),
        Attack("date that is none", purchaseKit: "current_period_end", value: "tomorrow"),
        Attack("date as a number", purchaseKit: "current_period_end", value: 1_767_225_600),
        Attack("date before 1970", purchaseKit: "current_period_end", value: "1969-12-31T23:59:59Z"),
        Attack("date after 2100", purchaseKit: "current_period_end", value: "2226-01-01T00:00:00Z", code: nil),
        Attack("date with a zone", purchaseKit: "current_period_end", value: "2026-02-01T00:00:00+09:00", code: nil),
        Attack("no dates", purchaseKit: "current_period_start", value: nil, code: nil),
    ]

    @Test(arguments: garbage + revenueCat)
    func revenueCatRefuses(_ attack: Attack) throws {
        let verifier = try #require(RevenueCatVerifier(authorization: "a"))
        expect(attack, verifier: verifier, delivery: Delivery(body: attack.body, authorization: "a"))
    }

    @Test(arguments: garbage + purchaseKit)
    func purchaseKitRefuses(_ attack: Attack) throws {
        let verifier = try #require(PurchaseKitVerifier(secret: "s"))
        let signature = Hex.encode(HMAC.authenticate(attack.body, key: Array("s".utf8)))
        expect(attack, verifier: verifier, delivery: Delivery(body: attack.body, signature: signature))
    }

    private func expect(_ attack: Attack, verifier: some StoreVerifier, delivery: Delivery) {
        do throws(VerificationError) {
            _ = try verifier.verify(delivery, now: RevenueCatSpecimen.start)
            #expect(attack.code == nil)
        } catch {
            #expect(error.code == attack.code)
        }
    }
}
