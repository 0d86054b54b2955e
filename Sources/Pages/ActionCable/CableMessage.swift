import Encoding

/// The messages that we send to a client, each as one text frame: https://docs.anycable.io/misc/action_cable_protocol.
public enum CableMessage {
    public static let welcome = Array(#"{"type":"welcome"}"#.utf8)

    /// `sid` lets the client resume. `restored` lists the subscriptions that are live again; nil when none was resumed.
    public static func welcome(sid: String, restored: [CableIdentifier]?) -> [UInt8] {
        var bytes = Array(#"{"type":"welcome","sid":"\#(sid)""#.utf8)
        if let restored {
            bytes += #","restored":true,"restored_ids":["#.utf8
            bytes += restored.map(\.literal).joined(separator: [UInt8(ascii: ",")])
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Any message tells a stock client that the connection is alive; this one comes every 3 s.
    public static func ping(seconds: Int64) -> [UInt8] {
        Array(#"{"type":"ping","message":\#(seconds)}"#.utf8)
    }

    static let pong = Array(#"{"type":"pong"}"#.utf8)

    /// Stock clients come back after 6 to 18 s. One that may not reconnect receives nothing until its page is reloaded.
    public static func disconnect(_ reason: CableDisconnect) -> [UInt8] {
        Array(#"{"type":"disconnect","reason":"\#(reason.rawValue)","reconnect":\#(reason != .remote)}"#.utf8)
    }

    /// For a subscription whose signed name has expired: Turbo's element subscribes again when the fresh page brings another,
    /// morphed or not (https://github.com/hotwired/turbo-rails/blob/main/app/javascript/turbo/cable_stream_source_element.js).
    public static func refresh(_ identifier: CableIdentifier) -> [UInt8] {
        head(identifier.literal) + tail(html: TemplateRenderer.refresh)
    }

    enum Verdict: String {
        case confirmSubscription = "confirm_subscription"
        case rejectSubscription = "reject_subscription"
        case confirmHistory = "confirm_history"
        case rejectHistory = "reject_history"
    }

    static func verdict(_ verdict: Verdict, on identifier: CableIdentifier) -> [UInt8] {
        head(identifier.literal) + Array(#","type":"\#(verdict.rawValue)"}"#.utf8)
    }

    /// A fragment for one subscription: `head`, then `tail`, which all subscriptions of a stream share.
    public static func head(_ literal: [UInt8]) -> [UInt8] { Array(#"{"identifier":"#.utf8) + literal }

    /// `message` is a JSON string that holds the HTML. `place` is for the extended protocol.
    public static func tail(html: [UInt8], place: (stream: String, epoch: String, offset: Int64)? = nil) -> [UInt8] {
        var bytes = Array(#","message":"#.utf8)
        bytes.reserveCapacity(html.count + html.count / 8 + 96)
        JSONLiteral.append(html, to: &bytes)
        if let place {
            bytes += #","stream_id":"#.utf8
            JSONLiteral.append(Array(place.stream.utf8), to: &bytes)
            bytes += #","epoch":"\#(place.epoch)","offset":\#(place.offset)"#.utf8
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

/// The subprotocols of Action Cable that we speak.
public enum CableProtocol: String, CaseIterable, Sendable {
    /// The subprotocols that Rails' own client offers: https://docs.anycable.io/misc/action_cable_protocol.
    case base = "actioncable-v1-json"
    /// AnyCable's protocol: sessions can be resumed, and messages have a place in a history.
    case extended = "actioncable-v1-ext-json"
}

/// Why we end a connection: the `reason` of a `disconnect` message.
public enum CableDisconnect: String, Sendable {
    case serverRestart = "server_restart"
    /// The client sent more commands than any page needs.
    case tooManyCommands = "too_many_commands"
    case tooSlow = "too_slow"
    /// Somebody has ended the user's pages: Rails' word for `remote_connections`.
    case remote
}
