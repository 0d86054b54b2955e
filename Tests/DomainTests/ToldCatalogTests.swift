import Testing

@testable import Domain

/// What the ledger keeps of a catalog.
@Suite struct ToldCatalogTests {
    private static let pro = EntitlementName("pro") ?? .standard
    private static let maps = EntitlementName("maps") ?? .standard

    static let catalogs = [
        Catalog(),
        Catalog(["annual": Catalog.Product(name: "A year")]),
        Catalog(
            ["annual": .init(entitlements: [pro]), "all": .init(entitlements: [pro, maps]), "wallpaper": .init()],
            entitlements: [pro, maps]
        ),
        Catalog(["all": .init(entitlements: [maps, pro])], entitlements: [maps, pro]),
        Catalog([:], entitlements: [pro]),
        Catalog(["annual": .init(duration: .years(1))]),
        Catalog(["annual": .init(duration: CalendarDuration(months: 1, rest: .seconds(7200)))]),
        Catalog(["film:weekend": .init(duration: .days(2), entitlements: [maps])], entitlements: [pro, maps]),
    ]

    struct Purchase: Sendable {
        var product: String
        var provider = Provider.apple
        var stated: String?
    }

    private static let purchases = [
        Purchase(product: "annual"), Purchase(product: "all"), Purchase(product: "wallpaper"), Purchase(product: "new"),
        Purchase(product: "new", provider: .revenuecat),
        Purchase(product: "new", provider: .revenuecat, stated: "maps"),
        Purchase(product: "annual", provider: .revenuecat, stated: ""),
        Purchase(product: "maps", provider: .paycast, stated: "maps"),
    ]

    @Test(arguments: catalogs) func whatIsKeptOpensTheSame(_ catalog: Catalog) {
        let kept = Catalog(openings: catalog.openings)
        #expect(kept.openings == catalog.openings && kept.entitlements == catalog.entitlements)
        for one in Self.purchases {
            let opened = { (catalog: Catalog) in
                catalog.opened(by: one.product, kind: .subscription, at: one.provider, stated: one.stated)
            }
            #expect(opened(kept) == opened(catalog), "\(one)")
        }
        for (product, option) in [("annual", nil), ("film", "weekend"), ("film", "week")] as [(String, String?)] {
            #expect(kept.duration(of: product, option: option) == catalog.duration(of: product, option: option))
        }
    }

    @Test func otherOpeningsAreAnotherText() {
        #expect(Set(Self.catalogs.map(\.openings)).count == Self.catalogs.count)
        let named = Catalog(["annual": .init(name: "Another name")])
        #expect(named.openings == Self.catalogs[1].openings, "a name opens nothing")
    }
}
