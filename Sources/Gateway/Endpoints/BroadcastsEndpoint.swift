internal import Domain
internal import Fragments
internal import Hub
internal import JSONText
internal import Ledger

/// `POST /broadcasts`: fragments from the app's own backend.
struct BroadcastsEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        guard let node = JSONNode(request.body) else { return .respond(BroadcastsEndpoint.notABroadcast) }
        guard !node.repeatsMember else { return .respond(RefusedBody.repeatedMember.response) }
        return answer(BroadcastBody.read(node, BroadcastBody.plain))
    }

    /// `POST /_broadcast`: what an app sends that publishes through AnyCable. A remote disconnect names a connection by
    /// what the app knows of it; there is nothing to do, since a signed name is all that we know.
    func answerAnyCable(_ request: Request) -> Answer {
        if JSONNode(request.body)?["command"] != nil { return .respond(BroadcastsEndpoint.created) }
        return answer(BroadcastBody.read(request.body, BroadcastBody.anyCable), with: BroadcastsEndpoint.created)
    }

    /// `success` takes the place of the list of cursors.
    private func answer(_ bodies: [BroadcastBody]?, with success: Response? = nil) -> Answer {
        guard let bodies else { return .respond(BroadcastsEndpoint.notABroadcast) }
        var (kept, transient): ([Fragment], [Message]) = ([], [])
        let renderer = services.templates.renderer
        for body in bodies {
            switch body.fragment(services.streams, services.templates) {
            case .success(let fragment) where body.isTransient: transient.append(Message(transient: fragment, renderer))
            case .success(let fragment): kept.append(fragment)
            case .failure(let refusal): return .respond(.error(422, refusal.code, refusal.message))
            }
        }
        guard !kept.isEmpty else {
            return .broadcast(transient, success ?? BroadcastsEndpoint.accepted(transient.count))
        }
        return commit(kept, publishing: transient, bodies.map(\.isTransient), success)
    }

    /// What is transient goes out at once, the rest through the ledger; the cursors keep the order of the request.
    private func commit(
        _ kept: [Fragment],
        publishing transient: [Message],
        _ isTransient: [Bool],
        _ success: Response?
    ) -> Answer {
        let (writer, publish) = (services.writer, services.publish)
        return .later { reply in
            writer.submit(
                .broadcast(kept) { result in
                    guard case .success(let cursors) = result else { return reply.send(.busy) }
                    if !transient.isEmpty { publish([Publication(transient: transient)]) }
                    var rest = cursors[...]
                    let all = isTransient.map { $0 ? nil : rest.popFirst()?.description }
                    reply.send(success ?? BroadcastsEndpoint.accepted(all))
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

    /// The same for as many as have none; nearly always one.
    private static func accepted(_ count: Int) -> Response {
        count == 1 ? acceptedOne : accepted([String?](repeating: nil, count: count))
    }

    private static let acceptedOne = accepted([nil])

    private static let created = Response(status: 201)

    private static let notABroadcast = Response.error(
        400,
        "invalid_json",
        "Send one object or an array of 1 to 100: {\"stream\" or \"user\", \"html\"} or with action and target."
    )
}
