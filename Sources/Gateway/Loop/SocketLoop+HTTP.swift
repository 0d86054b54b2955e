internal import Runtime

/// Requests and their answers.
extension SocketLoop {
    func receivedHead(_ socket: Socket) -> Verdict {
        let connection = connection(of: socket)
        guard connection.successor == nil else { return closePipelined(connection) }
        guard let head = socket.requestHead() else { return .close }
        let route = Route(path: head.path)
        switch gate.admit(head, to: route) {
        case .refuse(let response):
            return write(response, on: connection, keepAlive: false, includesBody: head.method != "HEAD")
        case .collect where connection.isReused && socket.hasBufferedInput:
            // lws parses a body in its own buffer from the wrong place, and then spins.
            return write(.pipelined, on: connection, keepAlive: false, includesBody: true)
        case .collect(let length):
            connection.phase = .collecting(request(head, route, connection, reserving: length), remaining: length)
            connection.isDirect = !socket.isForwarded && !(connection.peer.map(settings.proxies.contains) ?? true)
            watch(connection, seconds: settings.limits.bodySeconds)
            return .keep
        case .handle:
            // A GET that brings a body is answered, and then closed: lws would parse the body as a request.
            return perform(
                handler.handle(request(head, route, connection, reserving: 0)),
                on: connection,
                keepAlive: head.bodyLength == .none && connection.place == .stay,
                includesBody: head.method != "HEAD"
            )
        }
    }

    func receivedBody(_ socket: Socket, _ bytes: UnsafeRawBufferPointer) -> Verdict {
        let connection = connection(of: socket)
        guard case .collecting(var request, let remaining) = connection.phase, bytes.count <= remaining else {
            return bytes.isEmpty ? .keep : .close
        }
        connection.phase = .idle
        request.body += bytes
        connection.phase = .collecting(request, remaining: remaining - bytes.count)
        return .keep
    }

    /// Called once when the body is whole, and again whenever more bytes arrive before the transaction is completed.
    func completedBody(_ socket: Socket) -> Verdict {
        let connection = connection(of: socket)
        switch connection.phase {
        case .collecting(let request, _):
            connection.phase = .idle
            // Whoever holds a key may send more on this connection; a webhook's sender has proven nothing yet.
            let isTrusted = handler.isTrusted(request.authorization)
            connection.isTrusted = isTrusted
            return perform(
                handler.handle(request),
                on: connection,
                keepAlive: isTrusted && !request.isLast && connection.place == .stay,
                includesBody: true
            )
        case .waiting, .answering:
            connection.hasPipelined = true
            return .keep
        default: return .close
        }
    }

    func receivedMalformed(_ socket: Socket, _ bytes: UnsafeRawBufferPointer) -> Verdict {
        let connection = connection(of: socket)
        if connection.parser != nil { return received(bytes, fromPublisher: connection) }
        if case .closing = connection.phase { return .close }
        connection.phase = .closing
        return write(MalformedRequest.response(to: bytes), on: connection, keepAlive: false, includesBody: true)
    }

    func perform(_ answer: Answer, on connection: Connection, keepAlive: Bool, includesBody: Bool) -> Verdict {
        switch answer {
        case .respond(let response):
            return write(response, on: connection, keepAlive: keepAlive, includesBody: includesBody)
        case .later(let start):
            connection.phase = .waiting(keepAlive: keepAlive, includesBody: includesBody)
            unwatch(connection)
            connection.socket.clearTimeout()
            if connection.parser == nil { connection.socket.stopReading() }
            guard start(Reply(port: port, connection: connection.id)) else {
                return write(.busy, on: connection, keepAlive: false, includesBody: includesBody)
            }
            return .keep
        case .publish(let publication, let response):
            broadcast(publication)
            return write(response, on: connection, keepAlive: keepAlive, includesBody: includesBody)
        case .open(let page):
            guard connection.place == .stay else {
                metrics.turnedAway.add()
                return write(.turnedAway(page), on: connection, keepAlive: false, includesBody: true)
            }
            return openEventStream(page, on: connection)
        case .openCable:
            return write(CableEndpoint.pageNotFound, on: connection, keepAlive: keepAlive, includesBody: includesBody)
        }
    }

    /// An answer from another thread. It is written from the writable callback, the only place that may close.
    func replied(_ id: ConnectionID, _ response: Response) {
        guard let connection = connections[id], case .waiting(let keepAlive, let includesBody) = connection.phase
        else { return }
        connection.phase = .answering(response, keepAlive: keepAlive, includesBody: includesBody)
        if connection.parser != nil { return answerPublisher(connection) }
        // lws calls nothing back on a connection that does not read.
        connection.socket.resumeReading()
        connection.socket.requestWritable()
    }

    func writable(_ socket: Socket) -> Verdict {
        let connection = connection(of: socket)
        if connection.parser != nil, connection.isWebSocket == nil { return resume(connection) }
        switch connection.phase {
        case .answering(let response, let keepAlive, let includesBody):
            let mayContinue = keepAlive && !connection.hasPipelined
            return write(response, on: connection, keepAlive: mayContinue, includesBody: includesBody)
        case .page, .cable: return flush(connection)
        case .closing: return .close
        case .idle, .collecting, .waiting, .upgrading: return .keep
        }
    }

    /// Writes a whole answer, and frees the connection for the next request or closes it.
    func write(
        _ response: Response,
        on connection: Connection,
        keepAlive: Bool,
        includesBody: Bool
    ) -> Verdict {
        metrics.responses(response.status).add()
        var bytes = response.encoded(keepAlive: keepAlive, includingBody: includesBody)
        guard connection.socket.write(&bytes, as: .http) else { return .close }
        guard keepAlive else {
            // lws ends a raw connection at once, with what it keeps for it.
            guard connection.parser != nil, connection.socket.isBehind else { return .close }
            connection.phase = .closing
            return hold(connection)
        }
        connection.phase = .idle
        connection.isReused = true
        watchAfterAnswer(connection)
        if connection.parser != nil { return .keep }
        if connection.isTrusted, connection.isDirect, !connection.hasPipelined, !connection.socket.isBehind,
            !connection.socket.isEncrypted
        {
            return readWithoutLWS(connection)
        }
        guard !connection.socket.completeTransaction() else { return .close }
        connection.socket.clearTimeout()
        return .keep
    }

    func request(_ head: RequestHead, _ route: Route, _ connection: Connection, reserving length: Int) -> Request {
        let sender = sender(on: connection, route)
        var request = Request(
            route: route,
            method: head.method,
            query: head.query,
            body: [],
            host: sender.host ?? head.host ?? "localhost",
            scheme: sender.scheme,
            origin: head.origin,
            authorization: head.authorization,
            signature: head.signature,
            ifNoneMatch: head.ifNoneMatch,
            lastEventID: head.lastEventID,
            isWebSocket: head.isUpgrade,
            isLast: head.isLast,
            isLocal: !head.isForwarded && sender.address?.isLoopback ?? false,
            receivedAt: monotonicNanoseconds()
        )
        request.body.reserveCapacity(length)
        return request
    }
}
