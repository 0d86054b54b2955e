import Domain
import Testing

@testable import Pages

@Suite struct TemplateRendererTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        var action = "replace"
        var target: String? = "paywall"
        var targets: String?
        var content: Fragment.Content
        var result: String
        var testDescription: String { name }
    }

    static let sources = [
        "success.html": "<p id=\"paywall\">Hi {{user}}</p><p id=\"subscription_status\">On</p>",
        "fix_billing.html": "<p id=\"paywall\">Pay</p>",
        "manage.html": "<p id=\"subscription_status\">On</p>",
        "row.html": "<li id=\"row\">{{n}}</li>",
    ]

    @Test(arguments: [
        Case(
            name: "a template",
            content: .template(name: "success", values: ["user": "Ann & Bob"]),
            result: "<turbo-stream action=\"replace\" target=\"paywall\"><template>"
                + "<p id=\"paywall\">Hi Ann &amp; Bob</p></template></turbo-stream>"
        ),
        Case(
            name: "the other target of the same template",
            target: "subscription_status",
            content: .template(name: "success", values: [:]),
            result: "<turbo-stream action=\"replace\" target=\"subscription_status\"><template>"
                + "<p id=\"subscription_status\">On</p></template></turbo-stream>"
        ),
        Case(
            name: "a banner that has nothing to say is emptied",
            target: "subscription_status",
            content: .template(name: "fix_billing", values: [:]),
            result:
                "<turbo-stream action=\"update\" target=\"subscription_status\"><template></template></turbo-stream>"
        ),
        Case(
            name: "a user with access whose template has a banner only keeps the card of success",
            content: .template(name: "manage", values: ["user": "Ann"]),
            result: "<turbo-stream action=\"replace\" target=\"paywall\"><template>"
                + "<p id=\"paywall\">Hi Ann</p></template></turbo-stream>"
        ),
        Case(
            name: "a missing file reloads the page",
            target: "subscription_status",
            content: .template(name: "paused", values: [:]),
            result: "<turbo-stream action=\"refresh\"></turbo-stream>"
        ),
        Case(
            name: "appending puts an element of another id",
            action: "append",
            target: "rows",
            content: .template(name: "row", values: ["n": "7"]),
            result: "<turbo-stream action=\"append\" target=\"rows\"><template>"
                + "<li id=\"row\">7</li></template></turbo-stream>"
        ),
        Case(
            name: "a selector",
            action: "update",
            target: nil,
            targets: "p[title=\"x\"] > b",
            content: .html("<i>1</i>"),
            result: "<turbo-stream action=\"update\" targets=\"p[title=&quot;x&quot;] &gt; b\"><template>"
                + "<i>1</i></template></turbo-stream>"
        ),
        Case(
            name: "an id that would end its attribute",
            target: "\"><script>alert(1)</script>",
            content: .html(""),
            result: "<turbo-stream action=\"replace\" "
                + "target=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\"><template></template></turbo-stream>"
        ),
        Case(
            name: "remove has no template",
            action: "remove",
            content: .none,
            result: "<turbo-stream action=\"remove\" target=\"paywall\"></turbo-stream>"
        ),
        Case(
            name: "refresh has neither",
            action: "refresh",
            target: nil,
            content: .none,
            result: "<turbo-stream action=\"refresh\"></turbo-stream>"
        ),
        Case(
            name: "markup is sent as it was written",
            action: "x",
            content: .markup("<turbo-stream action=\"x\"></turbo-stream>\n"),
            result: "<turbo-stream action=\"x\"></turbo-stream>\n"
        ),
    ])
    func renders(_ example: Case) throws {
        let fragment = Fragment(
            stream: try #require(StreamName("s")),
            action: example.action,
            target: example.target,
            targets: example.targets,
            content: example.content
        )
        let bytes = try renderer().render(fragment)
        #expect(String(decoding: bytes, as: UTF8.self) == example.result)
    }

    private func renderer() throws -> TemplateRenderer {
        try TemplateRenderer(sources: TemplateRendererTests.sources)
    }
}
