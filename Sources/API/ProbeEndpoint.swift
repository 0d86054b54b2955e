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

    /// The request comes from this machine, or has a key.
    private func isOperator(_ request: Request) -> Bool {
        isOfThisMachine(request) || services.access.isTrusted(request.credentials)
    }

    /// A request from loopback may come from a proxy that does not say for whom, or from a browser that shows a page
    /// whose name its owner has pointed at this machine (DNS rebinding). Both put the name that they used into `Host`.
    private func isOfThisMachine(_ request: Request) -> Bool {
        request.isLocal && request.head.host.map { HostName($0).isLoopback } ?? true
    }
}
