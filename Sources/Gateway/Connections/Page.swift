internal import HTTP
internal import Pages

/// The state of a connection that follows one stream.
final class Page {
    let transport: Transport
    let subscription: SubscriptionID
    let heartbeat: TimerWheel<ConnectionID>.Handle
    /// Turbo's source element, which can be told to connect elsewhere.
    let source: SourceElement?
    /// For a feed: reads the part of the ledger after a position.
    let reading: PageRequest.Reading?
    /// For a feed with more to read: where to continue, once its reader has taken what was sent.
    var reached: Int64?
    /// For an event stream: goes out together with the first block, which saves one `send`.
    var opening: ResponseHead?
    /// The amount that it had read when a ping went out; nil once anything has come back.
    var unansweredPing: PeerReadProgress?

    init(
        transport: Transport,
        subscription: SubscriptionID,
        heartbeat: TimerWheel<ConnectionID>.Handle,
        source: SourceElement?,
        reading: PageRequest.Reading? = nil,
        opening: ResponseHead?
    ) {
        self.transport = transport
        self.subscription = subscription
        self.heartbeat = heartbeat
        self.source = source
        self.reading = reading
        self.opening = opening
    }
}
