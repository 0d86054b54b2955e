import Domain
import TestSupport
import Testing

@testable import Rails

@Suite struct RailsBroadcastTests {
    private func fragment(_ payload: String) throws(RailsBroadcast.Refusal) -> String? {
        let stream = StreamName("s") ?? .feed("")
        let fragment = try RailsBroadcast.fragment(on: stream, payload: Array(payload.utf8))
        guard case .markup(let html) = fragment.content else { return nil }
        return html
    }

    /// The bytes that ActionCable 7 publishes for `broadcast_update_to`.
    @Test func escapesOfRailsAreUndone() throws {
        let payload =
            #""\u003cturbo-stream action=\"update\" target=\"notice\"\u003e\u003ctemplate\u003eA \u0026amp; B"#
            + #"\u2028\ud83d\ude00é\u003c/template\u003e\u003c/turbo-stream\u003e""#
        #expect(try fragment(payload) == update("A &amp; B\u{2028}\u{1F600}é"))
    }

    @Test func severalElementsAreOneFragment() throws {
        #expect(try fragment(railsJSON(update("1") + "\n" + update("2"))) == update("1") + "\n" + update("2"))
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var payload: String
        var reason: RailsBroadcast.Refusal
    }

    @Test(arguments: [
        Refused(testDescription: "another channel's object", payload: #"{"body":"Hi"}"#, reason: .json),
        Refused(testDescription: "remote disconnect", payload: #"{"type":"disconnect"}"#, reason: .json),
        Refused(testDescription: "an array", payload: #"["<turbo-stream>"]"#, reason: .json),
        Refused(testDescription: "a number", payload: "1", reason: .json),
        Refused(testDescription: "nothing", payload: "", reason: .json),
        Refused(testDescription: "one quote", payload: "\"", reason: .json),
        Refused(testDescription: "a string that does not end", payload: #""\u003cturbo-stream"#, reason: .json),
        Refused(testDescription: "half a character", payload: #""\ud83d""#, reason: .json),
        Refused(testDescription: "two strings", payload: #""a" "b""#, reason: .json),
        Refused(testDescription: "bare HTML", payload: update("x"), reason: .json),
        Refused(testDescription: "a text", payload: #""hello""#, reason: .markup),
        Refused(testDescription: "an empty string", payload: #""""#, reason: .markup),
        Refused(testDescription: "HTML beside it", payload: railsJSON("<b>x</b>" + update("x")), reason: .markup),
        Refused(testDescription: "unclosed", payload: railsJSON("<turbo-stream action=\"update\">"), reason: .broken),
        Refused(
            testDescription: "over 256 KiB",
            payload: railsJSON(update(String(repeating: "x", count: 256 << 10))),
            reason: .size
        ),
        Refused(
            testDescription: "another channel's object over 256 KiB",
            payload: #"{"body":""# + String(repeating: "x", count: 256 << 10) + #""}"#,
            reason: .json
        ),
    ]) func whatIsNotForPagesIsRefused(_ given: Refused) {
        #expect(throws: given.reason) { try fragment(given.payload) }
        #expect(given.reason.isLoss == ["over 256 KiB", "unclosed"].contains(given.testDescription))
    }
}
