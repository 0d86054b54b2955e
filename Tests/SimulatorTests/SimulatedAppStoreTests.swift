import Crypto
import Domain
import Simulator
import Stores
import Testing

@Suite struct SimulatedAppStoreTests {
    static let now = Instant(milliseconds: 1_767_225_600_000)
    static let authority = Result { try DevelopmentAuthority.create() }
    static let order = OrderToken("a5af9b36-0e4d-4665-8351-0e4003752165") ?? .random()

    private func verify(_ notification: SimulatedEvent) throws -> Event {
        let authority = try Self.authority.get()
        let store = SimulatedAppStore(signer: AppStoreSigner(chain: authority.chain, key: authority.leafKey))
        let verifier = try AppleVerifier(
            bundleIDs: .only(["com.example.paycast"]),
            appIDs: .any,
            environments: [.production, .sandbox],
            roots: try #require(TrustedRoots(pem: authority.root))
        )
        return try verifier.verify(body: store.body(notification), now: Self.now)
    }

    private func say(_ type: String, subtype: String?, of facts: SimulatedSubscription) -> SimulatedEvent {
        SimulatedEvent(type: type, subtype: subtype, facts: facts, token: Self.order, now: Self.now)
    }

    /// A running month of the cheaper product.
    static var running: SimulatedSubscription {
        var facts = SimulatedSubscription(product: "paycast.pro.monthly", order: order)
        facts.state = .active
        facts.accessUntil = now + .seconds(864_000)
        return facts
    }

    @Test(arguments: StoreEvent.all) func everyEventIsGenuineAndMeansWhatItSays(_ given: StoreEvent) throws {
        let event = try verify(say(given.type, subtype: given.subtype, of: Self.running))
        #expect(event.kind == given.kind)
        #expect(event.type == given.type)
        #expect(event.subtype == given.subtype)
        #expect(event.observation?.snapshot?.state == given.state)
        #expect((event.observation == nil) == given.saysNothingOfAContract)
        if let observation = event.observation {
            #expect(observation.token == Self.order)
            #expect(given.type == "MIGRATION" || observation.contract.lineage == Self.running.lineage)
        }
    }

    @Test(arguments: StoreEvent.all) func everyEventIsGenuineInProduction(_ given: StoreEvent) throws {
        var notification = say(given.type, subtype: given.subtype, of: Self.running)
        notification.environment = .production
        #expect(try verify(notification).environment == .production)
    }

    @Test func renewalFollowsThePeriodBefore() throws {
        let event = try verify(say("DID_RENEW", subtype: nil, of: Self.running))
        let until = try #require(Self.running.accessUntil) + .seconds(2_592_000)
        #expect(event.observation?.snapshot?.accessUntil == until)
        #expect(event.observation?.transaction?.price == 9990)
        let before = try verify(say("TEST_OF_SAMENESS", subtype: nil, of: Self.running))
        #expect(event.observation?.transaction?.id != before.observation?.transaction?.id)
    }

