internal import HTTP1
internal import Hub
internal import Observability

/// Who a request comes from, and how long everything may take.
extension SocketLoop {
    // MARK: Senders

    /// Finds the sender of a request. Behind a proxy of ours, the connection counts for that sender from now on.
    func sender(of head: RequestHead, on connection: Connection, _ route: Route) -> Sender {
        guard let peer = connection.peer, !settings.proxies.isEmpty, settings.proxies.contains(peer) else {
            return Sender(direct: disguised(head, connection, route) ? nil : connection.peer)
        }
        let headers = ForwardedHeaders(
            addresses: head[.forwardedFor],
            scheme: head[.forwardedProto],
            host: head[.forwardedHost]
        )
        var sender = Sender(proxy: peer, headers, settings.proxies)
        if headers.addresses == nil, disguised(head, connection, route) { sender.address = nil }
        if sender.address != connection.client, connection.admission != .reject {
            connection.admission = limiter.move(from: connection.client, to: sender.address)
            connection.client = sender.address
        }
        return sender
    }

    /// A proxy on this machine that names no address we trust must not make the Internet look local: on operators'
    /// routes, any trace of a proxy hides the sender's address.
    private func disguised(_ head: RequestHead, _ connection: Connection, _ route: Route) -> Bool {
        route.isForOperators && connection.peer?.isLoopback == true && head.isForwarded
    }

    // MARK: Deadlines

    /// Gives the connection `seconds` for what it is doing.
    func watch(_ connection: Connection, seconds: Int) {
        connection.quietSince = now
        connection.deadline = now + seconds * LoopSettings.ticksPerSecond
        if connection.watch == nil { connection.watch = watched.add(connection.id) }
    }

    /// Removes the deadline: another thread works for the connection, or it is a page that keeps up.
    func unwatch(_ connection: Connection) {
        guard let watch = connection.watch else { return }
        connection.watch = nil
        watched.remove(watch)
    }

    /// The connection reads its answer, or is idle until the next request.
    func watchAfterAnswer(_ connection: Connection) {
        guard connection.link.isBehind else { return watch(connection, seconds: settings.limits.idleSeconds) }
        watchReader(connection)
    }

    /// The kernel took only a part of what was written.
    func watchReader(_ connection: Connection) {
        connection.acknowledged = connection.link.confirmedBytes
        watch(connection, seconds: settings.limits.writeSeconds)
    }

    /// Closes connections whose time is up. It uses no timer of lws, whose sorted list walks over every idle one.
    func closeOverdue() {
        for id in watched.tick() {
            guard let connection = connections[id] else { continue }
            if case .http2(let client) = connection.phase {
                look(at: client, connection)
                continue
            }
            guard connection.deadline <= now else { continue }
            guard !isReading(connection) else { continue }
            metrics.overdue(connection).add()
            end(connection)
        }
    }

    /// A slow line may carry a large answer: a reader that took 1 KiB a second gets the same time again.
    private func isReading(_ connection: Connection) -> Bool {
        guard connection.link.isBehind else { return false }
        let least = UInt64(settings.limits.writeSeconds) << 10
        guard connection.link.confirmedBytes >= connection.acknowledged + least else { return false }
        watchReader(connection)
        return true
    }
}
