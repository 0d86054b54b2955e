internal import Domain
internal import Hub

/// How HTML travels on each transport.
enum Frame {
    static func encode(_ html: [UInt8], _ transport: Page.Transport, cursor: Cursor?) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Socket.headroom)
        switch transport {
        case .eventStream: bytes += EventStream.event(html, cursor: cursor)
        case .webSocket, .feed: bytes += html
        }
        return bytes
    }

    static func kind(_ transport: Page.Transport) -> Socket.Frame {
        transport == .webSocket ? .text : .http
    }
}

/// One message, encoded at most once for each transport of this loop.
struct FrameCache {
    private let message: Message
    private let epoch: String
    private var eventStream: [UInt8] = []
    private var plain: [UInt8] = []

    init(message: Message, epoch: String) {
        self.message = message
        self.epoch = epoch
    }

    /// False when the connection is dead.
    mutating func write(_ transport: Page.Transport, to socket: Socket) -> Bool {
        guard transport == .eventStream else {
            if plain.isEmpty { plain = Frame.encode(message.html, transport, cursor: nil) }
            return socket.write(&plain, as: Frame.kind(transport))
        }
        if eventStream.isEmpty {
            let cursor = message.position.map { Cursor(epoch: epoch, position: $0) }
            eventStream = Frame.encode(message.html, transport, cursor: cursor)
        }
        return socket.write(&eventStream, as: .http)
    }
}
