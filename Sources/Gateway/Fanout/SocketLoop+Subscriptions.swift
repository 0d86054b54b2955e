import Domain
import Pages
import Support

/// Who follows what: a subscriber is found by its place in the hub's slab.
extension SocketLoop {
    /// Nil for a subscription that has ended.
    func subscriber(_ id: SubscriptionID) -> Subscriber? {
        guard Int(id.index) < subscribers.count, let subscriber = subscribers[Int(id.index)],
            subscriber.subscription == id
        else { return nil }
        return subscriber
    }

    /// The pages that follow a stream, as somebody asks about them.
    func openPages(on stream: StreamName) -> [OpenPage] {
        ([stream] + unions.containing(stream)).flatMap(hub.progress).compactMap { progress in
            subscriber(progress.subscription).map { subscriber in
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

    /// Lets a connection follow a stream. `head` is what each message to it begins with.
    func follow(
        _ request: PageRequest,
        as transport: Transport,
        head: [UInt8] = [],
        on connection: Connection
    ) -> Subscriber {
        let now = settings.clock.now()
        let subscription = hub.subscribe(to: request.stream)
        let subscriber = Subscriber(request, as: transport, on: connection, subscription: subscription, openedAt: now)
        subscriber.head = heads.shared(head)
        let index = Int(subscriber.subscription.index)
        if index >= subscribers.count {
            subscribers.append(contentsOf: repeatElement(nil, count: index + 1 - subscribers.count))
        }
        subscribers[index] = subscriber
        if request.members.isEmpty {
            port.count(1, followersOf: request.stream)
        } else {
            unions.add(request.stream, of: request.members)
            for member in request.members { port.count(1, followersOf: member) }
        }
        if let end = request.expires { watch(subscriber.subscription, until: end, now: now) }
        return subscriber
    }

    /// One tick more than needed, so that it has ended when it is looked at.
    private func watch(_ id: SubscriptionID, until end: Instant, now: Instant) {
        let milliseconds = max(0, end.milliseconds - now.milliseconds)
        expiries.add(id, after: Int(min(milliseconds / 100 + 1, Int64(expiries.period))))
    }

    /// Ends a subscription. Its connection stays open.
    func endSubscription(_ id: SubscriptionID) {
        hub.unsubscribe(id)
        guard let subscriber = subscriber(id) else { return }
        subscribers[Int(id.index)] = nil
        if subscriber.transport == .feed, !hub.follows(subscriber.stream) { feeds[subscriber.stream] = nil }
        if let members = unions.members(of: subscriber.stream) {
            if !hub.follows(subscriber.stream) { unions.remove(subscriber.stream) }
            for member in members { port.count(-1, followersOf: member) }
        } else {
            port.count(-1, followersOf: subscriber.stream)
        }
        if subscriber.hadRefresh { settings.sentRefreshes.left(subscriber.page) }
    }

    /// Ends everything that the connection follows.
    func leave(_ connection: Connection) {
        if case .cable(let client) = connection.phase { recordArrival(at: client) }
        for id in connection.subscriptions { endSubscription(id) }
        switch connection.phase {
        case .page(let page): metrics.pages(page.transport).add(-1)
        case .cable(let client):
            metrics.pages(client.transport).add(-1)
            if let sid = client.sid { settings.sessions.keep(client.session.kept, as: sid) }
        default: return
        }
        connection.phase = .closing
    }

    /// Advances by one tick and returns the subscriptions whose names have ended.
    func takeExpired() -> [SubscriptionID] {
        let due = expiries.tick()
        guard !due.isEmpty else { return [] }
        let now = settings.clock.now()
        return due.filter { id in
            guard let end = subscriber(id)?.expires, end > now else { return subscriber(id) != nil }
            watch(id, until: end, now: now)
            return false
        }
    }
}

/// The destination of one subscription's messages. A loop owns it, and finds it by the subscription's place in the hub's slab.
///
/// A class, because a copy for each page that a message is written to was a tenth of what we add to the kernel's work.
final class Subscriber {
    let connection: Connection
    let subscription: SubscriptionID
    let stream: StreamName
    let transport: Transport
    /// The refreshes that its page receives when it catches up.
    let refreshes: RefreshPolicy
    /// Whether one of any kind was sent to it, or counts for it, which may reload it (`SentRefreshes`).
    var hadRefresh = false
    let openedAt: Instant
    /// When its name ends.
    let expires: Instant?
    /// The prefix of each message to it: the identifier of a cable subscription, otherwise nothing.
    var head: [UInt8] = []

    init(
        _ request: PageRequest,
        as transport: Transport,
        on connection: Connection,
        subscription: SubscriptionID,
        openedAt: Instant
    ) {
        self.connection = connection
        self.subscription = subscription
        stream = request.stream
        self.transport = transport
        refreshes = request.refreshes
        self.openedAt = openedAt
        expires = request.expires
    }

    /// Its page, as far as it can be told from others.
    var page: SentRefreshes.Page {
        SentRefreshes.Page(
            on: stream,
            for: refreshes,
            from: connection.client,
            over: connection.link.line,
            as: subscription
        )
    }
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

/// The prefixes of the newest cable subscriptions. Pages that were rendered alike share them, so that a fan-out finds
/// equal ones without reading them.
struct RecentHeads {
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
