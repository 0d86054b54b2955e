internal import HTTP1

/// Who a request comes from.
extension SocketLoop {
    /// Finds the sender of a request. Behind a proxy of ours, the connection counts for that sender from now on.
    func sender(of head: RequestHead, for route: Route, on connection: Connection) -> Sender {
        guard let peer = connection.peer, !settings.proxies.isEmpty, settings.proxies.contains(peer) else {
            return Sender(direct: isDisguised(head, for: route, on: connection) ? nil : connection.peer)
        }
        let headers = ForwardedHeaders(
            addresses: head[.forwardedFor],
            scheme: head[.forwardedProto],
            host: head[.forwardedHost]
        )
        var sender = Sender(proxy: peer, headers: headers, proxies: settings.proxies)
        if headers.addresses == nil, isDisguised(head, for: route, on: connection) { sender.address = nil }
        if sender.address != connection.client, connection.admission != .reject {
            connection.admission = limiter.move(from: connection.client, to: sender.address)
            connection.client = sender.address
        }
        return sender
    }

    /// A proxy on this machine that names no address we trust must not make the Internet look local: on operators'
    /// routes, any trace of a proxy hides the sender's address.
    private func isDisguised(_ head: RequestHead, for route: Route, on connection: Connection) -> Bool {
        route.isForOperators && connection.peer?.isLoopback == true && head.isForwarded
    }
}
