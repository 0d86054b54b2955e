import Encoding
import Testing

@Suite struct JSONNodeTests {
    struct Text: CustomTestStringConvertible {
        let json: String
        var node: JSONNode?
        var testDescription: String { json }

        init(_ json: String, _ node: JSONNode?) {
            self.json = json
            self.node = node
        }
    }

    static let texts = [
        Text("null", .null), Text(" true ", .boolean(true)), Text("\t\r\nfalse", .boolean(false)),
        Text("0", .number(bytes("0"))), Text("-0.5e+10", .number(bytes("-0.5e+10"))),
        Text("12E3", .number(bytes("12E3"))),
        Text(#""""#, .string([])), Text(#""a\"b""#, .string(bytes(#"a\"b"#))),
        Text("[]", .array([])), Text("[ ]", .array([])), Text("[1 , null]", .array([.number(bytes("1")), .null])),
        Text("{}", .object([])),
        Text("", nil), Text(" ", nil), Text("nul", nil), Text("nulll", nil), Text("True", nil), Text("01", nil),
        Text("-", nil),
        Text("+1", nil), Text("1.", nil), Text(".5", nil), Text("1e", nil), Text("1e+", nil), Text("0x1", nil),
        Text("NaN", nil), Text("\"", nil), Text("\"a", nil), Text(#""a\""#, nil), Text("\"a\nb\"", nil),
        Text("'a'", nil),
        Text("[", nil), Text("[1,]", nil), Text("[,1]", nil), Text("[1 2]", nil), Text("]", nil), Text("{", nil),
        Text(#"{"a"}"#, nil), Text(#"{"a":}"#, nil), Text(#"{"a":1,}"#, nil), Text("{a:1}", nil),
        Text(#"{"a":1}}"#, nil),
        Text("1 2", nil), Text("{} //", nil),
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
