/// Work for a driver after a publish.
public struct Fanout: Sendable, Equatable {
    /// Write the message to these now. This is the hub's own array, not a copy: release it before the next publish.
    public let live: ContiguousArray<SubscriptionID>
    /// Their queues are full: close the connections, and the pages resume by cursor. These ids are already stale.
    public let closed: [SubscriptionID]

    public init(live: ContiguousArray<SubscriptionID>, closed: [SubscriptionID]) {
        self.live = live
        self.closed = closed
    }

    static let nobody = Fanout(live: [], closed: [])
}

/// The messages that a driver writes to one subscription, as one frame.
public struct OutgoingFrame: Sendable, Equatable {
    public let html: [UInt8]
    /// The position that a page has reached once it receives this; nil when nothing in it has a position in the ledger.
    public let position: Int64?
    /// True: write this, then wait until the socket is writable. False: the subscription is live again.
    public let hasMore: Bool
    /// The newest entry in it that makes the page reload. 0 if that reload has no position; nil if nothing reloads it.
    public let refresh: Int64?

    public init(html: [UInt8], position: Int64?, hasMore: Bool, refresh: Int64? = nil) {
        self.html = html
        self.position = position
        self.hasMore = hasMore
        self.refresh = refresh
    }
}

/// The text of one frame. It contains each distinct refresh only once.
struct FrameHTML {
    private(set) var bytes: [UInt8] = []
    /// Compared as bytes: a refresh that names the request behind it differs from others, and a page may ignore it.
    private var refreshes: [[UInt8]] = []

    mutating func append(_ part: Part) {
        if part.isRefresh {
            guard !refreshes.contains(part.html) else { return }
            refreshes.append(part.html)
        }
        bytes += part.html
    }
}
