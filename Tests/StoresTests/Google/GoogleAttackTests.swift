import Domain
import Encoding
import Testing

@testable import Stores

/// Pushes of the right sender, and answers of Google's, that are not as documented. None is worth a week of retries.
@Suite struct GoogleAttackTests {
    private static let now = GoogleFixture.now

    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var type: String
        var subject: GoogleSubject?
        var body: [UInt8]

        /// The whole body.
        init(_ name: String, body: String) {
            testDescription = name
            type = "UNREADABLE"
            self.body = Array(body.utf8)
        }

        /// The notification inside of it.
        init(_ name: String, type: String, about subject: GoogleSubject? = nil, notice: String) {
            testDescription = name
            self.type = type
            self.subject = subject
            body = Array(GoogleAttackTests.push(Array(notice.utf8)).utf8)
        }

        static func change(
            _ name: String,
            type: String,
            about subject: GoogleSubject? = GoogleSubject(token: "t", isSubscription: true),
            members: String
        ) -> Attack {
            Attack(
                name,
                type: type,
                about: subject,
                notice: #"{"packageName":"com.example","subscriptionNotification":{\#(members)}}"#
            )
        }
    }

    static func push(_ notice: [UInt8]) -> String {
        #"{"message":{"data":"\#(Base64.encode(notice))","messageId":"1"},"subscription":"s"}"#
    }

    private static let one = #""notificationType":4,"purchaseToken":"t""#

    static let attacks = [
        Attack("nothing", body: ""),
        Attack("no JSON", body: "hello"),
        Attack("an array", body: "[]"),
        Attack("truncated", body: #"{"message":{"data":"e30="#),
        Attack("huge", body: "{\"a\":[" + String(repeating: "0,", count: 120_000) + "0]}"),
        Attack("deeply nested", body: #"{"message":"# + String(repeating: "[", count: 100_000)),
        Attack("a member twice", body: #"{"message":{"data":"e30="},"message":{"data":"e30="}}"#),
        Attack("no data", body: #"{"message":{"messageId":"1"}}"#),
        Attack("data that are no base64", body: #"{"message":{"data":"%%%"}}"#),
        Attack("data in an object", body: #"{"message":{"data":{}}}"#),
        Attack("data beyond 64 KiB", body: push([UInt8](repeating: 32, count: 100_000))),
        Attack("data that are not UTF-8", body: push([123, 34, 0xFF, 34, 58, 49, 125])),
        Attack("no package", type: "UNREADABLE", notice: #"{"testNotification":{}}"#),
        Attack("a control character in the package", type: "UNREADABLE", notice: #"{"packageName":"a\u0000"}"#),
        Attack("a package twice", type: "UNREADABLE", notice: #"{"packageName":"a","packageName":"b"}"#),
        Attack(
            "nested 17 deep",
            type: "UNREADABLE",
            notice: #"{"packageName":"a","x":"# + String(repeating: "[", count: 17) + "}"
        ),
        Attack("nothing known in it", type: "UNKNOWN", notice: #"{"packageName":"com.example","newNotification":{}}"#),
        Attack("a test", type: "TEST", notice: #"{"packageName":"com.example","testNotification":{"version":"1.0"}}"#),
        .change("as documented", type: "SUBSCRIPTION_PURCHASED", members: one),
        .change(
            "number in text",
            type: "SUBSCRIPTION_PURCHASED",
            members: #""notificationType":"4","purchaseToken":"t""#
        ),
        .change("number of tomorrow", type: "SUBSCRIPTION_99", members: #""notificationType":99,"purchaseToken":"t""#),
        .change(
            "number beyond 2^53",
            type: "SUBSCRIPTION_0",
            members: #""notificationType":9007199254740993,"purchaseToken":"t""#
        ),
        .change(
            "the smallest number",
            type: "SUBSCRIPTION_0",
            members: #""notificationType":-9223372036854775808,"purchaseToken":"t""#
        ),
        .change(
            "number with a fraction",
            type: "SUBSCRIPTION_0",
            members: #""notificationType":4.5,"purchaseToken":"t""#
        ),
        .change("no number", type: "SUBSCRIPTION_0", members: #""purchaseToken":"t""#),
        .change("no token", type: "SUBSCRIPTION_PURCHASED", about: nil, members: #""notificationType":4"#),
        .change(
            "empty token",
            type: "SUBSCRIPTION_PURCHASED",
            about: nil,
            members: #""notificationType":4,"purchaseToken":"""#
        ),
        .change(
            "token with a line break",
            type: "SUBSCRIPTION_PURCHASED",
            about: nil,
            members: #""notificationType":4,"purchaseToken":"a\n""#
        ),
        .change(
            "endless token",
            type: "SUBSCRIPTION_PURCHASED",
            about: nil,
            members: #""notificationType":4,"purchaseToken":"\#(String(repeating: "t", count: 1025))""#
        ),
    ]

    @Test(arguments: attacks) func isKeptAndHarmsNothing(_ attack: Attack) {
        let notification = GoogleNotification(attack.body)
        let event = notification.event(GoogleReading(), body: attack.body, now: Self.now)
        #expect(event.type == attack.type && notification.subject == attack.subject)
        #expect(event.observation == nil && event.jobs.isEmpty && event.body == attack.body)
        #expect(!event.id.isEmpty)
    }

    @Test(arguments: [
        ("1767225600000", Int64(1_767_225_600_000)), (#""1767225600000""#, 1_767_225_600_000), ("-1000", -1000),
        ("-9223372036854775808", GoogleFixture.now.milliseconds), ("1e400", GoogleFixture.now.milliseconds),
        (#""soon""#, GoogleFixture.now.milliseconds), ("4102444800001", GoogleFixture.now.milliseconds),
        ("9007199254740993", GoogleFixture.now.milliseconds), ("null", GoogleFixture.now.milliseconds),
    ]) func dateIsGoogleOrOurs(_ text: String, date: Int64) {
        let notice = #"{"packageName":"com.example","eventTimeMillis":\#(text),"testNotification":{}}"#
        let body = Array(Self.push(Array(notice.utf8)).utf8)
        #expect(
            GoogleNotification(body).event(GoogleReading(), body: body, now: Self.now).signedAt.milliseconds == date
        )
    }

    /// What one strange member leaves of the subscription.
    struct Oddity: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var state: ContractState?
        var until: String?
        var isPurchase = true
        var change: @Sendable (inout JSON, inout JSON) -> Void

        static func member(_ name: String, named member: String, value: JSON?, state: ContractState? = .active)
            -> Oddity
        {
            Oddity(testDescription: name, state: state, until: "2026-01-31T00:00:00.000Z") { document, _ in
                document[member] = value
            }
        }

        static func item(_ name: String, member: String, value: JSON?, until: String?) -> Oddity {
            Oddity(testDescription: name, state: .active, until: until) { _, item in item[member] = value }
        }
    }

    static let oddities: [Oddity] = [
        .member("as documented", named: "x", value: 1),
        .member("state of tomorrow", named: "subscriptionState", value: "SUBSCRIPTION_STATE_DANCING", state: nil),
        .member("unspecified state", named: "subscriptionState", value: "SUBSCRIPTION_STATE_UNSPECIFIED", state: nil),
        .member("no start", named: "startTime", value: nil),
        .member("start that is a number", named: "startTime", value: 5),
        .member("start before 1970", named: "startTime", value: "1901-01-01T00:00:00Z"),
        .member("buyer in text", named: "externalAccountIdentifiers", value: "me"),
        .member(
            "markup as the buyer",
            named: "externalAccountIdentifiers",
            value: ["obfuscatedExternalAccountId": "<script>"]
        ),
        .member(
            "control character in the buyer",
            named: "externalAccountIdentifiers",
            value: [
                "obfuscatedExternalAccountId": .raw(#""a\u0007""#)
            ]
        ),
        .member("linked token in an object", named: "linkedPurchaseToken", value: [:]),
        .item("no end", member: "expiryTime", value: nil, until: nil),
        .item("end that is a number", member: "expiryTime", value: 1_769_817_600, until: nil),
        .item("end that is no date", member: "expiryTime", value: "tomorrow", until: nil),
        .item("end after 2100", member: "expiryTime", value: "2201-01-01T00:00:00Z", until: "2201-01-01T00:00:00.000Z"),
        .item(
            "end with nanoseconds",
            member: "expiryTime",
            value: "2026-01-31T00:00:00.123456789Z",
            until: "2026-01-31T00:00:00.123Z"
        ),
        .item("no plan", member: "autoRenewingPlan", value: nil, until: "2026-01-31T00:00:00.000Z"),
        .item(
            "the smallest price",
            member: "autoRenewingPlan",
            value: [
                "recurringPrice": [
                    "currencyCode": "USD", "units": "-9223372036854775808", "nanos": .raw("-9223372036854775808"),
                ]
            ],
            until: "2026-01-31T00:00:00.000Z"
        ),
        Oddity(testDescription: "no items", isPurchase: false) { document, _ in document["lineItems"] = [] },
        Oddity(testDescription: "items in text", isPurchase: false) { document, _ in document["lineItems"] = "x" },
        Oddity(testDescription: "no product", isPurchase: false) { _, item in item["productId"] = nil },
        Oddity(testDescription: "control character in the product", isPurchase: false) { _, item in
            item["productId"] = .raw(#""p\u001b""#)
        },
        Oddity(testDescription: "no state", isPurchase: false) { document, _ in document["subscriptionState"] = nil },
    ]

    @Test(arguments: oddities) func strangeMemberIsNoMoreThanAbsent(_ oddity: Oddity) throws {
        var item: JSON = ["productId": "pro", "expiryTime": "2026-01-31T00:00:00Z"]
        var document: JSON = ["subscriptionState": "SUBSCRIPTION_STATE_ACTIVE", "startTime": "2026-01-01T00:00:00Z"]
        document["lineItems"] = .array([])
        oddity.change(&document, &item)
        if case .array? = document["lineItems"], oddity.testDescription != "no items" {
            document["lineItems"] = .array([item])
        }
        let read = Self.purchase(document, of: .init(token: "t", isSubscription: true))
        #expect((read != nil) == oddity.isPurchase)
        guard let read else { return }
        let body = Array(Self.push(Array(#"{"packageName":"com.example","testNotification":{}}"#.utf8)).utf8)
        let event = GoogleNotification(body).event(GoogleReading(purchase: read), body: body, now: Self.now)
        #expect(event.observation?.snapshot?.state == oddity.state)
        if oddity.state != nil { #expect(event.observation?.snapshot?.accessUntil?.iso8601 == oddity.until) }
        if oddity.state == nil { #expect(event.subtype?.hasPrefix("SUBSCRIPTION_STATE_") == true) }
    }

    /// Templates escape it; nothing here may lose it or fall over it.
    @Test func markupIsTextLikeAnyOther() throws {
        let markup = "<script>alert('1')</script>&amp;"
        let document: JSON = [
            "purchaseStateContext": ["purchaseState": "PURCHASED"], "purchaseCompletionTime": "2026-01-01T00:00:00Z",
            "productLineItem": [["productId": .text(markup)]], "orderId": .text(markup),
        ]
        let read = try #require(Self.purchase(document, of: .init(token: markup, isSubscription: false)))
        let event = read.statement(body: [], id: "1")
        #expect(event.observation?.transaction?.product == markup && event.observation?.contract.lineage == markup)
    }

    @Test(arguments: [("9223372036854775807", Int.max), ("-5", 1), ("3", 3), (#""4""#, 4), ("1e9", 1)])
    func quantityIsAtLeastOne(_ text: String, quantity: Int) throws {
        let document: JSON = [
            "purchaseStateContext": ["purchaseState": "PURCHASED"], "purchaseCompletionTime": "2026-01-01T00:00:00Z",
            "productLineItem": [["productId": "coins", "productOfferDetails": ["quantity": .raw(text)]]],
        ]
        let read = try #require(Self.purchase(document, of: .init(token: "t", isSubscription: false)))
        #expect(read.statement(body: [], id: "1").observation?.transaction?.quantity == quantity)
    }

    private static func purchase(_ document: JSON, of subject: GoogleSubject) -> GooglePurchase? {
        subject.purchase(.init(body: document.bytes, readAt: now), of: "com.example", catalog: Catalog())
    }
}
