internal import Domain
internal import Hub

/// `/feed`, as long as the ledger: part after part on one connection, each when the reader has taken the one before it.
extension SocketLoop {
    /// Goes live behind the last part. What happens before that is in the ledger, and is read there: nothing is
    /// collected for a reader that is slow.
    func sendPart(_ missed: MissedMessages, to seat: Seat, _ page: Page) {
        let connection = seat.connection
        var bytes: [UInt8] = []
        for message in missed.messages { bytes += message.html }
        // A part may hold nothing that was asked for: whoever comes back goes on behind it.
        if missed.extent == .partial {
            bytes += EventStream.mark(Cursor(epoch: settings.epoch, position: missed.through)).utf8
        }
        guard connection.link.write(bytes) else { return end(connection) }
        guard missed.extent == .whole, !connection.link.isBehind else {
            page.reached = missed.through
            hub.pause(seat.subscription)
            return connection.link.isBehind ? fellBehind(connection) : readOn(page, connection)
        }
        guard let flush = hub.missed(seat.subscription, through: missed.through, messages: []) else { return }
        if !send(flush, to: seat) { end(connection) }
    }

    /// Asks for the next part, if there is one: in this order, so that nothing falls between the two.
    func readOn(_ page: Page, _ connection: Connection) {
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
