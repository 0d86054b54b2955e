internal import Cable
internal import Domain
internal import Hub

/// One message, encoded at most once for each transport of this loop.
struct FrameCache {
    private let html: () -> [UInt8]
    private let cursor: Cursor?
    private var eventStream: [UInt8] = []
    private var plain: [UInt8] = []
    private var tails: (base: [UInt8], extended: [UInt8]) = ([], [])
    /// The last cable frame and whose it was: pages that were rendered alike have the same identifier.
    private var cable: (frame: [UInt8], head: [UInt8], transport: Transport) = ([], [], .cable)

    init(_ message: Message, epoch: String) {
        html = { message.html }
        cursor = message.position.map { Cursor(epoch: epoch, position: $0) }
    }

    init(html: [UInt8], cursor: Cursor?) {
        self.html = { html }
        self.cursor = cursor
    }

    /// False when the connection is dead.
    mutating func write(to seat: Seat) -> Bool {
        let socket = seat.connection.socket
        switch seat.transport {
        case .eventStream:
            if eventStream.isEmpty { eventStream = FrameCache.buffer(EventStream.event(html(), cursor: cursor)) }
            return socket.write(&eventStream, as: .http)
        case .feed:
            if plain.isEmpty { plain = FrameCache.buffer(html()) }
            return socket.write(&plain, as: .http)
        case .webSocket:
            if plain.isEmpty { plain = FrameCache.buffer(html()) }
            return socket.write(&plain, as: .text)
        case .cable, .extendedCable:
            prepareCable(for: seat)
            return socket.write(&cable.frame, as: .text)
        }
    }

    private mutating func prepareCable(for seat: Seat) {
        if !cable.frame.isEmpty, cable.transport == seat.transport, cable.head == seat.head { return }
        let isExtended = seat.transport == .extendedCable
        if tails.base.isEmpty, !isExtended { tails.base = CableMessage.tail(html: html()) }
        if tails.extended.isEmpty, isExtended { tails.extended = extendedTail(seat.stream) }
        cable.frame.removeAll(keepingCapacity: true)
        cable.frame.append(contentsOf: repeatElement(0, count: Socket.headroom))
        cable.frame += seat.head
        cable.frame += isExtended ? tails.extended : tails.base
        (cable.head, cable.transport) = (seat.head, seat.transport)
    }

    private func extendedTail(_ stream: StreamName) -> [UInt8] {
        guard let cursor else { return CableMessage.tail(html: html()) }
        return CableMessage.tail(html: html(), place: (stream.text, cursor.epoch, cursor.position))
    }

    private static func buffer(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: Socket.headroom) + bytes
    }
}
