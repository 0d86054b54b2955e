internal import Pages

/// `GET /cable`: the connection that `<turbo-cable-stream-source>` opens.
struct CableEndpoint {
    let services: Services

    init(_ services: Services) {
        self.services = services
    }

    /// Rails gives the same answer to a request that is not a WebSocket, or that comes from a page of a refused origin.
    static let pageNotFound = Response.error(
        404,
        code: "not_found",
        message: "A WebSocket of an allowed origin is served here."
    )

    func answer(_ request: Request) -> Answer {
        guard request.isWebSocket else { return .respond(CableEndpoint.pageNotFound) }
        switch services.authorization.origins.judge(request) {
        case .same, .allowed: return .openCable(CableOpening(host: request.host, sid: request.sessionID))
        case .refused: return .respond(CableEndpoint.pageNotFound)
        }
    }
}
