import Domain
import HTTP
import Pages
import Support

/// `/cable`: one connection follows any number of streams.
extension SocketLoop {
    /// `head` goes out with the welcome, which saves one `send`. `old` is the session that the client wants to resume.
    func openCable(
        speaking spoken: CableProtocol,
        resuming old: String?,
        beginningWith head: ResponseHead,
        on connection: Connection
    ) {
        let sid = spoken == .extended ? CableSessions.newID() : nil
        let client = CableConnectionState(sid: sid, limits: limits)
        connection.phase = .cable(client)
        heartbeats.add(connection.id, within: LoopSettings.cableTicks)
        connection.link.endWhenUnanswered(after: settings.deadPeerSeconds)
        metrics.pages(client.transport).add(1)
        if !welcome(client, resuming: old, beginningWith: head, on: connection) { end(connection) }
    }

    private func welcome(
        _ client: CableConnectionState,
        resuming old: String?,
        beginningWith head: ResponseHead,
        on connection: Connection
    ) -> Bool {
        func begin(_ message: [UInt8]) -> Bool {
            self.begin(head, with: Frame.encode(.text, payload: message), on: connection)
        }
        guard let sid = client.sid else { return begin(CableMessage.welcome) }
        guard let identifiers = old.flatMap({ settings.sessions.take($0) }) else {
            return begin(CableMessage.welcome(sid: sid, restored: nil))
        }
        for identifier in identifiers {
            guard case .open(let request) = verdict(on: identifier, history: nil) else { continue }
            let id = subscribe(client, to: request, as: identifier, on: connection)
            client.session.restore(id, to: identifier)
            client.waiting.append((id, request))
        }
        let names = client.session.identifiers
        guard begin(CableMessage.welcome(sid: sid, restored: names)) else {
            // It never learned its new name.
            old.map { settings.sessions.keep(names, as: $0) }
            return false
        }
        readNext(client, on: connection)
        return connection.isOpen
    }

    /// The ledger's answer for one subscription is also the answer for those of its stream that wait and have seen the
    /// same, as far as the socket takes it: a stream is read once for a connection, however many names it has there.
    func share(_ missed: CatchUpBatch, with subscriber: Subscriber, of client: CableConnectionState) {
        let connection = subscriber.connection
        let request = client.reading?.request
        sendCatchUp(missed, to: subscriber, of: client)
        while let request, missed.extent == .whole, !connection.isBlocked,
            let index = client.waiting.firstIndex(where: { $0.request.hasMissedTheSame(as: request) }),
            let missed = completed(missed, on: request.stream)
        {
            let (id, _) = client.waiting.remove(at: index)
            guard let twin = self.subscriber(id) else { continue }
            hub.resume(id)
            sendCatchUp(missed, to: twin, of: client)
        }
        readNext(client, on: connection)
    }

    /// The messages that one subscription missed have been read. Confirms the subscription before its first message, so
    /// that the element is `connected` as early as it can be.
    func sendCatchUp(_ missed: CatchUpBatch, to subscriber: Subscriber, of client: CableConnectionState) {
        let missed = news(in: missed, for: subscriber)
        let connection = subscriber.connection
        let id = subscriber.subscription
        client.reading = nil
        guard missed.extent == .whole else { return giveUp(id, of: client) }
        // Messages for another subscription may have filled the socket. This one's messages then wait in the hub, but
        // its confirmation goes out, as in `readNext`.
        if connection.isBlocked { hub.blocked(id) }
        if let confirmation = client.session.confirmation(of: id), !say(confirmation, to: client, on: connection) {
            return end(connection)
        }
        let frame = hub.catchUp(id, through: missed.through, messages: missed.messages)
        if let frame, !send(frame, to: subscriber) { return end(connection) }
        if let verdict = client.session.historyVerdict(of: id, isComplete: !missed.hasGap),
            !say(verdict, to: client, on: connection)
        {
            end(connection)
        }
    }

    /// The name of one subscription has expired.
    func expire(_ id: SubscriptionID, of client: CableConnectionState, on connection: Connection) {
        metrics.expired.add()
        guard let identifier = client.session.identifier(of: id) else { return }
        end(id, of: client, on: connection)
        guard connection.isOpen else { return }
        if !refuseExpired(identifier, for: client, on: connection) { end(connection) }
    }

    // MARK: Writing. False when the connection is dead, or has been ended

    /// Sends an answer. A client that asks and does not read is ended, so that its queue stays bounded.
    func answer(_ message: [UInt8], on connection: Connection) -> Bool {
        guard connection.isBlocked else { return send(message, on: connection) }
        endSlowConsumer(connection)
        return false
    }

