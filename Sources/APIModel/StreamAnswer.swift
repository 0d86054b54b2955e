/// Answers `GET /users/{user}/stream`: what a page needs to follow its user's stream. Answers about orders have the same
/// members, except `html`.
public struct StreamAnswer: Codable, Sendable, Equatable {
    /// The stream's name.
    public var stream: String
    /// The name, signed by this server: anyone who presents it may follow the stream.
    public var signedStream: String
    /// The cursor from which the page misses nothing.
    public var since: String
    /// The absolute `http` or `https` address of the stream as Server-Sent Events.
    public var sse: String
    /// The absolute `ws` or `wss` address of the same stream.
    public var websocket: String
    /// A `<turbo-stream-source>` element, ready to insert into a page.
    public var html: String?

    public init(stream: String, signedStream: String, since: String, sse: String, websocket: String) {
        self.stream = stream
        self.signedStream = signedStream
        self.since = since
        self.sse = sse
        self.websocket = websocket
    }
}
