internal import ActionCable
internal import Concurrency
internal import Domain
internal import HTTPMessages
internal import Hub
internal import Observability
internal import Pages

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
        case .unsubscribe(let id): subscriptions.end(id)
        case .history(let identifier, let history, let id):
            subscriptions.end(id)
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
            read(request, for: id, of: client)
            return true
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
        return id
    }

    func read(_ request: PageRequest, for id: SubscriptionID, of client: CableConnectionState) {
        let isRead = writer.readCatchUp(request, for: id) { missed in
            if let subscriber = subscriptions[id] { sendCatchUp(missed, to: subscriber, of: client) }
        }
        if !isRead { giveUp(id, of: client) }
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
