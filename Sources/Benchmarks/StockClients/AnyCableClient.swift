import Glibc

/// AnyCable's client with its extended protocol: it resumes its session by `sid`, and asks for history by offset
/// (https://github.com/anycable/anycable-client/tree/master/packages/core).
struct AnyCableClient: CableReader {
    let name = "AnyCable"
    /// In nanoseconds; the client's delays are multiples of it.
    private static let pingInterval = 3 * second
    private let subscription: CableSubscription
    var reader = ClientFrameReader()
    private var connectAt: UInt64
    private var lookAt: UInt64 = .max
    private var askAgainAt: UInt64 = .max
    private var pingedAt: UInt64 = 0
    private var attempts = 0
    private var sid: String?
    private var place: CablePlace?
    private var restoreSince = time(nil)

    init(_ subscription: CableSubscription, wakeAt: UInt64) {
        self.subscription = subscription
        connectAt = wakeAt
    }

    var wakeAt: UInt64 { min(connectAt, lookAt, askAgainAt) }

    func request() -> String {
        let query = sid.map { "?sid=\($0)" } ?? ""
        return
            "GET /cable\(query) HTTP/1.1\r\nSec-WebSocket-Protocol: actioncable-v1-ext-json\r\n\(ClientFrameReader.upgrade)"
    }

    /// Waits 3 to 6 s, ± half of that, then twice as long each time.
    mutating func closed(now: UInt64) {
        let left = 3.0 * Double(1 << min(attempts, 10))
        let delay = left * .random(in: 1...2) * .random(in: 0.5...1.5)
        lookAt = .max
        askAgainAt = .max
        connectAt = now + nanoseconds(delay)
        attempts += 1
    }

    mutating func wake(now: UInt64, into actions: inout [StockAction]) {
        if now >= connectAt {
            connectAt = .max
            actions.append(.connect)
        }
        if now >= askAgainAt {
            askAgainAt = .max
            subscribe(&actions)
        }
        guard now >= lookAt else { return }
        if now - pingedAt > 2 * AnyCableClient.pingInterval { actions.append(.close) } else { look(now: now) }
    }

    private mutating func look(now: UInt64) { lookAt = now + nanoseconds(3 * .random(in: 0.75...1.25)) }

    mutating func take(_ message: ReceivedCableMessage, now: UInt64, into actions: inout [StockAction]) {
        pingedAt = now
        switch message {
        case .welcome(let sid, let restored):
            self.sid = sid ?? self.sid
            attempts = 0
            look(now: now)
            guard restored else {
                // Asks once more after 5 s if no answer arrives.
                askAgainAt = now + 5 * second
                return subscribe(&actions)
            }
            actions += [.send(subscription.command("history", history: history)), .subscribed]
        case .confirmed:
            askAgainAt = .max
            actions.append(.subscribed)
        case .rejected: askAgainAt = .max
        case .disconnect: actions.append(.close)
        case .message(let html, let place):
            self.place = place ?? self.place
            actions.append(.apply(Array(html.utf8)))
        case .ping:
            restoreSince = time(nil)
            actions.append(.send(ClientFrameReader.frame(1, payload: Array(#"{"command":"pong"}"#.utf8))))
        case .other: break
        }
    }

    private func subscribe(_ actions: inout [StockAction]) {
        actions.append(.send(subscription.command("subscribe", history: history)))
    }

    private var history: String { #"{"since":\#(restoreSince),"streams":\#(place?.json ?? "{}")}"# }
}
