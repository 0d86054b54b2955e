import Domain
import Pages
import Testing

@testable import Server

/// What nodes tell each other, and what else may come the same way.
@Suite struct NodeMessageContentTests {
    @Test(arguments: [
        [Part(html: Array("<turbo-stream>\u{2028}\"é\\\n\u{1}</turbo-stream>".utf8), collapseKey: nil)],
        [
            Part(html: Array("a".utf8), collapseKey: "card"),
            Part(html: Array("b".utf8), collapseKey: "", isRefresh: true),
        ],
    ])
    func arrivesAsItWasSent(_ parts: [Part]) throws {
        let stream = try #require(StreamName("user:\"é\\:paywall"))
        let message = Message(stream: stream, position: nil, parts: parts)
        #expect(NodeMessageContent(NodeMessageContent.broadcast(message).body) == .broadcast(message))
        #expect(NodeMessageContent(NodeMessageContent.locale(stream).body) == .locale(stream))
        #expect(NodeMessageContent(NodeMessageContent.followed([stream, stream]).body) == .followed([stream, stream]))
        #expect(NodeMessageContent(NodeMessageContent.whoFollows.body) == .whoFollows)
    }

    @Test func followedStreamsAreChecked() throws {
        let names = #"{"followed":["s",7,"","\u0000feed?"]}"#
        #expect(NodeMessageContent(Array(names.utf8)) == .followed([try #require(StreamName("s"))]))
        let many = [String](repeating: #""s""#, count: 101).joined(separator: ",")
        #expect(NodeMessageContent(Array("{\"followed\":[\(many)]}".utf8)) == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"locale":""}"#, #"{"locale":7}"#, #"{"locale":"\u0000feed?"}"#,
        #"{"stream":"s"}"#, #"{"stream":"s","parts":[]}"#, #"{"stream":"s","parts":{}}"#,
        #"{"stream":"s","parts":[7]}"#,
        #"{"stream":"s","parts":[{}]}"#, #"{"stream":"s","parts":[{"html":""}]}"#,
        #"{"stream":"s","parts":[{"html":7}]}"#,
        #"{"stream":"","parts":[{"html":"x"}]}"#, #"{"stream":"\u0000feed?","parts":[{"html":"x"}]}"#,
        #"{"stream":"s","parts":[{"html":"x"},{"html":null}]}"#, #"{"stream":"s","parts":[{"html":"x"}]"#,
        #"{"parts":[{"html":"x"}]}"#,
    ])
    func anythingElseIsNothing(_ text: String) {
        #expect(NodeMessageContent(Array(text.utf8)) == nil)
    }

    @Test func partsAreBounded() {
        let parts = { (count: Int) in [String](repeating: #"{"html":"x"}"#, count: count).joined(separator: ",") }
        #expect(NodeMessageContent(Array(#"{"stream":"s","parts":[\#(parts(100))]}"#.utf8)) != nil)
        #expect(NodeMessageContent(Array(#"{"stream":"s","parts":[\#(parts(101))]}"#.utf8)) == nil)
    }

    /// A text frame with a byte that is no UTF-8 ends a page's connection.
    @Test func htmlIsText() {
        let start = Array(#"{"stream":"s","parts":[{"html":"a"#.utf8)
        #expect(NodeMessageContent(start + [0xFF] + Array(#""}]}"#.utf8)) == nil)
        #expect(NodeMessageContent(start + Array(#""}]}"#.utf8)) != nil)
    }

    /// It has no place in the ledger's order, whatever a stranger says.
    @Test func aPositionIsNotTaken() throws {
        let body = Array(#"{"stream":"s","position":7,"parts":[{"html":"x"}]}"#.utf8)
        guard case .broadcast(let message) = NodeMessageContent(body) else { return #expect(Bool(false)) }
        #expect(message.position == nil)
    }
}
