import Domain
import Testing

@testable import Pages

@Suite struct TemplateWarningTests {
    struct Folder: CustomTestStringConvertible {
        var name: String
        /// Beside all of them, of which `without` are missing.
        var also: Set<String> = []
        var without: Set<String> = []
        var removed: Set<String> = []
        var broken: Set<String> = []
        var warnings: [String]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Folder(name: "complete", warnings: []),
        Folder(name: "an app's own", also: ["news.html", "news.de.html"], warnings: []),
        Folder(
            name: "a slip",
            also: ["sucess.html"],
            without: ["success.html"],
            warnings: [
                "fragments/success.html is missing: a page that would show it reloads instead",
                "fragments/sucess.html is never shown: no fragment is called sucess; did you mean success.html?",
            ]
        ),
        Folder(
            name: "a slip in a variant",
            also: ["warn_biling.paycast.pro.annual.de.html"],
            warnings: [
                "fragments/warn_biling.paycast.pro.annual.de.html is never shown: no fragment is called "
                    + "warn_biling; did you mean warn_billing.paycast.pro.annual.de.html?"
            ]
        ),
        Folder(
            name: "languages",
            also: [
                "success.pt-BR.html", "success.pro.html", "success.PRO.html", "success.pro_us.html",
                "success.Annual.html",
                "success.paycast.pro.annual.zh-Hant-TW.html", "success.2025.html",
            ],
            warnings: []
        ),
        Folder(
            name: "languages that are never chosen",
            also: ["success.pt_BR.html", "news.DE.html", "ending.paycast.pro.annual.zh-hant.html"],
            warnings: [
                "fragments/ending.paycast.pro.annual.zh-hant.html is never shown for a language: zh-hant is taken for a "
                    + "product; did you mean ending.paycast.pro.annual.zh-Hant.html?",
                "fragments/news.DE.html is never shown for a language: DE is taken for a product; did you mean news.de.html?",
                "fragments/success.pt_BR.html is never shown for a language: pt_BR is taken for a product; did you mean "
                    + "success.pt-BR.html?",
            ]
        ),
        Folder(
            name: "no offers",
            without: ["paywall.html"],
            warnings: [
                "fragments/paywall.html is missing: a page whose user's access ends reloads, so that the app's own "
                    + "server renders its offers"
            ]
        ),
        Folder(
            name: "variants alone",
            also: ["ending.de.html"],
            without: ["ending.html"],
            warnings: ["fragments/ending.html is missing: a page reloads when none of its variants fits"]
        ),
        Folder(
            name: "no word of consumables",
            without: ["purchase.html"],
            warnings: ["fragments/purchase.html is missing: a page that would show it reloads instead"]
        ),
        Folder(
            name: "removed",
            without: ["manage.html"],
            removed: ["manage.html", "news.html"],
            warnings: [
                "fragments/manage.html was removed: a page that would show it reloads instead",
                "fragments/news.html was removed: a page that would show it gets a less specific template, or none",
            ]
        ),
        Folder(name: "broken", without: ["manage.html"], broken: ["manage.html"], warnings: []),
    ])
    func warns(_ folder: Folder) {
        let all = Set(FragmentName.allCases.map { $0.rawValue + ".html" })
        let warnings = TemplateWarning.all(
            served: all.subtracting(folder.without).union(folder.also),
            removed: folder.removed,
            broken: folder.broken
        )
        #expect(warnings.map(\.description) == folder.warnings)
    }

    @Test func oneSentenceForAnEmptyFolder() {
        let warnings = TemplateWarning.all(served: [], removed: [], broken: [])
        #expect(
            warnings.map(\.description)
                == ["fragments/ has no templates: a page reloads at every change of its user's state"]
        )
    }

    struct Divided: Sendable, CustomTestStringConvertible {
        var name: String
        var also: Set<String> = []
        var onlyForMain: Set<String> = []
        var entitlements = ["pro", "maps"]
        var warnings: [String]
        var testDescription: String { name }
    }

    private static func isForMain(_ file: String, _ others: String, _ first: String) -> String {
        "fragments/\(file) is for the main entitlement alone, and pages of \(others) reload in its place: write "
            + "id=\"{{paywall}}\" and id=\"{{subscription_status}}\" in it, or add fragments/\(first)"
    }

    @Test(arguments: [
        Divided(name: "ids that are values", warnings: []),
        Divided(
            name: "an id of the main entitlement's",
            onlyForMain: ["success.html"],
            warnings: [isForMain("success.html", "maps", "maps/success.html")]
        ),
        Divided(
            name: "each in a language",
            also: ["maps/manage.html"],
            onlyForMain: ["manage.html", "success.de.html"],
            entitlements: ["pro", "maps", "gold"],
            warnings: [
                isForMain("manage.html", "gold", "gold/manage.html"),
                isForMain("success.de.html", "maps, gold", "maps/success.html"),
            ]
        ),
        Divided(name: "own templates", also: ["maps/success.html"], onlyForMain: ["success.html"], warnings: []),
        Divided(name: "the app's own broadcast", onlyForMain: ["news.html"], warnings: []),
        Divided(
            name: "a folder with no entitlement's name",
            also: ["map/success.html", "map/manage.html", "maps/success.html"],
            warnings: [
                "fragments/map/ is never shown: the catalog has no entitlement of that name; did you mean maps/?"
            ]
        ),
        Divided(
            name: "who sells one thing",
            also: ["maps/success.html"],
            onlyForMain: ["success.html"],
            entitlements: ["default"],
            warnings: []
        ),
    ]) func warnsOfWhatOtherEntitlementsLack(_ given: Divided) {
        let all = Set(FragmentName.allCases.map { $0.rawValue + ".html" })
        let warnings = TemplateWarning.all(
            served: all.union(given.also),
            onlyForMain: given.onlyForMain,
            entitlements: given.entitlements.compactMap(EntitlementName.init)
        )
        #expect(warnings.map(\.description) == given.warnings)
    }

    struct Variants: Sendable, CustomTestStringConvertible {
        var name: String
        /// Beside all of them, each without a language.
        var also: Set<String>
        var products: [String] = []
        var entitlements: [String] = []
        var warnings: [String] = []
        var testDescription: String { name }
    }

    private static let all = FragmentName.allCases.map(\.rawValue)

    private static func translated(_ names: [String], _ language: String) -> Set<String> {
        Set(names.map { "\($0).\(language).html" })
    }

    private static func lacks(_ language: String, _ names: String, _ first: String) -> String {
        "fragments/*.\(language).html do not translate \(names): who reads \(language) sees what is written for all; add "
            + "\(first).\(language).html"
    }

    @Test(arguments: [
        Variants(name: "whole languages", also: translated(all, "de").union(translated(all, "pt-BR"))),
        Variants(name: "a broader language stands in", also: translated(all, "pt").union(["success.pt-BR.html"])),
        Variants(
            name: "a language that is begun",
            also: translated(all.filter { !["paused", "ending"].contains($0) }, "de"),
            warnings: [lacks("de", "ending, paused", "ending")]
        ),
        Variants(
            name: "one file of a language",
            also: ["success.fr.html"],
            warnings: [lacks("fr", "ending, fix_billing, manage, moved, paused and 5 more", "ending")]
        ),
        Variants(
            name: "a product's template, and an entitlement's",
            also: translated(all, "de").union(["success.pro.annual.html", "maps/manage.html", "maps/manage.fr.html"]),
            warnings: [
                lacks("de", "maps/manage, success.pro.annual", "maps/manage"),
                lacks("fr", "ending, fix_billing, manage, moved, paused and 7 more", "ending"),
            ]
        ),
        Variants(name: "ids that end like a language", also: ["success.com.example.mas.html", "ending.x.de.html"]),
        Variants(
            name: "an id that the catalog has",
            also: ["success.de.html", "ending.pro.fr.html"],
            products: ["de", "pro.fr"]
        ),
        Variants(name: "an app's own", also: ["news.francais.html", "news.fr.html"], products: ["pro"]),
        Variants(
            name: "languages by their names",
            also: ["success.francais.html", "ending.pro.German.html", "paused.deutsch.html", "manage.Español.html"],
            warnings: [
                "fragments/ending.pro.German.html is shown for no language: German is taken for a product; did you mean "
                    + "ending.pro.de.html? If it is a product, name it in the catalog",
                "fragments/manage.Español.html is shown for no language: Español is taken for a product; did you mean "
                    + "manage.es.html? If it is a product, name it in the catalog",
                "fragments/paused.deutsch.html is shown for no language: deutsch is taken for a product; did you mean "
                    + "paused.de.html? If it is a product, name it in the catalog",
                "fragments/success.francais.html is shown for no language: francais is taken for a product; did you mean "
                    + "success.fr.html? If it is a product, name it in the catalog",
            ]
        ),
        Variants(name: "products without a catalog", also: ["success.pro.annual.html", "success.gold.html"]),
        Variants(
            name: "products, by the catalog",
            also: [
                "success.pro.annual.html", "ending.pro.anual.html", "ending.xx.html", "manage.pro.html",
                "paused.film.html",
            ],
            products: ["pro.annual", "film:30"],
            entitlements: ["pro"],
            warnings: [
                "fragments/ending.pro.anual.html is for pro.anual, which is neither a product of the catalog nor a "
                    + "language; did you mean pro.annual?",
                "fragments/ending.xx.html is for xx, which is neither a product of the catalog nor a language",
            ]
        ),
        Variants(name: "another warning's", also: ["success.pt_BR.html"], products: ["pro"]),
    ]) func warnsOfVariantsThatAreNotSeen(_ given: Variants) {
        let products = given.products.reduce(into: [:]) { $0[$1] = Catalog.Product.unknown }
        let warnings = TemplateWarning.all(
            served: given.also.union(Self.all.map { $0 + ".html" }),
            catalog: Catalog(products, entitlements: given.entitlements.compactMap(EntitlementName.init))
        )
        #expect(warnings.map(\.description) == given.warnings)
    }

    @Test(arguments: ["message.html", "page.html", "news.html", "n.html", "success.html", "success.de.html"])
    func leavesNamesAloneThatAreNoSlip(_ file: String) {
        #expect(TemplateWarning.nearestFile(to: file) == nil)
    }
}
