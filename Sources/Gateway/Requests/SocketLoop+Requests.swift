import HTTP
import Pages
import Support

/// Takes requests out of the arrived bytes, and answers them one after the other.
extension SocketLoop {
    /// Answers the requests that are complete.
    func readRequests(_ connection: Connection) {
        while case .reading = connection.phase, !connection.link.isBehind {
            guard let (request, terms) = nextRequest(connection) else { break }
            serve(request, on: connection, terms: terms)
        }
        guard connection.isOpen else { return }
        if connection.hasEnded, case .reading = connection.phase, !connection.link.isBehind {
            return end(connection)
        }
        adjust(connection)
    }

    /// Returns the next complete request. Nil: more has to arrive, or the request was refused.
    private func nextRequest(_ connection: Connection) -> (request: Request, terms: Connection.Terms)? {
        if let expected = connection.expected {
            guard let body = connection.input.takeBody(expected.length) else { return nil }
            connection.expected = nil
            var request = expected.request
            request.body = body
            return (request, expected.terms)
        }
        do throws(HeadFlaw) {
            guard let head = try connection.input.takeHead() else { return nil }
            return admit(head, on: connection)
        } catch {
            respond(.flawed(error), on: connection, terms: .refusal)
            return nil
        }
    }

    private func admit(_ head: RequestHead, on connection: Connection) -> (Request, Connection.Terms)? {
        let route = Route(path: head.path, parts: head.pathComponents, stores: settings.stores)
        // Before the terms: behind a proxy, the connection may now count for another client, which has no place.
        var request = request(head, for: route, on: connection)
        let mayStay =
            connection.admission == .accept && acceptor.isListening
            && connection.answers < LoopSettings.requestLimit
        var terms = Connection.Terms(keepAlive: !head.isLast && mayStay, includesBody: head.method != "HEAD")
        // A client that did not know this may have sent its next request already.
        terms.lingers = !mayStay && !head.isLast
        switch RequestHeadCheck(head, to: shown(route, of: head)) {
        case .refuse(let response):
            settings.handler.refused(request, with: response)
            terms.refuse()
            respond(response, on: connection, terms: terms)
            return nil
        case .collect(let length):
            if let body = connection.input.takeBody(length) {
                request.body = body
                return (request, terms)
            }
            connection.expected = (request, length, terms)
            setDeadline(for: connection, seconds: limits.bodySeconds)
            if head.expectation == .toContinue, connection.input.isEmpty {
                _ = connection.link.write("HTTP/1.1 100 Continue\r\n\r\n")
            }
            return nil
        case .handle where head.asksForWebSocket && connection.socket != nil:
            upgrade(request, on: connection)
            return nil
        case .handle:
            // A body that no route wants is not read: the connection ends with the answer.
            if head.contentLength ?? 0 > 0 { terms.refuse() }
            return (request, terms)
        }
    }

    /// Where there is no console, no method and no body tells its addresses from others.
    private func shown(_ route: Route, of head: RequestHead) -> Route {
        guard case .console = route, !settings.handler.hasConsole else { return route }
        return .file(path: head.path)
    }

    private func request(_ head: RequestHead, for route: Route, on connection: Connection) -> Request {
        let client = client(of: head, for: route, on: connection)
        return Request(
            route: route,
            head: head,
            body: [],
            host: client.host ?? head.host ?? "localhost",
            scheme: client.scheme,
            isLocal: client.address?.isLoopback ?? false,
            client: client.address,
            receivedAt: monotonicNanoseconds()
        )
    }
}

extension Connection.Terms {
    /// The connection ends with the answer. A body on its way is still read from the wire.
    fileprivate mutating func refuse() {
        keepAlive = false
        lingers = true
    }
}

/// Publishers wait for the loops, so that these never owe their pages more than they soon have written.
extension SocketLoop {
    private func serve(_ request: Request, on connection: Connection, terms: Connection.Terms) {
        guard request.route.publishes, !port.hasRoom || !peers.allSatisfy(\.hasRoom) else {
            return perform(settings.handler.handle(request), on: connection, terms: terms)
        }
        connection.phase = .waiting(terms)
        clearDeadline(for: connection)
        let busy = peers.filter { !$0.hasRoom }
        port.run(after: busy[...]) { [id = connection.id] loop in loop.serveNow(request, of: id) }
    }

    private func serveNow(_ request: Request, of id: ConnectionID) {
        guard let connection = connections[id], case .waiting(let terms) = connection.phase else { return }
        connection.phase = .reading
        perform(settings.handler.handle(request), on: connection, terms: terms)
        readRequests(connection)
    }
}

/// The handler's answer: a response now or later, or a page that stays open.
extension SocketLoop {
    func perform(_ answer: Answer, on connection: Connection, terms: Connection.Terms) {
        switch answer {
        case .respond(let response): respond(response, on: connection, terms: terms)
        case .later(let start):
            connection.phase = .waiting(terms)
            clearDeadline(for: connection)
            let reply = Reply { [port, id = connection.id] response in port.answer(response, to: id) }
            guard !start(reply) else { return }
            let refusal = Connection.Terms(keepAlive: false, includesBody: terms.includesBody, lingers: true)
            respond(.busy, on: connection, terms: refusal)
        case .broadcast(let messages, let response):
            broadcast(messages)
            respond(response, on: connection, terms: terms)
        case .open(let page):
            guard connection.admission == .accept, acceptor.isListening else {
                metrics.turnedAway.add()
                let retry = EventStream.turnedAway(allowedOrigin: page.allowedOrigin)
                return respond(retry, on: connection, terms: terms)
            }
            clearDeadline(for: connection)
            openEventStream(page, on: connection)
        case .openCable: respond(.notFound, on: connection, terms: terms)
        }
    }

