import Encoding

/// One message from the Action Cable server.
enum ReceivedCableMessage {
    case welcome(sid: String?, restored: Bool)
    case ping
    case confirmed
    case rejected
    case disconnect(mayReconnect: Bool)
    case message(html: String, place: CablePlace?)
    case other

    init(_ text: ArraySlice<UInt8>) {
        guard let node = JSONNode(Array(text)) else {
            self = .other
            return
        }
        switch node["type"]?.text {
        case "welcome": self = .welcome(sid: node["sid"]?.text, restored: node["restored"]?.boolean ?? false)
        case "ping": self = .ping
        case "confirm_subscription": self = .confirmed
        case "reject_subscription": self = .rejected
        case "disconnect": self = .disconnect(mayReconnect: node["reconnect"]?.boolean ?? true)
        case nil:
            guard let html = node["message"]?.text else {
                self = .other
                return
            }
            self = .message(html: html, place: CablePlace(node))
        default: self = .other
        }
    }
}

/// The position of a message in its stream's history, in the extended protocol.
struct CablePlace {
    let stream: String
    let epoch: String
    let offset: Int64

    init?(_ node: JSONNode) {
        guard let stream = node["stream_id"]?.text, let epoch = node["epoch"]?.text,
            let offset = node["offset"]?.integer
        else { return nil }
        self.stream = stream
        self.epoch = epoch
        self.offset = offset
    }

    var json: String { #"{"\#(stream)":{"offset":\#(offset),"epoch":"\#(epoch)"}}"# }
}

/// The subscription of a `<turbo-cable-stream-source data-since>`.
struct CableSubscription {
    /// As a JSON string literal.
    let literal: String

    init(signedName: String, since: String) {
        let inner =
            #"{"channel":"Turbo::StreamsChannel","signed_stream_name":"\#(signedName)","since":"\#(since)"}"#
        literal = "\"" + inner.replacing("\"", with: "\\\"") + "\""
    }

    func command(_ name: String, history: String? = nil) -> [UInt8] {
        let rest = history.map { #","history":\#($0)"# } ?? ""
        let command = #"{"command":"\#(name)","identifier":\#(literal)\#(rest)}"#
        return ClientFrameReader.frame(1, payload: Array(command.utf8))
    }
}
