import Testing

@testable import Commands

@Suite struct CableConversationTests {
    private static let identifier =
        #""{\"channel\":\"Turbo::StreamsChannel\",\"signed_stream_name\":\"n--1\",\"since\":\"e-1\"}""#

    struct Case: Sendable {
        var text: String
        var step: String
    }

    @Test(arguments: [
        Case(text: #"{"type":"welcome"}"#, step: #"send {"command":"subscribe","identifier":\#(identifier)}"#),
        Case(text: #"{"type":"ping","message":1}"#, step: "nothing"),
        Case(text: #"{"identifier":\#(identifier),"type":"reject_history"}"#, step: "gap"),
        Case(text: #"{"identifier":\#(identifier),"type":"confirm_subscription"}"#, step: "subscribed"),
        Case(text: #"{"identifier":"x","type":"confirm_subscription"}"#, step: "nothing"),
        Case(
            text: #"{"identifier":\#(identifier),"type":"reject_subscription"}"#,
            step: "failed the server rejects the subscription"
        ),
        Case(text: #"{"identifier":\#(identifier),"message":"<p>"}"#, step: "message <p>"),
        Case(text: #"{"identifier":\#(identifier),"message":{"a":1}}"#, step: #"message {"a":1}"#),
        Case(text: #"{"identifier":"x","message":"<p>"}"#, step: "nothing"),
        Case(
            text: #"{"type":"disconnect","reason":"unauthorized","reconnect":false}"#,
            step: "failed the server disconnects: unauthorized"
        ),
        Case(
            text: #"{"type":"disconnect","reason":"server_restart","reconnect":true}"#,
            step: "failed the server disconnects: server_restart, again"
        ),
        Case(text: "<p>", step: "failed what comes is no message of Action Cable"),
    ]) func answersAsTheElementOfTurboRails(_ given: Case) {
        var conversation = CableConversation(signedName: "n--1", since: "e-1")
        #expect(words(conversation.received(given.text)) == given.step)
    }

    /// A server confirms again what a client asks for again.
    @Test func isSubscribedOnce() {
        var conversation = CableConversation(signedName: "n--1", since: "e-1")
        let confirmation = #"{"identifier":\#(CableConversationTests.identifier),"type":"confirm_subscription"}"#
        #expect(words(conversation.received(confirmation)) == "subscribed")
        #expect(words(conversation.received(confirmation)) == "nothing")
    }

    /// A server that greets again and again is not asked for as many subscriptions.
    @Test func oneWelcomeIsAnswered() {
        var conversation = CableConversation(signedName: "n--1", since: "e-1")
        let steps = (0..<3).map { _ in words(conversation.received(#"{"type":"welcome","sid":"s"}"#)) }
        #expect(steps[0].hasPrefix("send ") && steps[1...] == ["nothing", "nothing"], "\(steps)")
    }

    /// Both servers may know where the last connection ended: ours by the cursor, AnyCable's by its history.
    @Test func continuesWhereTheExtendedProtocolHasAHistory() throws {
        let identifier = CableConversationTests.identifier
        var first = CableConversation(signedName: "n--1", since: "e-1")
        let place = #""stream_id":"a\"b","epoch":"Ab_1","offset":7"#
        let step = first.received(#"{"identifier":\#(identifier),"message":"<p>",\#(place)}"#)
        guard case .message("<p>", let found?) = step else { return _ = Issue.record("\(step)") }
        #expect(found.cursor == "Ab_1-7")
        var second = CableConversation(signedName: "n--1", since: "e-1", place: found)
        #expect(
            words(second.received(#"{"type":"welcome","sid":"s"}"#))
                == #"send {"command":"subscribe","identifier":\#(identifier),"history":{"streams":{"a\"b":{"offset":7,"epoch":"Ab_1"}}}}"#
        )
        #expect(words(second.received(#"{"type":"ping","message":1}"#)) == #"send {"command":"pong"}"#)
        var plain = CableConversation(signedName: "n--1", since: "e-1", place: found)
        #expect(
            words(plain.received(#"{"type":"welcome"}"#))
                == #"send {"command":"subscribe","identifier":\#(identifier)}"#
        )
    }

    private func words(_ step: CableConversation.Step) -> String {
        switch step {
        case .nothing: "nothing"
        case .send(let text): "send \(text)"
        case .subscribed: "subscribed"
        case .message(let html, let place): "message \(html)\(place.map { " at \($0.cursor)" } ?? "")"
        case .gap: "gap"
        case .failed(let failure): "failed \(failure.text)\(failure.mayPass ? ", again" : "")"
        }
    }
}
