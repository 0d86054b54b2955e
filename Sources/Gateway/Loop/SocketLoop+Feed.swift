internal import Domain
internal import Hub
internal import Pages
internal import Sockets

/// `/feed` may be as long as the ledger: one connection gets it in parts, each after its reader took the one before.
extension SocketLoop {
    /// Sends a part, and goes live after the last one. Until then entries are read from the ledger: nothing is
    /// collected for a slow reader.
    func sendPart(_ missed: MissedMessages, to subscriber: Subscriber, on page: Page) {
        let connection = subscriber.connection
        var bytes: [UInt8] = []
        for message in missed.messages { bytes += message.html }
        // A part may contain nothing that was asked for. The mark lets a client that comes back continue after it.
        if missed.extent == .partial {
            bytes += EventStream.mark(Cursor(epoch: settings.epoch, position: missed.through)).utf8
        }
        guard connection.link.write(bytes) else { return end(connection) }
        guard missed.extent == .whole, !connection.link.isBehind else {
            page.reached = missed.through
            hub.pause(subscriber.subscription)
            return connection.link.isBehind ? fellBehind(connection) : readOn(page, on: connection)
        }
        guard let flush = hub.missed(subscriber.subscription, through: missed.through, messages: []) else { return }
        if !send(flush, to: subscriber) { end(connection) }
    }

    /// Asks for the next part, if there is one. Collecting starts before the read, so that nothing falls in between.
    func readOn(_ page: Page, on connection: Connection) {
        guard let reached = page.reached, let reading = page.reading else { return }
        page.reached = nil
        hub.collect(page.subscription)
        let isAsked = reading(reached) { [port, id = page.subscription] missed in port.send(.missed(id, missed)) }
        if !isAsked { turnAway(connection) }
    }
}

extension PageRequest {
    var reading: Reading? {
        if case .feed(_, let reading) = content { reading } else { nil }
    }
}
