import Testing

@testable import Domain

@Suite struct EntitlementSetTests {
    private static let now = Instant(milliseconds: 1_700_000_000_000)
    private static let catalog = Catalog([
        "basic": Catalog.Product(group: "pro", level: 1),
        "pro": Catalog.Product(group: "pro", level: 2, name: "Pro"),
        "news": Catalog.Product(group: "news", level: 9),
    ])

    /// One contract, in short.
    struct Held: Sendable {
        var lineage: String
        var product: String
        var state = ContractState.active
        var days: Int64 = 30
        var group: String?
        var isFamilyShared = false
        var replaces: String?
        var provider = Provider.apple
        /// A grant without an end.
        var isForEver = false
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var held: [Held]
        /// Lineages, the winner first, without contracts that give no access and do not speak for the user.
        var ranked: [String]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(
            name: "the longest reach",
            held: [Held(lineage: "1", product: "m"), Held(lineage: "2", product: "y", days: 90)],
            ranked: ["2", "1"]
        ),
        Case(
            name: "the highest level before the longest reach",
            held: [
                Held(lineage: "1", product: "basic", days: 90), Held(lineage: "2", product: "pro"),
                Held(lineage: "3", product: "basic", days: 120),
            ],
            ranked: ["2", "3", "1"]
        ),
        Case(
            name: "a shared one of a higher level before an own one",
            held: [
                Held(lineage: "1", product: "basic"), Held(lineage: "2", product: "pro", isFamilyShared: true),
            ],
            ranked: ["2", "1"]
        ),
        Case(
            name: "an own one before a shared one of the same level",
            held: [
                Held(lineage: "1", product: "pro", isFamilyShared: true), Held(lineage: "2", product: "pro"),
            ],
            ranked: ["2", "1"]
        ),
        Case(
            name: "a high level without access does not count",
            held: [
                Held(lineage: "1", product: "pro", state: .expired, days: -1), Held(lineage: "2", product: "basic"),
            ],
            ranked: ["2", "1"]
        ),
        Case(
            name: "a grant that is over gives way to a failed charge",
            held: [
                Held(lineage: "1", product: "news", state: .inBillingRetry, days: -3),
                Held(lineage: "2", product: "pro", state: .cancelled, days: -1, provider: .paycast),
            ],
            ranked: ["1", "2"]
        ),
        Case(
            name: "a grant that runs does not",
            held: [
                Held(lineage: "1", product: "news", state: .inBillingRetry, days: -3),
                Held(lineage: "2", product: "pro", state: .cancelled, days: 1, provider: .paycast),
            ],
            ranked: ["2", "1"]
        ),
        Case(
            name: "what renews before a grant that ends later",
            held: [Held(lineage: "1", product: "m"), Held.grant("2", until: 31)],
            ranked: ["1", "2"]
        ),
        Case(
            name: "also in their group",
            held: [Held(lineage: "1", product: "pro"), Held.grant("2", of: "pro", until: 90)],
            ranked: ["1", "2"]
        ),
        Case(
            name: "and beside one that ends between the two",
            held: [
                Held(lineage: "1", product: "m"), Held.grant("2", until: 90),
                Held(lineage: "3", product: "y", state: .cancelled, days: 60),
            ],
            ranked: ["3", "1", "2"]
        ),
        Case(
            name: "a grant that ends later than what ends, too",
            held: [Held(lineage: "1", product: "m", state: .cancelled), Held.grant("2", until: 31)],
            ranked: ["2", "1"]
        ),
        Case(
            name: "a grant of a higher level of the group",
            held: [Held(lineage: "1", product: "basic"), Held.grant("2", of: "pro", until: 5)],
            ranked: ["2", "1"]
        ),
        Case(
            name: "a grant for ever before what renews",
            held: [Held(lineage: "1", product: "m"), Held.grant("2", until: nil)],
            ranked: ["2", "1"]
        ),
        Case(
            name: "two grants by their reach",
            held: [Held(lineage: "1", product: "m"), Held.grant("2", until: 5), Held.grant("3", until: 90)],
            ranked: ["1", "3", "2"]
        ),
        Case(
            name: "levels of different groups are not compared",
            held: [
                Held(lineage: "1", product: "news"), Held(lineage: "2", product: "basic", days: 60),
                Held(lineage: "3", product: "pro", days: 40),
            ],
            ranked: ["3", "2", "1"]
        ),
        Case(
            name: "a group of the catalog spans stores",
            held: [
                Held(lineage: "1", product: "basic", days: 90, group: "21500000"),
                Held(lineage: "2", product: "pro", provider: .stripe),
            ],
            ranked: ["2", "1"]
        ),
        Case(
            name: "a replaced contract does not speak",
            held: [
                Held(lineage: "old", product: "m", days: 90), Held(lineage: "new", product: "m", replaces: "old"),
            ],
            ranked: ["new"]
        ),
        Case(
            name: "nor when its successor has ended",
            held: [
                Held(lineage: "old", product: "m", days: 90),
                Held(lineage: "new", product: "m", state: .expired, days: -1, replaces: "old"),
            ],
            ranked: ["new"]
        ),
        Case(
            name: "it stays while its successor waits for payment",
            held: [
                Held(lineage: "old", product: "m"),
                Held(lineage: "new", product: "y", state: .pending, replaces: "old"),
            ],
            ranked: ["old", "new"]
        ),
        Case(
            name: "a contract that replaces itself stays",
            held: [Held(lineage: "1", product: "m", replaces: "1")],
            ranked: ["1"]
        ),
        Case(
            name: "another store's contract is not replaced",
            held: [
                Held(lineage: "old", product: "m", provider: .stripe),
                Held(lineage: "new", product: "m", days: 60, replaces: "old"),
            ],
            ranked: ["new", "old"]
        ),
    ])
    func ranks(_ given: Case) {
        let expected = given.ranked
        for held in [given.held, given.held.reversed()] {
            let entitlements = Self.entitlements(held)
            #expect(entitlements.ranked.map(\.contract.lineage) == expected)
            #expect(entitlements.main.winner?.contract.lineage == expected.first)
        }
    }

    /// A pending purchase that was dropped never replaced anything.
    @Test func successorThatNeverBeganReplacesNothing() {
        let dropped = Held(lineage: "new", product: "y", state: .expired, days: 0, replaces: "old")
        var contract = Self.contract(dropped)
        contract.snapshot?.snapshot.accessUntil = nil
        let entitlements = [
            Self.heldContract(Self.contract(Held(lineage: "old", product: "m"))),
            Self.heldContract(contract),
        ]
        #expect(EntitlementSet(user: "42", held: entitlements, policy: AccessPolicy(sandboxUsers: .any)).isActive)
    }

    @Test func catalogNamesAndCounts() {
        let key = ContractKey(provider: .google, environment: .production, app: "a", lineage: "1")
        var contract = Contract(key: key, kind: .consumable)
        let charge = Transaction(id: "1", product: "coins", purchasedAt: Self.now, quantity: 3, signedAt: Self.now)
        _ = contract.apply(
            Observation(contract: key, kind: .consumable, transaction: charge),
            event: "e",
            signedAt: Self.now
        )
        let catalog = Catalog(["coins": Catalog.Product(group: "money", name: "Gold coins")])
        let status = ContractStatus(state: .delivered, product: "coins")
        let values = HeldContract(of: contract, status: status, catalog: catalog).templateValues(user: "42")
        #expect(values["name"] == "Gold coins")
        #expect(values["quantity"] == "3")
        #expect(values["group"] == "money")
        #expect(HeldContract(of: contract, status: status).templateValues(user: "42")["name"] == "coins")
    }

    private static func entitlements(_ held: [Held]) -> EntitlementSet {
        EntitlementSet(
            user: "42",
            held: held.map { heldContract(contract($0)) },
            policy: AccessPolicy(sandboxUsers: .any)
        )
    }

    private static func heldContract(_ contract: Contract) -> HeldContract {
        let status = contract.status(at: now) ?? ContractStatus(state: .expired, product: "")
        return HeldContract(of: contract, status: status, catalog: catalog)
    }

    private static func contract(_ held: Held) -> Contract {
        let key = ContractKey(provider: held.provider, environment: .production, app: "a", lineage: held.lineage)
        let kind: ProductKind = held.isForEver ? .nonConsumable : .subscription
        var contract = Contract(key: key, kind: kind)
        let snapshot = Snapshot(
            state: held.state,
            product: held.product,
            autoRenew: true,
            accessUntil: held.state == .pending || held.isForEver ? nil : now + .seconds(held.days * 86_400),
            signedAt: now
        )
        let observation = Observation(
            contract: key,
            kind: kind,
            group: held.group,
            previousLineage: held.replaces,
            isFamilyShared: held.isFamilyShared,
            snapshot: snapshot
        )
        _ = contract.apply(observation, event: "e", signedAt: now)
        return contract
    }
}

extension EntitlementSetTests.Held {
    fileprivate static func grant(_ lineage: String, of product: String = "g", until days: Int64?) -> Self {
        var grant = Self(lineage: lineage, product: product, provider: .paycast)
        (grant.state, grant.days, grant.isForEver) = (days == nil ? .owned : .cancelled, days ?? 0, days == nil)
        return grant
    }
}
