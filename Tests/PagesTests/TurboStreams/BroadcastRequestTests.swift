import APIModel
import Domain
import Testing

@testable import Pages

@Suite struct BroadcastRequestTests {
    static let sources = [
        "news.html": "<p id=\"news\">{{text}}</p>",
        "success.html": "<p id=\"paywall\"></p>",
        "news.de.html": "<p id=\"nachricht\">{{text}}</p>",
    ]

    struct Case {
        var request: BroadcastRequest
        var content: Fragment.Content
        /// If the request names none.
        var target: String?
    }

    @Test(arguments: [
        Case(request: BroadcastRequest(action: "replace", target: "a", html: "<p>x"), content: .html("<p>x")),
        Case(request: BroadcastRequest(action: "update", targets: ".a", html: ""), content: .html("")),
        Case(
            request: BroadcastRequest(action: "replace", target: "news", template: "news", values: ["text": "<b>"]),
            content: .template(name: "news", values: ["text": "<b>"])
        ),
        Case(
            request: BroadcastRequest(action: "append", target: "list", template: "news"),
            content: .template(name: "news", values: [:])
        ),
        Case(
            request: BroadcastRequest(action: "replace", template: "news", values: ["text": "x"]),
            content: .template(name: "news", values: ["text": "x"]),
            target: "news"
        ),
        Case(
            request: BroadcastRequest(action: "replace", template: "success"),
            content: .template(name: "success", values: [:]),
            target: "paywall"
        ),
        Case(
            request: BroadcastRequest(action: "replace", targets: ".news", template: "news"),
            content: .template(name: "news", values: [:])
        ),
        Case(request: BroadcastRequest(action: "remove", target: "a"), content: .none),
        Case(request: BroadcastRequest(action: "refresh"), content: .none),
        Case(request: BroadcastRequest(action: "set_title-2", html: "x"), content: .html("x")),
        Case(request: BroadcastRequest(action: "confetti"), content: .none),
    ])
    func isAFragment(_ example: Case) throws {
        let stream = try #require(StreamName("s"))
        let fragment = try example.request.fragment(on: stream, templates: TemplateRenderer(sources: Self.sources))
        #expect(fragment.content == example.content)
        #expect(fragment.action == example.request.action)
        #expect(fragment.target == example.request.target ?? example.target)
        #expect(fragment.targets == example.request.targets)
        #expect(fragment.stream == stream)
    }

    struct Refusal {
        var request: BroadcastRequest
        /// How the error begins.
        var says: String
        var code: String
    }

    @Test(arguments: [
        Refusal(request: BroadcastRequest(action: ""), says: "action must be 1 to 64", code: "invalid_action"),
        Refusal(request: BroadcastRequest(action: "a b"), says: "action must be 1 to 64", code: "invalid_action"),
        Refusal(
            request: BroadcastRequest(action: "x\" onclick"),
            says: "action must be 1 to 64",
            code: "invalid_action"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", target: "", html: ""),
            says: "target and targets must be 1 to 255 bytes",
            code: "invalid_target"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", target: "a\n", html: ""),
            says: "target and targets must be 1 to 255 bytes",
            code: "invalid_target"
        ),
        Refusal(request: BroadcastRequest(action: "remove"), says: "remove needs a target", code: "invalid_target"),
        Refusal(
            request: BroadcastRequest(action: "remove", target: "a", targets: "b"),
            says: "target and targets are both given",
            code: "invalid_target"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", template: "news", values: ["locale": "de"]),
            says: "template news has several elements; give one of their ids as target: nachricht, news",
            code: "invalid_target"
        ),
        Refusal(
            request: BroadcastRequest(action: "append", template: "news"),
            says: "append needs a target",
            code: "invalid_target"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", template: "nothing"),
            says: "there is no template named nothing;",
            code: "unknown_template"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", template: "news", html: "x"),
            says: "template and html are both given",
            code: "invalid_content"
        ),
        Refusal(
            request: BroadcastRequest(action: "after", target: "a"),
            says: "after needs content",
            code: "invalid_content"
        ),
        Refusal(
            request: BroadcastRequest(action: "after", target: "a", template: "news", html: "x"),
            says: "template and html are both given",
            code: "invalid_content"
        ),
        Refusal(
            request: BroadcastRequest(action: "remove", target: "a", html: "x"),
            says: "remove shows no content",
            code: "invalid_content"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", target: "a", template: "../news"),
            says: "there is no template named ../news;",
            code: "unknown_template"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", target: "a", template: "news"),
            says: "template news has no element with id=\"a\"",
            code: "unknown_template"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", target: "a", html: "x</template><script>alert(1)</script>"),
            says: "html, line 1: </template> closes nothing",
            code: "invalid_html"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", target: "a", html: "<template>"),
            says: "html, line 1: <template> is never closed",
            code: "invalid_html"
        ),
        Refusal(
            request: BroadcastRequest(action: "replace", target: "a", html: "<!--"),
            says: "html, line 1: a comment begins here",
            code: "invalid_html"
        ),
    ])
    func refuses(_ refusal: Refusal) throws {
        let stream = try #require(StreamName("s"))
        let templates = try TemplateRenderer(sources: Self.sources)
        let error = #expect(throws: BroadcastError.self) {
            try refusal.request.fragment(on: stream, templates: templates)
        }
        #expect(error?.code == refusal.code)
        #expect(error?.description.hasPrefix(refusal.says) == true)
    }
}

extension BroadcastRequest {
    init(
        action: String,
        target: String? = nil,
        targets: String? = nil,
        template: String? = nil,
        html: String? = nil,
        values: [String: String]? = nil
    ) {
        self.init()
        self.action = action
        self.target = target
        self.targets = targets
        self.template = template
        self.html = html
        self.values = values
    }
}
