internal import Encoding

/// What a page says and hears over Action Cable (https://docs.anycable.io/misc/action_cable_protocol). Pure.
struct CableConversation {
    enum Step {
        case nothing
        case send(String)
        case subscribed
        case message(String)
        case failed(PageFailure)
    }

    /// As the element of turbo-rails writes it, with its attribute `data-since`.
    private let identifier: String
    private(set) var isSubscribed = false

    init(signedName: String, since: String?) {
        let rest = since.map { #","since":\#(JSONLiteral.literal($0))"# } ?? ""
        identifier =
            #"{"channel":"Turbo::StreamsChannel","signed_stream_name":\#(JSONLiteral.literal(signedName))\#(rest)}"#
    }

    mutating func received(_ text: String) -> Step {
        guard let message = JSONValue(Array(text.utf8)), case .object = message else {
            return failed(.unanswered, "what comes is no message of Action Cable")
        }
        switch message["type"]?.words {
        case "welcome": return .send(#"{"command":"subscribe","identifier":\#(JSONLiteral.literal(identifier))}"#)
        case "disconnect": return disconnected(message)
        case "reject_subscription" where isOurs(message):
            return failed(.rejected, "the server rejects the subscription")
        case "confirm_subscription" where isOurs(message):
            guard !isSubscribed else { return .nothing }
            isSubscribed = true
            return .subscribed
        case nil where isOurs(message):
            guard let content = message["message"] else { return .nothing }
            // Turbo takes a string; another channel may send any JSON.
            return .message(content.words ?? String(decoding: content.bytes, as: UTF8.self))
        default: return .nothing
        }
    }

    private func isOurs(_ message: JSONValue) -> Bool { message["identifier"]?.words == identifier }

    private func disconnected(_ message: JSONValue) -> Step {
        let mayReturn = message["reconnect"] != .boolean(false)
        let reason = message["reason"]?.words ?? "no reason"
        return failed(mayReturn ? .ended : .rejected, "the server disconnects: \(reason)", mayPass: mayReturn)
    }

    private func failed(_ kind: PageFailure.Kind, _ text: String, mayPass: Bool = false) -> Step {
        .failed(PageFailure(kind, text, mayPass: mayPass))
    }
}
