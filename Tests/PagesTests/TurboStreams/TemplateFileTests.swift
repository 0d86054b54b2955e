import Domain
import Testing

@testable import Pages

@Suite struct TemplateFileTests {
    @Test(arguments: FragmentName.states)
    func everyNameNeedsTheTargetThatItExistsFor(_ name: FragmentName) throws {
        let required = try #require(name.requiredTarget)
        let other = PageTarget.allCases.first { $0 != required }
        let good = "<p id=\"\(required.rawValue)\">x</p>"
        let both = good + "\n<!-- and -->\n<p id=\"\(other?.rawValue ?? "")\">y</p>"
        #expect(try TemplateFile(key: name.rawValue, source: Array(good.utf8)).roots.count == 1)
        #expect(try TemplateFile(key: name.rawValue + ".de", source: Array(both.utf8)).roots.count == 2)
        let error = #expect(throws: MarkupError.self) {
            try TemplateFile(key: name.rawValue, source: Array("<p id=\"\(other?.rawValue ?? "")\">x</p>".utf8))
        }
        #expect(error?.description.hasPrefix("has no element with id=\"{{\(required.rawValue)}}\"") == true)
    }

    /// Which words an order has, only its app knows.
    @Test func valuesOfAnOrderMayBeShown() throws {
        let link = #"<a href="{{success_url}}">{{metadata_cart}}</a>"#
        let source = #"<p id="{{paywall}}" data-go="{{success_url}}">\#(link)</p>"#
        let file = try TemplateFile(key: "success", source: Array(source.utf8))
        let template = try #require(file.roots.values.first)
        var bytes: [UInt8] = []
        template.append(["success_url": "/a?b&c", "metadata_cart": "<b>\"7\"</b>"], to: &bytes)
        let shown = String(decoding: bytes, as: UTF8.self)
        #expect(shown.contains(#"data-go="/a?b&amp;c"><a href="/a?b&amp;c">&lt;b&gt;&quot;7&quot;&lt;/b&gt;</a>"#))
    }

    /// An id that is a value serves every entitlement, a plain one the main one, and one in a folder that folder's.
    @Test func idIsAValueOrThatOfItsOwnEntitlement() throws {
        func root(_ key: String, id: String, at target: String, of entitlement: String) throws -> Template? {
            let file = try TemplateFile(key: key, source: Array("<p id=\"\(id)\">x</p>".utf8))
            let element = PageElement(id: target, entitlement: entitlement)
            return file.root(action: "replace", target: target, element: element)
        }
        #expect(try root("success", id: "{{paywall}}", at: "paywall", of: "pro") != nil)
        #expect(try root("success", id: "{{ paywall }}", at: "paywall_maps", of: "maps") != nil)
        #expect(try root("success", id: "paywall", at: "paywall", of: "pro") != nil)
        #expect(try root("success", id: "paywall", at: "paywall_maps", of: "maps") == nil)
        #expect(try root("success", id: "{{paywall}}", at: "paywall_maps", of: "pro") == nil)
        #expect(try root("maps/success.de", id: "paywall_maps", at: "paywall_maps", of: "maps") != nil)
        #expect(try root("maps/success", id: "{{paywall}}", at: "paywall_maps", of: "maps") != nil)
        #expect(throws: MarkupError.self) { try root("success", id: "paywall_maps", at: "paywall_maps", of: "maps") }
        #expect(throws: MarkupError.self) { try root("maps/success", id: "paywall_x", at: "paywall_maps", of: "maps") }
    }

    struct Refusal {
        var key = "success"
        var source: String
        /// How the error begins.
        var says: String
    }

    @Test(arguments: [
        Refusal(source: "", says: "has no element with id=\"{{paywall}}\""),
        Refusal(source: "<p>x</p>", says: "<p> replaces nothing"),
        Refusal(source: "<p id=\"pay\">x</p>", says: "<p id=\"pay\"> replaces nothing"),
        Refusal(source: "<p id=\"{{target}}\">x</p>", says: "<p id=\"{{target}}\"> replaces nothing"),
        Refusal(source: "<p id=\"paywall\">x</p>\nThanks", says: "line 1: text stands outside of an element"),
        Refusal(source: "<p id=\"paywall\">", says: "line 1: <p> is never closed"),
        Refusal(source: "<p id=\"paywall\"></p><p id=\"paywall\"></p>", says: "has two elements with id=\"paywall\""),
        Refusal(source: "\n<p id=\"paywall\">\n{{x</p>", says: "line 3: a placeholder is"),
        Refusal(
            key: "success.fuel",
            source: "<p id=\"subscription_status\">x</p>",
            says:
                "has no element with id=\"{{paywall}}\" at the top level; the page keeps that id only if the fragment has it; "
                + "what a page shows of a consumable belongs into purchase.html or purchase.PRODUCT.html"
        ),
        Refusal(
            key: "success.fuel",
            source: "<p id=\"purchase\">x</p>",
            says: "has id=\"purchase\"; what a page shows of a consumable belongs into purchase.html"
        ),
        Refusal(key: "purchase", source: "", says: "has to be one element with id=\"purchase\""),
        Refusal(key: "purchase.fuel", source: "<p id=\"paywall\">x</p>", says: "has to be one element"),
        Refusal(
            key: "purchase.de",
            source: "<p id=\"purchase\">{{usr}}</p>",
            says: "line 1: there is no value {{usr}}"
        ),
        Refusal(key: "news", source: "", says: "has 0 elements at the top level"),
        Refusal(key: "news", source: "<p id=a></p><p id=b></p>", says: "has 2 elements at the top level"),
        Refusal(key: "news", source: "<p>x</p>", says: "<p> has no id"),
        Refusal(key: "news", source: "<p id=\"{{a}}\">x</p>", says: "<p> has no id"),
        Refusal(key: "Success", source: "<p id=\"paywall\"></p>", says: "is never used under this name"),
        Refusal(key: "success copy", source: "<p id=\"paywall\"></p>", says: "is never used under this name"),
        Refusal(key: "success.", source: "<p id=\"paywall\"></p>", says: "is never used under this name"),
    ])
    func refuses(_ refusal: Refusal) {
        let error = #expect(throws: MarkupError.self) {
            try TemplateFile(key: refusal.key, source: Array(refusal.source.utf8))
        }
        #expect(error?.description.hasPrefix(refusal.says) == true)
    }

    struct Value {
        var key = "success"
        var name: String
        /// How the error begins.
        var says: String?
    }

    @Test(arguments: [
        Value(name: "usr", says: "line 2: there is no value {{usr}}; did you mean {{user}}?"),
        Value(name: "User", says: "line 2: there is no value {{User}}; did you mean {{user}}?"),
        Value(name: "acces_until", says: "line 2: there is no value {{acces_until}}; did you mean {{access_until}}?"),
        Value(name: "headline", says: "line 2: there is no value {{headline}}; values of your own"),
        Value(name: "metadata", says: "line 2: there is no value {{metadata}}; values of your own"),
        Value(name: "metadata_", says: "line 2: there is no value {{metadata_}}; values of your own"),
        Value(key: "success.de", name: "usr", says: "line 2: there is no value {{usr}}; did you mean {{user}}?"),
        // What a broadcast brings is its publisher's business.
        Value(key: "news", name: "usr"),
        Value(name: "user"), Value(name: "access_until_iso"), Value(name: "reason"),
    ])
    func knowsTheValuesOfAState(_ value: Value) {
        let places = [
            "<p id=\"paywall\">\n{{\(value.name)}}</p>", "<p id=\"paywall\"\ntitle=\"{{ \(value.name) }}\"></p>",
        ]
        for source in places {
            do throws(MarkupError) {
                _ = try TemplateFile(key: value.key, source: Array(source.utf8))
                #expect(value.says == nil)
            } catch {
                #expect(error.description.hasPrefix(value.says ?? "nothing"))
            }
        }
    }

    @Test func aPurchaseIsOneElement() throws {
        let source = "<p id=\"purchase\">{{quantity}} {{name}} {{price}}</p>"
        #expect(
            try TemplateFile(key: "purchase.fuel.de", source: Array(source.utf8)).roots.keys.elementsEqual(["purchase"])
        )
    }

    /// A page's template whose name is a slip is told of by its name, not by what broadcasts would need.
    @Test func leavesAMisnamedPageToTheWarning() throws {
        let page = "<p id=\"paywall\">x</p><p id=\"subscription_status\">y</p>"
        #expect(try TemplateFile(key: "sucess.de", source: Array(page.utf8)).roots.count == 2)
        let news = #expect(throws: MarkupError.self) { try TemplateFile(key: "news", source: Array(page.utf8)) }
        #expect(news?.description.hasPrefix("has 2 elements at the top level") == true)
        let error = #expect(throws: MarkupError.self) {
            try TemplateFile(key: "sucess", source: Array("<p>x</p>".utf8))
        }
        #expect(error?.description.hasPrefix("<p> has no id") == true)
    }

    @Test func refusesWhatIsNotUTF8() {
        #expect(throws: MarkupError("is not UTF-8; save it as UTF-8")) {
            try TemplateFile(key: "success", source: Array("<p id=\"paywall\">".utf8) + [0xFF] + Array("</p>".utf8))
        }
    }

    @Test func forgivesAByteOrderMark() throws {
        let file = try TemplateFile(key: "success", source: [0xEF, 0xBB, 0xBF] + Array("<p id=\"paywall\"></p>".utf8))
        #expect(file.roots["paywall"]?.segments == [.literal(Array("<p id=\"paywall\"></p>".utf8))])
    }
}
