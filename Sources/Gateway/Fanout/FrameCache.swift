import Domain
import HTTP
import Pages

/// Messages of one stream, encoded at most once for each transport of this loop: each is a frame of its own, and they go out
/// together.
struct FrameCache {
    private struct Content {
        let html: [UInt8]
        let cursor: Cursor?
        /// What follows the identifier in its cable frames.
        private var tails: (base: [UInt8], extended: [UInt8]) = ([], [])

        init(html: [UInt8], cursor: Cursor?) {
            self.html = html
            self.cursor = cursor
        }

        mutating func tail(for subscriber: Subscriber) -> [UInt8] {
            guard subscriber.transport == .extendedCable else {
                if tails.base.isEmpty { tails.base = CableMessage.tail(html: html) }
                return tails.base
            }
            if tails.extended.isEmpty { tails.extended = extendedTail(subscriber.stream) }
            return tails.extended
        }

        private func extendedTail(_ stream: StreamName) -> [UInt8] {
            guard let cursor else { return CableMessage.tail(html: html) }
            return CableMessage.tail(html: html, place: (stream.text, cursor.epoch, cursor.position))
        }
    }

    private var first: Content
    private var others: [Content] = []
    private var eventStream: [UInt8] = []
    private var text: [UInt8] = []
    /// The last cable frames with their identifier and transport: pages that were rendered alike share an identifier.
    private var cable: (frames: [UInt8], head: [UInt8], transport: Transport) = ([], [], .cable)

    init(html: [UInt8], cursor: Cursor?) {
        first = Content(html: html, cursor: cursor)
    }

    /// Call it before the first `bytes`.
    mutating func append(html: [UInt8], cursor: Cursor?) {
        others.append(Content(html: html, cursor: cursor))
    }

    mutating func bytes(for subscriber: Subscriber) -> [UInt8] {
        switch subscriber.transport {
        case .eventStream:
            if eventStream.isEmpty { eventStream = joined { EventStream.event($0.html, cursor: $0.cursor) } }
            return eventStream
        case .feed: return joined { $0.html }
        case .webSocket:
            if text.isEmpty { text = joined { Frame.encode(.text, payload: $0.html) } }
            return text
        case .cable, .extendedCable:
            prepareCable(for: subscriber)
            return cable.frames
        }
    }

    private func joined(_ encode: (Content) -> [UInt8]) -> [UInt8] {
        others.reduce(into: encode(first)) { $0 += encode($1) }
    }

    private mutating func prepareCable(for subscriber: Subscriber) {
        if !cable.frames.isEmpty, cable.transport == subscriber.transport, cable.head == subscriber.head { return }
        cable.frames.removeAll(keepingCapacity: true)
        cable.head = subscriber.head
        cable.transport = subscriber.transport
        let tail = first.tail(for: subscriber)
        appendCable(tail)
        for index in others.indices {
            let tail = others[index].tail(for: subscriber)
            appendCable(tail)
        }
    }

    private mutating func appendCable(_ tail: [UInt8]) {
        Frame.appendHead(.text, count: cable.head.count + tail.count, to: &cable.frames)
        cable.frames += cable.head
        cable.frames += tail
    }
}
