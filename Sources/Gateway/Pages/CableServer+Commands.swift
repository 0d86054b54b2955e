internal import Domain
internal import Pages
internal import Support

/// The commands of `/cable` clients.
extension CableServer {
    func received(_ command: [UInt8], from client: CableConnectionState, on connection: Connection) {
        loop.metrics.commands.add()
        let seconds = loop.settings.clock.now().milliseconds / 1000
        guard let effect = client.session.received(command, now: seconds) else { return }
        if !perform(effect, for: client, on: connection) { closer.end(connection) }
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
            loop.metrics.abusive.add()
            closer.disconnect(connection, reason: reason)
        }
        return true
    }

    func verdict(
        on identifier: CableIdentifier,
        history: CableHistory?,
        for client: CableConnectionState
    ) -> CableVerdict {
        guard let parameters = identifier.parameters else { return .rejected }
        return loop.shared.handler.subscribe(CableRequest(parameters: parameters, history: history, host: client.host))
    }

    private func subscribe(
        _ client: CableConnectionState,
        to identifier: CableIdentifier,
        history: CableHistory?,
        on connection: Connection
    ) -> Bool {
        switch verdict(on: identifier, history: history, for: client) {
        case .open(let request):
            let id = subscribe(client, to: request, as: identifier, on: connection)
            client.session.attach(id, to: identifier, owesHistory: history != nil)
            client.waiting.append((id, request))
            readNext(client, on: connection)
            return connection.isOpen
        case .rejected:
            loop.metrics.rejected.add()
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
        let id = subscriptions.hub.subscribe(to: request.stream)
        let subscriber = Subscriber(
            connection: connection,
            subscription: id,
            stream: request.stream,
            transport: client.transport,
            refreshes: request.refreshes,
            head: CableMessage.head(identifier.literal)
        )
        subscriptions.add(subscriber, until: request.expires)
        subscriptions.hub.pause(id)
        return id
    }

    func end(_ id: SubscriptionID, of client: CableConnectionState, on connection: Connection) {
        subscriptions.end(id)
        if client.reading?.id == id { client.reading = nil }
        readNext(client, on: connection)
    }

    /// Reads what the next subscriptions missed, until one has to wait for the ledger, or all for the socket.
    func readNext(_ client: CableConnectionState, on connection: Connection) {
        while !connection.isBlocked, client.reading == nil, !client.waiting.isEmpty {
            let (id, request) = client.waiting.removeFirst()
            guard let subscriber = subscriptions[id] else { continue }
            client.reading = (id, request)
            subscriptions.hub.resume(id)
            let isRead = writer.readCatchUp(request, for: id) { sendCatchUp($0, to: subscriber, of: client) }
            guard !isRead else { continue }
            client.reading = nil
            giveUp(id, of: client)
        }
        guard connection.isBlocked else { return }
        // A page that reads slowly would come back again and again without its confirmation.
        for (id, _) in client.waiting {
            guard let confirmation = client.session.confirmation(of: id) else { continue }
            guard say(confirmation, to: client, on: connection) else { return closer.end(connection) }
        }
    }

    /// The missed messages cannot be read now. A client that waits for its confirmation asks again. One that was told
    /// that it is subscribed would receive nothing, so it has to come back.
    func giveUp(_ id: SubscriptionID, of client: CableConnectionState) {
        let connection = subscriptions[id]?.connection
        let isConfirmed = client.session.isConfirmed(id)
        client.session.detach(id)
        subscriptions.end(id)
        if isConfirmed, let connection { closer.disconnect(connection, reason: .serverRestart) }
    }
}
