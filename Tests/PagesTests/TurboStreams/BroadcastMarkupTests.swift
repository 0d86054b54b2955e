import Domain
import Testing

@testable import Pages

@Suite struct BroadcastMarkupTests {
    struct Case {
        var html: String
        var action = "replace"
        var target: String?
        var targets: String?
    }

    @Test(arguments: [
        Case(html: "<turbo-stream action=\"replace\" target=\"a\"><template>x</template></turbo-stream>", target: "a"),
        Case(
            html: "\n<Turbo-Stream target=a action='replace' >\n<template></template>\n</turbo-stream>\n",
            target: "a"
        ),
        Case(html: "<!-- BEGIN x --><turbo-stream action=\"replace\" targets=\".a\"></turbo-stream>", targets: ".a"),
        Case(html: "<turbo-stream action=\"refresh\"></turbo-stream>", action: "refresh"),
        Case(html: "<turbo-stream action=\"replace\" target=\"a\" target=\"b\"></turbo-stream>", target: "a"),
        Case(
            html: "<turbo-stream action=\"replace\" target=\"a\"></turbo-stream><turbo-stream action=x></turbo-stream>"
        ),
        Case(
            html: "<turbo-stream action=\"replace\" target=\"a\"><template><ul><li>1<li>2</ul><template>y</template>"
                + "<script>'</template>'</script></template></turbo-stream>",
            target: "a"
        ),
    ])
    func readsWhatAPublisherWrote(_ example: Case) throws {
        let markup = try BroadcastMarkup(example.html)
        #expect(markup.html == example.html)
        #expect(markup.action == example.action)
        #expect(markup.target == example.target)
        #expect(markup.targets == example.targets)
    }

    struct Refusal {
        var html: String
        /// How the error begins.
        var says: String
    }

    static let open = "<turbo-stream action=\"replace\" target=\"a\">"

    @Test(arguments: [
        Refusal(html: "", says: "html is empty"),
        Refusal(html: " <!-- nothing --> ", says: "html is empty"),
        Refusal(html: "<p>x</p>", says: "html, line 1: without an action"),
        Refusal(html: "hello", says: "html, line 1: without an action"),
        Refusal(html: open + "</turbo-stream>\n</turbo-stream>", says: "html, line 2: without an action"),
        Refusal(html: open + "</turbo-stream><script>x</script>", says: "html, line 1: without an action"),
        Refusal(html: "<turbo-stream><template></template></turbo-stream>", says: "action is missing"),
        Refusal(html: "<turbo-stream action=\"\"></turbo-stream>", says: "action is missing"),
        Refusal(html: open + "<p>x</p></turbo-stream>", says: "html, line 1: the content of <turbo-stream> must"),
        Refusal(
            html: open + "<template></template>\n<template></template></turbo-stream>",
            says: "html, line 2: a <turbo-stream> has one <template>"
        ),
        Refusal(
            html: open + "</template></turbo-stream>",
            says: "html, line 1: </template> closes nothing"
        ),
        Refusal(
            html: open + "<template>x</template></template>",
            says: "html, line 1: </template> closes nothing"
        ),
        Refusal(html: open + "<template>x</turbo-stream>", says: "html, line 1: <template> is never closed"),
        Refusal(html: open + "<template>x</template>", says: "html, line 1: <turbo-stream> is never closed"),
        Refusal(html: open + "<template><!-- </template></turbo-stream>", says: "html, line 1: a comment begins here"),
        Refusal(
            html: open + "<template><a title=\"</template></turbo-stream>",
            says: "html, line 1: a tag begins here"
        ),
    ])
    func refuses(_ refusal: Refusal) {
        let error = #expect(throws: BroadcastError.self) { try BroadcastMarkup(refusal.html) }
        #expect(error?.description.hasPrefix(refusal.says) == true)
        #expect(error?.code == (refusal.says.hasPrefix("action") ? "invalid_action" : "invalid_html"))
    }

    /// Random strings of what matters: whatever passes as content stays inside of its element.
    @Test
    func contentThatPassesStaysInsideItsElement() {
        let pieces = [
            "<template>", "</template>", "</turbo-stream>", "<!--", "-->", "<script>", "</script>", "<a b='", "'", "\"",
            ">", "<", "/", "=", " ", "x", "<title>", "</title>", "<textarea", "{{", "<?", "</", "\u{0}", "é",
        ]
        var state: UInt64 = 42
        for _ in 0..<20_000 {
            let content = (0..<8).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return pieces[Int(state >> 33) % pieces.count]
            }.joined()
            guard (try? BroadcastMarkup.checkContent(content)) != nil else { continue }
            let element = Self.open + "<template>\(content)</template></turbo-stream>"
            #expect((try? BroadcastMarkup(element))?.target == "a", "\(content)")
        }
    }

    @Test(
        arguments: ["<a>", "<template>", "</template>", "<!--", "<script>", "<a b=\"", "<", "{{", "<svg><a/>"]
    )
    func aLargeBodyTakesLinearTime(_ piece: String) {
        let html = String(repeating: piece, count: 256 * 1024 / piece.utf8.count)
        _ = try? BroadcastMarkup(html)
        _ = try? BroadcastMarkup.checkContent(html)
        _ = try? BroadcastMarkup(Self.open + "<template>" + html)
        _ = try? TemplateFile(key: "news", source: Array("<p id=\"a\">\(html)</p>".utf8))
    }

    @Test func aSingleReplaceCollapses() throws {
        let stream = try #require(StreamName("s"))
        let one = "<turbo-stream action=\"replace\" target=\"a\"><template>x</template></turbo-stream>"
        #expect(try BroadcastMarkup(one).fragment(on: stream).collapseKey == "replace a")
        #expect(try BroadcastMarkup(one + one).fragment(on: stream).collapseKey == nil)
    }
}
