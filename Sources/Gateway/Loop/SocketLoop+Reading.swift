internal import Admission
internal import Concurrency
internal import Glibc
internal import HTTP1
internal import HTTPMessages
internal import Sockets

/// Reads what arrives on a socket and passes it on.
extension SocketLoop {
    /// How many reads one connection gets in a row.
    private static let rounds = 8

    func readable(_ connection: Connection) {
        guard let socket = connection.socket else { return }
        if case .shaking = connection.phase, !shakeHands(on: socket, of: connection) { return }
        // In the clear, the kernel reports waiting bytes again. Nobody would report what OpenSSL has already decrypted.
        for _ in 0..<(socket.isEncrypted ? SocketLoop.rounds : 1) {
            switch socket.receive(into: buffer) {
            case .bytes(let count):
                received(UnsafeRawBufferPointer(rebasing: buffer[..<count]), on: connection)
                guard connection.isOpen, connection.takesInput else { return }
            case .nothing: return
            case .end: return receivedEnd(connection)
            case .broken: return end(connection)
            }
        }
        if socket.isEncrypted { readAgain(connection) }
    }

    /// Returns false while the handshake continues, and when it has failed.
    private func shakeHands(on socket: Socket, of connection: Connection) -> Bool {
        switch socket.handshake() {
        case .waits: return false
        case .ended:
            end(connection)
            return false
        case .done: break
        }
        if socket.hasChosenHTTP2 {
            openHTTP2(on: connection)
        } else {
            connection.phase = .reading
            setDeadline(of: connection, seconds: settings.limits.headerSeconds)
        }
        return connection.isOpen
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        switch connection.phase {
        case .reading, .waiting, .sending:
            connection.input.append(bytes)
            readRequests(connection)
        case .http2(let client): receivedFrames(bytes, from: client, on: connection)
        case .page(let page) where page.transport == .webSocket: receivedFrames(bytes, on: connection)
        case .cable, .closeSent: receivedFrames(bytes, on: connection)
        // The reader of an event stream has nothing to send, and a lingering peer has its answer.
        case .page, .closing, .lingering, .shaking, .ended: break
        }
    }

    /// The peer sends nothing more. If it waits for an answer, it still gets it.
    private func receivedEnd(_ connection: Connection) {
        connection.hasEnded = true
        switch connection.phase {
        case .waiting, .sending, .closing: connection.link.stopReading()
        case .reading where connection.link.isBehind: connection.link.stopReading()
        default: end(connection)
        }
    }

    // MARK: Requests

    /// Answers the requests that are complete, one after the other.
    func readRequests(_ connection: Connection) {
        while case .reading = connection.phase, !connection.link.isBehind {
            guard let request = nextRequest(connection) else { break }
            perform(handler.handle(request.request), on: connection, terms: request.terms)
        }
        guard connection.isOpen else { return }
        if connection.hasEnded, case .reading = connection.phase, !connection.link.isBehind { return end(connection) }
        adjustReading(connection)
    }

    /// Keeps reading, or leaves bytes in the kernel that would pile up here.
    func adjustReading(_ connection: Connection) {
        guard connection.takesInput else { return connection.link.stopReading() }
        guard let socket = connection.socket, !socket.isReading else { return }
        socket.resumeReading()
        if socket.isEncrypted { readAgain(connection) }
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
            write(.flawed(error), on: connection, terms: terms)
            return nil
        }
    }

    private func admit(_ head: RequestHead, on connection: Connection) -> (Request, Connection.Terms)? {
        let route = Route(path: head.path, stores: settings.stores)
        // Before the terms: behind a proxy, the connection may now count for another client, which has no place.
        var request = request(head, for: route, on: connection)
        let mayStay =
            connection.admission == .accept && acceptor.isListening && connection.answers < LoopSettings.requestLimit
        var terms = Connection.Terms(keepAlive: !head.isLast && mayStay, includesBody: head.method != "HEAD")
        // A client that did not know may have sent its next request already.
        terms.lingers = !mayStay && !head.isLast
        switch gate.admit(head, to: route) {
        case .refuse(let response):
            terms.refuse()
            write(response, on: connection, terms: terms)
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
        setDeadline(of: connection, seconds: settings.limits.bodySeconds)
        guard request.head.expectation == .toContinue, connection.input.isEmpty else { return }
        _ = connection.link.write("HTTP/1.1 100 Continue\r\n\r\n")
    }

    private func request(_ head: RequestHead, for route: Route, on connection: Connection) -> Request {
        let origin = origin(of: head, for: route, on: connection)
        return Request(
            route: route,
            head: head,
            body: [],
            host: origin.host ?? head.host ?? "localhost",
            scheme: origin.scheme,
            isLocal: origin.address?.isLoopback ?? false,
            receivedAt: monotonicNanoseconds()
        )
    }
}

extension Connection.Terms {
    /// The connection ends with the answer. A body that is on its way is still taken from the wire.
    fileprivate mutating func refuse() {
        keepAlive = false
        lingers = true
    }
}

extension Connection {
    /// How many bytes a client may send ahead of the answer that it waits for.
    private static let readAhead = 64 << 10

    /// Whether more may be read. The limits of the request that waiting bytes belong to bound them.
    fileprivate var takesInput: Bool {
        switch phase {
        case .reading where link.isBehind: input.count < Connection.readAhead && !hasEnded
        case .waiting, .sending: input.count < Connection.readAhead && !hasEnded
        case .http2: !link.isBehind
        case .closing: false
        default: true
        }
    }
}
