internal import Domain
internal import Hub

/// How fragments travel to a client.
enum Transport {
    case eventStream, webSocket, feed, cable, extendedCable

    /// A response without an end: only we speak.
    var isResponse: Bool { self == .eventStream || self == .feed }
}

/// Where the messages of one subscription go. A loop finds it by the subscription's place in the hub's slab.
struct Seat {
    let connection: Connection
    let subscription: SubscriptionID
    let stream: StreamName
    let transport: Transport
    /// Which refreshes its page was due when it came.
    let refreshes: MissedRefreshes
    /// What each message to it begins with: the identifier of a cable subscription, else nothing.
    var head: [UInt8] = []
}
