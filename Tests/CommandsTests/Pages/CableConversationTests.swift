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

    private func words(_ step: CableConversation.Step) -> String {
        switch step {
        case .nothing: "nothing"
        case .send(let text): "send \(text)"
        case .subscribed: "subscribed"
        case .message(let html): "message \(html)"
        case .failed(let failure): "failed \(failure.text)\(failure.mayPass ? ", again" : "")"
        }
    }
}