    /// A stock client forgets a rejected subscription, so the refresh that renews the name has to come first.
    func refuseExpired(
        _ identifier: CableIdentifier,
        for client: CableConnectionState,
        on connection: Connection
    ) -> Bool {
        answer(NameExpiry.message(for: identifier), on: connection)
            && answer(client.session.reject(identifier), on: connection)
    }

    /// Sends a message that a client must get, whether it reads or not. One that subscribes ever again while slow is ended.
    func say(_ message: [UInt8], to client: CableConnectionState, on connection: Connection) -> Bool {
        if connection.isBlocked {
            client.owed += message.count
            guard client.owed <= CableConnectionState.owedLimit else {
                endSlowConsumer(connection)
                return false
            }
        }
        return send(message, on: connection)
    }

    private func send(_ message: [UInt8], on connection: Connection) -> Bool {
        write(Frame.encode(.text, payload: message), to: connection)
    }
}

/// The commands of `/cable` clients.
extension SocketLoop {
    func received(_ command: [UInt8], from client: CableConnectionState, on connection: Connection) {
        metrics.commands.add()
        let seconds = settings.clock.now().milliseconds / 1000
        guard let effect = client.session.received(command, now: seconds) else { return }
        if !perform(effect, for: client, on: connection) { end(connection) }
    }

    /// Returns false if the connection is dead, or has been ended.
    private func perform(
        _ effect: CableSession.Effect,
        for client: CableConnectionState,
        on connection: Connection
    ) -> Bool {
        switch effect {
        // Another pong or confirmation: a client that has not read the earlier ones will ask again.
        case .send(let message): return connection.isBlocked || answer(message, on: connection)
        case .subscribe(let identifier, let history):
            return subscribe(client, to: identifier, history: history, on: connection)
        case .unsubscribe(let id): end(id, of: client, on: connection)
        case .history(let identifier, let history, let id):
            end(id, of: client, on: connection)
            return subscribe(client, to: identifier, history: history, on: connection)
        case .disconnect(let reason):
            metrics.abusive.add()
            disconnect(connection, reason: reason)
        }
        return true
    }

    private func verdict(on identifier: CableIdentifier, history: CableHistory?) -> CableVerdict {
        identifier.parameters.map { settings.handler.subscribe($0, history: history) } ?? .rejected
    }

    private func subscribe(
        _ client: CableConnectionState,
        to identifier: CableIdentifier,
        history: CableHistory?,
        on connection: Connection
    ) -> Bool {
        switch verdict(on: identifier, history: history) {
        case .open(let request):
            let id = subscribe(client, to: request, as: identifier, on: connection)
            client.session.attach(id, to: identifier, owesHistory: history != nil)
            client.waiting.append((id, request))
            readNext(client, on: connection)
            return connection.isOpen
        case .rejected:
            metrics.rejected.add()
            return answer(client.session.reject(identifier), on: connection)
        case .expired: return refuseExpired(identifier, for: client, on: connection)
        }
    }

    func subscribe(
        _ client: CableConnectionState,
        to request: PageRequest,
        as identifier: CableIdentifier,
        on connection: Connection
    ) -> SubscriptionID {
        let id = follow(request, as: client.transport, head: CableMessage.head(identifier.literal), on: connection)
            .subscription
        hub.pause(id)
        return id
    }

    func end(_ id: SubscriptionID, of client: CableConnectionState, on connection: Connection) {
        endSubscription(id)
        if client.reading?.id == id { client.reading = nil }
        readNext(client, on: connection)
    }

    /// Reads what the next subscriptions missed, until one has to wait for the ledger, or all for the socket.
    func readNext(_ client: CableConnectionState, on connection: Connection) {
        while !connection.isBlocked, client.reading == nil, !client.waiting.isEmpty {
            let (id, request) = client.waiting.removeFirst()
            guard let subscriber = subscriber(id) else { continue }
            client.reading = (id, request)
            hub.resume(id)
            let isRead = readCatchUp(request, for: id) { sendCatchUp($0, to: subscriber, of: client) }
            guard !isRead else { continue }
            client.reading = nil
            giveUp(id, of: client)
        }
        guard connection.isBlocked else { return }
        // A page that reads slowly would come back again and again without its confirmation.
        for (id, _) in client.waiting {
            guard let confirmation = client.session.confirmation(of: id) else { continue }
            guard say(confirmation, to: client, on: connection) else { return end(connection) }
        }
    }

    /// The missed messages cannot be read now. A client that waits for its confirmation asks again. One that was told
    /// that it is subscribed would receive nothing, so it has to come back.
    func giveUp(_ id: SubscriptionID, of client: CableConnectionState) {
        let connection = subscriber(id)?.connection
        let isConfirmed = client.session.isConfirmed(id)
        client.session.detach(id)
        endSubscription(id)
        if isConfirmed, let connection { disconnect(connection, reason: .serverRestart) }
    }
}
