import Domain
import HTTP
import Pages
import Support

/// All subscriptions of one loop: the hub, and the subscribers by their place in the hub's slab.
final class Subscriptions {
    var hub: Hub
    /// The times at which pages and cable clients get their heartbeats.
    var heartbeats = TimerWheel<ConnectionID>(period: Heartbeats.ticks)
    private let loop: LoopContext
    private var subscribers: ContiguousArray<Subscriber?> = []
    /// The subscriptions whose names end. Each is looked at once a minute, and at the tick when it ends.
    private var expiries = TimerWheel<SubscriptionID>(period: 60 * LoopSettings.ticksPerSecond)
    private var feeds = FeedFilters()
    private var heads = RecentHeads()

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

    /// The pages that follow a stream, as somebody asks about them.
    func pages(on stream: StreamName) -> [OpenPage] {
        hub.progress(on: stream).compactMap { progress in
            self[progress.subscription].map { subscriber in
                OpenPage(
                    transport: subscriber.transport.word,
                    openedAt: subscriber.openedAt,
                    position: progress.position,
                    waitingBytes: progress.waitingBytes
                )
            }
        }
    }

    // MARK: Coming and going

    func add(_ subscriber: Subscriber) {
        let index = Int(subscriber.subscription.index)
        if index >= subscribers.count {
            subscribers.append(contentsOf: repeatElement(nil, count: index + 1 - subscribers.count))
        }
        subscribers[index] = subscriber
        subscribers[index]?.head = heads.shared(subscriber.head)
        loop.port.count(1, followersOf: subscriber.stream)
        if let end = subscriber.expires { watch(subscriber.subscription, until: end, now: loop.settings.clock.now()) }
    }

    /// One tick more than needed, so that it has ended when it is looked at.
    private func watch(_ id: SubscriptionID, until end: Instant, now: Instant) {
        let milliseconds = max(0, end.milliseconds - now.milliseconds)
        expiries.add(id, after: Int(min(milliseconds / 100 + 1, Int64(expiries.period))))
    }

    /// Ends a subscription. Its connection stays open.
    func end(_ id: SubscriptionID) {
        hub.unsubscribe(id)
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
            loop.metrics.pages(page.transport).add(-1)
        case .cable(let client):
            loop.metrics.pages(client.transport).add(-1)
            if let sid = client.sid { loop.shared.sessions.keep(client.session.identifiers, as: sid) }
        default: return
        }
        connection.phase = .closing
    }

    /// Advances by one tick and returns the subscriptions whose names have ended.
    func tickExpiries() -> [SubscriptionID] {
        let due = expiries.tick()
        guard !due.isEmpty else { return [] }
        let now = loop.settings.clock.now()
        return due.filter { id in
            guard let end = self[id]?.expires, end > now else { return self[id] != nil }
            watch(id, until: end, now: now)
            return false
        }
    }

    // MARK: Feeds

    /// The subscriber of this stream is a developer, who sees only what `filter` admits.
    func follow(_ stream: StreamName, with filter: EntrySelection) {
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

/// The prefixes of the newest cable subscriptions. Pages that were rendered alike share them, so that a fan-out finds
/// equal ones without reading them.
private struct RecentHeads {
    /// As many as a page usually has streams, twice.
    private static let limit = 4
    private var heads: [[UInt8]] = []

    mutating func shared(_ head: [UInt8]) -> [UInt8] {
        guard !head.isEmpty else { return head }
        if let known = heads.first(where: { $0 == head }) { return known }
        if heads.count == RecentHeads.limit { heads.removeFirst() }
        heads.append(head)
        return head
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
    let openedAt: Instant
    /// When its name ends.
    let expires: Instant?
    /// The prefix of each message to it: the identifier of a cable subscription, otherwise nothing.
    var head: [UInt8] = []
}

/// The way in which fragments travel to a client.
enum Transport {
    case eventStream, webSocket, feed, cable, extendedCable

    /// As metrics and answers call it.
    var word: String {
        switch self {
        case .eventStream: "sse"
        case .webSocket: "websocket"
        case .feed: "feed"
        case .cable, .extendedCable: "cable"
        }
    }

    /// True if it is an endless response, on which only we send.
    var isResponse: Bool { self == .eventStream || self == .feed }
}
