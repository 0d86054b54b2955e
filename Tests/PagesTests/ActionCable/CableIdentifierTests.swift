import Testing

@testable import Pages

@Suite struct CableIdentifierTests {
    struct Case: CustomTestStringConvertible {
        let text: String
        var parameters: CableParameters?
        var testDescription: String { text }
    }

    static let cases = [
        Case(
            text: #"{"channel":"Turbo::StreamsChannel","signed_stream_name":"a--b"}"#,
            parameters: CableParameters(signedStreamName: "a--b")
        ),
        Case(
            text: #"{ "since":"e-1", "signed_stream_name" : "a\u002d-b","channel":"$pubsub","é":["x"] }"#,
            parameters: CableParameters(signedStreamName: "a--b", since: "e-1")
        ),
        Case(
            text: #"{"signed_stream_name":"a--b","since":7}"#,
            parameters: CableParameters(signedStreamName: "a--b")
        ),
        Case(text: #"{"channel":"Turbo::StreamsChannel"}"#),
        Case(text: #"{"signed_stream_name":null}"#), Case(text: #"{"signed_stream_name":["a--b"]}"#),
        Case(text: #"["signed_stream_name"]"#), Case(text: "signed_stream_name"), Case(text: ""), Case(text: "{"),
    ]

    @Test(arguments: cases) func saysWhatIsAskedFor(_ example: Case) {
        #expect(CableIdentifier(example.text)?.parameters == example.parameters)
    }

    @Test(arguments: cases) func isRepeatedByteForByte(_ example: Case) {
        #expect(CableIdentifier(example.text)?.text == example.text)
    }

    @Test func messagesCarryTheHTMLAsAString() throws {
        let identifier = try #require(CableIdentifier(#"{"a":1}"#))
        let message = CableMessage.head(identifier.literal) + CableMessage.tail(html: Array("<b>\"é\"\n</b>".utf8))
        #expect(
            String(decoding: message, as: UTF8.self) == #"{"identifier":"{\"a\":1}","message":"<b>\"é\"\u000a</b>"}"#
        )
        let placed = CableMessage.tail(html: [], place: ("user:\"1\"", "e", 7))
        #expect(
            String(decoding: placed, as: UTF8.self)
                == #","message":"","stream_id":"user:\"1\"","epoch":"e","offset":7}"#
        )
    }
}
