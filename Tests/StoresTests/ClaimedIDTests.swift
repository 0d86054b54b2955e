import Encoding
import Testing

@testable import Stores

/// A wrong secret and a stranger's junk look different: only what has a store's form in everything but its proof has an
/// id that may be logged.
@Suite struct ClaimedIDTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var store: any Store.Type
        var body: String
        var authorization: String?
        var signature: String?
        var id: String?
    }

    private static let uuid = "0A1B2C3D-0000-4000-8000-0123456789AB"
    private static let stripe = #"{"object":"event","id":"evt_1NG8Du2eZvKYlo2CUI79vXWy"}"#
    private static let digest = String(repeating: "ab", count: 32)
    private static let push = "Bearer \(base64(#"{"alg":"RS256","kid":"k1"}"#)).e30.AAAA"

    private static func base64(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    private static func apple(_ payload: String) -> String {
        #"{"signedPayload":"\#(base64("{}")).\#(base64(payload)).AAAA"}"#
    }

    @Test(arguments: [
        Case(
            testDescription: "Stripe",
            store: StripeStore.self,
            body: stripe,
            signature: "t=1,v1=00",
            id: "evt_1NG8Du2eZvKYlo2CUI79vXWy"
        ),
        Case(testDescription: "Stripe without a signature", store: StripeStore.self, body: stripe),
        Case(
            testDescription: "Stripe with another object",
            store: StripeStore.self,
            body: #"{"object":"charge","id":"evt_1NG8Du2eZvKYlo2C"}"#,
            signature: "t=1,v1=00"
        ),
        Case(
            testDescription: "Stripe with a line in its id",
            store: StripeStore.self,
            body: #"{"object":"event","id":"evt_1NG8Du2e\nZvKYlo2C"}"#,
            signature: "t=1,v1=00"
        ),
        Case(
            testDescription: "Stripe with a long id",
            store: StripeStore.self,
            body: #"{"object":"event","id":"evt_\#(String(repeating: "a", count: 65))"}"#,
            signature: "t=1,v1=00"
        ),
        Case(
            testDescription: "Stripe with a body that is too long",
            store: StripeStore.self,
            body: stripe + String(repeating: " ", count: 256 << 10),
            signature: "t=1,v1=00"
        ),
        Case(testDescription: "no JSON", store: StripeStore.self, body: "junk", signature: "t=1,v1=00"),
        Case(
            testDescription: "RevenueCat",
            store: RevenueCatStore.self,
            body: #"{"event":{"type":"TEST","id":"\#(uuid)"}}"#,
            id: uuid
        ),
        Case(
            testDescription: "RevenueCat without a UUID",
            store: RevenueCatStore.self,
            body: #"{"event":{"type":"TEST","id":"0A1B2C3DX0000-4000-8000-0123456789AB"}}"#
        ),
        Case(
            testDescription: "PurchaseKit",
            store: PurchaseKitStore.self,
            body: #"{"type":"subscription.created","event_id":"0a1b2c3d-0000"}"#,
            signature: digest,
            id: "0a1b2c3d-0000"
        ),
        Case(
            testDescription: "PurchaseKit with a short signature",
            store: PurchaseKitStore.self,
            body: #"{"type":"subscription.created","event_id":"0a1b2c3d-0000"}"#,
            signature: "ab"
        ),
        Case(
            testDescription: "Apple",
            store: AppleStore.self,
            body: apple(#"{"notificationUUID":"\#(uuid)"}"#),
            id: uuid
        ),
        Case(testDescription: "Apple without an id", store: AppleStore.self, body: apple("{}")),
        Case(testDescription: "Apple without a JWS", store: AppleStore.self, body: #"{"signedPayload":"a.b"}"#),
        Case(
            testDescription: "Google",
            store: GoogleStore.self,
            body: #"{"message":{"messageId":"2070443601311540"}}"#,
            authorization: push,
            id: "2070443601311540"
        ),
        Case(
            testDescription: "Google without a token",
            store: GoogleStore.self,
            body: #"{"message":{"messageId":"2070443601311540"}}"#,
            authorization: "Bearer x"
        ),
        Case(
            testDescription: "Google without a number",
            store: GoogleStore.self,
            body: #"{"message":{"messageId":"abcdefghij"}}"#,
            authorization: push
        ),
    ]) func onlyAStoresFormIsAClaim(_ given: Case) {
        let delivery = Delivery(
            body: Array(given.body.utf8),
            authorization: given.authorization,
            signature: given.signature
        )
        #expect(given.store.claimedID(of: delivery) == given.id)
    }
}
