import Testing

@testable import Domain

@Suite struct AnnouncementTests {
    /// The contract `1`, and the user's other contracts.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var before: ContractStatus?
        var after: ContractStatus?
        var kind = ProductKind.subscription
        var others: [ContractStatus] = []
        var expected: [String]
        var testDescription: String { name }
    }

    private static let on = ContractStatus(state: .active, product: "m", accessUntil: day(30), autoRenew: true)
    private static let long = ContractStatus(state: .active, product: "y", accessUntil: day(300), autoRenew: true)
    private static let off = ContractStatus(state: .cancelled, product: "m", accessUntil: day(30), autoRenew: false)
    private static let grace = ContractStatus(
        state: .inGracePeriod,
        product: "m",
        accessUntil: day(40),
        autoRenew: true
    )
    private static let retry = ContractStatus(
        state: .inBillingRetry,
        product: "m",
        accessUntil: day(0),
        autoRenew: true
    )
    private static let paused = ContractStatus(state: .paused, product: "m", accessUntil: day(0), autoRenew: true)
    private static let expired = ContractStatus(state: .expired, product: "m", accessUntil: day(0), autoRenew: false)
    private static let revoked = ContractStatus(state: .revoked, product: "m", accessUntil: day(0), autoRenew: false)
    private static let pending = ContractStatus(state: .pending, product: "m")
    private static let owned = ContractStatus(state: .owned, product: "life")
    private static let coins = ContractStatus(state: .delivered, product: "coins")
    private static let lostCoins = ContractStatus(state: .revoked, product: "coins", accessUntil: day(0))
    private static let tour = ContractStatus(state: .active, product: "basic", accessUntil: day(20), autoRenew: true)
    private static let renewed = ContractStatus(state: .active, product: "m", accessUntil: day(60), autoRenew: true)
    private static let upgraded = ContractStatus(state: .active, product: "y", accessUntil: day(60), autoRenew: true)
    private static let unconfirmed = ContractStatus(state: .active, product: "m", accessUntil: day(30))
    private static let pausing = ContractStatus(
        state: .active,
        product: "m",
        accessUntil: day(30),
        autoRenew: true,
        isPausing: true
    )
    private static let downgrading = ContractStatus(
        state: .active,
        product: "m",
        pendingProduct: "basic",
        accessUntil: day(30),
        autoRenew: true
    )

    @Test(arguments: [
        Case(name: "bought", after: on, expected: ["paywall=success", "subscription_status=manage"]),
        Case(name: "renewed", before: on, after: renewed, expected: ["paywall=manage", "subscription_status=manage"]),
        Case(name: "said again", before: on, after: on, expected: []),
        Case(name: "confirmed", before: unconfirmed, after: on, expected: []),
        Case(name: "renewal off", before: on, after: off, expected: ["paywall=ending", "subscription_status=ending"]),
        Case(name: "renewal on", before: off, after: on, expected: ["paywall=manage", "subscription_status=manage"]),
        Case(
            name: "downgrade",
            before: on,
            after: downgrading,
            expected: ["paywall=ending", "subscription_status=ending"]
        ),
        Case(
            name: "pause scheduled",
            before: on,
            after: pausing,
            expected: ["paywall=ending", "subscription_status=ending"]
        ),
        Case(
            name: "pause called off",
            before: pausing,
            after: on,
            expected: ["paywall=manage", "subscription_status=manage"]
        ),
        Case(
            name: "upgraded",
            before: on,
            after: upgraded,
            expected: ["paywall=success", "subscription_status=manage"]
        ),
        Case(
            name: "grace",
            before: on,
            after: grace,
            expected: ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Case(
            name: "recovered in grace",
            before: grace,
            after: renewed,
            expected: ["paywall=manage", "subscription_status=manage"]
        ),
        Case(
            name: "billing retry",
            before: on,
            after: retry,
            expected: ["paywall=fix_billing", "subscription_status=fix_billing"]
        ),
        Case(
            name: "retry ended",
            before: retry,
            after: expired,
            expected: ["paywall=paywall", "subscription_status=paywall"]
        ),
        Case(
            name: "recovered",
            before: retry,
            after: renewed,
            expected: ["paywall=success", "subscription_status=manage"]
        ),
        Case(name: "paused", before: on, after: paused, expected: ["paywall=paused", "subscription_status=paused"]),
        Case(
            name: "expired",
            before: off,
            after: expired,
            expected: ["paywall=paywall", "subscription_status=paywall"]
        ),
        Case(
            name: "refunded",
            before: on,
            after: revoked,
            expected: ["paywall=revoked", "subscription_status=revoked"]
        ),
        Case(name: "first seen expired", after: expired, expected: ["subscription_status=paywall"]),
        Case(name: "pending", after: pending, expected: ["paywall=pending", "subscription_status=pending"]),
        Case(
            name: "pending dropped",
            before: pending,
            after: expired,
            expected: ["paywall=paywall", "subscription_status=paywall"]
        ),
        Case(name: "moved away", before: on, expected: ["paywall=moved", "subscription_status=moved"]),
        Case(
            name: "moved away, another one runs",
            before: on,
            others: [long],
            expected: ["paywall=manage"]
        ),
        Case(
            name: "expired, another one runs",
            before: on,
            after: expired,
            others: [long],
            expected: ["paywall=manage"]
        ),
        Case(
            name: "renewed, another one runs",
            before: on,
            after: renewed,
            others: [long],
            expected: ["paywall=manage"]
        ),
        Case(name: "said again, another one runs", before: on, after: on, others: [long], expected: []),
        Case(
            name: "expired long ago, refunded, another one runs",
            before: expired,
            after: revoked,
            others: [long],
            expected: []
        ),
        Case(
            name: "retry goes on, and will not",
            before: retry,
            after: ContractStatus(state: .inBillingRetry, product: "m", accessUntil: day(0), autoRenew: false),
            expected: ["paywall=fix_billing", "subscription_status=fix_billing"]
        ),
        Case(
            name: "expired, and the end is known better",
            before: expired,
            after: ContractStatus(state: .expired, product: "m", accessUntil: day(1), autoRenew: false),
            expected: ["subscription_status=paywall"]
        ),
        Case(
            name: "the longer one is revoked, another one runs",
            before: long,
            after: ContractStatus(state: .revoked, product: "y", accessUntil: day(0), autoRenew: false),
            others: [on],
            expected: ["paywall=manage", "subscription_status=manage"]
        ),
        Case(
            name: "owned for ever",
            after: owned,
            kind: .nonConsumable,
            others: [on],
            expected: ["paywall=success", "subscription_status=manage"]
        ),
        Case(
            name: "restored in grace",
            after: grace,
            expected: ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Case(
            name: "restored with renewal off",
            after: off,
            expected: ["paywall=success", "subscription_status=ending"]
        ),
        Case(name: "bought beside", after: on, others: [long], expected: ["paywall=success"]),
        Case(name: "coins", after: coins, kind: .consumable, expected: []),
        Case(name: "coins beside", after: coins, kind: .consumable, others: [on], expected: []),
        Case(name: "coins back", before: coins, after: lostCoins, kind: .consumable, expected: []),
        Case(
            name: "grace, and something is owned for ever",
            before: on,
            after: grace,
            others: [owned],
            expected: ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
    ])
    func announces(_ given: Case) {
        let others = given.others.map { Self.heldContract("2", kind: .subscription, status: $0) }
        let announcements = PageChange(
            before: Self.entitlements(
                others + [given.before].compactMap { $0 }.map { Self.heldContract("1", kind: given.kind, status: $0) }
            ),
            after: Self.entitlements(
                others + [given.after].compactMap { $0 }.map { Self.heldContract("1", kind: given.kind, status: $0) }
            ),
            contracts: [Self.key("1")]
        ).announcements
        #expect(announcements.map { "\($0.target.rawValue)=\($0.name.rawValue)" } == given.expected)
    }

    /// Both elements of one message show the same contract as it is now.
    @Test(arguments: [
        (Self.on, Self.renewed), (on, off), (off, on), (on, grace), (grace, renewed), (on, downgrading), (on, upgraded),
        (on, pausing), (on, retry), (retry, renewed), (on, revoked), (pending, on),
    ])
    func oneMessageTellsOneTruth(before: ContractStatus, after: ContractStatus) throws {
        let announcements = PageChange(
            before: Self.entitlements([Self.heldContract("1", kind: .subscription, status: before)]),
            after: Self.entitlements([Self.heldContract("1", kind: .subscription, status: after)]),
            contracts: [Self.key("1")]
        ).announcements
        #expect(announcements.map(\.target) == [.paywall, .subscriptionStatus])
        #expect(announcements.allSatisfy { $0.heldContract.status == after })
        // It shows what a page that opens now is shown; only a page that waited for a purchase gets `success`.
        var current = Announcement.current(
            Self.entitlements([Self.heldContract("1", kind: .subscription, status: after)])
        )
        if announcements[0].name == .success { current[0].name = .success }
        #expect(announcements == current)
    }

    private static let divided = Catalog(
        [
            "m": Catalog.Product(entitlements: [pro]), "y": Catalog.Product(entitlements: [pro, maps]),
            "basic": Catalog.Product(entitlements: [maps]), "life": Catalog.Product(),
        ],
        entitlements: [pro, maps]
    )
    private static let pro = EntitlementName("pro") ?? .standard
    private static let maps = EntitlementName("maps") ?? .standard

    /// Each entitlement has its own elements, which only the contracts that open it change.
    @Test(arguments: [
        Case(
            name: "one that opens both",
            after: long,
            expected: ["pro.paywall=success", "pro.banner=manage", "maps.paywall=success", "maps.banner=manage"]
        ),
        Case(
            name: "the grace of one",
            before: on,
            after: grace,
            others: [tour],
            expected: [
                "pro.paywall=warn_billing", "pro.banner=warn_billing",
            ]
        ),
        Case(name: "what opens nothing", after: owned, kind: .nonConsumable, others: [on], expected: []),
        Case(
            name: "expired, and what opens nothing stays",
            before: off,
            after: expired,
            others: [owned],
            expected: [
                "pro.paywall=paywall", "pro.banner=paywall",
            ]
        ),
        Case(
            name: "another product, which opens less",
            before: long,
            after: on,
            expected: [
                "pro.paywall=success", "pro.banner=manage", "maps.paywall=paywall", "maps.banner=paywall",
            ]
        ),
        Case(
            name: "another product, which opens less, and another contract opens it",
            before: long,
            after: on,
            others: [tour],
            expected: ["pro.paywall=success", "pro.banner=manage", "maps.paywall=manage", "maps.banner=manage"]
        ),
        Case(
            name: "moved away",
            before: long,
            expected: [
                "pro.paywall=moved", "pro.banner=moved", "maps.paywall=moved", "maps.banner=moved",
            ]
        ),
    ])
    func announcesEachEntitlement(_ given: Case) {
        func set(_ status: ContractStatus?) -> EntitlementSet {
            let others = given.others.map {
                Self.heldContract("2", kind: .subscription, status: $0, catalog: Self.divided)
            }
            let own = status.map { Self.heldContract("1", kind: given.kind, status: $0, catalog: Self.divided) }
            let policy = AccessPolicy(sandboxUsers: .any, catalog: Self.divided)
            return EntitlementSet(user: "42", held: others + [own].compactMap(\.self), policy: policy)
        }
        let change = PageChange(before: set(given.before), after: set(given.after), contracts: [Self.key("1")])
        let told = change.announcements.map { announcement in
            let element = announcement.target == .paywall ? "paywall" : "banner"
            return "\(announcement.entitlement).\(element)=\(announcement.name.rawValue)"
        }
        #expect(told == given.expected)
    }

    @Test func onlyTheMainEntitlementHasShortIDs() {
        let ids = PageTarget.allCases.flatMap { target in
            [Self.pro, Self.maps].map { target.id(of: $0, in: Self.divided) }
        }
        #expect(ids == ["paywall", "paywall_maps", "subscription_status", "subscription_status_maps"])
        #expect(PageTarget.paywall.id(of: .standard, in: Catalog()) == "paywall")
    }

    @Test func sandboxThatIsNotHonouredChangesNothing() {
        let policy = AccessPolicy(sandboxUsers: .only(["tester"]))
        for (user, expected) in [("somebody" as UserID, 0), ("tester", 2)] {
            let heldContract = Self.heldContract("1", kind: .subscription, status: Self.on, environment: .sandbox)
            let announcements = PageChange(
                before: EntitlementSet(user: user, held: [], policy: policy),
                after: EntitlementSet(user: user, held: [heldContract], policy: policy),
                contracts: [heldContract.contract]
            ).announcements
            #expect(announcements.count == expected)
        }
    }

    private static func day(_ day: Int64) -> Instant {
        Instant(milliseconds: 1_700_000_000_000) + .seconds(day * 86_400)
    }

    private static func key(_ lineage: String, environment: StoreEnvironment = .production) -> ContractKey {
        ContractKey(provider: .apple, environment: environment, app: "a", lineage: lineage)
    }

    private static func heldContract(
        _ lineage: String,
        kind: ProductKind,
        status: ContractStatus,
        environment: StoreEnvironment = .production,
        catalog: Catalog = Catalog()
    ) -> HeldContract {
        HeldContract(
            of: Contract(key: key(lineage, environment: environment), kind: kind),
            status: status,
            catalog: catalog
        )
    }

    private static func entitlements(_ entitlements: [HeldContract]) -> EntitlementSet {
        EntitlementSet(user: "42", held: entitlements, policy: AccessPolicy(sandboxUsers: .any))
    }
}
