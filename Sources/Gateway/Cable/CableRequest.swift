public import ActionCable

/// A client asked to follow a stream.
public struct CableRequest: Sendable {
    public var parameters: CableParameters
    /// What a client of the extended protocol has seen.
    public var history: CableHistory?
    /// Where the connection reached us: `Host`.
    public var host: String
}

/// Whether it may.
public enum CableVerdict: Sendable {
    case open(PageRequest)
    /// The name is no name of ours.
    case rejected
    /// Its time is over: a fresh page brings another.
    case expired
}

/// What a request for `/cable` brought along.
public struct CableOpening: Sendable {
    public var host: String
    /// The session to resume.
    public var sid: String?

    public init(host: String, sid: String?) {
        self.host = host
        self.sid = sid
    }
}
