import Support
import Testing

@testable import Console

@Suite struct ConsoleTemplateTests {
    struct Value: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let value: any TemplateValue
        let html: String
    }

    static let values = [
        Value(
            testDescription: "a script",
            value: "<script>alert('1')</script>",
            html: "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"
        ),
        Value(testDescription: "an attribute's end", value: "\" onclick=\"x", html: "&quot; onclick=&quot;x"),
        Value(testDescription: "a mark of direction", value: "a\u{202E}b", html: "a⟨U+202E⟩b"),
        Value(testDescription: "a control character", value: "a\u{7}b\u{1B}[0m", html: "a⟨U+0007⟩b⟨U+001B⟩[0m"),
        Value(testDescription: "no width", value: "a\u{200B}\u{FEFF}b", html: "a⟨U+200B⟩⟨U+FEFF⟩b"),
        Value(testDescription: "joiners of an emoji", value: "👩\u{200D}💻", html: "👩\u{200D}💻"),
        Value(testDescription: "a placeholder", value: "{{other}}", html: "{{other}}"),
        Value(
            testDescription: "10 KB",
            value: String(repeating: "x", count: 10_240),
            html: String(repeating: "x", count: InertText.limit) + "…"
        ),
        Value(
            testDescription: "a sentence of ours with a stranger's long word",
            value: String(repeating: "word ", count: 100) + String(repeating: "x", count: 400) + " and the end",
            html: String(repeating: "word ", count: 100) + String(repeating: "x", count: InertText.limit)
                + "… and the end"
        ),
        Value(
            testDescription: "10 KB of words",
            value: String(repeating: "word ", count: 2048),
            html: String(repeating: "word ", count: InertText.textLimit / 5) + "…"
        ),
        Value(testDescription: "what a form sends back", value: Field("a\u{202E}<b>"), html: "a\u{202E}&lt;b&gt;"),
    ]

    @Test(arguments: values) func showsValuesInert(_ given: Value) throws {
        let text = try ConsoleTemplate("<p>{{name}}</p>").render(["name": given.value])
        #expect(text.html == "<p>\(given.html)</p>")
        let attribute = try ConsoleTemplate(#"<p title="{{name}}">"#).render(["name": given.value])
        #expect(attribute.html == "<p title=\"\(given.html)\">")
    }

    @Test func insertsMarkupInTextOnly() throws {
        let inner = try ConsoleTemplate("<b>{{name}}</b>").render(["name": "<"])
        #expect(try ConsoleTemplate("<p>{{name}}</p>").render(["name": inner]).html == "<p><b>&lt;</b></p>")
        let attribute = try ConsoleTemplate(#"<p title="{{name}}">"#).render(["name": inner])
        #expect(attribute.html == "<p title=\"&lt;b&gt;&amp;lt;&lt;/b&gt;\">")
    }

    @Test func anAddressThatIsCodeLeadsNowhere() throws {
        let link = try ConsoleTemplate(#"<a href="{{name}}">"#)
        #expect(link.render(["name": "javascript:alert(1)"]).html == ##"<a href="#">"##)
        #expect(link.render(["name": "/users/a&b"]).html == #"<a href="/users/a&amp;b">"#)
    }

    @Test func keepsTheDoctype() throws {
        let page = try ConsoleTemplate("<!doctype html>\n<!-- for authors --><p>{{name}}</p>")
        #expect(page.render(["name": "a"]).html == "<!doctype html>\n<p>a</p>")
    }

    @Test func readsThePartsOfAFile() throws {
        let file = "<ul>{{rows}}</ul>\n<part name=\"row\">\n<li>{{name}}</li>\n</part>\n"
        let templates = try ConsoleTemplates(files: ["list.html": Array(file.utf8), "list.css": Array("{{".utf8)])
        #expect(templates.names == ["list", "list.row"])
        let row = templates["list.row"].render(["name": "a"])
        #expect(row.html == "<li>a</li>")
        #expect(templates["list"].render(["rows": row]).html.hasPrefix("<ul><li>a</li></ul>"))
    }

    @Test func saysWhichFileIsFlawed() throws {
        let error = #expect(throws: ConsoleTemplateError.self) {
            _ = try ConsoleTemplates(files: ["a.html": Array("{{".utf8), "b.html": Array("<part name=\"x\">".utf8)])
        }
        let problems = try #require(error?.description.split(separator: "\n"))
        #expect(problems.count == 2)
        #expect(problems[0].hasPrefix("a.html: line 1: ") && problems[1].hasPrefix("b.html: line 1: "))
    }

    @Test func shippedFilesAreInOrder() throws {
        #expect(try ConsoleTemplates(files: Assets.console).names.contains("layout"))
    }

    /// A value is never the beginning of an address, nor its host.
    @Test func shippedAddressesStayHere() throws {
        let address = /\s(?:href|src|action|formaction|poster|data)="([^"]*)\{\{/
        let files = Assets.console.filter { $0.key.hasSuffix(".html") }.values
        let pages = files.map { String(decoding: $0, as: UTF8.self) }
        let beginnings = pages.flatMap { $0.matches(of: address).map(\.output.1) }
        #expect(beginnings.count > 20)
        #expect(beginnings.filter { !"/?#".contains($0.prefix(1)) || $0.isEmpty || $0.hasPrefix("//") } == [])
    }
}
