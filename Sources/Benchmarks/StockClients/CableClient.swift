/// `turbo-cable-stream-source` over Rails' own client: it sends `subscribe` every 500 ms until it is confirmed, each
/// time with the cursor with which the page was rendered.
struct CableClient: CableReader {
    let name = "Action Cable"
    private static let guarantee = 500 * millisecond
    private let subscription: CableSubscription
    private var monitor: CableMonitor
    var reader = ClientFrameReader()
    private var askAgainAt: UInt64 = .max
    private var isOver = false

    init(_ subscription: CableSubscription, wakeAt: UInt64) {
        self.subscription = subscription
        monitor = CableMonitor(openAt: wakeAt)
    }

    var wakeAt: UInt64 { isOver ? .max : min(askAgainAt, monitor.wakeAt) }

    func request() -> String {
        "GET /cable HTTP/1.1\r\nSec-WebSocket-Protocol: actioncable-v1-json, actioncable-unsupported\r\n\(ClientFrameReader.upgrade)"
    }

    mutating func closed(now: UInt64) {
        monitor.disconnected(now: now)
        askAgainAt = .max
    }

    mutating func wake(now: UInt64, into actions: inout [StockAction]) {
        if now >= askAgainAt { ask(now: now, into: &actions) }
        monitor.wake(now: now, into: &actions)
    }

    mutating func take(_ message: ReceivedCableMessage, now: UInt64, into actions: inout [StockAction]) {
        monitor.heard(now: now)
        switch message {
        case .welcome:
            monitor.welcomed()
            ask(now: now, into: &actions)
        case .confirmed:
            askAgainAt = .max
            actions.append(.subscribed)
        case .rejected: askAgainAt = .max
        case .disconnect(let mayReconnect):
            isOver = !mayReconnect
            actions.append(.close)
        case .message(let html, _): actions.append(.apply(Array(html.utf8)))
        case .ping, .other: break
        }
    }

    private mutating func ask(now: UInt64, into actions: inout [StockAction]) {
        actions.append(.send(subscription.command("subscribe")))
        askAgainAt = now + CableClient.guarantee
    }
}

/// A stock client of Action Cable: how all of them handle incoming frames.
protocol CableReader: StockClient {
    var reader: ClientFrameReader { get set }

    mutating func take(_ message: ReceivedCableMessage, now: UInt64, into actions: inout [StockAction])
}

extension CableReader {
    mutating func answered(status: Int, now: UInt64, into actions: inout [StockAction]) {
        reader = ClientFrameReader()
        if status != 101 { actions.append(.close) }
    }

    mutating func received(_ bytes: UnsafeRawBufferPointer, now: UInt64, into actions: inout [StockAction]) {
        reader.append(bytes)
        for frame in reader.take() {
            switch frame.opcode {
            case 1: take(ReceivedCableMessage(frame.payload), now: now, into: &actions)
            case 8: actions += [.send(ClientFrameReader.frame(8, payload: frame.payload)), .close]
            case 9: actions.append(.send(ClientFrameReader.frame(10, payload: frame.payload)))
            default: break
            }
        }
    }
}
