internal import Cable
internal import Domain
internal import Hub
internal import Runtime

/// `/cable`: one connection follows any number of streams.
extension SocketLoop {
    func open(_ opening: CableOpening, on connection: Connection) -> Verdict {
        let isExtended = connection.socket.subprotocol == CableProtocol.extended.rawValue
        let client = CableClient(
            opening: opening,
            sid: isExtended ? CableSessions.newID() : nil,
            heartbeat: pings.add(connection.id),
            limits: settings.cable
        )
        unwatch(connection)
        connection.phase = .cable(client)
        connection.socket.endWhenUnanswered(after: LoopSettings.deadPeerSeconds)
        metrics.pages(client.transport).add(1)
        return welcome(client, resuming: opening.sid, on: connection) ? .keep : .close
    }

    private func welcome(_ client: CableClient, resuming old: String?, on connection: Connection) -> Bool {
        guard let sid = client.sid else { return connection.socket.send(CableMessage.welcome) }
        guard let identifiers = old.flatMap({ sessions.take($0) }) else {
            return connection.socket.send(CableMessage.welcome(sid: sid, restored: nil))
        }
        var restored: [(id: SubscriptionID, request: PageRequest)] = []
        for identifier in identifiers {
            guard case .open(let request) = verdict(on: identifier, nil, client) else { continue }
            let id = subscribe(to: request, identifier, client, on: connection)
            client.session.restore(id, to: identifier)
            restored.append((id, request))
        }
        let names = client.session.identifiers
        guard connection.socket.send(CableMessage.welcome(sid: sid, restored: names)) else { return false }
        for (id, request) in restored { read(request, for: id, client) }
        return true
    }

    // MARK: Commands

