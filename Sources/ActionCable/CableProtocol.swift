/// The subprotocols of Action Cable that we speak.
public enum CableProtocol: String, CaseIterable, Sendable {
    /// What Rails' own client offers: https://docs.anycable.io/misc/action_cable_protocol.
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

    /// Stock clients come back after 6 to 18 s. None of our reasons is permanent: a client that may not reconnect
    /// receives nothing until its page is reloaded.
    public var mayReconnect: Bool { true }
}