    /// Another thread has answered. Bytes that followed the request wait in the input.
    func reply(_ response: Response, to connection: Connection) {
        guard case .waiting(let terms) = connection.phase else { return }
        respond(response, on: connection, terms: terms)
        readRequests(connection)
    }
}

/// The client that a request comes from.
extension SocketLoop {
    /// Behind a trusted proxy, the connection counts for that client from now on.
    func client(of head: RequestHead, for route: Route, on connection: Connection) -> ForwardedClient {
        let proxies = settings.proxies
        guard let peer = connection.peer, proxies.contains(peer) else {
            return ForwardedClient(direct: isDisguised(head, for: route, on: connection) ? nil : connection.peer)
        }
        let addresses = head[.forwardedFor]
        var client = ForwardedClient(
            proxy: peer,
            addresses: addresses,
            scheme: head[.forwardedProto],
            host: head[.forwardedHost],
            proxies: proxies
        )
        if addresses == nil, isDisguised(head, for: route, on: connection) { client.address = nil }
        if client.address != connection.client, connection.admission != .reject {
            connection.admission = settings.limiter.move(from: connection.client, to: client.address)
            connection.client = client.address
        }
        return client
    }

    /// A proxy on this machine that names no address we trust must not make the Internet look local: on operators'
    /// routes, any trace of a proxy hides the client's address.
    private func isDisguised(_ head: RequestHead, for route: Route, on connection: Connection) -> Bool {
        route.isForOperators && connection.peer?.isLoopback == true && head.isForwarded
    }
}

/// The next step of a connection: after its peer has sent something, and once its peer accepts bytes again. An HTTP/2
/// stream is such a connection, too.
extension SocketLoop {
    func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        switch connection.phase {
        case .reading, .waiting, .sending:
            connection.input.append(bytes)
            readRequests(connection)
        case .page(let page) where page.transport == .webSocket: receivedFrames(bytes, on: connection)
        case .cable, .closeSent: receivedFrames(bytes, on: connection)
        // The reader of an event stream has nothing to send, and a lingering peer has its answer.
        case .page, .closing, .lingering, .shaking, .ended: break
        case .http2(let client): received(bytes, from: client)
        }
    }

    /// Continues the work that had to wait for the peer.
    func advance(_ connection: Connection) {
        guard !connection.link.isBehind else { return }
        switch connection.phase {
        case .sending:
            sendOn(connection)
            readRequests(connection)
        case .reading:
            if connection.expected == nil { setIdleDeadline(for: connection) }
            readRequests(connection)
        // An HTTP/2 stream ends by itself with its last frame.
        case .closing: if connection.socket != nil { linger(connection) }
        case .page(let page): if resume(connection) { readOn(page, on: connection) }
        case .cable(let client): if resume(connection) { readNext(client) }
        case .http2(let client): flush(client)
        case .shaking, .waiting, .closeSent, .lingering, .ended: break
        }
    }
}

/// Writes answers, and decides how the connection continues.
extension SocketLoop {
    /// Writes an answer. Then the connection is free for the next request, or ends.
    func respond(_ response: Response, on connection: Connection, terms: Connection.Terms) {
        metrics.responses(response.status).add()
        connection.answers += 1
        let head = response.head(keepAlive: terms.keepAlive)
        if let file = response.file, terms.includesBody, !file.range.isEmpty {
            connection.link.limitUnsent(to: Int32(FileBody.pieceSize))
            guard connection.link.begin(head, body: [], date: date, isWhole: false) else {
                return end(connection)
            }
            connection.phase = .sending(file, terms)
            return sendOn(connection)
        }
        let body = terms.includesBody ? response.body : []
        guard connection.link.begin(head, body: body, date: date, isWhole: true) else {
            return end(connection)
        }
        answered(connection, terms: terms)
    }

    /// The whole answer has been written.
    private func answered(_ connection: Connection, terms: Connection.Terms) {
        guard !terms.keepAlive else {
            // Requests that the peer sent before it closed its side still have to be answered.
            connection.phase = .reading
            return setIdleDeadline(for: connection)
        }
        finish(connection, lingers: terms.lingers)
    }

    /// The connection reads its answer, or is idle until the next request.
    func setIdleDeadline(for connection: Connection) {
        guard !connection.link.isBehind else { return setWriteDeadline(for: connection) }
        setDeadline(for: connection, seconds: limits.idleSeconds)
    }

    /// Sends the next pieces of a file, as far as the peer accepts them.
    func sendOn(_ connection: Connection) {
        while case .sending(var file, let terms) = connection.phase, !connection.link.isBehind {
            guard !file.range.isEmpty else {
                connection.link.finish()
                return answered(connection, terms: terms)
            }
            let piece = file.next()
            // Before the write: if an HTTP/2 client takes this piece at once, the next one is sent within the write.
            connection.phase = .sending(file, terms)
            // A file that has become shorter cannot fill the length that the head promised.
            guard let piece, connection.link.write(piece) else { return end(connection) }
        }
        if case .sending = connection.phase { setWriteDeadline(for: connection) }
    }
}
