/// A client's request to follow a stream.
public struct CableRequest: Sendable {
    /// The content of its identifier.
    public var parameters: CableParameters
    /// The positions that a client of the extended protocol has seen.
    public var history: CableHistory?
    /// Where the connection reached us: `Host`.
    public var host: String

    public init(parameters: CableParameters, history: CableHistory?, host: String) {
        self.parameters = parameters
        self.history = history
        self.host = host
    }
}

/// Whether the client may follow the stream.
public enum CableVerdict: Sendable {
    case open(PageRequest)
    /// No key of ours vouches for the name.
    case rejected
    /// The name has expired; a fresh page brings another.
    case expired
}

/// A request for `/cable`.
public struct CableOpening: Sendable {
    public var host: String
    /// The session to resume.
    public var sid: String?

    public init(host: String, sid: String?) {
        self.host = host
        self.sid = sid
    }
}
