import Domain
import HTTP
import Pages
import Support

/// `/cable`: one connection follows any number of streams.
extension SocketLoop {
    /// `head` goes out with the welcome, which saves one `send`.
    func openCable(
        _ request: Request,
        speaking spoken: CableProtocol,
        beginningWith head: ResponseHead,
        on connection: Connection
    ) {
        let sid = spoken == .extended ? CableSessions.newID() : nil
        let isForwarded = request.head.isForwarded
        let client = CableConnection(on: connection, sid: sid, isForwarded: isForwarded, limits: limits)
        connection.phase = .cable(client)
        heartbeats.add(connection.id, within: LoopSettings.cableTicks)
        connection.socket?.endWhenUnanswered(after: settings.deadPeerSeconds)
        metrics.pages(client.transport).add(1)
        if !welcome(client, resuming: request.sessionID, beginningWith: head) { end(connection) }
    }

    /// A resumed subscription is sent nothing until its client asks for its history: only the client knows what has arrived.
    private func welcome(_ client: CableConnection, resuming old: String?, beginningWith head: ResponseHead) -> Bool {
        func begin(_ message: [UInt8]) -> Bool {
            let frame = Frame.encode(.text, payload: message)
            guard client.connection.link.begin(head, body: frame, date: date, isWhole: false) else { return false }
            wrote(to: client.connection)
            return true
        }
        guard let sid = client.sid else { return begin(CableMessage.welcome) }
        guard let kept = old.flatMap({ settings.sessions.take($0) }) else {
            return begin(CableMessage.welcome(sid: sid, restored: nil))
        }
        for subscription in kept {
            guard let request = request(resuming: subscription) else { continue }
            let id = subscribe(client, to: request, as: subscription.identifier)
            client.session.restore(id, to: subscription)
            client.resumed.append((id, request))
        }
        guard begin(CableMessage.welcome(sid: sid, restored: client.session.identifiers)) else {
            // It never learned its new name.
            old.map { settings.sessions.keep(kept, as: $0) }
            return false
        }
        return true
    }

    /// The ledger's answer for one subscription is also the answer for those of its stream that wait and have seen the
    /// same, as far as the socket takes it: a stream is read once for a connection, however many names it has there.
    func share(_ missed: CatchUpBatch, with subscriber: Subscriber, of client: CableConnection) {
        let request = client.reading?.request
        sendCatchUp(missed, to: subscriber, of: client)
        while let request, missed.extent == .whole, !client.connection.isBlocked,
            let index = client.waiting.firstIndex(where: { $0.request.hasMissedTheSame(as: request) }),
            let missed = completed(missed, on: request.stream)
        {
            let (id, _) = client.waiting.remove(at: index)
            guard let twin = self.subscriber(id) else { continue }
            hub.resume(id)
            sendCatchUp(missed, to: twin, of: client)
        }
        readNext(client)
    }

    /// The messages that one subscription missed have been read. Confirms the subscription before its first message, so
    /// that the element is `connected` as early as it can be.
    private func sendCatchUp(_ missed: CatchUpBatch, to subscriber: Subscriber, of client: CableConnection) {
        let missed = news(in: missed, for: subscriber)
        let id = subscriber.subscription
        client.reading = nil
        guard missed.extent == .whole else { return giveUp(id, of: client) }
        // Messages for another subscription may have filled the socket. This one's messages then wait in the hub, but
        // its confirmation goes out, as in `readNext`.
        if client.connection.isBlocked { hub.blocked(id) }
        if let confirmation = client.session.confirmation(of: id), !say(confirmation, to: client) {
            return end(client.connection)
        }
        let frame = hub.catchUp(id, through: missed.through, messages: missed.messages)
        if let frame, !send(frame, to: subscriber) { return end(client.connection) }
        let verdict = client.session.historyVerdict(of: id, isComplete: !missed.hasGap)
        if let verdict, !say(verdict, to: client) { end(client.connection) }
    }

    /// The name of one subscription has expired.
    func expire(_ id: SubscriptionID, of client: CableConnection) {
        metrics.expired.add()
        guard let identifier = client.session.identifier(of: id) else { return }
        end(id, of: client)
        guard client.connection.isOpen else { return }
        if !refuseExpired(identifier, for: client) { end(client.connection) }
    }

    // MARK: Writing. False when the connection is dead, or has been ended

    /// Sends an answer. A client that asks and does not read is ended, so that its queue stays bounded.
    private func answer(_ message: [UInt8], to client: CableConnection) -> Bool {
        guard client.connection.isBlocked else { return send(message, to: client) }
        endSlowConsumer(client.connection)
        return false
    }

    /// A stock client forgets a rejected subscription, so the refresh that renews the name has to come first.
    private func refuseExpired(_ identifier: CableIdentifier, for client: CableConnection) -> Bool {
        answer(CableMessage.refresh(identifier), to: client) && answer(client.session.reject(identifier), to: client)
    }

