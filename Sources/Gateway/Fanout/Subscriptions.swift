internal import ActionCable
internal import Admission
internal import Concurrency
internal import Domain
internal import Hub
internal import Observability
internal import Pages
internal import Sockets

/// All subscriptions of one loop: the hub, and the subscribers by their place in the hub's slab.
final class Subscriptions {
    var hub: Hub
    /// The times at which pages and cable clients get their heartbeats.
    var heartbeats = TimerWheel<ConnectionID>(period: Heartbeats.ticks)
    var pings = TimerWheel<ConnectionID>(period: Heartbeats.cableTicks)
    private let loop: LoopContext
    private var subscribers: ContiguousArray<Subscriber?> = []
    private var expiries = ExpiryWheel<SubscriptionID>(period: 60 * LoopSettings.ticksPerSecond)
    private var feeds = FeedFilters()
    /// The prefix of the last cable subscription. Pages that were rendered alike share it, so that a fan-out finds equal
    /// prefixes without reading them.
    private var lastHead: [UInt8] = []

    /// `position` is the ledger's newest entry.
    init(loop: LoopContext, position: Int64) {
        self.loop = loop
        hub = Hub(limits: Hub.Limits(queuedBytes: loop.limits.queuedBytes), position: position)
    }

    /// Nil for a subscription that has ended.
    subscript(id: SubscriptionID) -> Subscriber? { subscribers[id] }

    /// All subscriptions except those of feeds.
    var pages: [SubscriptionID] {
        subscribers.compactMap { $0.flatMap { $0.transport == .feed ? nil : $0.subscription } }
    }

    // MARK: Coming and going

    func add(_ subscriber: Subscriber, until expiry: Instant?) {
        let index = Int(subscriber.subscription.index)
        if index >= subscribers.count {
            subscribers.append(contentsOf: repeatElement(nil, count: index + 1 - subscribers.count))
        }
        subscribers[index] = sharingHead(subscriber)
        loop.port.count(1, followersOf: subscriber.stream)
        if let expiry { expiries.add(subscriber.subscription, at: expiry, now: loop.settings.clock.now()) }
    }

    private func sharingHead(_ subscriber: Subscriber) -> Subscriber {
        guard subscriber.head == lastHead else {
            lastHead = subscriber.head
            return subscriber
        }
        var subscriber = subscriber
        subscriber.head = lastHead
        return subscriber
    }

    /// Ends a subscription. Its connection stays open.
    func end(_ id: SubscriptionID) {
        hub.unsubscribe(id)
        expiries.remove(id)
        guard let subscriber = self[id] else { return }
        subscribers[Int(id.index)] = nil
        if subscriber.transport == .feed { feeds.remove(subscriber.stream) }
        loop.port.count(-1, followersOf: subscriber.stream)
    }

    /// Ends everything that the connection follows.
    func leave(_ connection: Connection) {
        for id in connection.subscriptions { end(id) }
        switch connection.phase {
        case .page(let page):
            heartbeats.remove(page.heartbeat)
            loop.metrics.pages(page.transport).add(-1)
        case .cable(let client):
            pings.remove(client.heartbeat)
            loop.metrics.pages(client.transport).add(-1)
            if let sid = client.sid { loop.shared.sessions.keep(client.session.identifiers, as: sid) }
        default: return
        }
        connection.phase = .closing
    }

    /// Advances by one tick and returns the subscriptions whose names have ended.
    func tickExpiries() -> [SubscriptionID] {
        expiries.tick(now: loop.settings.clock.now)
    }

    // MARK: Feeds

    /// The subscriber of this stream is a developer, who sees only what `filter` admits.
    func follow(_ stream: StreamName, with filter: FeedFilter) {
        feeds.add(filter, of: stream)
    }

    func feeds(admitting notice: Notice) -> [StreamName] {
        feeds.streams(admitting: notice)
    }
}

extension ContiguousArray<Subscriber?> {
    fileprivate subscript(id: SubscriptionID) -> Subscriber? {
        guard Int(id.index) < count, let subscriber = self[Int(id.index)], subscriber.subscription == id
        else { return nil }
        return subscriber
    }
}

/// The destination of one subscription's messages. A loop finds it by the subscription's place in the hub's slab.
struct Subscriber {
    let connection: Connection
    let subscription: SubscriptionID
    let stream: StreamName
    let transport: Transport
    /// The refreshes that its page receives when it catches up.
    let refreshes: RefreshPolicy
    /// The prefix of each message to it: the identifier of a cable subscription, otherwise nothing.
    var head: [UInt8] = []
}

/// The way in which fragments travel to a client.
enum Transport {
    case eventStream, webSocket, feed, cable, extendedCable

    /// True if it is an endless response, on which only we send.
    var isResponse: Bool { self == .eventStream || self == .feed }
}
