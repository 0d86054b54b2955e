internal import Domain
internal import Fragments
internal import Hub
internal import Ledger

/// `POST /broadcasts`: fragments from the app's own backend.
struct BroadcastsEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        guard let bodies = BroadcastBody.read(request.body) else {
            return .respond(
                .error(
                    400,
                    "invalid_json",
                    "Send one object or an array of 1 to 100: {\"stream\" or \"user\", \"html\"} or with action and target."
                )
            )
        }
        var fragments: [(fragment: Fragment, isTransient: Bool)] = []
        let templates = services.templates.templates
        for body in bodies {
            switch body.fragment(services.streams, templates) {
            case .success(let fragment): fragments.append((fragment, body.transient ?? false))
            case .failure(let refusal): return .respond(.error(422, refusal.code, refusal.message))
            }
        }
        return publish(fragments)
    }

    /// What is transient goes out at once, the rest through the ledger; the cursors keep the order of the request.
    private func publish(_ fragments: [(fragment: Fragment, isTransient: Bool)]) -> Answer {
        let kept = fragments.filter { !$0.isTransient }.map(\.fragment)
        let renderer = services.templates.renderer
        let transient = fragments.filter(\.isTransient).map { item in
            Message(position: nil, fragments: [item.fragment], on: item.fragment.stream, renderer)
        }
        guard !kept.isEmpty else {
            return .publish(Publication(transient: transient), BroadcastsEndpoint.accepted(fragments.map { _ in nil }))
        }
        let isTransient = fragments.map(\.isTransient)
        let (writer, publish) = (services.writer, services.publish)
        return .later { reply in
            writer.submit(
                .broadcast(kept) { result in
                    guard case .success(let cursors) = result else { return reply.send(.busy) }
                    if !transient.isEmpty { publish([Publication(transient: transient)]) }
                    var rest = cursors[...]
                    let all = isTransient.map { $0 ? nil : rest.popFirst()?.description }
                    reply.send(BroadcastsEndpoint.accepted(all))
                }
            )
        }
    }

    /// `{"cursors":[…]}`: null for a transient one, which has no place in the ledger. Put together by hand: JSONEncoder
    /// takes longer than the fan-out to one page.
    private static func accepted(_ cursors: [String?]) -> Response {
        let list = cursors.map { $0.map { "\"\($0)\"" } ?? "null" }.joined(separator: ",")
        return Response(status: 202, contentType: "application/json", body: "{\"cursors\":[\(list)]}")
    }
}
