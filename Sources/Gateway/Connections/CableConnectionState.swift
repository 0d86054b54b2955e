internal import Pages

/// The state of a connection that speaks Action Cable.
final class CableConnectionState {
    let transport: Transport
    let host: String
    /// Identifies the session of a returning client; nil in the base protocol.
    let sid: String?
    let heartbeat: TimerWheel<ConnectionID>.Handle
    var session: CableSession
    /// Subscriptions whose missed messages are still to be read, one after the other: what a connection has not taken
    /// stays in the ledger, and its user takes turns with others.
    var waiting: [(id: SubscriptionID, request: PageRequest)] = []
    /// The one whose missed messages are being read.
    var reading: (id: SubscriptionID, request: PageRequest)?
    /// The bytes of confirmations and rejections that were sent since the socket stopped accepting bytes.
    var owed = 0

    /// The confirmations of all subscriptions that a connection may have, 4 KB each.
    static let owedLimit = 400 << 10

    init(
        opening: CableOpening,
        sid: String?,
        heartbeat: TimerWheel<ConnectionID>.Handle,
        limits: CableLimits
    ) {
        transport = sid == nil ? .cable : .extendedCable
        host = opening.host
        self.sid = sid
        self.heartbeat = heartbeat
        session = CableSession(limits: limits)
    }
}
