import Domain
import Encoding
import Testing

@testable import Commands

@Suite struct StreamElementTests {
    struct Case: Sendable {
        var html: String
        var elements: [StreamElement]
    }

    private static let nested =
        #"<turbo-stream action="replace" targets=".a > b"><template><turbo-stream action="x"></turbo-stream></template></turbo-stream>"#
    private static let source =
        #"<TURBO-STREAM target='a"b' action="update"><template><turbo-stream-source src="x"></turbo-stream-source>"#
        + "</template></TURBO-STREAM>"

    @Test(arguments: [
        Case(html: "", elements: []), Case(html: "<p>Hello</p>", elements: []),
        Case(html: "<turbo-streams></turbo-streams><turbo-stream", elements: []),
        Case(html: #"<turbo-stream action="replace">"#, elements: []),
        Case(html: nested, elements: [StreamElement(action: "replace", targets: ".a > b", html: nested)]),
        Case(html: source, elements: [StreamElement(action: "update", target: "a\"b", html: source)]),
        Case(
            html:
                #" <turbo-stream action="refresh"></turbo-stream><turbo-stream action="remove" target="a"></turbo-stream>"#,
            elements: [
                StreamElement(action: "refresh", html: #"<turbo-stream action="refresh"></turbo-stream>"#),
                StreamElement(
                    action: "remove",
                    target: "a",
                    html: #"<turbo-stream action="remove" target="a"></turbo-stream>"#
                ),
            ]
        ),
    ]) func areFound(_ given: Case) {
        #expect(StreamElement.all(in: given.html) == given.elements)
    }

    struct Text: Sendable {
        var html: String
        var limit = 12
        var text: String
    }

    @Test(arguments: [
        Text(html: "<b>One</b>\n  <i>two</i>", text: "One two"), Text(html: "a < b", text: "a"),
        Text(html: "<p>one two three four</p>", text: "one two thre"), Text(html: "ééé", limit: 5, text: "éé"),
        Text(html: "", text: ""),
    ]) func isShownInItsFirstWords(_ given: Text) {
        #expect(StreamElement(html: given.html).text(limit: given.limit) == given.text)
    }

    /// One pass, whatever a server sends.
    @Test func hostileMarkupTakesNoLonger() {
        let start = ContinuousClock.now
        for part in ["<turbo-stream \"", "<turbo-stream>", "</turbo-stream>", "<turbo-stream a='"] {
            _ = PageMessage(html: String(repeating: part, count: (4 << 20) / part.utf8.count), cursor: nil)
        }
        #expect(start.duration(to: .now) < .seconds(60))
    }

    /// A drained WebSocket is told where its page continues; the selector and the address hold the signed name.
    @Test func whatIsSaidToThePagesOwnSourceIsNoPartOfTheStream() {
        let selector = #"targets="turbo-stream-source[src*='0011']""#
        let source =
            #"<turbo-stream-source id="a" src="//h/streams?name=since%3D--0011&amp;since=e-12"></turbo-stream-source>"#
        let farewell = PageMessage(
            html: #"<turbo-stream action="replace" \#(selector)><template>\#(source)</template></turbo-stream>"#,
            cursor: nil
        )
        #expect(farewell.elements.isEmpty && farewell.farewell == "e-12")
        let refresh = #"<turbo-stream action="refresh"></turbo-stream>"#
        let renewal = PageMessage(
            html: #"<turbo-stream action="remove" \#(selector)></turbo-stream>"# + refresh,
            cursor: nil
        )
        #expect(renewal.elements.map(\.html) == [refresh] && renewal.farewell == nil)
        #expect(!renewal.elements.contains { PageLine(cursor: nil, element: $0).has("0011", for: "text") })
    }

    @Test func controlCharactersDoNotReachTheTerminal() throws {
        let message = PageMessage(
            html: "<turbo-stream action=\"a\u{1B}[2J\" target=\"\u{7}\">\u{9B}x</turbo-stream>",
            cursor: "e-1"
        )
        let line = PageLine(cursor: message.cursor, element: try #require(message.elements.first))
        let json = try #require(JSONNode(PageOutput.json(line, at: .init(milliseconds: 0))))
        #expect(json["action"]?.text == "a\u{1B}[2J" && json["cursor"]?.text == "e-1", "nothing is lost")
        let text = PageOutput.text(line, at: .init(milliseconds: 1))
        #expect(text.hasPrefix("1970-01-01 00:00:00.001  e-1 "))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 })
    }
}
