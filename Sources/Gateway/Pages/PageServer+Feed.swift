internal import Domain
internal import Hub
internal import Pages
internal import Sockets

/// `/feed` may be as long as the ledger: a connection gets it in parts, each after its reader has taken the one before.
extension PageServer {
    /// Sends a part, and goes live after the last one. Until then entries are read from the ledger, none are collected.
    func sendPart(_ missed: CatchUpBatch, to subscriber: Subscriber, on page: Page) {
        let connection = subscriber.connection
        var bytes: [UInt8] = []
        for message in missed.messages { bytes += message.html }
        // A part may contain nothing that was asked for. The mark lets a returning client continue after it.
        if missed.extent == .partial {
            bytes += EventStream.mark(Cursor(epoch: loop.settings.epoch, position: missed.through)).utf8
        }
        guard writer.write(bytes, to: connection) else { return closer.end(connection) }
        guard missed.extent == .whole, !connection.link.isBehind else {
            page.reached = missed.through
            subscriptions.hub.pause(subscriber.subscription)
            if !connection.link.isBehind { readOn(page, on: connection) }
            return
        }
        send([], through: missed.through, to: subscriber)
    }

    /// Asks for the next part, if there is one. Collecting starts before the read, so that nothing falls in between.
    func readOn(_ page: Page, on connection: Connection) {
        guard let reached = page.reached, let reading = page.reading else { return }
        page.reached = nil
        subscriptions.hub.resume(page.subscription)
        let isAsked = reading(reached) { [port = loop.port, id = page.subscription] missed in
            port.send(.catchUp(id, missed))
        }
        if !isAsked { turnAway(connection) }
    }
}

extension PageRequest {
    var reading: Reading? {
        if case .feed(_, let reading) = content { reading } else { nil }
    }
}