    /// A piece of a frame arrived.
    func received(_ bytes: UnsafeRawBufferPointer, from client: CableClient, on connection: Connection) -> Verdict {
        guard !connection.socket.frameIsBinary else { return refuse(connection, code: 1003) }
        guard client.command.count + bytes.count <= settings.cable.commandBytes else {
            return refuse(connection, code: 1009)
        }
        client.command += bytes
        guard connection.socket.frameIsComplete else { return .keep }
        let command = client.command
        client.command = []
        guard command.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) }) != nil else {
            return refuse(connection, code: 1007)
        }
        metrics.commands.add()
        guard let effect = client.session.received(command, now: settings.clock.now().milliseconds / 1000) else {
            return .keep
        }
        return perform(effect, client, on: connection) ? .keep : .close
    }

    /// Inside the connection's own callback: lws sends the code when the answer is −1.
    private func refuse(_ connection: Connection, code: UInt16) -> Verdict {
        metrics.refusedFrames.add()
        connection.socket.setCloseReason(code)
        return .close
    }

    /// False: the connection is dead, or has to be.
    private func perform(
        _ effect: CableSession<SubscriptionID>.Effect,
        _ client: CableClient,
        on connection: Connection
    ) -> Bool {
        switch effect {
        case .send(let message): return answer(message, on: connection)
        case .subscribe(let identifier, let history):
            return subscribe(identifier, history, client, on: connection)
        case .unsubscribe(let id): vacate(id)
        case .history(let identifier, let history, let id):
            vacate(id)
            return subscribe(identifier, history, client, on: connection)
        case .disconnect(let reason):
            metrics.abusive.add()
            disconnect(connection, reason)
        }
        return true
    }

    /// A client that asks and does not read: what waits for it is bounded.
    private func answer(_ message: [UInt8], on connection: Connection) -> Bool {
        guard connection.behindSince == nil else { return false }
        guard connection.socket.send(message) else { return false }
        if connection.socket.isBehind { fellBehind(connection) }
        return true
    }

    /// What is owed to a client, whether it reads or not.
    private func say(_ message: [UInt8], on connection: Connection) -> Bool {
        guard connection.socket.send(message) else { return false }
        if connection.behindSince == nil, connection.socket.isBehind { fellBehind(connection) }
        return true
    }

    private func verdict(
        on identifier: CableIdentifier,
        _ history: CableHistory?,
        _ client: CableClient
    ) -> CableVerdict {
        guard let parameters = identifier.parameters else { return .rejected }
        return handler.subscribe(CableRequest(parameters: parameters, history: history, host: client.host))
    }

    private func subscribe(
        _ identifier: CableIdentifier,
        _ history: CableHistory?,
        _ client: CableClient,
        on connection: Connection
    ) -> Bool {
        switch verdict(on: identifier, history, client) {
        case .open(let request):
            let id = subscribe(to: request, identifier, client, on: connection)
            client.session.attach(id, to: identifier, owesHistory: history != nil)
            read(request, for: id, client)
            return true
        case .rejected:
            metrics.rejected.add()
            return answer(client.session.reject(identifier), on: connection)
        case .expired:
            // A stock client forgets a rejected subscription, so what cures it has to come first.
            return answer(Renewal.message(for: identifier), on: connection)
                && answer(client.session.reject(identifier), on: connection)
        }
    }

    private func subscribe(
        to request: PageRequest,
        _ identifier: CableIdentifier,
        _ client: CableClient,
        on connection: Connection
    ) -> SubscriptionID {
        let id = hub.subscribe(to: request.stream)
        let head = CableMessage.head(identifier.literal)
        take(
            Seat(
                connection: connection,
                subscription: id,
                stream: request.stream,
                transport: client.transport,
                head: head
            ),
            until: request.expires
        )
        return id
    }

    private func read(_ request: PageRequest, for id: SubscriptionID, _ client: CableClient) {
        let isReading = request.readMissed { [port] missed in port.send(.missed(id, missed)) }
        guard !isReading else { return }
        giveUp(id, client)
    }

    /// What it missed cannot be read now. A client that waits for its confirmation asks again; one that was told that it
    /// is subscribed would be deaf, so it has to come back.
    private func giveUp(_ id: SubscriptionID, _ client: CableClient) {
        let connection = seats[Int(id.index)]?.connection
        let isConfirmed = client.session.isConfirmed(id)
        client.session.detach(id)
        vacate(id)
        if isConfirmed, let connection { disconnect(connection, .serverRestart) }
    }

    // MARK: Messages

    /// Confirmed before its first message: the element is `connected` when it can be.
    func sendMissed(_ missed: MissedMessages, to seat: Seat, _ client: CableClient) {
        let (connection, id) = (seat.connection, seat.subscription)
        guard missed.extent == .whole else { return giveUp(id, client) }
        // What another subscription missed may have filled the socket: this one's waits in the hub, but its
        // confirmation goes out (400 KB for all that a socket may have), or a slow page would come back and back.
        if connection.behindSince != nil { hub.blocked(id) }
        if let confirmation = client.session.confirmation(of: id), !say(confirmation, on: connection) {
            return connection.socket.kill()
        }
        // The cursor of a page is that of its rendering, also when it comes back: it must not see old states again.
        let messages = missed.collapsed.messages
        if let flush = hub.missed(id, through: missed.through, messages: messages), !send(flush, to: seat) {
            return connection.socket.kill()
        }
        if let verdict = client.session.historyVerdict(of: id, isComplete: !missed.hasGap),
            !say(verdict, on: connection)
        {
            connection.socket.kill()
        }
    }

    /// The name of one subscription has come to its end.
    func expire(_ id: SubscriptionID, of client: CableClient, on connection: Connection) {
        metrics.expired.add()
        guard let identifier = client.session.identifier(of: id) else { return }
        vacate(id)
        let isTold =
            answer(Renewal.message(for: identifier), on: connection)
            && answer(client.session.reject(identifier), on: connection)
        if !isTold { connection.socket.kill() }
    }

    /// Every 3 s. Dead peers are found by TCP: a ping that nobody acknowledges ends the connection.
    func ping(_ client: CableClient, on connection: Connection, with frame: inout [UInt8]) {
        if let behindSince = connection.behindSince {
            guard now - behindSince >= settings.writeDeadlineTicks else { return }
            metrics.slow.add()
            return disconnect(connection, .tooSlow)
        }
        guard connection.socket.write(&frame, as: .text) else { return connection.socket.kill() }
        if connection.socket.isBehind { fellBehind(connection) }
    }
}
