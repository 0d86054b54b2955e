import Domain
import Foundation
import Testing

@testable import Pages

/// The templates that the package ships, as a server reads them.
@Suite struct DefaultTemplatesTests {
    static let folder = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../public/fragments").standardized.path

    @Test(arguments: FragmentName.states, PageTarget.allCases)
    func everyNameShowsSomethingForEveryTarget(_ name: FragmentName, target: PageTarget) throws {
        let renderer = try TemplateLoader(folder: Self.folder).renderer
        let values = ["product": "paycast.pro.annual", "state": "active", "access_until": "1 May 2027"]
        let element = try #require(renderer.element(name, for: target, values: values))
        let html = String(decoding: element, as: UTF8.self)
        #expect(html.contains("id=\"\(target.rawValue)\""))
        // What moved to another user is active there, not here.
        let state = name == .moved ? "moved" : "active"
        #expect(html.contains("data-product=\"paycast.pro.annual\""))
        #expect(html.contains("data-state=\"\(state)\""))
        // A live region that is replaced is not announced: it is the page's, around the element.
        #expect(!html.contains("aria-live") && !html.contains("role=\"status\""))
    }

    /// The two are one page in two languages: whatever is not text is the same.
    @Test(arguments: FragmentName.states, PageTarget.allCases)
    func germanIsTheSameElement(_ name: FragmentName, target: PageTarget) throws {
        let renderer = try TemplateLoader(folder: Self.folder).renderer
        var values = ["user": "42", "product": "p", "state": "active", "access_until_iso": "2027-05-01T00:00:00Z"]
        values["access_until"] = "1 May 2027"
        let english = try #require(renderer.element(name, for: target, values: values))
        values["locale"] = "de-AT"
        let german = try #require(renderer.element(name, for: target, values: values))
        let root = " lang=\"de\""
        let text = String(decoding: german, as: UTF8.self)
        #expect(text.contains("id=\"\(target.rawValue)\"\(root)"))
        #expect(!text.contains("May"))
        #expect(text.contains("1. Mai 2027") == String(decoding: english, as: UTF8.self).contains("1 May 2027"))
        // English is what paycast-native.js says without these.
        let untold = text.replacing(/\s+data-paycast-text-[a-z-]+="[^"]*"/, with: "")
        #expect(tags(untold.replacing(root, with: "")) == tags(String(decoding: english, as: UTF8.self)))
    }

    /// In whatever order: a sentence may have another one.
    private func tags(_ html: String) -> [String] {
        html.split(separator: "<").compactMap { $0.split(separator: ">").first.map(String.init) }.sorted()
    }

    @Test(arguments: FragmentName.states)
    func noValueBecomesMarkup(_ name: FragmentName) throws {
        let renderer = try TemplateLoader(folder: Self.folder).renderer
        let names = ["user", "product", "state", "access_until", "access_until_iso", "pending_product", "price"]
        let hostile = Dictionary(uniqueKeysWithValues: names.map { ($0, "\"></template><script>'&") })
        for target in PageTarget.allCases {
            let element = try #require(renderer.element(name, for: target, values: hostile))
            let source = String(decoding: element, as: UTF8.self)
            #expect(!source.contains("<script") && !source.contains("</template"))
            #expect(try HTMLElement.topLevel(of: element).map(\.id) == [target.rawValue])
        }
    }

    /// An app of several entitlements without templates of its own reads what its catalog calls them, in both languages, and
    /// nothing of the demo's: no other name, no offer, and no sentence that lacks its end.
    @Test(arguments: FragmentName.states.filter { $0 != .paywall }, [nil, "de"] as [String?])
    func theyAreCalledWhatTheCatalogCallsThem(_ name: FragmentName, language: String?) throws {
        let renderer = try TemplateLoader(folder: Self.folder).renderer
        func texts(_ values: [String: String]) throws -> String {
            var values = values.merging(["state": "owned", "product": "atlas"]) { given, _ in given }
            values["locale"] = language
            return try PageTarget.allCases.map { target in
                let id = target.rawValue + (values["entitlement"].map { "_\($0)" } ?? "")
                return String(decoding: try #require(renderer.element(name, at: id, values: values)), as: UTF8.self)
            }.joined()
        }
        let named = try texts(["entitlement": "charts", "entitlement_name": "Sea charts"])
        let neutral = try texts([:])
        for html in [named, neutral] {
            let text = html.replacing(/<[^>]*>/, with: "")
            #expect(!text.contains(/\bPro\b/) && !html.contains("<form") && !html.contains("paycast.pro"), "\(html)")
            if name == .success || name == .manage { #expect(!text.contains(/(until|bis) \./), "\(text)") }
        }
        #expect(!named.contains("full version") && !named.contains("Vollversion"))
        if name != .pending { #expect(named.contains("Sea charts"), "\(named)") }
        if name == .success {
            let version = language == nil ? "Welcome to the full version." : "Willkommen bei der Vollversion."
            #expect(neutral.contains(version), "\(neutral)")
        }
    }

    /// What has happened to a consumable: the same element in both languages, and a sentence for each state.
    @Test(arguments: ["delivered", "revoked", "pending", "expired"]) func aPurchaseSaysWhatHasHappened(_ state: String)
        throws
    {
        let renderer = try TemplateLoader(folder: Self.folder).renderer
        var values = ["product": "\"><script>", "name": "Fuel", "quantity": "20", "state": state]
        let stream = try #require(StreamName("user:42:paywall"))
        let elements = [nil, "de"].map { language in
            values["locale"] = language
            let content = Fragment.Content.template(name: "purchase", values: values)
            return String(
                decoding: renderer.render(
                    Fragment(stream: stream, action: "replace", target: Fragment.purchaseTarget, content: content)
                ),
                as: UTF8.self
            )
        }
        for html in elements {
            #expect(html.hasPrefix(#"<turbo-stream action="replace" target="purchase"><template><div id="purchase""#))
            #expect(html.contains("<strong>Fuel</strong> × 20") && html.contains("data-state=\"\(state)\""))
            #expect(html.contains("data-when=\"\(state)\"") && !html.contains("<script") && !html.contains("aria-live"))
        }
        #expect(tags(elements[1].replacing(" lang=\"de\"", with: "")) == tags(elements[0]))
    }
}

extension FragmentName {
    /// Those that show a user's state, each with a template for both targets.
    static let states = allCases.filter { $0.requiredTarget != nil }
}
