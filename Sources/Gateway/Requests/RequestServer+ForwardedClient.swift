internal import Admission
internal import HTTP1
internal import HTTPMessages

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
