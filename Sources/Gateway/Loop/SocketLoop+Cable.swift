internal import ActionCable
internal import Concurrency
internal import Domain
internal import HTTPMessages
internal import Hub
internal import Observability
internal import Pages
internal import Sockets
internal import WebSocket

/// `/cable`: one connection follows any number of streams.
extension SocketLoop {
    func open(_ opening: CableOpening, speaking spoken: CableProtocol, on connection: Connection) {
        let client = CableClient(
            opening: opening,
            sid: spoken == .extended ? CableSessions.newID() : nil,
            heartbeat: pings.add(connection.id),
            limits: settings.cable
        )
        clearDeadline(of: connection)
        connection.phase = .cable(client)
        connection.link.endWhenUnanswered(after: settings.deadPeerSeconds)
        metrics.pages(client.transport).add(1)
        if !welcome(client, resuming: opening.sid, on: connection) { end(connection) }
    }

    private func welcome(_ client: CableClient, resuming old: String?, on connection: Connection) -> Bool {
        guard let sid = client.sid else { return send(CableMessage.welcome, on: connection) }
        guard let identifiers = old.flatMap({ sessions.take($0) }) else {
            return send(CableMessage.welcome(sid: sid, restored: nil), on: connection)
        }
        var restored: [(id: SubscriptionID, request: PageRequest)] = []
        for identifier in identifiers {
            guard case .open(let request) = verdict(on: identifier, history: nil, for: client) else { continue }
            let id = subscribe(client, to: request, as: identifier, on: connection)
            client.session.restore(id, to: identifier)
            restored.append((id, request))
        }
        let names = client.session.identifiers
        guard send(CableMessage.welcome(sid: sid, restored: names), on: connection) else { return false }
        for (id, request) in restored { read(request, for: id, of: client) }
        return true
    }

    // MARK: Commands

    func received(_ command: [UInt8], from client: CableClient, on connection: Connection) {
        metrics.commands.add()
        let seconds = settings.clock.now().milliseconds / 1000
        guard let effect = client.session.received(command, now: seconds) else { return }
        if !perform(effect, for: client, on: connection) { end(connection) }
    }

    /// Returns false when the connection is dead, or has to be ended.
    private func perform(
        _ effect: CableSession.Effect,
        for client: CableClient,
        on connection: Connection
    ) -> Bool {
        switch effect {
        case .send(let message): return answer(message, on: connection)
        case .subscribe(let identifier, let history):
            return subscribe(client, to: identifier, history: history, on: connection)
        case .unsubscribe(let id): unsubscribe(id)
        case .history(let identifier, let history, let id):
            unsubscribe(id)
            return subscribe(client, to: identifier, history: history, on: connection)
        case .disconnect(let reason):
            metrics.abusive.add()
            disconnect(connection, reason: reason)
        }
        return true
    }

    /// Sends an answer. False for a client that asks and does not read, so that what waits for it stays bounded.
    private func answer(_ message: [UInt8], on connection: Connection) -> Bool {
        guard connection.isBlocked else { return say(message, on: connection) }
        endSlowReader(connection)
        return false
    }

    /// Sends what a client is owed, whether it reads or not.
    private func say(_ message: [UInt8], on connection: Connection) -> Bool {
        guard send(message, on: connection) else { return false }
        if !connection.isBlocked, connection.link.isBehind { fellBehind(connection) }
        return true
    }

    private func send(_ message: [UInt8], on connection: Connection) -> Bool {
        connection.link.write(Frame.encode(.text, payload: message))
    }

    private func verdict(
        on identifier: CableIdentifier,
        history: CableHistory?,
        for client: CableClient
    ) -> CableVerdict {
        guard let parameters = identifier.parameters else { return .rejected }
        return handler.subscribe(CableRequest(parameters: parameters, history: history, host: client.host))
    }

    private func subscribe(
        _ client: CableClient,
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
            metrics.rejected.add()
            return answer(client.session.reject(identifier), on: connection)
        case .expired:
            // A stock client forgets a rejected subscription, so the refresh that renews the name has to come first.
            return answer(NameExpiry.message(for: identifier), on: connection)
                && answer(client.session.reject(identifier), on: connection)
        }
    }

    private func subscribe(
        _ client: CableClient,
        to request: PageRequest,
        as identifier: CableIdentifier,
        on connection: Connection
    ) -> SubscriptionID {
        let id = hub.subscribe(to: request.stream)
        let head = CableMessage.head(identifier.literal)
        add(
            Subscriber(
                connection: connection,
                subscription: id,
                stream: request.stream,
                transport: client.transport,
                refreshes: request.refreshes,
                head: head
            ),
            until: request.expires
        )
        return id
    }

    private func read(_ request: PageRequest, for id: SubscriptionID, of client: CableClient) {
        if !readMissed(request, for: id) { giveUp(id, of: client) }
    }

    /// What it missed cannot be read now. A client that waits for its confirmation asks again. One that was told that
    /// it is subscribed would receive nothing, so it has to come back.
    private func giveUp(_ id: SubscriptionID, of client: CableClient) {
        let connection = subscribers[id]?.connection
        let isConfirmed = client.session.isConfirmed(id)
        client.session.detach(id)
        unsubscribe(id)
        if isConfirmed, let connection { disconnect(connection, reason: .serverRestart) }
    }

    // MARK: Messages

    /// Confirms the subscription before its first message, so that the element is `connected` as early as it can be.
    func sendMissed(_ missed: MissedMessages, to subscriber: Subscriber, of client: CableClient) {
        let connection = subscriber.connection
        let id = subscriber.subscription
        guard missed.extent == .whole else { return giveUp(id, of: client) }
        // What another subscription missed may have filled the socket. Then this one's messages wait in the hub, but
        // its confirmation goes out (400 KB for all that a socket may have). Otherwise a slow page would come back
        // again and again.
        if connection.isBlocked { hub.blocked(id) }
        if let confirmation = client.session.confirmation(of: id), !say(confirmation, on: connection) {
            return end(connection)
        }
        if let flush = hub.missed(id, through: missed.through, messages: missed.messages), !send(flush, to: subscriber)
        {
            return end(connection)
        }
        if let verdict = client.session.historyVerdict(of: id, isComplete: !missed.hasGap),
            !say(verdict, on: connection)
        {
            end(connection)
        }
    }

    /// The name of one subscription has expired.
    func expire(_ id: SubscriptionID, of client: CableClient, on connection: Connection) {
        metrics.expired.add()
        guard let identifier = client.session.identifier(of: id) else { return }
        unsubscribe(id)
        let isTold =
            answer(NameExpiry.message(for: identifier), on: connection)
            && answer(client.session.reject(identifier), on: connection)
        if !isTold { end(connection) }
    }

    /// Runs every 3 s. TCP finds dead peers: a ping that nobody acknowledges ends the connection.
    func ping(_ connection: Connection, with frame: [UInt8]) {
        guard !connection.isBlocked else { return }
        guard connection.link.write(frame) else { return end(connection) }
        if connection.link.isBehind { fellBehind(connection) }
    }
}
