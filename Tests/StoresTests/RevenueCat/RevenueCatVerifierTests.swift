import Stores
import Testing

@testable import Domain

/// Who may post, whose purchase it is, and what moves from one user to another.
@Suite struct RevenueCatVerifierTests {
    struct Header: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var value: String?
    }

    @Test(arguments: [
        Header(testDescription: "none", value: nil), Header(testDescription: "empty", value: ""),
        Header(testDescription: "another", value: "Bearer 9876543210"),
        Header(testDescription: "a part", value: "Bearer 012345678"),
        Header(testDescription: "more", value: "Bearer 01234567890"),
        Header(testDescription: "in another case", value: "bearer 0123456789"),
        Header(testDescription: "the secret alone", value: "0123456789"),
        Header(testDescription: "with a space", value: "Bearer 0123456789 "),
    ]) func onlyTheExactHeaderIsBelieved(_ given: Header) throws {
        let verifier = try #require(RevenueCatVerifier(authorization: RevenueCatSpecimen.authorization))
        for body in [bought.body, Array("no JSON".utf8)] {
            #expect(throws: VerificationError.untrusted(.unauthorized)) {
                try verifier.verify(Delivery(body: body, authorization: given.value), now: RevenueCatSpecimen.start)
            }
        }
    }

    @Test func emptySecretIsNone() {
        #expect(RevenueCatVerifier(authorization: "") == nil)
    }

    struct Customer: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var ids: [String: JSON]
        var user: String?
        var token: String?
    }

    private static let uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"

    @Test(arguments: [
        Customer(testDescription: "app_user_id", ids: ["app_user_id": "42", "original_app_user_id": "7"], user: "42"),
        Customer(
            testDescription: "original_app_user_id",
            ids: ["app_user_id": "$RCAnonymousID:1", "original_app_user_id": "7"],
            user: "7"
        ),
        Customer(
            testDescription: "alias",
            ids: [
                "app_user_id": "$RCAnonymousID:1", "original_app_user_id": "$RCAnonymousID:1",
                "aliases": ["$RCAnonymousID:1", "9"],
            ],
            user: "9"
        ),
        Customer(
            testDescription: "nobody that the app knows",
            ids: ["app_user_id": "$RCAnonymousID:1", "original_app_user_id": "$RCAnonymousID:1", "aliases": []],
            user: nil
        ),
        Customer(
            testDescription: "an order's token as the user",
            ids: ["app_user_id": .text(uuid)],
            user: uuid,
            token: uuid
        ),
        Customer(
            testDescription: "an order's token among the aliases",
            ids: ["aliases": [.text(uuid.uppercased())]],
            user: "42",
            token: uuid
        ),
        Customer(
            testDescription: "an order's token as an attribute",
            ids: ["subscriber_attributes": ["paycast_order": ["value": .text(uuid), "updated_at_ms": 1]]],
            user: "42",
            token: uuid
        ),
        Customer(
            testDescription: "a user id that no page could show",
            ids: ["app_user_id": "a\nb", "original_app_user_id": 7, "aliases": [1, .raw("null"), "9"]],
            user: "9"
        ),
    ]) func customerIsWhomTheAppKnows(_ given: Customer) throws {
        let observation = try RevenueCatSpecimen("INITIAL_PURCHASE", changes: given.ids).verify().observation
        #expect(observation?.user?.text == given.user)
        #expect(observation?.token?.description == given.token)
    }

    struct Alias: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var type = "RENEWAL"
        var ids: [String: JSON]
        var from: [UserID]
    }

    private static let one: UserID = "$RCAnonymousID:1"

    @Test(arguments: [
        Alias(testDescription: "original", ids: ["aliases": []], from: [one]),
        Alias(
            testDescription: "alias",
            ids: ["original_app_user_id": "42", "aliases": ["$RCAnonymousID:2"]],
            from: ["$RCAnonymousID:2"]
        ),
        Alias(
            testDescription: "all of them, each once",
            ids: ["app_user_id": "$RCAnonymousID:2", "aliases": ["$RCAnonymousID:1", "42", "$RCAnonymousID:2"]],
            from: ["$RCAnonymousID:2", one]
        ),
        Alias(testDescription: "of no purchase", type: "SUBSCRIBER_ALIAS", ids: [:], from: [one]),
        Alias(testDescription: "of a type of tomorrow", type: "TYPE_OF_TOMORROW", ids: [:], from: [one]),
        Alias(testDescription: "none is made up", ids: ["original_app_user_id": "42", "aliases": ["43"]], from: []),
        Alias(testDescription: "none is the app's", ids: ["app_user_id": "$RCAnonymousID:2"], from: []),
        Alias(testDescription: "only a test", type: "TEST", ids: [:], from: []),
    ]) func listedIDsAreOnePerson(_ given: Alias) throws {
        let event = try RevenueCatSpecimen(given.type, changes: given.ids).verify()
        let isPurchase = event.observation != nil
        let alias = Transfer(from: given.from, to: "42", isEverywhere: !isPurchase, isAlias: true)
        #expect(event.transfer == (given.from.isEmpty ? nil : alias))
        #expect(event.observation?.user?.text.hasPrefix("$RC") != true)
    }

    struct Move: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var from: JSON?
        var to: JSON?
        var transfer: Transfer?
    }

    @Test(arguments: [
        Move(
            testDescription: "anonymous ids never gain",
            from: ["$RCAnonymousID:1", "42"],
            to: ["$RCAnonymousID:2", "43"],
            transfer: Transfer(from: ["$RCAnonymousID:1", "42"], to: "43")
        ),
        Move(
            testDescription: "unless there is nobody else",
            from: ["42"],
            to: ["$RCAnonymousID:2"],
            transfer: Transfer(from: ["42"], to: "$RCAnonymousID:2")
        ),
        Move(
            testDescription: "a user never loses what they gain",
            from: ["42", "43"],
            to: ["43"],
            transfer: Transfer(from: ["42"], to: "43")
        ),
        Move(testDescription: "to nobody", from: ["42"], to: [], transfer: nil),
        Move(testDescription: "from nobody", from: nil, to: ["43"], transfer: nil),
        Move(testDescription: "not a list", from: "42", to: ["43"], transfer: nil),
    ]) func transferNamesUsersOnly(_ given: Move) throws {
        let specimen = RevenueCatSpecimen(
            "TRANSFER",
            changes: ["app_user_id": .raw("null"), "product_id": .raw("null")]
        )
        .with("transferred_from", to: given.from).with("transferred_to", to: given.to)
        let event = try specimen.with("environment", to: nil).verify()
        var everywhere = given.transfer
        everywhere?.isEverywhere = true
        #expect(event.transfer == everywhere)
        #expect(try specimen.verify().transfer == given.transfer)
        #expect(event.observation == nil)
        #expect(event.environment == .production)
    }

    @Test func factsOfAPurchase() throws {
        let event = try RevenueCatSpecimen("RENEWAL", period: 1).with("environment", to: "SANDBOX").verify()
        let key = ContractKey(provider: .revenuecat, environment: .sandbox, app: "app1", lineage: "t0")
        #expect(event.observation?.contract == key)
        #expect(event.observation?.account == "$RCAnonymousID:1")
        #expect(event.observation?.transaction?.price == 9990)
        #expect(event.observation?.transaction?.currency == "USD")
        #expect(try RevenueCatSpecimen("RENEWAL").with("app_id", to: nil).verify().app == "revenuecat")
        #expect(
            try RevenueCatSpecimen("RENEWAL").with("original_transaction_id", to: nil).verify().observation?.contract
                .lineage
                == "t0"
        )
    }

    @Test(
        arguments: ["INITIAL_PURCHASE", "RENEWAL", "NON_RENEWING_PURCHASE", "PRODUCT_CHANGE", "REFUND_REVERSED"],
        [JSON?.none, .raw("null")]
    )
    func purchaseThatStatesNoEnvironmentIsRefused(_ type: String, stated: JSON?) throws {
        let specimen = RevenueCatSpecimen(type).with("environment", to: stated)
        #expect(throws: VerificationError.malformed(.invalidPayload)) { try specimen.verify() }
    }

    /// Google's products carry their base plan; the catalog may name both or the subscription alone.
    @Test(arguments: [("pro:monthly", "pro:monthly"), ("pro", "pro"), ("other", "pro:monthly")])
    func basePlan(_ listed: String, product: String) throws {
        let specimen = RevenueCatSpecimen(
            "INITIAL_PURCHASE",
            changes: ["store": "PLAY_STORE", "product_id": "pro:monthly"]
        )
        let event = try specimen.verify(Catalog([listed: .init(group: "g")]))
        #expect(event.observation?.snapshot?.product == product)
    }

    @Test func provisionalAccessLastsADayAtTheMost() throws {
        let specimen = RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT")
        let snapshot = try specimen.verify().observation?.snapshot
        #expect(snapshot?.accessUntil == specimen.happenedAt + day)
        let limited = specimen.with("expiration_at_ms", to: nil).with("purchased_at_ms", to: nil).with(
            "product_id",
            to: nil
        )
        #expect(try limited.verify().observation?.snapshot?.accessUntil == specimen.happenedAt + day)
        #expect(try limited.verify().observation?.snapshot?.product == "pro")
    }

    @Test func memberWhoseOrganiserUnsubscribesKeepsWhatIsPaid() throws {
        let specimen = RevenueCatSpecimen(
            "CANCELLATION",
            changes: ["cancel_reason": "UNSUBSCRIBE", "is_family_share": true]
        )
        #expect(try specimen.verify().observation?.snapshot?.state == .cancelled)
    }
}
