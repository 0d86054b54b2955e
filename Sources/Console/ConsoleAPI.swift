import API
import APIModel
import Domain
import Encoding
import HTTP
import Pages
import Support

extension Readiness {
    /// Why the ledger does not answer, if that is known, and what is wrong besides. `/ready` says it first.
    var cause: (text: String, others: [String])? {
        guard let first = problems.first, first.hasPrefix("ledger: ") else { return nil }
        return ("L" + first.dropFirst() + ".", Array(problems.dropFirst()))
    }
}

/// The API as a page of the console uses it: inside this process, with the key of its session. So a page can show and do
/// what the key may, and nothing else. It blocks: pages run on threads of the console's own.
struct ConsoleAPI: Sendable {
    /// The server's endpoints.
    let handler: any RequestHandler
    let session: ConsoleSession

    /// A ledger that does not answer must not hold the console's few threads.
    private static let patience = Duration.seconds(10)
    /// Changes have threads of their own.
    private static let patienceForChanges = Duration.seconds(30)

    /// Asks a route for its answer.
    func get<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from route: Route,
        query: [(name: String, value: String)] = []
    ) throws(ConsoleError) -> Value {
        try ask("GET", route, query: query)
    }

    /// What this server says of itself, which needs no ledger. It answers 503 with the same members as 200.
    func readiness() throws(ConsoleError) -> Readiness {
        let response = try send("GET", .ready)
        guard let found = JSON.decode(Readiness.self, from: response.body) else { throw ConsoleError(response) }
        return found
    }

    /// What the stores said in the first of some events, by their cursors. Each takes a question to the ledger; the first that is
    /// not answered ends it, since a ledger that hangs would be waited for at each.
    func answers(about events: [FeedItem]) -> [String: EventAnswer] {
        var found: [String: EventAnswer] = [:]
        for event in events.prefix(20) {
            do throws(ConsoleError) {
                found[event.cursor] = try get(from: .event(id: event.cursor))
            } catch {
                guard case .notFound = error else { return found }
            }
        }
        return found
    }

    /// Does something. Each action's `key` is the form's own: the same form, sent twice, acts once.
    func post<Value: Decodable>(
        _ type: Value.Type = Value.self,
        to route: Route,
        query: [(name: String, value: String)] = [],
        body: (any Encodable)? = nil,
        key: String? = nil
    ) throws(ConsoleError) -> Value {
        try ask("POST", route, query: query, body: body.map { JSON.encode($0) } ?? [], key: key)
    }

    func delete<Value: Decodable>(
        _ type: Value.Type = Value.self,
        at route: Route,
        query: [(name: String, value: String)] = []
    ) throws(ConsoleError) -> Value {
        try ask("DELETE", route, query: query)
    }

    private func ask<Value: Decodable>(
        _ method: String,
        _ route: Route,
        query: [(name: String, value: String)],
        body: [UInt8] = [],
        key: String? = nil
    ) throws(ConsoleError) -> Value {
        let response = try send(method, route, query: query, body: body, key: key)
        guard (200..<300).contains(response.status) else { throw ConsoleError(response) }
        guard let value = JSON.decode(Value.self, from: response.body) else {
            throw .unavailable("The server's answer could not be read.")
        }
        return value
    }

    /// Refuses by itself what the session's key could do and the session may not.
    private func send(
        _ method: String,
        _ route: Route,
        query: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        key: String? = nil
    ) throws(ConsoleError) -> Response {
        if let right = route.right(method) { try session.require(right) }
        let head = try head(method, query: query, body: body, key: key)
        let request = Request(
            route: route,
            head: head,
            body: body,
            host: "localhost",
            scheme: nil,
            isLocal: false,
            receivedAt: monotonicNanoseconds()
        )
        switch handler.handle(request) {
        case .respond(let response): return response
        case .later(let start):
            let answer = Promise<Response>()
            guard start(Reply { answer.fulfil($0) }) else {
                throw .unavailable("The server is too busy at the moment. Nothing was changed; try again.")
            }
            let isChange = method != "GET"
            let patience = isChange ? ConsoleAPI.patienceForChanges : ConsoleAPI.patience
            guard let response = answer.wait(timeout: patience) else {
                throw .unavailable(
                    isChange
                        ? "The server is still at work on it. Look at the user's page before you do it again."
                        : "The server did not answer in time; try again."
                )
            }
            return response
        case .broadcast, .open, .openCable: throw .unavailable("This is a stream, not a page.")
        }
    }

    /// The route says what is asked; the path in the head is read by nobody.
    private func head(
        _ method: String,
        query: [(name: String, value: String)],
        body: [UInt8],
        key: String?
    ) throws(ConsoleError) -> RequestHead {
        let pairs = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        var text = "\(method) /\(pairs.isEmpty ? "" : "?\(pairs)") HTTP/1.1\r\nHost: localhost\r\n"
        text +=
            "Authorization: Bearer \(session.key.secret.value)\r\nX-Request-ID: console-\(session.token.id.prefix(8))\r\n"
        if !body.isEmpty { text += "Content-Length: \(body.count)\r\n" }
        if let key {
            guard IdempotencyKey(header: key) != nil else {
                throw .invalid("This form is not one of the console's. Go back, and open it again.")
            }
            text += "Idempotency-Key: \(key)\r\n"
        }
        do throws(HeadFlaw) {
            return try RequestHead(parsing: Array((text + "\r\n").utf8)[...])
        } catch {
            throw .invalid(error.description)
        }
    }
}
