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

/// What a client of the extended protocol has seen: `{"since": Unix seconds, "streams": {ID: {"offset", "epoch"}}}`.
public struct CableHistory: Sendable, Equatable {
    /// The last message of a stream that arrived.
    public struct Place: Sendable, Equatable {
        public var epoch: String
        public var offset: Int64

        public init(epoch: String, offset: Int64) {
            self.epoch = epoch
            self.offset = offset
        }
    }

    /// Seconds since 1970.
    public var since: Int64?
    /// Keyed by the bytes of a stream's name: as strings, two names that Unicode treats as equal would collide.
    private var places: [[UInt8]: Place] = [:]

    public init(since: Int64? = nil, places: [String: Place] = [:]) {
        self.since = since
        self.places = Dictionary(places.map { (Array($0.key.utf8), $0.value) }) { $1 }
    }

    init?(_ node: JSONNode?) {
        guard let node, node.isObject else { return nil }
        since = node["since"]?.integer
        guard case .object(let streams) = node["streams"] else { return }
        for stream in streams {
            guard let name = stream.name, let epoch = stream.value["epoch"]?.text,
                let offset = stream.value["offset"]?.integer
            else { continue }
            places[Array(name.utf8)] = Place(epoch: epoch, offset: offset)
        }
    }

    public func place(in stream: String) -> Place? { places[Array(stream.utf8)] }
}
