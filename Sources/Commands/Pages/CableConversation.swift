import Encoding

/// What a page says and hears over Action Cable (https://docs.anycable.io/misc/action_cable_protocol). Pure.
struct CableConversation {
    enum Step {
        case nothing
        case send(String)
        case subscribed
        case message(String, CablePlace?)
        /// The server does not know what came after the place that it was told.
        case gap
        case failed(PageFailure)
    }

    /// In the order of preference; Rails knows only the second one.
    static let subprotocols = "actioncable-v1-ext-json, actioncable-v1-json"

    /// As the element of turbo-rails writes it, with its attribute `data-since`.
    private let identifier: String
    private let place: CablePlace?
    /// Only that protocol names its sessions.
    private var isExtended = false
    private var isWelcome = false
    private(set) var isSubscribed = false

    /// `place`: of the last message that came, in a connection before this one.
    init(signedName: String, since: String?, place: CablePlace? = nil) {
        let rest = since.map { #","since":\#(JSONLiteral.literal($0))"# } ?? ""
        identifier =
            #"{"channel":"Turbo::StreamsChannel","signed_stream_name":\#(JSONLiteral.literal(signedName))\#(rest)}"#
        self.place = place
    }

    mutating func received(_ text: String) -> Step {
        guard let message = JSONNode(text), message.isObject else {
            return failed(.unanswered, "what comes is no message of Action Cable")
        }
        switch message["type"]?.words {
        case "welcome":
            // There is one for a connection: whoever sends more is not answered each time.
            guard !isWelcome else { return .nothing }
            isWelcome = true
            isExtended = message["sid"] != nil
            let history = isExtended ? place.map { #","history":\#($0.history)"# } ?? "" : ""
            return .send(#"{"command":"subscribe","identifier":\#(JSONLiteral.literal(identifier))\#(history)}"#)
        case "ping" where isExtended: return .send(#"{"command":"pong"}"#)
        case "reject_history" where isOurs(message): return .gap
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
            return .message(content.text ?? content.json, CablePlace(message))
        default: return .nothing
        }
    }

    private func isOurs(_ message: JSONNode) -> Bool { message["identifier"]?.words == identifier }

    private func disconnected(_ message: JSONNode) -> Step {
        let mayReturn = message["reconnect"] != .boolean(false)
        let reason = message["reason"]?.words ?? "no reason"
        return failed(mayReturn ? .ended : .rejected, "the server disconnects: \(reason)", mayPass: mayReturn)
    }

    private func failed(_ kind: PageFailure.Kind, _ text: String, mayPass: Bool = false) -> Step {
        .failed(PageFailure(kind, text, mayPass: mayPass))
    }
}

/// Where a message is in the history of its stream (https://docs.anycable.io/misc/action_cable_protocol, “Extended protocol”).
struct CablePlace: Equatable {
    let stream: String
    let epoch: String
    let offset: Int64

    /// Nil for a message that is in no history.
    init?(_ message: JSONNode) {
        guard let stream = message["stream_id"]?.words, let epoch = message["epoch"]?.words,
            let offset = message["offset"]?.integer
        else { return nil }
        (self.stream, self.epoch, self.offset) = (stream, epoch, offset)
    }

    /// Paycast's are those of its ledger.
    var cursor: String { "\(epoch)-\(offset)" }

    fileprivate var history: String {
        let (stream, epoch) = (JSONLiteral.literal(stream), JSONLiteral.literal(epoch))
        return #"{"streams":{\#(stream):{"offset":\#(offset),"epoch":\#(epoch)}}}"#
    }
}
