internal import Admission
internal import Concurrency
internal import HTTP1
internal import HTTPMessages
internal import Sockets

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
    private let reads: ReadScheduler
    private let headCheck = RequestHeadCheck()

    init(
        loop: LoopContext,
        reads: ReadScheduler,
        deadlines: Deadlines,
        closer: ConnectionCloser,
        slowConsumers: SlowConsumers,
        subscriptions: Subscriptions,
        writer: PageWriter
    ) {
        self.loop = loop
        self.reads = reads
        self.deadlines = deadlines
        self.closer = closer
        self.writer = writer
        responses = ResponseWriter(loop: loop, deadlines: deadlines, slowConsumers: slowConsumers, closer: closer)
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
        switch headCheck.admit(head, to: route) {
        case .refuse(let response):
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
