internal import Crypto
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
        do throws(RefusedBody) {
            let once = try BroadcastsEndpoint.keyed(request)
            return answer(BroadcastBody.read(node, BroadcastBody.plain), once: once)
        } catch {
            return .respond(error.response)
        }
    }

    /// `POST /_broadcast`: what an app sends that publishes through AnyCable. A remote disconnect names a connection by
    /// what the app knows of it; there is nothing to do, since a signed name is all that we know.
    func answerAnyCable(_ request: Request) -> Answer {
        if JSONNode(request.body)?["command"] != nil { return .respond(BroadcastsEndpoint.created) }
        return answer(BroadcastBody.read(request.body, BroadcastBody.anyCable), with: BroadcastsEndpoint.created)
    }

    /// Nil without an `Idempotency-Key`. The same request is the same body, byte for byte.
    private static func keyed(_ request: Request) throws(RefusedBody) -> KeyedRequest? {
        guard let value = request.idempotencyKey else { return nil }
        guard let key = IdempotencyKey(header: value) else {
            throw RefusedBody(
                "invalid_idempotency_key",
                "Idempotency-Key must be 1 to 255 printable ASCII characters: bare without spaces, or in quotes."
            )
        }
        return KeyedRequest(key: key, digest: Hex.encode(SHA256.hash(request.body)))
    }

    /// `success` takes the place of the list of cursors.
    private func answer(
        _ bodies: [BroadcastBody]?,
        once request: KeyedRequest? = nil,
        with success: Response? = nil
    ) -> Answer {
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
        if let request { return commit(kept, once: request, publishing: transient, bodies.map(\.isTransient)) }
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
                    reply.send(success ?? BroadcastsEndpoint.accepted(cursors, isTransient))
                }
            )
        }
    }

    /// What is transient waits for the key's commit: it goes out once, or not at all.
    private func commit(
        _ kept: [Fragment],
        once request: KeyedRequest,
        publishing transient: [Message],
        _ isTransient: [Bool]
    ) -> Answer {
        let (writer, publish) = (services.writer, services.publish)
        return .later { reply in
            writer.submit(
                .broadcastOnce(kept, request) { result in
                    switch result {
                    case .failure: reply.send(.busy)
                    case .success(.made(let cursors)):
                        if !transient.isEmpty { publish([Publication(transient: transient)]) }
                        reply.send(BroadcastsEndpoint.accepted(cursors, isTransient))
                    case .success(.repeated(let cursors)):
                        reply.send(BroadcastsEndpoint.accepted(cursors, isTransient))
                    case .success(.otherRequest): reply.send(BroadcastsEndpoint.keyReused)
                    }
                }
            )
        }
    }

    private static func accepted(_ cursors: [Cursor], _ isTransient: [Bool]) -> Response {
        var rest = cursors[...]
        return accepted(isTransient.map { $0 ? nil : rest.popFirst()?.description })
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

    private static let keyReused = Response.error(
        422,
        "idempotency_key_reused",
        "Another body came with this Idempotency-Key within the last 24 hours; take a new key."
    )

    private static let created = Response(status: 201)

    private static let notABroadcast = Response.error(
        400,
        "invalid_json",
        "Send one object or an array of 1 to 100: {\"stream\" or \"user\", \"html\"} or with action and target."
    )
}
