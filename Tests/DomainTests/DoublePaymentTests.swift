import Testing

@testable import Domain

/// Which subscriptions of a user are paid for twice, and which one can go.
@Suite struct DoublePaymentTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let held: [HeldContract]
        /// The lineages, the one that speaks for the user first; empty for nothing.
        var pays: [String] = []
        var canGo: [String] = []
        var opened: [String] = []
    }

    private static let catalog: Catalog = {
        func product(_ names: String...) -> Catalog.Product {
            var product = Catalog.Product.unknown
            product.entitlements = names.compactMap(EntitlementName.init)
            return product
        }
        return Catalog(
            [
                "pro": product("pro"), "maps": product("maps"), "all": product("pro", "maps"),
                "news": product("pro", "news"),
            ],
            entitlements: ["pro", "maps", "news"].compactMap(EntitlementName.init)
        )
    }()

    private static func held(
        _ lineage: String,
        _ product: String = "pro",
        at provider: Provider = .apple,
        _ state: ContractState = .active,
        days: Int64 = 30,
        environment: StoreEnvironment = .production,
        change: (inout HeldContract) -> Void = { _ in }
    ) -> HeldContract {
        let key = ContractKey(provider: provider, environment: environment, app: "app", lineage: lineage)
        let end = Instant(milliseconds: 1_764_763_200_000) + .seconds(days * 86_400)
        let status = ContractStatus(state: state, product: product, accessUntil: end, autoRenew: state != .cancelled)
        var contract = HeldContract(of: Contract(key: key, kind: .subscription), status: status, catalog: catalog)
        change(&contract)
        return contract
    }

    static let cases = [
        Case(
            testDescription: "two stores",
            held: [held("1"), held("sub_1", at: .stripe, days: 300)],
            pays: ["sub_1", "1"],
            canGo: ["1"],
            opened: ["pro"]
        ),
        Case(
            testDescription: "two subscriptions at one store",
            held: [held("sub_1", at: .stripe), held("sub_2", at: .stripe, .inGracePeriod, days: 2)],
            pays: ["sub_1", "sub_2"],
            canGo: ["sub_2"],
            opened: ["pro"]
        ),
        Case(
            testDescription: "the one that opens more stays, though it ends earlier",
            held: [held("1", days: 300), held("sub_1", "all", at: .stripe)],
            pays: ["1", "sub_1"],
            canGo: ["1"],
            opened: ["pro"]
        ),
        Case(
            testDescription: "each opens something that the other does not",
            held: [held("1", "news"), held("sub_1", "all", at: .stripe, days: 300)],
            pays: ["sub_1", "1"],
            opened: ["pro"]
        ),
        Case(
            testDescription: "three, of which two can go",
            held: [held("1"), held("sub_1", at: .stripe, days: 300), held("g", at: .google, days: 3)],
            pays: ["sub_1", "1", "g"],
            canGo: ["1", "g"],
            opened: ["pro"]
        ),
        Case(testDescription: "one alone", held: [held("1")]),
        Case(testDescription: "for two things", held: [held("1"), held("sub_1", "maps", at: .stripe)]),
        Case(testDescription: "one does not renew", held: [held("1"), held("sub_1", at: .stripe, .cancelled)]),
        Case(testDescription: "one has ended", held: [held("1"), held("sub_1", at: .stripe, .expired, days: -1)]),
        Case(testDescription: "one was granted", held: [held("1"), held("g", at: .paycast)]),
        Case(
            testDescription: "one is of the Sandbox, where no money is taken",
            held: [held("1"), held("sub_1", at: .stripe, environment: .sandbox)]
        ),
        Case(
            testDescription: "one is the family's, whose buyer is somebody else",
            held: [held("1"), held("2") { $0.isFamilyShared = true }]
        ),
        Case(
            testDescription: "RevenueCat tells of what Apple tells of",
            held: [held("1"), held("1", at: .revenuecat) { $0.store = "apple" }]
        ),
        Case(
            testDescription: "one continues the other",
            held: [held("1", at: .google), held("2", at: .google) { $0.replaces = $0.contract.with(lineage: "1") }]
        ),
        Case(
            testDescription: "two products of one purchase",
            held: [held("sub_1", at: .stripe), held("sub_1#si_2", at: .stripe)]
        ),
    ]

    @Test(arguments: cases) func whoPaysTwice(_ given: Case) {
        let policy = AccessPolicy(sandboxUsers: .any, catalog: Self.catalog)
        let payment = EntitlementSet(user: "42", held: given.held, policy: policy).doublePayment
        #expect(payment?.contracts.map(\.contract.lineage) ?? [] == given.pays)
        #expect((payment?.dispensable ?? []).map(\.lineage).sorted() == given.canGo)
        #expect(payment?.entitlements.map(\.description) ?? [] == given.opened)
    }
}
