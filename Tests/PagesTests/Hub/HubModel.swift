import Domain
import Pages

/// A ledger, a reader beside it, one hub and one page, taken one step at a time: the trivially correct model that
/// `HubInterleavingTests` holds the hub against.
struct HubModel {
    enum Step: CaseIterable {
        case commit, commitElsewhere, feed, transient, read, arrive, block, unblock, reconnect
        /// The driver publishes several messages before it writes any.
        case hold, write

        /// Those of a driver that writes at once.
        static let direct = allCases.filter { $0 != .hold && $0 != .write }
    }

    struct Sent {
        /// The newest entry that the hub knew when it was published.
        let order: Int64
        /// Entries up to here were before it for the page: the hub knew them, or it had missed and read them.
        let after: Int64
    }

    let isKeyed: Bool
    var hub: Hub
    var ledger: [Message?] = []
    var fed = 0
    var transients: [Sent] = []
    /// Transient messages that a page may miss: they were queued for a connection that ended.
    var lost: Set<Int> = []
    var page: SubscriptionID
    var cursor: Int64 = 0
    var reading: (through: Int64, messages: [Message])?
    var isCatchingUp = true
    var missedThrough: Int64 = 0
    /// The driver waits for the socket.
    var isWaiting = false
    /// What is published and not written yet; nil when the driver writes at once. It publishes nothing more once anything else
    /// has happened.
    var held: (messages: [Message], isClosed: Bool)?
    var received: [Label] = []
    let stream: StreamName

    init(isKeyed: Bool, stream: StreamName, hub: Hub) {
        self.isKeyed = isKeyed
        self.stream = stream
        self.hub = hub
        page = self.hub.subscribe(to: stream)
    }

    func allows(_ step: Step) -> Bool {
        switch step {
        case .commit, .commitElsewhere, .reconnect: true
        case .transient: held?.isClosed != true
        case .feed: fed < ledger.count && held?.isClosed != true
        case .read: isCatchingUp && reading == nil
        case .arrive: reading != nil
        case .block: !isWaiting
        case .unblock: isWaiting
        case .hold: held == nil
        case .write: held != nil
        }
    }

    mutating func take(_ step: Step) {
        if step == .block || step == .unblock || step == .arrive || step == .reconnect { held?.isClosed = true }
        switch step {
        case .commit: ledger.append(message(Label(position: Int64(ledger.count + 1))))
        case .commitElsewhere: ledger.append(nil)
        case .feed: feed()
        case .transient: publishTransient()
        case .read: reading = (Int64(ledger.count), ledger.dropFirst(Int(cursor)).compactMap { $0 })
        case .arrive: arrive()
        case .block: block()
        case .unblock: unblock()
        case .reconnect: reconnect()
        case .hold: held = ([], false)
        case .write: write()
        }
    }

    /// Lets everything that is under way arrive.
    mutating func finish() {
        while isCatchingUp || isWaiting || fed < ledger.count || held != nil {
            for step in [Step.write, .read, .arrive, .unblock, .feed] where allows(step) { take(step) }
        }
    }

    private mutating func feed() {
        fed += 1
        if let message = ledger[fed - 1] { publish(message) }
        hub.advance(to: Int64(fed))
    }

    private mutating func publishTransient() {
        transients.append(Sent(order: Int64(fed), after: max(Int64(fed), missedThrough, cursor)))
        publish(message(Label(transient: transients.count - 1)))
    }

    private mutating func publish(_ message: Message) {
        let recipients = hub.publish(message)
        if recipients.closed.contains(page) { return reconnect() }
        guard recipients.live.contains(page) else { return }
        if held == nil { receive(message.html, position: message.position) } else { held?.messages.append(message) }
    }

    private mutating func write() {
        let messages = held?.messages ?? []
        held = nil
        for message in messages {
            guard isWaiting else {
                receive(message.html, position: message.position)
                continue
            }
            guard hub.queue(message, for: page) else { return reconnect() }
        }
    }

    private mutating func arrive() {
        guard let missed = reading else { return }
        reading = nil
        isCatchingUp = false
        missedThrough = missed.through
        let frame = hub.catchUp(page, through: missed.through, messages: missed.messages)
        if let frame { receive(frame.html, position: frame.position) }
        if frame?.hasMore == true { isWaiting = true }
    }

    private mutating func block() {
        hub.blocked(page)
        isWaiting = true
    }

    private mutating func unblock() {
        let frame = hub.writable(page)
        if let frame { receive(frame.html, position: frame.position) }
        isWaiting = frame?.hasMore == true
    }

    private mutating func reconnect() {
        hub.unsubscribe(page)
        lost.formUnion(Set(transients.indices).subtracting(received.compactMap(\.transient)))
        page = hub.subscribe(to: stream)
        reading = nil
        isCatchingUp = true
        isWaiting = false
        missedThrough = 0
        held?.messages = []
    }

    private mutating func receive(_ html: [UInt8], position: Int64?) {
        received += Label.read(html)
        if let position { cursor = max(cursor, position) }
    }

    private func message(_ label: Label) -> Message {
        let number = Int64(label.transient ?? 0) + label.position
        let keys = number % 2 == 0 ? ["a"] : ["a", "b"]
        let parts = keys.map { key in
            Part(html: label.html(key), collapseKey: isKeyed ? CollapseKey(key) : nil)
        }
        return Message(stream: stream, position: label.transient == nil ? label.position : nil, parts: parts)
    }
}
