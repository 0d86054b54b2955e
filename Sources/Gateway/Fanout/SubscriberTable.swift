internal import Domain
internal import Hub
internal import Pages

/// The subscribers of one loop, by their place in the hub's slab: when their names expire, and which feeds they follow.
struct SubscriberTable {
    private var subscribers: ContiguousArray<Subscriber?> = []
    private var expiries = ExpiryWheel()
    private var feeds = FeedFilters()

    /// Nil for a subscription that has ended.
    subscript(id: SubscriptionID) -> Subscriber? {
        guard Int(id.index) < subscribers.count, let subscriber = subscribers[Int(id.index)],
            subscriber.subscription == id
        else { return nil }
        return subscriber
    }

    mutating func add(_ subscriber: Subscriber) {
        let index = Int(subscriber.subscription.index)
        if index >= subscribers.count {
            subscribers.append(contentsOf: repeatElement(nil, count: index + 1 - subscribers.count))
        }
        subscribers[index] = subscriber
    }

    /// Returns the subscriber; nil when its subscription has ended before.
    mutating func remove(_ id: SubscriptionID) -> Subscriber? {
        expiries.remove(id)
        guard let subscriber = self[id] else { return nil }
        subscribers[Int(id.index)] = nil
        if subscriber.transport == .feed { feeds.remove(subscriber.stream) }
        return subscriber
    }

    // MARK: Expiry

    mutating func expire(_ id: SubscriptionID, at end: Instant, now: Instant) {
        expiries.add(id, at: end, now: now)
    }

    /// Advances by one tick and returns the subscriptions whose names have ended. Calls `now` only when one may have.
    mutating func tick(now: () -> Instant) -> [SubscriptionID] {
        expiries.tick(now: now)
    }

    // MARK: Feeds and pages

    /// The subscriber of this stream is a developer, who sees only what `filter` admits.
    mutating func follow(_ stream: StreamName, with filter: FeedFilter) {
        feeds.add(filter, of: stream)
    }

    func feeds(admitting notice: Notice) -> [StreamName] {
        feeds.streams(admitting: notice)
    }

    /// All subscriptions but those of feeds.
    var pages: [SubscriptionID] {
        subscribers.compactMap { $0.flatMap { $0.transport == .feed ? nil : $0.subscription } }
    }
}
