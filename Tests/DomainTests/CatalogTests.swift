import Testing

@testable import Domain

@Suite struct CatalogTests {
    private static let pro = EntitlementName("pro") ?? .standard
    private static let maps = EntitlementName("maps") ?? .standard
    private static let divided = Catalog(
        [
            "annual": Catalog.Product(entitlements: [pro]), "all": Catalog.Product(entitlements: [pro, maps]),
            "wallpaper": Catalog.Product(name: "A wallpaper"),
        ],
        entitlements: [pro, maps]
    )
    private static let undivided = Catalog(["annual": Catalog.Product(name: "A year")])

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var catalog: Catalog
        var product: String
        var kind = ProductKind.subscription
        var provider = Provider.apple
        var stated: String?
        var opens: [EntitlementName]
        var isMissing = false
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "what the catalog says", catalog: divided, product: "annual", opens: [pro]),
        Case(name: "several", catalog: divided, product: "all", opens: [pro, maps]),
        Case(
            name: "a product that opens nothing",
            catalog: divided,
            product: "wallpaper",
            kind: .nonConsumable,
            opens: []
        ),
        Case(name: "nobody says it", catalog: divided, product: "new", opens: [], isMissing: true),
        Case(name: "one level for all", catalog: undivided, product: "annual", opens: [.standard]),
        Case(name: "no catalog", catalog: Catalog(), product: "new", kind: .nonRenewing, opens: [.standard]),
        Case(name: "coins", catalog: Catalog(), product: "coins", kind: .consumable, opens: []),
        Case(name: "coins that nobody names", catalog: divided, product: "coins", kind: .consumable, opens: []),
        Case(name: "coins, whatever the catalog says", catalog: divided, product: "all", kind: .consumable, opens: []),
        Case(
            name: "the store's word",
            catalog: divided,
            product: "new",
            provider: .revenuecat,
            stated: "maps,other",
            opens: [maps]
        ),
        Case(
            name: "the catalog before the store",
            catalog: divided,
            product: "annual",
            provider: .revenuecat,
            stated: "maps",
            opens: [pro]
        ),
        Case(
            name: "the store says nothing",
            catalog: divided,
            product: "new",
            provider: .revenuecat,
            stated: "",
            opens: []
        ),
        Case(
            name: "the store has not said it yet",
            catalog: divided,
            product: "new",
            provider: .revenuecat,
            opens: [],
            isMissing: true
        ),
        Case(
            name: "the store need not say it, where there is one",
            catalog: Catalog(),
            product: "new",
            provider: .revenuecat,
            opens: [.standard]
        ),
        Case(
            name: "unless it says that it is none",
            catalog: Catalog(),
            product: "new",
            provider: .revenuecat,
            stated: "",
            opens: []
        ),
        Case(
            name: "the store names what the catalog does not",
            catalog: divided,
            product: "new",
            provider: .revenuecat,
            stated: "Premium",
            opens: [],
            isMissing: true
        ),
        Case(
            name: "any word of the store opens the only one",
            catalog: Catalog(),
            product: "new",
            provider: .revenuecat,
            stated: "Premium",
            opens: [.standard]
        ),
        Case(
            name: "a coin pack at RevenueCat",
            catalog: Catalog(),
            product: "new",
            kind: .nonConsumable,
            provider: .revenuecat,
            stated: "",
            opens: []
        ),
        Case(
            name: "a grant of an entitlement",
            catalog: divided,
            product: "maps",
            provider: .paycast,
            stated: "maps",
            opens: [maps]
        ),
        Case(name: "a grant of a product", catalog: divided, product: "all", provider: .paycast, opens: [pro, maps]),
    ])
    func opens(_ given: Case) {
        let stated = given.stated
        #expect(
            given.catalog.opened(by: given.product, kind: given.kind, at: given.provider, stated: stated) == given.opens
        )
        #expect(
            given.catalog.isMissing(given.product, kind: given.kind, at: given.provider, stated: stated)
                == given.isMissing
        )
    }

    @Test(arguments: ["pro", "a", "pro_max-2", "0", String(repeating: "a", count: 64)])
    func nameIsTaken(_ text: String) { #expect(EntitlementName(text)?.description == text) }

    @Test(arguments: ["", "Pro", "pro max", "pró", "../x", "a.b", String(repeating: "a", count: 65), "K"])
    func nameIsRefused(_ text: String) { #expect(EntitlementName(text) == nil) }
}
