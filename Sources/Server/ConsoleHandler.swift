import API
import Pages

/// Answers at the console's own address: with its pages, and nothing else.
struct ConsoleHandler: RequestHandler {
    private let endpoints: Endpoints

    /// `endpoints` with the console.
    init(_ endpoints: Endpoints) {
        self.endpoints = endpoints
    }

    var hasConsole: Bool { endpoints.hasConsole }

    func handle(_ request: Request) -> Answer {
        switch request.route {
        case .console: endpoints.handle(request)
        case .file(path: "/"): .respond(Response(status: 303, headers: [("Location", "/console")]))
        default: .respond(.notFound)
        }
    }

    func subscribe(_ parameters: CableParameters, history: CableHistory?) -> CableVerdict { .rejected }
}
