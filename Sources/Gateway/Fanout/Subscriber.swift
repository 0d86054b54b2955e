internal import Domain
internal import Hub
internal import Pages

/// Where the messages of one subscription go. A loop finds it by the subscription's place in the hub's slab.
struct Subscriber {
    let connection: Connection
    let subscription: SubscriptionID
    let stream: StreamName
    let transport: Transport
    /// Which refreshes its page receives when it catches up.
    let refreshes: RefreshPolicy
    /// What each message to it begins with: the identifier of a cable subscription, otherwise nothing.
    var head: [UInt8] = []
}
