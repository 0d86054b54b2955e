import APIModel
import Crypto
import Domain
import Encoding
import Ledger
import Pages
import Support

extension Services {
    /// `POST /broadcasts`: fragments from the app's own backend. Two requests with an `Idempotency-Key` are the same if their
    /// bodies are equal byte for byte.
    func broadcasts(_ request: Request) throws(RefusedBody) -> Answer {
        guard let node = JSONNode(request.body) else { throw Services.notABroadcast }
        guard !node.repeatsMember else { throw RefusedBody.repeatedMember }
        let once = try request.key().map { KeyedRequest(key: $0, digest: Hex.encode(SHA256.hash(request.body))) }
        let bodies = BroadcastRequest.read(node, each: BroadcastRequest.plain)
        log.tracing(request.trace).step("broadcast received", fields: ["fragments": bodies?.count ?? 0])
        return try answer(bodies, once: once)
    }

    /// `POST /_broadcast`: the requests of an app that publishes through AnyCable. A remote disconnect uses the app's
    /// own identifiers of a connection. Paycast knows connections only by signed names, so there is nothing to do.
    func anyCableBroadcasts(_ request: Request) throws(RefusedBody) -> Answer {
        if JSONNode(request.body)?["command"] != nil { return .respond(Services.created) }
        return try answer(
            BroadcastRequest.read(request.body, each: BroadcastRequest.anyCable),
            with: Services.created
        )
    }

    /// `success` replaces the list of cursors.
    private func answer(
        _ bodies: [BroadcastRequest]?,
        once request: KeyedRequest? = nil,
        with success: Response? = nil
    ) throws(RefusedBody) -> Answer {
        guard let bodies else { throw Services.notABroadcast }
        var (kept, transient): ([Fragment], [Fragment]) = ([], [])
        let renderer = templates.renderer
        for body in bodies {
            let fragment = try body.fragment(streams, templates: templates)
            if body.isTransient { transient.append(fragment) } else { kept.append(fragment) }
        }
        if request == nil, kept.isEmpty, !transient.contains(where: \.hasNoLanguage) {
            let messages = transient.map { Message(transient: $0, renderer: renderer) }
            let success = success ?? Services.accepted(transient.count)
            guard isLedgerShared else { return .broadcast(messages, success) }
            broadcast(messages)
            return .respond(success)
        }
        let isTransient = bodies.map(\.isTransient)
        return .later { [self, kept, transient] reply in
            let begin = { @Sendable [self] (transient: [Fragment]) in
                let messages = transient.map { Message(transient: $0, renderer: renderer) }
                return commit(kept, then: messages, once: request, reply: reply) { cursors in
                    var rest = cursors[...]
                    return success ?? Services.accepted(isTransient.map { $0 ? nil : rest.popFirst()?.description })
                }
            }
            guard transient.contains(where: \.hasNoLanguage) else { return begin(transient) }
            return reader.ask({ try $0.written(transient) }) { result in
                guard case .success(let written) = result, begin(written) else { return reply.send(.busy) }
            }
        }
    }

    /// The fragments of one request: the ledger commits those that are kept, and the transient ones go out after the commit;
    /// with an `Idempotency-Key`, they too go out at most once. Returns false if the ledger's queue is full.
    private func commit(
        _ kept: [Fragment],
        then transient: [Message],
        once request: KeyedRequest?,
        reply: Reply,
        answer: @escaping @Sendable ([Cursor]) -> Response
    ) -> Bool {
        let finish = { @Sendable [self] (cursors: [Cursor], transient: [Message]) in
            if !transient.isEmpty { broadcast(transient) }
            reply.send(answer(cursors))
        }
        if let request {
            return writer.submit(
                .broadcastOnce(kept, request) { result in
                    switch result {
                    case .failure: reply.send(.uncommitted)
                    case .success(.made(let cursors)): finish(cursors, transient)
                    case .success(.repeated(let cursors)): finish(cursors, [])
                    case .success(.otherRequest): reply.send(Services.keyOfOther)
                    }
                }
            )
        }
        guard !kept.isEmpty else {
            finish([], transient)
            return true
        }
        return writer.submit(
            .broadcast(kept) { result in
                guard case .success(let cursors) = result else { return reply.send(.uncommitted) }
                finish(cursors, transient)
            }
        )
    }

    /// `{"cursors":[…]}`, in the order of the request, with null for a transient fragment, which has no position in the ledger.
    /// Built by hand: JSONEncoder takes longer than the fan-out to one page.
    static func accepted(_ cursors: [String?]) -> Response {
        let list = cursors.map { $0.map { "\"\($0)\"" } ?? "null" }.joined(separator: ",")
        return Response(status: 202, contentType: "application/json", body: "{\"cursors\":[\(list)]}")
    }

    /// The answer to `count` transient fragments; nearly always there is one.
    private static func accepted(_ count: Int) -> Response {
        count == 1 ? acceptedOne : accepted([String?](repeating: nil, count: count))
    }

    private static let acceptedOne = accepted([nil])

    private static let created = Response(status: 201)

    private static let keyOfOther = Response.error(
        422,
        code: "idempotency_key_reused",
        message: "Another body came with this Idempotency-Key within the last 24 hours; take a new key."
    )

    private static let notABroadcast = RefusedBody(
        "invalid_json",
        message:
            "Send one object or an array of 1 to 100: {\"stream\" or \"user\", \"html\"} or with action and target."
    )
}

extension Request {
    /// Nil without an `Idempotency-Key`.
    func key() throws(RefusedBody) -> IdempotencyKey? {
        guard let value = idempotencyKey else { return nil }
        guard let key = IdempotencyKey(header: value) else {
            throw RefusedBody(
                "invalid_idempotency_key",
                message:
                    "Idempotency-Key must be 1 to 255 printable ASCII characters: bare without spaces, or in quotes."
            )
        }
        return key
    }
}
