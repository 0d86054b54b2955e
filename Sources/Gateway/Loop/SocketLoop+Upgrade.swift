internal import Runtime

/// From an HTTP request to a WebSocket.
extension SocketLoop {
    /// Decides over an upgrade while the request's head is there. `name` is where lws looks for the protocol.
    func confirmUpgrade(_ socket: Socket, to name: UnsafeRawBufferPointer) -> Verdict {
        guard let head = socket.requestHead() else { return .close }
        guard head.isUpgrade else { return ignoreUpgrade(to: name) }
        let connection = connection(of: socket)
        let route = Route(path: head.path)
        var request = request(head, route, connection, reserving: 0)
        guard connection.place == .stay else {
            metrics.turnedAway.add()
            return refuseUpgrade(.full, on: connection)
        }
        guard route.isUpgradable, head.method == "GET" else {
            return refuseUpgrade(.error(404, "no_websocket", "No WebSocket is served here."), on: connection)
        }
        if route == .cable { request.sessionID = head.query["sid"] ?? socket.sessionToRestore }
        switch handler.handle(request) {
        case .open(let page): connection.phase = .upgrading(.page(page))
        case .openCable(let opening): connection.phase = .upgrading(.cable(opening))
        case .respond(let response): return refuseUpgrade(response, on: connection)
        case .later, .publish: return .close
        }
        return .keep
    }

    /// `h2c`, which HTTP clients of Java offer with each first request: it may be ignored (RFC 9110 §7.8). lws reads the
    /// name once more after this call (`lws_handshake_server`, lib/roles/http/server/server.c), and answers over HTTP/1.1
    /// when it is none that it knows.
    private func ignoreUpgrade(to name: UnsafeRawBufferPointer) -> Verdict {
        UnsafeMutableRawPointer(mutating: name.baseAddress)?.storeBytes(of: 0, as: UInt8.self)
        return .keep
    }

    private func refuseUpgrade(_ response: Response, on connection: Connection) -> Verdict {
        metrics.responses(response.status).add()
        var bytes = response.encoded(keepAlive: false, includingBody: true)
        _ = connection.socket.write(&bytes, as: .http)
        return .close
    }

    func established(_ socket: Socket) -> Verdict {
        let connection = connection(of: socket)
        switch connection.phase {
        case .upgrading(.page(let request)): return open(request, as: .webSocket, on: connection)
        case .upgrading(.cable(let opening)): return open(opening, on: connection)
        default: return .close
        }
    }

    /// The peer sent something: it lives. What it says on a stream means nothing.
    func received(_ socket: Socket, _ bytes: UnsafeRawBufferPointer) -> Verdict {
        let connection = connection(of: socket)
        switch connection.phase {
        case .page(let page):
            page.isPinged = false
            return .keep
        case .cable(let client): return received(bytes, from: client, on: connection)
        default: return .keep
        }
    }
}
