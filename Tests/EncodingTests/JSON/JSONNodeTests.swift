import Encoding
import Testing

@Suite struct JSONNodeTests {
    struct Text: CustomTestStringConvertible {
        let json: String
        var node: JSONNode?
        var testDescription: String { json }

        init(_ json: String, node: JSONNode?) {
            self.json = json
            self.node = node
        }
    }

    static let texts = [
        Text("null", node: .null), Text(" true ", node: .boolean(true)), Text("\t\r\nfalse", node: .boolean(false)),
        Text("0", node: .number(bytes("0"))), Text("-0.5e+10", node: .number(bytes("-0.5e+10"))),
        Text("12E3", node: .number(bytes("12E3"))),
        Text(#""""#, node: .string([])), Text(#""a\"b""#, node: .string(bytes(#"a\"b"#))),
        Text("[]", node: .array([])), Text("[ ]", node: .array([])),
        Text("[1 , null]", node: .array([.number(bytes("1")), .null])),
        Text("{}", node: .object([])),
        Text("", node: nil), Text(" ", node: nil), Text("nul", node: nil), Text("nulll", node: nil),
        Text("True", node: nil), Text("01", node: nil),
        Text("-", node: nil),
        Text("+1", node: nil), Text("1.", node: nil), Text(".5", node: nil), Text("1e", node: nil),
        Text("1e+", node: nil), Text("0x1", node: nil),
        Text("NaN", node: nil), Text("\"", node: nil), Text("\"a", node: nil), Text(#""a\""#, node: nil),
        Text("\"a\nb\"", node: nil),
        Text("'a'", node: nil),
        Text("[", node: nil), Text("[1,]", node: nil), Text("[,1]", node: nil), Text("[1 2]", node: nil),
        Text("]", node: nil), Text("{", node: nil),
        Text(#"{"a"}"#, node: nil), Text(#"{"a":}"#, node: nil), Text(#"{"a":1,}"#, node: nil),
        Text("{a:1}", node: nil),
        Text(#"{"a":1}}"#, node: nil),
        Text("1 2", node: nil), Text("{} //", node: nil),
    ]

    @Test(arguments: texts) func readsWhatIsJSONAndNothingElse(_ text: Text) {
        #expect(JSONNode(text.json) == text.node)
    }

    @Test func findsMembersByName() {
        let node = JSONNode(#"{ "a" : 1, "b\u0063" : "x", "a" : {"d":[true]} }"#)
        #expect(node?["a"]?["d"] == .array([.boolean(true)]))
        #expect(node?["bc"]?.text == "x")
        #expect(node?["z"] == nil)
    }

    @Test(arguments: [#"{"stream":1}"#, #"{"\u0073tream":1}"#]) func membersHaveNamesHoweverTheyAreWritten(
        _ json: String
    ) throws {
        guard case .object(let members)? = JSONNode(json) else { throw CancellationError() }
        let member = try #require(members.first)
        #expect(member.withPlainName.hasPlainName("stream"))
        #expect(!member.withPlainName.hasPlainName("strea"))
        #expect(!member.withPlainName.hasPlainName("streaM"))
        #expect(member.hasPlainName("stream") == !json.contains("u0073"))
    }

    struct Literal: CustomTestStringConvertible {
        let json: String
        let text: String?
        var testDescription: String { json }
    }

    static let literals = [
        Literal(json: #""\u003cb\u003E \/\b\f\n\r\t\"\\""#, text: "<b> /\u{8}\u{C}\n\r\t\"\\"),
        Literal(json: #""é\u00e9\ud83d\ude00""#, text: "éé😀"),
        Literal(json: #""\ud83d""#, text: nil), Literal(json: #""\ude00\ud83d""#, text: nil),
        Literal(json: #""\u12""#, text: nil), Literal(json: #""\u+123""#, text: nil),
        Literal(json: #""\x""#, text: nil),
    ]

    @Test(arguments: literals) func unescapes(_ literal: Literal) {
        #expect(JSONNode(literal.json)?.text == literal.text)
    }

    @Test func refusesTextsThatAreNoUTF8() {
        #expect(JSONNode([34, 0xC3, 34])?.text == nil)
        #expect(JSONNode([34, 0xED, 0xA0, 0x80, 34])?.text == nil)
    }

    @Test func nestsSixteenDeepAndNoDeeper() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(JSONNode(nested(16)) != nil)
        #expect(JSONNode(nested(18)) == nil)
        #expect(JSONNode(String(repeating: #"{"a":["#, count: 100_000)) == nil)
    }

    @Test(arguments: ["", "plain", "\"\\/", "\u{0}\u{1F}\n", "<é😀\u{2028}>"]) func writesWhatItReads(_ text: String) {
        #expect(JSONLiteral.string(Array(JSONLiteral.literal(text).utf8)) == text)
    }

    @Test func knowsWholeNumbersOnly() {
        #expect(JSONNode("-9223372036854775808")?.integer == .min)
        #expect(JSONNode("9223372036854775808")?.integer == nil)
        #expect(JSONNode("1.0")?.integer == nil)
    }
}

private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
