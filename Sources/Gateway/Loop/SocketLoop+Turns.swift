import Pages
import Support

/// A loop's turns: between two looks at its sockets, it does as much of what waits as `LoopTurn` allows, so that a burst
/// stops nobody. First come answers, then the mail in its order; messages that follow each other are written together.
extension SocketLoop {
    /// The answers of one turn, at the most.
    private static let answers = 256

    /// Runs before the loop asks for events. Returns false if it must not wait for them, because there is more to do.
    func takeTurn() -> Bool {
        turn = LoopTurn()
        answerSome()
        repeat {
            if unwritten.isOpen, handleMail() { continue }
            guard !unwritten.isEmpty else { break }
            writeMessages()
        } while !turn.isOver
        unwritten.close()
        handlePending()
        guard unwritten.isEmpty, inbox.isEmpty else { return false }
        // From now on, a thread that sends something has to wake this loop.
        return port.fallAsleep()
    }

    /// Whether a message that is published now comes after all others.
    var hasPublishedAll: Bool { unwritten.isEmpty && !inbox.hasMail && !port.hasMail }

    private func answerSome() {
        for _ in 0..<SocketLoop.answers {
            guard !turn.isOver, let answered = inbox.nextAnswer(from: port) else { return }
            turn.wrote(answered.response.body.count)
            connections[answered.id].map { reply(answered.response, to: $0) }
        }
    }

    /// Handles one item of mail. Returns false if the mailbox is empty, or if unwritten messages must go first.
    private func handleMail() -> Bool {
        guard let mail = inbox.nextMail(from: port, besideUnwritten: !unwritten.isEmpty) else { return false }
        turn.handledMail()
        switch mail {
        case .publish(let publications, let owed):
            unwritten.owed += owed
            for publication in publications { publish(publication) }
        case .broadcast(let messages, let owed):
            unwritten.owed += owed
            for message in messages { publish(message) }
        case .catchUp(let id, let missed):
            turn.wrote(missed.messages.reduce(0) { $0 + $1.cost })
            sendCatchUp(missed, to: id)
        case .run(let work): work(self)
        }
        return true
    }

    /// Writes what was published until all is written, or the turn is over.
    func writeMessages() {
        repeat {
            guard let page = unwritten.nextPage() else { return settle() }
            if let subscriber = subscriber(page) { writeMessages(to: subscriber) }
        } while !turn.isOver
    }

    private func writeMessages(to subscriber: Subscriber) {
        guard subscriber.connection.isBlocked else {
            return write(unwritten.frames(for: subscriber), to: subscriber)
        }
        // It has fallen behind since then.
        let isFull = unwritten.messages.contains { !hub.queue($0, for: subscriber.subscription) }
        countQueued()
        if isFull { endSlowConsumer(subscriber.connection) }
    }

    /// What the hub has queued takes its part of the turn.
    func countQueued() {
        turn.queued(for: hub.queued)
        hub.queued = 0
    }

    /// Everything that was published is written.
    private func settle() {
        metrics.deliveries.add(unwritten.written)
        for (delivery, pages) in unwritten.landings { delivery.landed(pages) }
        port.wrote(unwritten.owed)
        unwritten.clear()
        if isTickDue { tick() }
    }
}