    @Test func upgradeSwitchesNowAndDowngradeLater() throws {
        let upgrade = try #require(
            try verify(say("DID_CHANGE_RENEWAL_PREF", subtype: "UPGRADE", of: Self.running)).observation
        )
        #expect(upgrade.snapshot?.product == "paycast.pro.annual")
        #expect(upgrade.snapshot?.pendingProduct == nil)
        let downgrade = try #require(
            try verify(say("DID_CHANGE_RENEWAL_PREF", subtype: "DOWNGRADE", of: Self.running)).observation
        )
        #expect(downgrade.snapshot?.product == "paycast.pro.monthly")
        #expect(downgrade.snapshot?.pendingProduct == "paycast.pro.annual")
        var waiting = Self.running
        waiting.pendingProduct = "paycast.pro.annual"
        #expect(
            try verify(say("DID_RENEW", subtype: nil, of: waiting)).observation?.snapshot?.product
                == "paycast.pro.annual"
        )
        let reverted = try verify(say("DID_CHANGE_RENEWAL_PREF", subtype: nil, of: waiting)).observation?.snapshot
        #expect(reverted?.pendingProduct == nil)
    }

    @Test func graceRunsBeyondTheEndOfThePeriod() throws {
        let event = try verify(say("DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD", of: Self.running))
        #expect(event.observation?.snapshot?.accessUntil == Self.now + .seconds(16 * 86_400))
        #expect(try #require(event.observation?.transaction?.expiresAt) < Self.now)
    }

    @Test func expiryIsJustPast() throws {
        let event = try verify(say("EXPIRED", subtype: "VOLUNTARY", of: Self.running))
        #expect(event.observation?.snapshot?.accessUntil == Self.now - .seconds(1))
    }

    @Test func refundAndItsReversalAreTheSameTransaction() throws {
        let refund = try verify(say("REFUND", subtype: nil, of: Self.running)).observation
        #expect(refund?.transaction?.revokedAt == Self.now)
        var revoked = Self.running
        revoked.state = .revoked
        let reversal = try verify(say("REFUND_REVERSED", subtype: nil, of: revoked)).observation
        #expect(reversal?.transaction?.revokedAt == nil)
        #expect(reversal?.transaction?.id == refund?.transaction?.id)
        #expect(reversal?.snapshot?.state == .active)
    }

    @Test func migrationNamesTheLineageBefore() throws {
        let observation = try verify(say("MIGRATION", subtype: nil, of: Self.running)).observation
        #expect(observation?.previousLineage == Self.running.lineage)
        #expect(observation?.contract.lineage != Self.running.lineage)
    }

    @Test(arguments: [ProductKind.consumable, .nonConsumable, .nonRenewing])
    func oneTimeChargesAreOfTheirKind(_ kind: ProductKind) throws {
        let facts = SimulatedSubscription(product: "paycast.coins", kind: kind, order: Self.order)
        let event = try verify(say("ONE_TIME_CHARGE", subtype: nil, of: facts))
        #expect(event.observation?.kind == kind)
        #expect(event.observation?.transaction?.id == facts.lineage)
        #expect(event.observation?.transaction?.expiresAt == nil)
    }

    @Test(arguments: ContractState.allCases) func factsSurviveAnEventThatChangesNothing(_ state: ContractState) throws {
        var facts = Self.running
        facts.state = state
        facts.autoRenew = state != .cancelled
        // As long as its period is paid, a charge that fails ends nothing.
        if state == .inBillingRetry || state == .paused { facts.accessUntil = Self.now - .seconds(1) }
        let expected: ContractState =
            switch state {
            case .pending, .owned, .delivered: .active
            case .paused: .inBillingRetry
            default: state
            }
        #expect(try verify(say("SOMETHING_NEW", subtype: nil, of: facts)).observation?.snapshot?.state == expected)
    }

    /// Apple's headers have 4,411 characters. Signatures in certificates differ by a few bytes.
    @Test func headerIsAsLongAsApples() throws {
        let authority = try Self.authority.get()
        let jws = try AppStoreSigner(chain: authority.chain, key: authority.leafKey).sign([])
        #expect((4350...4470).contains(jws.prefix { $0 != "." }.utf8.count))
    }

    @Test func idsLookLikeApples() {
        let lineage = Self.running.lineage
        #expect(lineage.utf8.count == 16 && lineage.first == "2")
        #expect(SimulatedSubscription(product: "another", order: Self.order).lineage == lineage)
        #expect(SimulatedSubscription(product: "another", order: .random()).lineage != lineage)
    }

    @Test func appHoldsTheSameTransaction() throws {
        let authority = try Self.authority.get()
        let store = SimulatedAppStore(signer: AppStoreSigner(chain: authority.chain, key: authority.leafKey))
        let verifier = try AppleVerifier(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.sandbox],
            roots: try #require(TrustedRoots(pem: authority.root))
        )
        let notification = say("SUBSCRIBED", subtype: "INITIAL_BUY", of: Self.running)
        let event = try verifier.verify(
            transaction: try store.transaction(notification),
            body: [],
            now: Self.now
        )
        #expect(event.observation?.transaction == (try verify(notification).observation?.transaction))
    }
}
