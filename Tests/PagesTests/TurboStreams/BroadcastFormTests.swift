import Domain
import Testing

@testable import Pages

@Suite struct BroadcastFormTests {
    static let sources = [
        "news.html": "<p id=\"news\">{{text}}</p>",
        "success.html": "<p id=\"paywall\"></p>",
        "news.de.html": "<p id=\"nachricht\">{{text}}</p>",
    ]

    struct Case {
        var form: BroadcastForm
        var content: Fragment.Content
        /// If the form names none.
        var target: String?
    }

    @Test(arguments: [
        Case(form: BroadcastForm(action: "replace", target: "a", html: "<p>x"), content: .html("<p>x")),
        Case(form: BroadcastForm(action: "update", targets: ".a", html: ""), content: .html("")),
        Case(
            form: BroadcastForm(action: "replace", target: "news", template: "news", values: ["text": "<b>"]),
            content: .template(name: "news", values: ["text": "<b>"])
        ),
        Case(
            form: BroadcastForm(action: "append", target: "list", template: "news"),
            content: .template(name: "news", values: [:])
        ),
        Case(
            form: BroadcastForm(action: "replace", template: "news", values: ["text": "x"]),
            content: .template(name: "news", values: ["text": "x"]),
            target: "news"
        ),
        Case(
            form: BroadcastForm(action: "replace", template: "success"),
            content: .template(name: "success", values: [:]),
            target: "paywall"
        ),
        Case(
            form: BroadcastForm(action: "replace", targets: ".news", template: "news"),
            content: .template(name: "news", values: [:])
        ),
        Case(form: BroadcastForm(action: "remove", target: "a"), content: .none),
        Case(form: BroadcastForm(action: "refresh"), content: .none),
        Case(form: BroadcastForm(action: "set_title-2", html: "x"), content: .html("x")),
        Case(form: BroadcastForm(action: "confetti"), content: .none),
    ])
    func isAFragment(_ example: Case) throws {
        let stream = try #require(StreamName("s"))
        let fragment = try example.form.fragment(on: stream, templates: TemplateLookup(sources: Self.sources))
        #expect(fragment.content == example.content)
        #expect(fragment.action == example.form.action)
        #expect(fragment.target == example.form.target ?? example.target)
        #expect(fragment.targets == example.form.targets)
        #expect(fragment.stream == stream)
    }

    struct Refusal {
        var form: BroadcastForm
        var error: BroadcastError
        var code: String
    }

    @Test(arguments: [
        Refusal(form: BroadcastForm(action: ""), error: .action, code: "invalid_action"),
        Refusal(form: BroadcastForm(action: "a b"), error: .action, code: "invalid_action"),
        Refusal(form: BroadcastForm(action: "x\" onclick"), error: .action, code: "invalid_action"),
        Refusal(form: BroadcastForm(action: "replace", target: "", html: ""), error: .target, code: "invalid_target"),
        Refusal(
            form: BroadcastForm(action: "replace", target: "a\n", html: ""),
            error: .target,
            code: "invalid_target"
        ),
        Refusal(form: BroadcastForm(action: "remove"), error: .noTarget(action: "remove"), code: "invalid_target"),
        Refusal(
            form: BroadcastForm(action: "remove", target: "a", targets: "b"),
            error: .twoTargets,
            code: "invalid_target"
        ),
        Refusal(
            form: BroadcastForm(action: "replace", template: "news", values: ["locale": "de"]),
            error: .severalTargets(template: "news", targets: ["nachricht", "news"]),
            code: "invalid_target"
        ),
        Refusal(
            form: BroadcastForm(action: "append", template: "news"),
            error: .noTarget(action: "append"),
            code: "invalid_target"
        ),
        Refusal(
            form: BroadcastForm(action: "replace", template: "nothing"),
            error: .unknownTemplate("nothing"),
            code: "unknown_template"
        ),
        Refusal(
            form: BroadcastForm(action: "replace", template: "news", html: "x"),
            error: .twoContents,
            code: "invalid_content"
        ),
        Refusal(
            form: BroadcastForm(action: "after", target: "a"),
            error: .noContent(action: "after"),
            code: "invalid_content"
        ),
        Refusal(
            form: BroadcastForm(action: "after", target: "a", template: "news", html: "x"),
            error: .twoContents,
            code: "invalid_content"
        ),
        Refusal(
            form: BroadcastForm(action: "remove", target: "a", html: "x"),
            error: .superfluousContent(action: "remove"),
            code: "invalid_content"
        ),
        Refusal(
            form: BroadcastForm(action: "replace", target: "a", template: "../news"),
            error: .unknownTemplate("../news"),
            code: "unknown_template"
        ),
        Refusal(
            form: BroadcastForm(action: "replace", target: "a", template: "news"),
            error: .rootWithoutTarget(template: "news", target: "a"),
            code: "unknown_template"
        ),
        Refusal(
            form: BroadcastForm(action: "replace", target: "a", html: "x</template><script>alert(1)</script>"),
            error: .syntax(.strayEndTag(element: "template", line: 1, open: nil)),
            code: "invalid_html"
        ),
        Refusal(
            form: BroadcastForm(action: "replace", target: "a", html: "<template>"),
            error: .syntax(.unclosed(element: "template", line: 1)),
            code: "invalid_html"
        ),
        Refusal(
            form: BroadcastForm(action: "replace", target: "a", html: "<!--"),
            error: .syntax(.unfinishedComment(line: 1)),
            code: "invalid_html"
        ),
    ])
    func refuses(_ refusal: Refusal) throws {
        let stream = try #require(StreamName("s"))
        let templates = try TemplateLookup(sources: Self.sources)
        let error = #expect(throws: refusal.error) { try refusal.form.fragment(on: stream, templates: templates) }
        #expect(error?.code == refusal.code)
    }
}
