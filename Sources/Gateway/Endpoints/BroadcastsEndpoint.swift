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
        answer(BroadcastBody.read(request.body, BroadcastBody.plain))
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
        var (kept, transient): ([Fragment], [Fragment]) = ([], [])
        let renderer = services.templates.renderer
        for body in bodies {
            switch body.fragment(services.streams, services.templates) {
            case .success(let fragment) where body.isTransient: transient.append(fragment)
            case .success(let fragment): kept.append(fragment)
            case .failure(let refusal): return .respond(.error(422, refusal.code, refusal.message))
            }
        }
        if kept.isEmpty, !transient.contains(where: \.hasNoLanguage) {
            let messages = transient.map { Message(transient: $0, renderer) }
            return .broadcast(messages, success ?? BroadcastsEndpoint.accepted(transient.count))
        }
        let isTransient = bodies.map(\.isTransient)
        return .later { [transient, reader = services.reader, commit = commit(kept, isTransient, success)] reply in
            guard transient.contains(where: \.hasNoLanguage) else {
                return commit(transient.map { Message(transient: $0, renderer) }, reply)
            }
            return reader.written(transient) { result in
                let messages = try? result.get().map { Message(transient: $0, renderer) }
                guard let messages, commit(messages, reply) else { return reply.send(.busy) }
            }
        }
    }

    /// What is transient goes out at once, the rest through the ledger; the cursors keep the order of the request. False
    /// when the ledger takes no more.
    private func commit(
        _ kept: [Fragment],
        _ isTransient: [Bool],
        _ success: Response?
    ) -> @Sendable ([Message], Reply) -> Bool {
        let (writer, publish) = (services.writer, services.publish)
        let send = { @Sendable (cursors: [Cursor], transient: [Message], reply: Reply) in
            if !transient.isEmpty { publish([Publication(transient: transient)]) }
            var rest = cursors[...]
            let all = isTransient.map { $0 ? nil : rest.popFirst()?.description }
            reply.send(success ?? BroadcastsEndpoint.accepted(all))
        }
        return { transient, reply in
            guard !kept.isEmpty else {
                send([], transient, reply)
                return true
            }
            return writer.submit(
                .broadcast(kept) { result in
                    guard case .success(let cursors) = result else { return reply.send(.busy) }
                    send(cursors, transient, reply)
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
