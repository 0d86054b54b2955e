import HTTP
import Pages
import Support

/// Takes requests out of the arrived bytes, and answers them one after the other.
final class RequestServer {
    let loop: LoopContext
    let deadlines: Deadlines
    let closer: ConnectionCloser
    let responses: ResponseWriter
    let writer: PageWriter
    let pages: PageServer
    let cable: CableServer
    let webSockets: WebSocketFrames
    let reads: ReadScheduler
    private let headCheck = RequestHeadCheck()

    init(_ writer: PageWriter) {
        let (closer, loop, subscriptions) = (writer.closer, writer.loop, writer.subscriptions)
        self.writer = writer
        self.closer = closer
        self.loop = loop
        deadlines = closer.deadlines
        reads = ReadScheduler(port: loop.port)
        responses = ResponseWriter(closer)
        pages = PageServer(loop: loop, subscriptions: subscriptions, writer: writer, closer: closer)
        cable = CableServer(loop: loop, subscriptions: subscriptions, writer: writer, closer: closer)
        webSockets = WebSocketFrames(loop: loop, cable: cable, writer: writer, closer: closer)
    }

    /// Answers the requests that are complete.
    func readRequests(_ connection: Connection) {
        while case .reading = connection.phase, !connection.link.isBehind {
            guard let (request, terms) = nextRequest(connection) else { break }
            perform(loop.shared.handler.handle(request), on: connection, terms: terms)
        }
        guard connection.isOpen else { return }
        if connection.hasEnded, case .reading = connection.phase, !connection.link.isBehind {
            return closer.end(connection)
        }
        reads.adjust(connection)
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
            let terms = Connection.Terms(keepAlive: false, includesBody: true, lingers: true)
            responses.write(.flawed(error), on: connection, terms: terms)
            return nil
        }
    }

    private func admit(_ head: RequestHead, on connection: Connection) -> (Request, Connection.Terms)? {
        let route = Route(path: head.path, stores: loop.settings.stores)
        // Before the terms: behind a proxy, the connection may now count for another client, which has no place.
        var request = request(head, for: route, on: connection)
        let mayStay =
            connection.admission == .accept && loop.acceptor.isListening
            && connection.answers < LoopSettings.requestLimit
        var terms = Connection.Terms(keepAlive: !head.isLast && mayStay, includesBody: head.method != "HEAD")
        // A client that did not know this may have sent its next request already.
        terms.lingers = !mayStay && !head.isLast
        switch headCheck.admit(head, to: shown(route, of: head)) {
        case .refuse(let response):
            loop.shared.handler.refused(request, with: response)
            terms.refuse()
            responses.write(response, on: connection, terms: terms)
            return nil
        case .collect(let length):
            guard let body = connection.input.takeBody(length) else {
                expectBody(of: request, length: length, on: connection, terms: terms)
                return nil
            }
            request.body = body
            return (request, terms)
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
        guard case .console = route, !loop.shared.handler.hasConsole else { return route }
        return .file(path: head.path)
    }

    private func expectBody(
        of request: Request,
        length: Int,
        on connection: Connection,
        terms: Connection.Terms
    ) {
        connection.expected = (request, length, terms)
        deadlines.set(for: connection, seconds: loop.limits.bodySeconds)
        guard request.head.expectation == .toContinue, connection.input.isEmpty else { return }
        _ = connection.link.write("HTTP/1.1 100 Continue\r\n\r\n")
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

/// The handler's answer: a response now or later, or a page that stays open.
extension RequestServer {
    func perform(_ answer: Answer, on connection: Connection, terms: Connection.Terms) {
        switch answer {
        case .respond(let response): responses.write(response, on: connection, terms: terms)
        case .later(let start):
            connection.phase = .waiting(terms)
            deadlines.clear(for: connection)
            let reply = Reply { [port = loop.port, id = connection.id] response in port.send(.reply(id, response)) }
            guard !start(reply) else { return }
            let refusal = Connection.Terms(keepAlive: false, includesBody: terms.includesBody, lingers: true)
            responses.write(.busy, on: connection, terms: refusal)
        case .broadcast(let messages, let response):
            writer.broadcast(messages)
            responses.write(response, on: connection, terms: terms)
        case .open(let page):
            guard connection.admission == .accept, loop.acceptor.isListening else {
                loop.metrics.turnedAway.add()
                let retry = EventStream.turnedAway(allowedOrigin: page.allowedOrigin)
                return responses.write(retry, on: connection, terms: terms)
            }
            deadlines.clear(for: connection)
            pages.openEventStream(page, on: connection)
        case .openCable: responses.write(.notFound, on: connection, terms: terms)
        }
    }

    /// Another thread has answered. Bytes that followed the request wait in the input.
    func reply(_ response: Response, to connection: Connection) {
        guard case .waiting(let terms) = connection.phase else { return }
        responses.write(response, on: connection, terms: terms)
        readRequests(connection)
    }
}

/// The client that a request comes from.
extension RequestServer {
    /// Behind a trusted proxy, the connection counts for that client from now on.
    func client(of head: RequestHead, for route: Route, on connection: Connection) -> ForwardedClient {
        let proxies = loop.settings.proxies
        guard let peer = connection.peer, !proxies.isEmpty, proxies.contains(peer) else {
            return ForwardedClient(direct: isDisguised(head, for: route, on: connection) ? nil : connection.peer)
        }
        let headers = ForwardedHeaders(
            addresses: head[.forwardedFor],
            scheme: head[.forwardedProto],
            host: head[.forwardedHost]
        )
        var client = ForwardedClient(proxy: peer, headers: headers, proxies: proxies)
        if headers.addresses == nil, isDisguised(head, for: route, on: connection) { client.address = nil }
        if client.address != connection.client, connection.admission != .reject {
            connection.admission = loop.shared.limiter.move(from: connection.client, to: client.address)
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
/// stream is such a connection, too; its client is not.
extension RequestServer {
    func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        switch connection.phase {
        case .reading, .waiting, .sending:
            connection.input.append(bytes)
            readRequests(connection)
        case .page(let page) where page.transport == .webSocket: webSockets.received(bytes, on: connection)
        case .cable, .closeSent: webSockets.received(bytes, on: connection)
        // The reader of an event stream has nothing to send, and a lingering peer has its answer.
        case .page, .closing, .lingering, .shaking, .http2, .ended: break
        }
    }

    /// Continues the work that had to wait for the peer.
    func advance(_ connection: Connection) {
        guard !connection.link.isBehind else { return }
        switch connection.phase {
        case .sending:
            responses.sendOn(connection)
            readRequests(connection)
        case .reading:
            if connection.expected == nil { responses.setDeadline(for: connection) }
            readRequests(connection)
        // An HTTP/2 stream ends by itself with its last frame.
        case .closing: if connection.socket != nil { closer.linger(connection) }
        case .page(let page): if writer.resume(connection) { pages.readOn(page, on: connection) }
        case .cable(let client): if writer.resume(connection) { cable.readNext(client, on: connection) }
        case .shaking, .waiting, .http2, .closeSent, .lingering, .ended: break
        }
    }
}

/// From an HTTP request to a WebSocket.
extension RequestServer {
    func upgrade(_ request: Request, on connection: Connection) {
        let refusal = Connection.Terms(keepAlive: false, includesBody: true, lingers: true)
        let accept: String
        switch WebSocketHandshakeCheck().admit(request) {
        case .refuse(let response): return responses.write(response, on: connection, terms: refusal)
        case .accept(let key): accept = key
        }
        guard connection.admission == .accept, loop.acceptor.isListening else {
            loop.metrics.turnedAway.add()
            return responses.write(.full, on: connection, terms: refusal)
        }
        switch loop.shared.handler.handle(request) {
        case .respond(let response): responses.write(response, on: connection, terms: refusal)
        case .open(let page):
            let head = switchProtocols(accepting: accept, speaking: nil, on: connection)
            guard connection.link.begin(head, body: [], date: loop.date, isWhole: false) else {
                return closer.end(connection)
            }
            pages.open(page, as: .webSocket, on: connection)
        case .openCable(let opening):
            let spoken = request.offeredProtocol
            let head = switchProtocols(accepting: accept, speaking: spoken, on: connection)
            cable.open(opening, speaking: spoken ?? .base, beginningWith: head, on: connection)
        case .later, .broadcast: closer.end(connection)
        }
        webSockets.readAhead(connection)
    }

    /// From now on both sides speak frames. Returns the head of the answer, which is still to be sent.
    private func switchProtocols(
        accepting accept: String,
        speaking spoken: CableProtocol?,
        on connection: Connection
    ) -> ResponseHead {
        loop.metrics.responses(101).add()
        var headers = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)]
        if let spoken { headers.append(("Sec-WebSocket-Protocol", spoken.rawValue)) }
        connection.frames = FrameReader(messageLimit: loop.limits.messageBytes)
        deadlines.clear(for: connection)
        return ResponseHead(status: 101, headers: headers, length: nil, keepAlive: true)
    }
}
