public import Domain

/// Who is subscribed to what on one loop, and what each one still has to receive. Pure: the driver does the writing.
///
/// A subscription *catches up* while the messages that its page missed are being read, and collects what is published
/// meanwhile. It is *live* when a message may be written to it at once, and *behind* while its socket accepts no more.
/// A publish costs the hub the same for one live subscription as for 5,000. Messages must be published in the ledger's
/// order: positions ascend across all streams, and the messages of one entry follow each other.
public struct Hub: Sendable {
    /// Bytes that may wait for one subscription before it is closed.
    public let queuedBytes: Int
    /// Bytes at which a frame stops joining messages. A longer message goes out alone.
    private let frameBytes: Int
    /// Parts that a newer one replaced in a queue, since the driver set it to 0.
    public var collapsed = 0
    /// How often a message was put into a queue, since the driver set it to 0.
    public var queued = 0
    var table = SubscriptionTable()
    /// Every entry up to here has been published completely.
    private var publishedThrough: Int64
    /// The newest entry with at least one published message.
    private(set) var newest: Int64
    private var recent: RecentMessages

    /// `recentBytes` of the newest messages are kept. `position` is the newest position in the ledger at startup;
    /// everything published later is newer.
    public init(
        queuedBytes: Int = 256 << 10,
        frameBytes: Int = 64 << 10,
        recentBytes: Int = 8 << 20,
        position: Int64 = 0
    ) {
        self.queuedBytes = queuedBytes
        self.frameBytes = frameBytes
        publishedThrough = position
        newest = position
        recent = RecentMessages(byteLimit: recentBytes, position: position)
    }

    /// Everything up to here has reached this hub's pages.
    public var position: Int64 { publishedThrough }
    public func follows(_ stream: StreamName) -> Bool { table.stream(stream) != nil }
    public var streamCount: Int { table.streamCount }
    public var subscriptionCount: Int { table.count }

    /// Nil for a stale id.
    public func stream(of id: SubscriptionID) -> StreamName? {
        table.index(id).flatMap { table.streams[Int(table.slots[$0].stream)].name }
    }

    /// A page begins to catch up. Read what it missed only after this call, so that there is no gap between the two.
    public mutating func subscribe(to stream: StreamName) -> SubscriptionID { table.add(stream) }

    /// The page missed more than it can take at once: drops what was collected, and collects nothing until `resume`.
    public mutating func pause(_ id: SubscriptionID) {
        guard let index = table.index(id) else { return }
        table.slots[index].phase = .paused
        table.slots[index].queue = SubscriptionQueue()
        table.place(index, isLive: false)
    }

    /// Goes on catching up after `pause`. Read the rest only after this call.
    public mutating func resume(_ id: SubscriptionID) {
        guard let index = table.index(id), table.slots[index].phase == .paused else { return }
        table.slots[index].phase = .catchingUp
    }

    public mutating func unsubscribe(_ id: SubscriptionID) { table.remove(id) }

    /// Everything published on a stream after `position`, up to this hub's own position, if it is recent. Nil when only
    /// the ledger knows.
    public func recentMessages(on stream: StreamName, after position: Int64) -> [Message]? {
        position <= publishedThrough ? recent.messages(on: stream, after: position) : nil
    }

    /// Everything published on a stream, for a page that has seen nothing; nil once anything has been forgotten.
    public func newestMessages(on stream: StreamName) -> [Message]? { recent.newest(on: stream) }

    /// From now on, what pages missed is read from the ledger again, and so rendered again.
    public mutating func forgetRecentMessages() { recent.forget(through: publishedThrough) }

    /// From now on, what pages of this stream missed is read from the ledger again, and so rendered again.
    public mutating func forgetRecentMessages(on stream: StreamName) { recent.forget(stream) }

    /// Its user was erased: nothing that was published on it is sent any more, and what is there is rubbed out.
    public mutating func erase(_ stream: StreamName) {
        recent.erase(stream)
        guard let stream = table.stream(stream) else { return }
        for id in table.streams[stream].waiting { table.slots[Int(id.index)].queue = SubscriptionQueue() }
    }

    /// The page's missed messages have been read: `messages` are the stream's entries after its cursor up to `through`,
    /// in order.
    ///
    /// Returns what to write now. Nil when there is nothing to write, so that the page's cursor is `through`, and when
    /// the subscription is blocked or gone.
    public mutating func catchUp(_ id: SubscriptionID, through: Int64, messages: [Message]) -> OutgoingFrame? {
        guard let index = table.index(id), table.slots[index].phase == .catchingUp else { return nil }
        table.slots[index].phase = .following
        table.slots[index].through = through
        table.slots[index].queue.merge(missed: messages, through: through)
        guard var frame = frame(index) else { return nil }
        if !frame.hasMore { frame.position = max(through, frame.position ?? 0) }
        return frame
    }

    /// The kernel took the last write only in part: messages are queued from now on.
    public mutating func blocked(_ id: SubscriptionID) {
        guard let index = table.index(id) else { return }
        table.slots[index].isBlocked = true
        table.place(index, isLive: false)
    }

    /// The socket accepts more. Returns nil when nothing waits; then the subscription is live again.
    public mutating func writable(_ id: SubscriptionID) -> OutgoingFrame? {
        guard let index = table.index(id) else { return nil }
        table.slots[index].isBlocked = false
        return frame(index)
    }

    /// Everything up to `position` has been published. The driver calls this because entries without fragments are
    /// never published.
    public mutating func advance(to position: Int64) {
        publishedThrough = max(publishedThrough, position)
        newest = max(newest, position)
    }

