import Domain
import HTTP
import Pages

/// One message, encoded at most once for each transport of this loop.
struct FrameCache {
    private let html: [UInt8]
    private let cursor: Cursor?
    private var eventStream: [UInt8] = []
    private var text: [UInt8] = []
    private var tails: (base: [UInt8], extended: [UInt8]) = ([], [])
    /// The last cable frame with its identifier and transport: pages that were rendered alike share an identifier.
    private var cable: (frame: [UInt8], head: [UInt8], transport: Transport) = ([], [], .cable)

    init(html: [UInt8], cursor: Cursor?) {
        self.html = html
        self.cursor = cursor
    }

    /// Returns false if the connection is dead.
    mutating func write(to subscriber: Subscriber) -> Bool {
        let link = subscriber.connection.link
        switch subscriber.transport {
        case .eventStream:
            if eventStream.isEmpty { eventStream = EventStream.event(html, cursor: cursor) }
            return link.write(eventStream)
        case .feed: return link.write(html)
        case .webSocket:
            if text.isEmpty { text = Frame.encode(.text, payload: html) }
            return link.write(text)
        case .cable, .extendedCable:
            prepareCable(for: subscriber)
            return link.write(cable.frame)
        }
    }

    private mutating func prepareCable(for subscriber: Subscriber) {
        if !cable.frame.isEmpty, cable.transport == subscriber.transport, cable.head == subscriber.head { return }
        let isExtended = subscriber.transport == .extendedCable
        if tails.base.isEmpty, !isExtended { tails.base = CableMessage.tail(html: html) }
        if tails.extended.isEmpty, isExtended { tails.extended = extendedTail(subscriber.stream) }
        cable.frame.removeAll(keepingCapacity: true)
        let tail = isExtended ? tails.extended : tails.base
        Frame.appendHead(.text, count: subscriber.head.count + tail.count, to: &cable.frame)
        cable.frame += subscriber.head
        cable.frame += tail
        cable.head = subscriber.head
        cable.transport = subscriber.transport
    }

    private func extendedTail(_ stream: StreamName) -> [UInt8] {
        guard let cursor else { return CableMessage.tail(html: html) }
        return CableMessage.tail(html: html, place: (stream.text, cursor.epoch, cursor.position))
    }
}
