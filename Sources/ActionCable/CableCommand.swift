internal import Encoding

/// One text frame of a client.
enum CableCommand: Equatable {
    case subscribe(CableIdentifier, CableHistory?)
    case unsubscribe(CableIdentifier)
    case history(CableIdentifier, CableHistory)
    case ping
    /// Names an action of a channel, or answers a ping. Nothing has to be done.
    case heard
    /// Not JSON, or not a known command. Rails logs it and goes on.
    case unreadable

    init(_ text: [UInt8]) {
        guard let node = JSONNode(text), let name = node["command"]?.text else {
            self = .unreadable
            return
        }
        let identifier = node["identifier"]?.text.flatMap { CableIdentifier($0) }
        let history = CableHistory(node["history"])
        switch (name, identifier, history) {
        case ("subscribe", let identifier?, let history): self = .subscribe(identifier, history)
        case ("unsubscribe", let identifier?, _): self = .unsubscribe(identifier)
        case ("history", let identifier?, let history?): self = .history(identifier, history)
        case ("message", _?, _), ("pong", _, _): self = .heard
        case ("ping", _, _): self = .ping
        default: self = .unreadable
        }
    }
}
