internal import Domain
internal import Runtime

/// `GET /up`, `/ready` and `/metrics`.
struct ProbeEndpoint {
    static let up = Response(status: 200, contentType: "text/plain; charset=utf-8", body: "up\n")

    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    private struct Readiness: Encodable {
        var ready: Bool
        var problems: [String]
        var warnings: [String]
    }

    func ready(_ request: Request) -> Response {
        guard isOperator(request) else { return Access.unauthorized }
        let problems = services.problems()
        let readiness = Readiness(ready: problems.isEmpty, problems: problems, warnings: services.warnings())
        return JSON.response(problems.isEmpty ? 200 : 503, readiness)
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
        request.isLocal || services.access.isTrusted(request.credentials)
    }
}