    public mutating func publish(_ message: Message) -> Recipients {
        if let position = message.position {
            // It was published before.
            guard position > publishedThrough else { return .nobody }
            publishedThrough = position - 1
            newest = position
            if !message.stream.isInternal { recent.add(message, at: position) }
        }
        guard let stream = table.stream(message.stream), !message.parts.isEmpty else { return .nobody }
        if let position = message.position {
            guard position > table.streams[stream].position else { return .nobody }
            table.streams[stream].position = position
        }
        return table.streams[stream].waiting.isEmpty
            ? Recipients(live: table.streams[stream].live, closed: []) : offerToWaiting(message, of: stream)
    }

    /// Publishes to one page, unless it has read up to `position`. Nil while its missed messages are being read, since
    /// that is not known yet.
    public mutating func publish(_ message: Message, to id: SubscriptionID, unlessRead position: Int64) -> Recipients? {
        guard let index = table.index(id) else { return .nobody }
        guard table.slots[index].phase == .following else { return nil }
        guard !table.slots[index].hasRead(position) else { return .nobody }
        switch offer(message, to: index) {
        case .notForIt, .queued: return .nobody
        case .live, .writeOnce: return Recipients(live: [id], closed: [])
        case .overflow:
            table.remove(id)
            return Recipients(live: [], closed: [id])
        }
    }

    /// Queues a message for a page that was live when it was published, and has fallen behind before it was written. Returns
    /// false when the queue is full: close the connection, as for `Recipients.closed`.
    public mutating func queue(_ message: Message, for id: SubscriptionID) -> Bool {
        blocked(id)
        guard let index = table.index(id), offer(message, to: index) == .overflow else { return true }
        table.remove(id)
        return false
    }

    private mutating func frame(_ index: Int) -> OutgoingFrame? {
        guard table.slots[index].phase == .following, !table.slots[index].isBlocked else { return nil }
        let frame = table.slots[index].queue.take(upTo: frameBytes)
        updatePhase(index)
        return frame
    }

    /// A subscription is live once it is ready and nothing that it has already read can still be published.
    mutating func updatePhase(_ index: Int) {
        let isLive = table.slots[index].isReady && table.slots[index].through <= publishedThrough
        table.place(index, isLive: isLive)
    }
}

/// How far a stream's subscriptions are.
extension Hub {
    /// A subscription has everything up to `position`; nil while that is still being read.
    public typealias Progress = (subscription: SubscriptionID, position: Int64?, waitingBytes: Int)

    public func progress(on stream: StreamName) -> [Progress] {
        guard let index = table.stream(stream) else { return [] }
        let stream = table.streams[index]
        return (stream.live + stream.waiting).map { id in
            (id, position(of: id), table.slots[Int(id.index)].queue.bytes)
        }
    }

    /// What the driver was given for a subscription goes up to here; nil while its page catches up, and for a stale id.
    public func position(of id: SubscriptionID) -> Int64? {
        guard let slot = table.index(id).map({ table.slots[$0] }), slot.phase == .following else { return nil }
        let next = slot.queue.queue.first { !$0.isTransient }.map { $0.order - 1 }
        return next ?? max(slot.through, publishedThrough)
    }
}

/// Subscriptions that need a check for each message: they catch up, are behind, or are ahead of this hub. What may not
/// be written at once is queued, and a slow reader whose queue outgrows `queuedBytes` is closed.
extension Hub {
    mutating func offerToWaiting(_ message: Message, of stream: Int) -> Recipients {
        var ahead: [SubscriptionID] = []
        var closed: [SubscriptionID] = []
        for id in table.streams[stream].waiting {
            switch offer(message, to: Int(id.index)) {
            case .notForIt, .queued, .live: break
            case .writeOnce: ahead.append(id)
            case .overflow: closed.append(id)
            }
        }
        let live = table.streams[stream].live
        for id in closed { table.remove(id) }
        return Recipients(live: ahead.isEmpty ? live : live + ahead, closed: closed)
    }

    enum Offer {
        case notForIt, queued, overflow
        /// It is in the live list now.
        case live
        /// A transient message for a subscription that is ahead of this hub and stays so.
        case writeOnce
    }

    /// Finds out whether the message may be written to this subscription now, and queues it if not.
    mutating func offer(_ message: Message, to index: Int) -> Offer {
        if table.slots[index].phase == .paused { return .notForIt }
        if let position = message.position, table.slots[index].hasRead(position) { return .notForIt }
        if table.slots[index].isReady {
            updatePhase(index)
            return table.slots[index].isLive ? .live : .writeOnce
        }
        let isBlocked = table.slots[index].isBlocked
        queued += 1
        collapsed += table.slots[index].queue.add(
            message,
            order: message.position ?? newest,
            collapses: isBlocked
        )
        return table.slots[index].queue.bytes > queuedBytes ? .overflow : .queued
    }
}

/// Whom a published message reaches now, for the driver.
public struct Recipients: Sendable, Equatable {
    /// Write the message to these now. This is the hub's own array, not a copy: release it before the next publish.
    public let live: ContiguousArray<SubscriptionID>
    /// Their queues are full: close the connections, and the pages resume by cursor. These ids are already stale.
    public let closed: [SubscriptionID]

    static let nobody = Recipients(live: [], closed: [])
}

/// The messages that a driver writes to one subscription, as one frame.
public struct OutgoingFrame: Sendable, Equatable {
    public let html: [UInt8]
    /// The position that a page has reached once it receives this; nil when nothing in it has a position in the ledger.
    public internal(set) var position: Int64?
    /// True: write this, then wait until the socket is writable. False: the subscription is live again.
    public let hasMore: Bool
    /// The newest entry in it that makes the page reload. 0 if that reload has no position; nil if nothing reloads it.
    public var refresh: Int64?
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
