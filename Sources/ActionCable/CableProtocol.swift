/// The subprotocols of Action Cable that we speak.
public enum CableProtocol: String, CaseIterable, Sendable {
    /// https://docs.anycable.io/misc/action_cable_protocol: what Rails' own client offers.
    case base = "actioncable-v1-json"
    /// AnyCable's: sessions that can be resumed, and messages with a place in a history.
    case extended = "actioncable-v1-ext-json"
}

/// Why we end a connection: the `reason` of a `disconnect` message.
public enum CableDisconnect: String, Sendable {
    case serverRestart = "server_restart"
    /// More commands than a page has reason for.
    case tooManyCommands = "too_many_commands"
    case tooSlow = "too_slow"

    /// Stock clients come back after 6 to 18 s. None of our reasons is for good: a client that may not come back stays
    /// deaf until its page is loaded again.
    public var mayReconnect: Bool { true }
}
