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
        let commit = BroadcastCommit(
            services: self,
            kept: kept,
            isTransient: bodies.map(\.isTransient),
            request: request,
            success: success
        )
        return .later { [transient, reader] reply in
            guard transient.contains(where: \.hasNoLanguage) else {
                return commit.begin(transient.map { Message(transient: $0, renderer: renderer) }, reply: reply)
            }
            return reader.ask({ try $0.written(transient) }) { result in
                let messages = try? result.get().map { Message(transient: $0, renderer: renderer) }
                guard let messages, commit.begin(messages, reply: reply) else { return reply.send(.busy) }
            }
        }
    }

    /// `{"cursors":[…]}`, with null for a transient fragment, which has no position in the ledger. Built by hand:
    /// JSONEncoder takes longer than the fan-out to one page.
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

/// The fragments of one request. The ledger commits the durable ones, the transient ones go out after the commit, and
/// the answer lists the cursors in the order of the request.
struct BroadcastCommit: Sendable {
    let services: Services
    let kept: [Fragment]
    /// Whether each fragment of the request is transient.
    let isTransient: [Bool]
    /// Set when the request has an `Idempotency-Key`: its transient fragments, too, go out at most once.
    let request: KeyedRequest?
    /// Replaces the list of cursors as the answer.
    let success: Response?

    /// Returns false if the ledger's queue is full.
    func begin(_ transient: [Message], reply: Reply) -> Bool {
        if let request {
            return services.writer.submit(
                .broadcastOnce(kept, request) { result in
                    switch result {
                    case .failure: reply.send(.uncommitted)
                    case .success(.made(let cursors)): finish(cursors, transient: transient, reply: reply)
                    case .success(.repeated(let cursors)): finish(cursors, transient: [], reply: reply)
                    case .success(.otherRequest): reply.send(BroadcastCommit.keyReused)
                    }
                }
            )
        }
        guard !kept.isEmpty else {
            finish([], transient: transient, reply: reply)
            return true
        }
        return services.writer.submit(
            .broadcast(kept) { result in
                guard case .success(let cursors) = result else { return reply.send(.uncommitted) }
                finish(cursors, transient: transient, reply: reply)
            }
        )
    }

    private func finish(_ cursors: [Cursor], transient: [Message], reply: Reply) {
        if !transient.isEmpty { services.broadcast(transient) }
        var rest = cursors[...]
        let all = isTransient.map { $0 ? nil : rest.popFirst()?.description }
        reply.send(success ?? Services.accepted(all))
    }

    private static let keyReused = Response.error(
        422,
        code: "idempotency_key_reused",
        message: "Another body came with this Idempotency-Key within the last 24 hours; take a new key."
    )
}
