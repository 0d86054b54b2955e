import Crypto
import Domain
import Encoding
import PurchaseKitStore
import RevenueCatStore
import StoreInterface
import Testing

/// What is wrong inside a delivery that RevenueCat or PurchaseKit vouches for.
@Suite(.timeLimit(.minutes(10))) struct WebhookAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: [UInt8]
        /// Nil: it is taken.
        var code: String?

        init(_ name: String, _ body: [UInt8], _ code: String?) {
            testDescription = name
            self.body = body
            self.code = code
        }

        init(_ name: String, _ body: String, _ code: String?) {
            self.init(name, Array(body.utf8), code)
        }

        /// One member of RevenueCat's event is another.
        init(_ name: String, revenueCat member: String, _ value: JSON?, _ code: String? = "invalid_payload") {
            self.init(name, RevenueCatSpecimen("INITIAL_PURCHASE").with(member, value).body, code)
        }

        /// One member of PurchaseKit's object is another.
        init(_ name: String, purchaseKit member: String, _ value: JSON?, _ code: String? = "invalid_payload") {
            self.init(name, PurchaseKitSpecimen("subscription.created").with(member, value).body, code)
        }
    }

    private static let deep = String(repeating: "[", count: 100_000)
    private static let garbage = [
        Attack("empty", "", "invalid_json"), Attack("no JSON", "hello", "invalid_json"),
        Attack("an array", "[]", "invalid_json"), Attack("a text", "\"x\"", "invalid_json"),
        Attack("an empty object", "{}", "invalid_payload"), Attack("deep", deep, "invalid_json"),
        Attack("deep inside", "{\"event\":{\"x\":\(deep)}}", "invalid_json"),
        Attack("truncated", Array(bought.body.dropLast(9)), "invalid_json"),
        Attack("more behind it", bought.body + Array("{}".utf8), "invalid_json"),
        Attack("not UTF-8", Array("{\"id\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8), "invalid_json"),
        Attack("half a surrogate", "{\"\\ud800\":1}", "duplicate_member"),
        Attack("huge", "{\"event\":\"" + String(repeating: "x", count: 1_000_000) + "\"}", "invalid_payload"),
        Attack("event is a list", "{\"event\":[]}", "invalid_payload"),
    ]
    /// With one more member, of this literal name.
    private static func twice(_ name: String) -> String {
        let text = String(decoding: bought.body, as: UTF8.self)
        let start = text.firstRange(of: #""event":{"#)?.upperBound ?? text.endIndex
        return text[..<start] + "\"\(name)\":\"2\"," + text[start...]
    }

    private static let revenueCat = [
        Attack("member twice", twice("id"), "duplicate_member"),
        Attack("member twice, once escaped", twice(#"\u0069d"#), "duplicate_member"),
        Attack("no id", revenueCat: "id", nil), Attack("empty id", revenueCat: "id", ""),
        Attack("id is a number", revenueCat: "id", 1),
        Attack("id with a line break", revenueCat: "id", "a\nb"),
        Attack("id of 256 bytes", revenueCat: "id", .text(String(repeating: "a", count: 256))),
        Attack("no type", revenueCat: "type", nil), Attack("type with a line break", revenueCat: "type", "a\nb"),
        Attack("product with a control character", revenueCat: "product_id", .raw("\"a\\u0000b\"")),
        Attack("transaction with a line break", revenueCat: "transaction_id", "a\nb"),
        Attack("app is a number", revenueCat: "app_id", 7),
        Attack("no date", revenueCat: "event_timestamp_ms", nil),
        Attack("date as text", revenueCat: "event_timestamp_ms", "1767225600000"),
        Attack("date before 1970", revenueCat: "event_timestamp_ms", -1),
        Attack("date beyond 2^53", revenueCat: "event_timestamp_ms", .number("9007199254740993")),
        Attack("date beyond Int64", revenueCat: "event_timestamp_ms", .number("1e300")),
        Attack("end as text", revenueCat: "expiration_at_ms", "1767225600000"),
        Attack("end before 1970", revenueCat: "expiration_at_ms", -1),
        Attack("end beyond all calendars", revenueCat: "expiration_at_ms", .number("253402300800000")),
        Attack("end after 2100", revenueCat: "expiration_at_ms", 8_000_000_000_000, nil),
        Attack("date with a fraction", revenueCat: "event_timestamp_ms", .number("1767225600000.75"), nil),
        Attack("grace is an object", revenueCat: "grace_period_expiration_at_ms", .object([:])),
        Attack("another environment", revenueCat: "environment", "STAGING", "wrong_environment"),
        Attack("price as text", revenueCat: "price_in_purchased_currency", "9.99", nil),
        Attack("price without end", revenueCat: "price_in_purchased_currency", .number("1e300"), nil),
        Attack("aliases are no list", revenueCat: "aliases", "x", nil),
        Attack("attributes are a list", revenueCat: "subscriber_attributes", [], nil),
        Attack("a member of tomorrow", revenueCat: "tomorrow", ["a": [1, 2.5, true]], nil),
    ]

    private static let purchaseKit = [
        Attack("no event id", purchaseKit: "event_id", nil), Attack("empty event id", purchaseKit: "event_id", ""),
        Attack("event id with a line break", purchaseKit: "event_id", "a\nb"),
        Attack("event id as a number", purchaseKit: "event_id", 7, nil),
        Attack("event id beyond Int64", purchaseKit: "event_id", .number("1e300")),
        Attack("no type", purchaseKit: "type", nil), Attack("type of tomorrow", purchaseKit: "type", "x.y", nil),
        Attack("status is a number", purchaseKit: "status", 1),
        Attack("status of tomorrow", purchaseKit: "status", "x", nil),
        Attack("customer with a line break", purchaseKit: "customer_id", "a\nb"),
        Attack("customer as a number", purchaseKit: "customer_id", 42, nil),
        Attack("no customer", purchaseKit: "customer_id", nil, nil),
        Attack("no subscription", purchaseKit: "subscription_id", nil, nil),
        Attack("product with a line break", purchaseKit: "store_product_id", "a\nb"),
        Attack("date that is none", purchaseKit: "current_period_end", "tomorrow"),
        Attack("date as a number", purchaseKit: "current_period_end", 1_767_225_600),
        Attack("date before 1970", purchaseKit: "current_period_end", "1969-12-31T23:59:59Z"),
        Attack("date after 2100", purchaseKit: "current_period_end", "2226-01-01T00:00:00Z", nil),
        Attack("date with a zone", purchaseKit: "current_period_end", "2026-02-01T00:00:00+09:00", nil),
        Attack("no dates", purchaseKit: "current_period_start", nil, nil),
    ]

    @Test(arguments: garbage + revenueCat)
    func revenueCatRefuses(_ attack: Attack) throws {
        let verifier = try #require(RevenueCatVerifier(authorization: "a"))
        expect(attack, verifier, Delivery(body: attack.body, authorization: "a"))
    }

    @Test(arguments: garbage + purchaseKit)
    func purchaseKitRefuses(_ attack: Attack) throws {
        let verifier = try #require(PurchaseKitVerifier(secret: "s"))
        let signature = Hex.encode(HMAC.authenticate(attack.body, key: Array("s".utf8)))
        expect(attack, verifier, Delivery(body: attack.body, signature: signature))
    }

    private func expect(_ attack: Attack, _ verifier: some StoreVerifier, _ delivery: Delivery) {
        do throws(VerificationError) {
            _ = try verifier.verify(delivery, now: RevenueCatSpecimen.start)
            #expect(attack.code == nil)
        } catch {
            #expect(error.code == attack.code)
        }
    }
}
