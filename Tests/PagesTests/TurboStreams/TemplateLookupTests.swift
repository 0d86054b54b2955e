import Domain
import Testing

@testable import Pages

@Suite struct TemplateLookupTests {
    struct Case {
        var product: String?
        var locale: String?
        var shows: String
    }

    @Test(arguments: [
        Case(product: "paycast.pro.annual", locale: "de", shows: "annual de"),
        Case(product: "paycast.pro.annual", locale: "de-CH", shows: "annual de"),
        Case(product: "paycast.pro.annual", locale: "fr", shows: "annual"),
        Case(product: "paycast.pro.annual", shows: "annual"),
        Case(product: "paycast.pro.monthly", locale: "de", shows: "de"),
        Case(product: "paycast.pro.monthly", locale: "pt-BR", shows: "pt-BR"),
        Case(product: "paycast.pro.monthly", locale: "pt_br", shows: "pt-BR"),
        Case(product: "paycast.pro.monthly", locale: "pt-PT", shows: "any"),
        Case(product: "paycast.pro.monthly", locale: "de-AT", shows: "de"),
        Case(product: "paycast.pro.monthly", locale: "fr", shows: "any"),
        Case(product: "", locale: "", shows: "any"),
        Case(shows: "any"),
        Case(product: "../../etc/passwd", locale: "de/..", shows: "any"),
        Case(locale: "annual", shows: "any"),
        Case(locale: "paycast.pro.annual", shows: "any"),
    ])
    func choosesTheMostSpecific(_ example: Case) throws {
        let templates = try TemplateRenderer(sources: [
            "success.paycast.pro.annual.de.html": "<p id=\"paywall\">annual de</p>",
            "success.paycast.pro.annual.html": "<p id=\"paywall\">annual</p>",
            "success.de.html": "<p id=\"paywall\">de</p>",
            "success.pt-BR.html": "<p id=\"paywall\">pt-BR</p>",
            "success.html": "<p id=\"paywall\">any</p>",
        ])
        var values: [String: String] = [:]
        values["product"] = example.product
        values["locale"] = example.locale
        let bytes = templates.element(.success, for: .paywall, values: values)
        #expect(bytes == Array("<p id=\"paywall\">\(example.shows)</p>".utf8))
    }

    @Test func aVariantLeavesWhatItDoesNotHaveToTheNextOne() throws {
        let templates = try TemplateRenderer(sources: [
            "success.de.html": "<p id=\"paywall\">Danke</p>",
            "success.html": "<p id=\"paywall\">Thanks</p><p id=\"subscription_status\">On</p>",
        ])
        let banner = templates.element(.success, for: .subscriptionStatus, values: ["locale": "de"])
        #expect(banner == Array("<p id=\"subscription_status\">On</p>".utf8))
    }

    struct Own: Sendable {
        var entitlement: String?
        var locale: String?
        var shows: String
    }

    /// An entitlement's own folder comes before the general templates, with whatever variants it has; its file leaves the element
    /// that it lacks to them, under the entitlement's own ids.
    @Test(arguments: [
        Own(entitlement: "maps", shows: "maps"), Own(entitlement: "maps", locale: "de", shows: "maps de"),
        Own(entitlement: "maps", locale: "fr", shows: "maps"), Own(entitlement: "season", shows: "any"),
        Own(entitlement: "season", locale: "de", shows: "any de"), Own(entitlement: nil, shows: "any"),
        Own(entitlement: "../maps", shows: "any"),
    ]) func anEntitlementsOwnComeFirst(_ given: Own) throws {
        let templates = try TemplateRenderer(sources: [
            "maps/success.html": "<p id=\"paywall_maps\">maps</p>",
            "maps/success.de.html": "<p id=\"{{paywall}}\">maps de</p>",
            "success.de.html": "<p id=\"{{paywall}}\">any de</p>",
            "success.html": "<p id=\"{{paywall}}\">any</p><p id=\"{{subscription_status}}\">on</p>",
        ])
        var values: [String: String] = [:]
        (values["entitlement"], values["locale"]) = (given.entitlement, given.locale)
        let suffix = given.entitlement.map { "_\($0)" } ?? ""
        let card = templates.element(.success, at: "paywall\(suffix)", values: values)
        #expect(card == Array("<p id=\"paywall\(suffix)\">\(given.shows)</p>".utf8))
        let banner = templates.element(.success, at: "subscription_status\(suffix)", values: values)
        #expect(banner == Array("<p id=\"subscription_status\(suffix)\">on</p>".utf8))
    }

    @Test func reportsAllProblemsTogether() {
        let error = #expect(throws: TemplateProblems.self) {
            try TemplateRenderer(sources: ["paywall.html": "<p>", "success.html": "x", "news.html": "<p id=n></p>"])
        }
        #expect(
            error?.description == """
                fragments/paywall.html: line 1: <p> is never closed; write </p>
                fragments/success.html: line 1: text stands outside of an element; move it into one or remove it
                """
        )
    }

    struct Keys: Sendable {
        var product: String?
        var locale: String?
        var keys: [String]
    }

    @Test(arguments: [
        Keys(keys: ["n"]),
        Keys(locale: "pt-BR", keys: ["n.pt-BR", "n.pt", "n"]),
        Keys(locale: "zh-Hant-TW", keys: ["n.zh-Hant-TW", "n.zh-Hant", "n.zh", "n"]),
        Keys(product: "p", keys: ["n.p", "n"]),
        Keys(product: "p", locale: "pt-BR", keys: ["n.p.pt-BR", "n.p.pt", "n.p", "n.pt-BR", "n.pt", "n"]),
    ])
    func looksForTheMostSpecificFirst(_ example: Keys) {
        let language = example.locale.flatMap { LanguageTag($0) }
        #expect(TemplateRenderer.keys("n", product: example.product, language: language) == example.keys)
    }
}

extension TemplateRenderer {
    /// The templates of `sources`, by file name (`success.de.html`).
    init(sources: [String: String]) throws(TemplateProblems) {
        self.init()
        var problems: [TemplateProblem] = []
        for (file, source) in sources.sorted(by: { $0.key < $1.key }) {
            do { try load(file, source: Array(source.utf8)) } catch { problems.append(error) }
        }
        if !problems.isEmpty { throw TemplateProblems(problems: problems) }
    }
}
