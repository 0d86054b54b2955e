internal import Domain
internal import Gateway
internal import HTTP1
internal import Observability

/// `GET /up`, `/ready` and `/metrics`.
struct ProbeEndpoint {
    static let up = Response(status: 200, contentType: "text/plain; charset=utf-8", body: "up\n")

    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func ready(_ request: Request) -> Answer {
        guard isOperator(request) else { return .respond(Access.unauthorized) }
        return .later { [ask = services.readiness] reply in
            ask { readiness in reply.send(JSON.response(readiness.ready ? 200 : 503, readiness)) }
        }
    }

    func metrics(_ request: Request) -> Response {
        guard isOperator(request) else { return Access.unauthorized }
        return Response(
            status: 200,
            contentType: "text/plain; version=0.0.4; charset=utf-8",
            body: services.metrics.page()
        )
    }

    /// From this machine, or with a key.
    private func isOperator(_ request: Request) -> Bool {
        isOfThisMachine(request) || services.access.isTrusted(request.credentials)
    }

    /// What comes from loopback may be sent by a proxy that does not tell for whom, or by a browser for the page of a name
    /// that its owner has led here (DNS rebinding). Both say in `Host` which name they were given.
    private func isOfThisMachine(_ request: Request) -> Bool {
        request.isLocal && request.head.host.map { HostName($0).isLoopback } ?? true
    }
}
