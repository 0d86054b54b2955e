import APIModel
import Domain
import Testing

@testable import API
@testable import Console

/// The first line of a user's page.
@Suite struct UserSentencesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var contract: ContractDetail?
        var events: [FeedItem] = []
        let says: String
    }

    private typealias Fixture = ConsoleFixture

    static let cases = [
        Case(
            testDescription: "renewed",
            contract: Fixture.contract(),
            events: [Fixture.event(.subscriptionRenewed)],
            says: "Active until 3 January 2026 because Apple said so on 3 December 2025 (DID_RENEW)."
        ),
        Case(
            testDescription: "cancelled",
            contract: Fixture.contract(.cancelled, until: 10),
            events: [Fixture.event(.autoRenewOff, type: "DID_CHANGE_RENEWAL_STATUS", state: .cancelled, day: -2)],
            says: "Active until 13 December 2025 and then over because Apple said so on 1 December 2025 "
                + "(DID_CHANGE_RENEWAL_STATUS)."
        ),
        Case(
            testDescription: "an end that nobody has told",
            contract: Fixture.contract(.expired, until: -1),
            events: [Fixture.event(.subscriptionRenewed, day: -32)],
            says:
                "Not active since 2 December 2025: it ended, because Apple said on 1 November 2025 that it lasts until then "
                + "(DID_RENEW), and has said nothing since."
        ),
        Case(
            testDescription: "an end that the store has told",
            contract: Fixture.contract(.expired, until: -1),
            events: [Fixture.event(.subscriptionExpired, type: "EXPIRED", state: .expired, day: -1)],
            says: "Not active since 2 December 2025: it ended because Apple said so on 2 December 2025 (EXPIRED)."
        ),
        Case(
            testDescription: "refunded",
            contract: Fixture.contract(.revoked, until: -1),
            events: [
                Fixture.event(.refundRequested, type: "CONSUMPTION_REQUEST", outcome: .ignored, position: 9),
                Fixture.event(.refundCompleted, type: "REFUND", state: .revoked, day: -1),
            ],
            says:
                "Not active since 2 December 2025: it was refunded because Apple said so on 2 December 2025 (REFUND)."
        ),
        Case(
            testDescription: "no longer shared",
            contract: Fixture.contract(.revoked, until: -1),
            events: [Fixture.event(.familyRevoked, type: "REVOKE", state: .revoked, day: -1)],
            says: "Not active since 2 December 2025: the family no longer shares it because Apple said so on "
                + "2 December 2025 (REVOKE)."
        ),
        Case(
            testDescription: "upgraded",
            contract: upgraded,
            events: [
                Fixture.event(.planChanged, type: "UPGRADE"),
                product("pro.monthly", Fixture.event(.subscriptionStarted)),
            ],
            says:
                "Active until 3 January 2026: changed from pro.monthly to pro.annual, 79.99 USD, because Apple said so on "
                + "3 December 2025 (UPGRADE)."
        ),
        Case(
            testDescription: "a Sandbox purchase on a Production server",
            contract: Fixture.contract(environment: .sandbox, isActive: false),
            events: [Fixture.event(.subscriptionStarted, type: "SUBSCRIBED")],
            says: "No access, although the purchase is active: it was made in the Sandbox, as Apple said on "
                + "3 December 2025 (SUBSCRIBED)."
        ),
        Case(
            testDescription: "a grace period",
            contract: Fixture.contract(.inGracePeriod, until: 3),
            events: [Fixture.event(.graceStarted, type: "DID_FAIL_TO_RENEW", state: .inGracePeriod)],
            says: "Active until 6 December 2025 although the payment failed because Apple said so on 3 December 2025 "
                + "(DID_FAIL_TO_RENEW)."
        ),
        Case(
            testDescription: "another contract's event decides nothing",
            contract: Fixture.contract(),
            events: [Fixture.event(.subscriptionRenewed, lineage: "1002")],
            says: "Active until 3 January 2026 because Apple said so on 2 December 2025."
        ),
        Case(
            testDescription: "a grant",
            contract: Fixture.contract(.owned, until: nil, provider: .paycast),
            events: [Fixture.event(.accessGranted, type: "grant", state: .owned, provider: .paycast)],
            says: "Active for ever, by what somebody of yours did on 3 December 2025."
        ),
        Case(
            testDescription: "a rental of which the catalog says nothing",
            contract: rental,
            events: [Fixture.event(.purchaseCompleted, type: "ONE_TIME_PRODUCT_PURCHASED", provider: .google)],
            says: "Not active yet: paid on 3 December 2025, and the catalog has no duration for film:weekend."
        ),
        Case(
            testDescription: "a product of which the catalog says nothing",
            contract: unlisted,
            events: [Fixture.event(.subscriptionStarted)],
            says: "No access, although the purchase is active: the catalog opens nothing with pro.monthly."
        ),
        Case(
            testDescription: "a payment that is awaited",
            contract: Fixture.contract(.pending, until: nil, provider: .google),
            says: "Not active yet: the payment is not there because Google said so on 2 December 2025."
        ),
        Case(
            testDescription: "nobody",
            says: "Nothing is known of this user: no store has named them, or they were erased."
        ),
        Case(
            testDescription: "quarantined",
            events: [Fixture.event(.subscriptionStarted, outcome: .quarantined)],
            says: "No purchase: one came, and contradicts the order that its token names."
        ),
        Case(
            testDescription: "moved",
            events: [moved],
            says: "No purchase: what the user had went to kim-12 on 3 December 2025 (TRANSFER)."
        ),
    ]

    private static var upgraded: ContractDetail {
        var contract = Fixture.contract(product: "pro.annual")
        contract.details.purchasedAt = Fixture.now.iso8601
        (contract.details.price, contract.details.currency) = (79_990, "USD")
        return contract
    }

    private static var rental: ContractDetail {
        var contract = Fixture.contract(.pending, until: nil, provider: .google, product: "film:weekend")
        (contract.details.kind, contract.details.purchasedAt) = ("non_renewing", Fixture.now.iso8601)
        return contract
    }

    private static var unlisted: ContractDetail {
        var contract = Fixture.contract(isActive: false)
        contract.summary.entitlements = []
        return contract
    }

    private static func product(_ product: String, _ event: FeedItem) -> FeedItem {
        var event = event
        event.product = product
        return event
    }

    struct Renewal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let contract: ContractDetail
        var renews: Bool?
        let says: String
    }

    /// Whether the buyer will be charged again.
    @Test(arguments: [
        Renewal(testDescription: "on", contract: Fixture.contract(), renews: true, says: "renews on 3 January 2026"),
        Renewal(testDescription: "off", contract: Fixture.contract(.cancelled), renews: false, says: "does not renew"),
        Renewal(testDescription: "over", contract: Fixture.contract(.revoked), renews: true, says: "does not renew"),
        Renewal(testDescription: "not said", contract: Fixture.contract(), says: ""),
        Renewal(
            testDescription: "a failed payment",
            contract: Fixture.contract(.inGracePeriod),
            renews: true,
            says: "Apple still tries to charge"
        ),
    ]) func renewal(_ given: Renewal) {
        var contract = given.contract
        contract.summary.autoRenew = given.renews
        #expect(ContractSentence(contract, events: [], now: Fixture.now).renewal == given.says)
    }

    private static var moved: FeedItem {
        var event = Fixture.event(.contractTransferred, type: "TRANSFER", provider: .revenuecat)
        event.user = "kim-12"
        return event
    }

    /// Who may see one user only is told no other's name. RevenueCat moves by a setting of its own.
    @Test func whoGotItIsNamedToWhoMayKnow() {
        let record = Fixture.record()
        let one = UserSentences(record, entitlements: [], events: [Self.moved], now: Fixture.now, namesOthers: false)
        #expect(one.what == "No purchase: what the user had went to another user on 3 December 2025 (TRANSFER).")
        #expect(one.newOwner == nil && one.next.hasSuffix("restores purchases while logged in as this user."))
        var event = Self.moved
        event.provider = Provider.apple.rawValue
        let kept = UserSentences(record, entitlements: [], events: [event], now: Fixture.now, movesBack: false)
        #expect(kept.newOwner == "kim-12" && kept.next.hasSuffix("Ask which one the buyer means."))
    }

    @Test(arguments: cases) func firstLine(_ given: Case) {
        let record = Fixture.record(given.contract.map { [$0] } ?? [])
        let sentences = UserSentences(record, entitlements: [], events: given.events, now: Fixture.now)
        #expect(sentences.what == given.says)
        #expect(sentences.next.hasSuffix("."))
    }

    struct Access: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var contracts: [ContractDetail] = []
        let says: String
    }

    /// What a caller is told at once says no more than is certain.
    @Test(arguments: [
        Access(testDescription: "nothing", says: "Has no access."),
        Access(
            testDescription: "active",
            contracts: [Fixture.contract()],
            says: "Has access; a page shows it as soon as it opens; there is no reason to pay again."
        ),
        Access(
            testDescription: "the payment failed",
            contracts: [Fixture.contract(.inGracePeriod)],
            says: "Has access; a page shows it as soon as it opens."
        ),
        Access(
            testDescription: "Sandbox",
            contracts: [Fixture.contract(environment: .sandbox, isActive: false)],
            says: "Has no access."
        ),
    ]) func access(_ given: Access) {
        let record = Fixture.record(given.contracts)
        #expect(UserSentences(record, entitlements: [], events: [], now: Fixture.now).access == given.says)
    }

    struct Named: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let opened: [String]
        var state = ContractState.active
        let says: String
    }

    @Test(arguments: [
        Named(
            testDescription: "all",
            opened: ["maps", "pro"],
            says: "Has pro, maps; a page shows it as soon as it opens."
        ),
        Named(
            testDescription: "one",
            opened: ["maps"],
            says: "Has maps, and not pro; a page shows it as soon as it opens."
        ),
        Named(
            testDescription: "an ended one",
            opened: ["pro"],
            state: .expired,
            says: "Has no access: neither pro nor maps."
        ),
    ]) func accessNamesSeveralEntitlements(_ given: Named) {
        let items = Fixture.entitlements(["pro", "maps"], opened: given.opened, by: given.state)
        let record = Fixture.record([Fixture.contract(given.state)], entitlements: items)
        let sentences = UserSentences(record, entitlements: ["pro", "maps"], events: [], now: Fixture.now)
        #expect(sentences.access == given.says)
    }

    @Test(arguments: ContractState.allCases) func everyStateHasWords(_ state: ContractState) {
        for provider in [Provider.apple, .paycast] {
            for until in [nil, -1.0, 31] {
                let contract = Fixture.contract(state, until: until, provider: provider)
                let sentence = ContractSentence(contract, events: [], now: Fixture.now)
                #expect(!sentence.what.contains("Optional") && !sentence.what.contains("_"), "\(sentence.what)")
                #expect(sentence.what.hasSuffix(".") && sentence.next.hasSuffix("."), "\(sentence)")
            }
        }
    }

    @Test(arguments: EventKind.allCases) func everyKindHasWords(_ kind: EventKind) {
        let title = EventNames.title(kind.rawValue)
        #expect(!title.contains(".") && !title.contains("_") && !title.isEmpty)
    }
}