    /// Sends a message that a client must get, whether it reads or not. One that subscribes ever again while slow is ended.
    private func say(_ message: [UInt8], to client: CableConnection) -> Bool {
        if client.connection.isBlocked {
            client.owed += message.count
            guard client.owed <= CableConnection.owedLimit else {
                endSlowConsumer(client.connection)
                return false
            }
        }
        return send(message, to: client)
    }

    private func send(_ message: [UInt8], to client: CableConnection) -> Bool {
        write(Frame.encode(.text, payload: message), to: client.connection)
    }
}

/// Sessions that are resumed.
extension SocketLoop {
    /// AnyCable's client asks for its history as soon as it is welcome.
    private static let pingsUntilResumed = 2

    /// How a subscription goes on from what has certainly arrived; nil if its name is no longer valid.
    private func request(resuming kept: KeptSubscription) -> PageRequest? {
        guard var parameters = kept.identifier.parameters else { return nil }
        if let position = kept.arrived { parameters.since = "\(cursor(position))" }
        guard case .open(var request) = settings.handler.subscribe(parameters, history: nil) else { return nil }
        // That is no cursor of the page's HTML.
        if kept.arrived != nil { request.refreshes = .always }
        return request
    }

    /// A client was pinged. One that has not asked for its history by the second ping never does.
    func pinged(_ client: CableConnection) {
        client.pings += 1
        guard client.pings >= SocketLoop.pingsUntilResumed, !client.resumed.isEmpty else { return }
        client.waiting += client.resumed
        client.resumed = []
        readNext(client)
    }

    /// Remembers how far a client is that may resume its session. What has been written has arrived only if the client's
    /// own kernel has acknowledged all of it, which a proxy that adds no header to what it passes on hides. Nothing is known
    /// while pages are still to be reloaded for what was lost.
    func recordArrival(at client: CableConnection) {
        guard client.sid != nil, !client.isForwarded, reloads.isEmpty,
            client.connection.socket?.hasConfirmedAll == true
        else { return }
        for id in client.session.ids {
            guard let subscriber = subscriber(id), let given = hub.position(of: id) else { continue }
            let unwritten = unwritten.oldest(for: id, on: subscriber.stream)
            client.session.arrived(min(given, unwritten.map { $0 - 1 } ?? given), for: id)
        }
    }
}

/// The commands of `/cable` clients.
extension SocketLoop {
    func received(_ command: [UInt8], from client: CableConnection) {
        metrics.commands.add()
        let seconds = settings.clock.now().milliseconds / 1000
        guard let effect = client.session.received(command, now: seconds) else { return }
        if !perform(effect, for: client) { end(client.connection) }
    }

    /// Returns false if the connection is dead, or has been ended.
    private func perform(_ effect: CableSession.Effect, for client: CableConnection) -> Bool {
        switch effect {
        // Another pong or confirmation: a client that has not read the earlier ones will ask again.
        case .send(let message): return client.connection.isBlocked || answer(message, to: client)
        case .subscribe(let identifier, let history):
            return subscribe(client, to: identifier, history: history)
        case .unsubscribe(let id): end(id, of: client)
        case .history(let identifier, let history, let id):
            end(id, of: client)
            return subscribe(client, to: identifier, history: history)
        case .disconnect(let reason):
            metrics.abusive.add()
            disconnect(client.connection, reason: reason)
        }
        return true
    }

    private func verdict(on identifier: CableIdentifier, history: CableHistory?) -> CableVerdict {
        identifier.parameters.map { settings.handler.subscribe($0, history: history) } ?? .rejected
    }

    private func subscribe(_ client: CableConnection, to identifier: CableIdentifier, history: CableHistory?) -> Bool {
        switch verdict(on: identifier, history: history) {
        case .open(let request):
            let id = subscribe(client, to: request, as: identifier)
            client.session.attach(id, to: identifier, owesHistory: history != nil)
            client.waiting.append((id, request))
            readNext(client)
            return client.connection.isOpen
        case .rejected:
            metrics.rejected.add()
            return answer(client.session.reject(identifier), to: client)
        case .expired: return refuseExpired(identifier, for: client)
        }
    }

    private func subscribe(
        _ client: CableConnection,
        to request: PageRequest,
        as identifier: CableIdentifier
    ) -> SubscriptionID {
        let head = CableMessage.head(identifier.literal)
        let id = follow(request, as: client.transport, head: head, on: client.connection).subscription
        hub.pause(id)
        return id
    }

    private func end(_ id: SubscriptionID, of client: CableConnection) {
        endSubscription(id)
        if client.reading?.id == id { client.reading = nil }
        readNext(client)
    }

    /// Reads what the next subscriptions missed, until one has to wait for the ledger, or all for the socket.
    func readNext(_ client: CableConnection) {
        let connection = client.connection
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
            guard say(confirmation, to: client) else { return end(connection) }
        }
    }

    /// The missed messages cannot be read now. A client that waits for its confirmation asks again. One that was told
    /// that it is subscribed would receive nothing, so it has to come back.
    private func giveUp(_ id: SubscriptionID, of client: CableConnection) {
        let isConfirmed = client.session.isConfirmed(id)
        client.session.detach(id)
        endSubscription(id)
        if isConfirmed { disconnect(client.connection, reason: .serverRestart) }
    }
}
