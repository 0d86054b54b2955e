internal import APIModel
internal import Domain
internal import HTTP1
internal import HTTPMessages
internal import Observability

/// The routes for operators: `GET /up`, `/ready` and `/metrics`. `Authorization+Operators` decides who may see them.
struct HealthEndpoint {
    static let up = Response(status: 200, contentType: "text/plain; charset=utf-8", body: "up\n")

    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func ready(_ request: Request) -> Answer {
        guard services.authorization.isOperator(request) else { return .respond(Authorization.unauthorized) }
        return .later { [ask = services.readiness] reply in
            ask { readiness in reply.send(JSON.response(readiness.ready ? 200 : 503, body: readiness)) }
        }
    }

    func metrics(_ request: Request) -> Response {
        guard services.authorization.isOperator(request) else { return Authorization.unauthorized }
        return Response(
            status: 200,
            contentType: "text/plain; version=0.0.4; charset=utf-8",
            body: services.metrics.page()
        )
    }
}
